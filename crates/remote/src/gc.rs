//! Garbage: objects that no manifest leads to, removed after a grace period.
//!
//! A publisher may be about to name an object that no manifest names now. So an object is removed
//! only if two runs, a grace period apart, found it unnamed, and a publisher checks after its
//! manifest that all its packs are there. When an object was first found unnamed is kept in one
//! object of the bucket, by the clock of the store.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use rustc_hash::FxHashSet;

use crate::{
    Error, Manifest, Remote, Result,
    bucket::{FOLDER, ListedObject},
};

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Collected {
    pub manifests: u64,
    /// Packs and trees that manifests lead to.
    pub live: u64,
    pub live_bytes: u64,
    /// Those that wait for the grace period to end.
    pub waiting: u64,
    pub removed: u64,
    pub removed_bytes: u64,
}

/// Seconds since 1970 at which an object was first found unnamed, by its name.
type GarbageMarks = BTreeMap<String, u64>;

impl Remote {
    /// Removes what no manifest led to for at least `grace`. Safe beside publishers that take less
    /// than that, and beside readers.
    pub fn collect_garbage(&self, grace: Duration) -> Result<Collected> {
        let (bucket, secrecy) = (&self.objects.bucket, &self.objects.secrecy);
        bucket.check_conditional_writes()?;
        let own = format!("{FOLDER}/{}", secrecy.directory());
        let place = format!("{own}/garbage");
        // ListedObject before manifests are read: what is published meanwhile is not in the list.
        let mut listed = bucket.list(&format!("{own}/packs"))?;
        listed.extend(bucket.list(&format!("{own}/trees"))?);
        let mut probes = bucket.list(&format!("{FOLDER}/probes"))?;
        probes.extend(bucket.list(&format!("{FOLDER}/unfinished"))?);
        let (live, n_manifests) = self.live()?;
        let (former, version) = match bucket.get(&place)? {
            Some((bytes, version)) => (
                serde_json::from_slice(&bytes).unwrap_or_default(),
                Some(version),
            ),
            None => (GarbageMarks::new(), None),
        };
        let now = self.store_clock(&own)?;
        let mut report = Collected {
            manifests: n_manifests,
            ..Collected::default()
        };
        let (mut marks, mut remove) = (GarbageMarks::new(), Vec::new());
        for object in listed.into_iter().chain(probes) {
            if live.contains(&object.name) {
                report.live += 1;
                report.live_bytes += object.size;
                continue;
            }
            let since = former.get(&*object.name).copied().unwrap_or(now).min(now);
            if now - since >= grace.as_secs() && is_old(&object, now, grace) {
                remove.push(object);
            } else {
                report.waiting += 1;
                marks.insert(object.name.into(), since);
            }
        }
        // Before anything is removed: another collector that began at the same time stops here.
        let json = serde_json::to_vec(&marks).map_err(|error| Error::Failed(error.to_string()))?;
        bucket.replace(&place, Bytes::from(json), version.as_ref())?;
        for object in remove {
            bucket.delete(&object.name)?;
            report.removed += 1;
            report.removed_bytes += object.size;
        }
        Ok(report)
    }

    /// The packs and trees that manifests lead to. Fails where one cannot be read: what it leads to
    /// is unknown.
    fn live(&self) -> Result<(FxHashSet<Box<str>>, u64)> {
        let (bucket, secrecy) = (&self.objects.bucket, &self.objects.secrecy);
        let mut live: FxHashSet<Box<str>> = FxHashSet::default();
        let mut read: FxHashSet<Box<str>> = FxHashSet::default();
        let manifests = bucket.list(&Manifest::all(secrecy))?;
        for listed in &manifests {
            let (manifest, version) = Manifest::read(bucket, secrecy, &listed.name)?;
            let Some(manifest) = manifest else {
                match version {
                    Some(_) => return Err(Error::Damaged(listed.name.to_string())),
                    // Removed meanwhile.
                    None => continue,
                }
            };
            let place = self.objects.tree_place(&manifest.tree);
            if !read.insert(manifest.tree.clone()) {
                continue;
            }
            live.insert(place.as_str().into());
            let tree = self.objects.tree(&manifest.tree)?;
            let tree = tree.ok_or(Error::Damaged(place))?;
            let base = tree.base.as_deref();
            live.extend(base.map(|base| Box::from(self.objects.tree_place(base))));
            live.extend(
                tree.packs
                    .iter()
                    .map(|pack| self.objects.pack_place(&pack.name).into()),
            );
        }
        Ok((live, manifests.len() as u64))
    }

    /// The time by the clock of the store, in seconds: when it took an object just now.
    fn store_clock(&self, own: &str) -> Result<u64> {
        let bucket = &self.objects.bucket;
        let name = format!("{own}/clock/now");
        bucket.delete(&name)?;
        bucket.put_new(&name, Bytes::from_static(b"now"))?;
        let listed = bucket.list(&format!("{own}/clock"))?;
        let clock = listed.first().ok_or(Error::Absent(name))?;
        Ok(seconds(clock.modified))
    }
}

/// Whether an object was written before the grace period began.
fn is_old(object: &ListedObject, now: u64, grace: Duration) -> bool {
    now.saturating_sub(seconds(object.modified)) >= grace.as_secs()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
