//! Removing contents that nothing names any more. Every edit leaves one behind.

use std::time::{Duration, Instant};

use facts::ContentNumber;
use rusqlite::{Connection, params};

use crate::{
    Claim, Error, Result, Store,
    contents::{above, definitions, mentions, record},
    snapshots,
};

/// Contents that no snapshot, working tree or overlay named when they were looked for.
#[derive(Debug, Default)]
pub struct Unnamed {
    pub contents: Vec<ContentNumber>,
    /// How many contents had a name.
    pub n_named: usize,
    /// The commits whose snapshots were looked through, sorted.
    revisions: Vec<Vec<u8>>,
}

/// Contents removed in one transaction, for which others wait.
const TOGETHER: usize = 64;
/// How long to wait for those who look up contents to name them.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);
const LOCK: &str = "contents";

impl Store {
    /// Keeps every process from removing contents for as long as the claim lives: a content that
    /// was looked up can be named.
    pub fn keep_contents(&self) -> Result<Claim> {
        let claim = self.wait_for_claim(Claim::try_share)?;
        claim.ok_or(Error::Busy)
    }

    /// The last number that was given to a content.
    pub fn last_content(&self) -> Result<ContentNumber> {
        const LAST: &str = "SELECT seq FROM sqlite_sequence WHERE name = 'content'";
        let reader = self.database.read()?;
        let last = crate::sql::row(&reader, LAST, [], |row| row.get(0))?;
        Ok(ContentNumber(last.unwrap_or(0)))
    }

    pub fn unnamed(&self) -> Result<Unnamed> {
        let reader = self.database.read()?;
        let mut revisions = snapshots::list(&reader)?;
        revisions.sort_unstable();
        let mut named = snapshots::contents_of(&reader, &revisions)?;
        named.extend(snapshots::uncommitted_contents(&reader)?);
        named.sort_unstable();
        named.dedup();
        let mut contents = above(&reader, ContentNumber(0))?;
        contents.retain(|number| named.binary_search(number).is_err());
        Ok(Unnamed {
            contents,
            n_named: named.len(),
            revisions,
        })
    }

    /// Removes contents that still have no name. Returns how many went; stops early where others
    /// do not cease to look up contents.
    pub fn collect(
        &self,
        unnamed: &Unnamed,
        spared: &dyn Fn(ContentNumber) -> bool,
    ) -> Result<usize> {
        let mut n_removed = 0;
        for numbers in unnamed.contents.chunks(TOGETHER) {
            let Some(_claim) = self.wait_for_claim(Claim::try_take)? else {
                break;
            };
            n_removed += self.database.write(|connection| {
                let mut revisions = snapshots::list(connection)?;
                revisions.retain(|revision| unnamed.revisions.binary_search(revision).is_err());
                let mut named = snapshots::contents_of(connection, &revisions)?;
                named.extend(snapshots::uncommitted_contents(connection)?);
                named.sort_unstable();
                let is_unused = |number: &&ContentNumber| {
                    named.binary_search(number).is_err() && !spared(**number)
                };
                let unused: Vec<_> = numbers.iter().filter(is_unused).copied().collect();
                remove(connection, &unused)?;
                Ok(unused.len())
            })?;
        }
        if n_removed > 0 {
            let existing = above(&*self.database.read()?, ContentNumber(0))?;
            match self.text()?.retain(&existing) {
                // Another process writes there: the next collection removes these documents too.
                Err(Error::Busy) => {}
                done => done?,
            }
        }
        Ok(n_removed)
    }

    fn wait_for_claim(
        &self,
        take: impl Fn(&std::path::Path) -> Result<Option<Claim>>,
    ) -> Result<Option<Claim>> {
        let Some(path) = self.claim_path(LOCK) else {
            return Ok(Some(Claim::free()));
        };
        let until = Instant::now() + PATIENCE;
        loop {
            let claim = take(&path)?;
            if claim.is_some() || Instant::now() >= until {
                return Ok(claim);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn remove(connection: &Connection, numbers: &[ContentNumber]) -> Result<()> {
    let mut delete_definition =
        connection.prepare_cached("DELETE FROM definition WHERE name = ?1 AND content = ?2")?;
    let mut delete_mention =
        connection.prepare_cached("DELETE FROM mention WHERE name = ?1 AND content = ?2")?;
    let mut delete_recent_definition = connection
        .prepare_cached("DELETE FROM recent_definition WHERE name = ?1 AND content = ?2")?;
    let mut delete_recent_mention =
        connection.prepare_cached("DELETE FROM recent_mention WHERE name = ?1 AND content = ?2")?;
    let mut delete =
        connection.prepare_cached("DELETE FROM content WHERE number = ?1 RETURNING id")?;
    let mut delete_bytes = connection.prepare_cached(
        "DELETE FROM bytes WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM content WHERE content.id = ?1)",
    )?;
    for &number in numbers {
        // What a damaged record does not tell stays behind: a number that no snapshot names.
        if let Some(facts) =
            record(connection, number)?.and_then(|record| facts::decode(&record).ok())
        {
            for (name, _) in definitions(&facts) {
                if delete_recent_definition.execute(params![name, number.0])? == 0 {
                    delete_definition.execute(params![name, number.0])?;
                }
            }
            for name in mentions(&facts) {
                if delete_recent_mention.execute(params![name, number.0])? == 0 {
                    delete_mention.execute(params![name, number.0])?;
                }
            }
        }
        let ids = delete.query_map([number.0], |row| row.get::<_, Vec<u8>>(0))?;
        for id in ids.collect::<rusqlite::Result<Vec<_>>>()? {
            delete_bytes.execute([id])?;
        }
    }
    Ok(())
}
