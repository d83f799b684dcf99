//! Whether the store is worth asking: one that failed is left alone for a while, each time longer.
//! A file tells the next process.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use parking_lot::Mutex;

use crate::{Error, Result};

/// How long the first failure keeps requests away; each further one doubles it.
const FIRST_REST: Duration = Duration::from_secs(20);
const LONGEST_REST: Duration = Duration::from_secs(600);

#[derive(Default)]
pub(crate) struct Health {
    rest: Mutex<Rest>,
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rest {
    n_failures: u32,
    /// Milliseconds since 1970: when it failed, and until when it rests.
    since: u64,
    until: u64,
}

impl Health {
    /// What the process before this one found out.
    pub fn kept_in(file: PathBuf) -> Health {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let numbers: Vec<u64> = text
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        let rest = match numbers[..] {
            [n_failures, since, until] => Rest {
                n_failures: n_failures.min(32) as u32,
                since,
                // A clock that was wrong must not keep requests away for ever.
                until: until.min(now() + LONGEST_REST.as_millis() as u64),
            },
            _ => Rest::default(),
        };
        Health {
            rest: Mutex::new(rest),
            file: Some(file),
        }
    }

    /// An error while the store rests.
    pub fn check(&self) -> Result<()> {
        let (rest, now) = (*self.rest.lock(), now());
        if now < rest.until {
            let seconds = now.saturating_sub(rest.since) / 1000;
            return Err(Error::Resting { seconds });
        }
        Ok(())
    }

    pub fn succeeded(&self) {
        let mut rest = self.rest.lock();
        if *rest != Rest::default() {
            *rest = Rest::default();
            if let Some(file) = &self.file {
                let _ = fs::remove_file(file);
            }
        }
    }

    pub fn failed(&self) {
        let now = now();
        let mut rest = self.rest.lock();
        // Requests that were under way together fail together: they count once.
        if now < rest.until {
            return;
        }
        let time = (FIRST_REST * 2_u32.pow(rest.n_failures.min(5))).min(LONGEST_REST);
        *rest = Rest {
            n_failures: rest.n_failures + 1,
            since: now,
            until: now + time.as_millis() as u64,
        };
        if let Some(file) = &self.file {
            let _ = fs::write(
                file,
                format!("{} {} {}", rest.n_failures, rest.since, rest.until),
            );
        }
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_requests_away_and_a_success_ends_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("resting");
        let health = Health::kept_in(file.clone());
        health.check().unwrap();
        health.failed();
        health.failed();
        assert!(matches!(health.check(), Err(Error::Resting { .. })));
        assert_eq!(health.rest.lock().n_failures, 1);
        let next_process = Health::kept_in(file.clone());
        assert!(matches!(next_process.check(), Err(Error::Resting { .. })));
        health.succeeded();
        health.check().unwrap();
        Health::kept_in(file.clone()).check().unwrap();
        fs::write(&file, "1 0 99999999999999999").unwrap();
        let limit = now() + LONGEST_REST.as_millis() as u64 + 1000;
        assert!(Health::kept_in(file).rest.lock().until <= limit);
    }
}
