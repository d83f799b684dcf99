//! How long the answer to a question about a change takes.

use std::time::{Duration, Instant};

/// How long an answer should take. What breaks is looked for first; callers, tests and dead code get
/// what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerTime {
    /// As long as the budget allows.
    Unlimited,
    /// As long as somebody who asks all the time waits; longer in large repositories.
    Usual,
    /// So long, and no part of the answer may take longer.
    AtMost(Duration),
}

impl AnswerTime {
    const USUAL: Duration = Duration::from_millis(250);
    const IN_LARGE_REPOSITORIES: Duration = Duration::from_millis(900);
    /// Files of a large repository, at least.
    const MANY_FILES: usize = 20_000;

    /// How long that is in a repository of so many files.
    pub(super) fn limit(self, n_files: usize) -> Option<Duration> {
        match self {
            AnswerTime::Unlimited => None,
            AnswerTime::Usual if n_files < AnswerTime::MANY_FILES => Some(AnswerTime::USUAL),
            AnswerTime::Usual => Some(AnswerTime::IN_LARGE_REPOSITORIES),
            AnswerTime::AtMost(limit) => Some(limit),
        }
    }
}

/// When the parts of an answer that follow from what breaks should be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartsEnd(Option<Instant>);

impl PartsEnd {
    /// For an answer that should take so long and was asked for then; without a limit at no time.
    pub fn of(patience: Option<(Duration, Instant)>) -> PartsEnd {
        let left = |(patience, started): (Duration, Instant)| {
            Instant::now() + time_left(patience, started.elapsed())
        };
        PartsEnd(patience.map(left))
    }

    /// How long a part may take: a share of what is left.
    pub fn share(self, share: f64) -> Option<Duration> {
        let left = self.0?.saturating_duration_since(Instant::now());
        Some(left.mul_f64(share))
    }
}

/// What callers, tests and dead code may take together: what is left of the time for the answer, and
/// a fifth of that time where nothing is left.
fn time_left(patience: Duration, taken: Duration) -> Duration {
    patience.saturating_sub(taken).max(patience / 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_gets_the_time_that_is_left_and_some_in_any_case() {
        let ms = Duration::from_millis;
        assert_eq!(time_left(ms(250), ms(50)), ms(200));
        assert_eq!(time_left(ms(250), ms(240)), ms(50));
        assert_eq!(time_left(ms(250), ms(2_000)), ms(50));
    }

    #[test]
    fn an_answer_about_a_large_repository_may_take_longer() {
        let ms = Duration::from_millis;
        assert_eq!(AnswerTime::Usual.limit(3_000), Some(ms(250)));
        assert_eq!(AnswerTime::Usual.limit(30_000), Some(ms(900)));
        assert_eq!(AnswerTime::AtMost(ms(20)).limit(30_000), Some(ms(20)));
        assert_eq!(AnswerTime::Unlimited.limit(3), None);
    }
}
