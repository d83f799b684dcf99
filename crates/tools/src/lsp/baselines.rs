//! What was wrong when somebody asked last, so that the next answer can show only what is new: what
//! an edit caused.
//!
//! Edits move diagnostics about; one is new if there are now more of its kind in its file than
//! there were.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;

use super::{
    errors,
    shapes::{Diagnostic, FileDiagnostics, sha256_hex},
};
use crate::ToolError;

/// The baselines given out last, the latest at the end.
#[derive(Default)]
pub struct Baselines(Mutex<Vec<(String, Arc<Baseline>)>>);

/// How many diagnostics of each kind each file has.
#[derive(Default)]
struct Baseline(BTreeMap<Kind, usize>);

type Kind = (String, Option<u32>, Option<String>, Option<String>, String);

/// A session compares with its last answer or the one before its work began.
const KEPT: usize = 32;
const DIGITS: usize = 32;

impl Baselines {
    /// A token for what is wrong now. Equal states have equal tokens.
    pub fn keep(&self, files: &[FileDiagnostics]) -> String {
        let mut baseline = Baseline::default();
        for (kind, _) in files.iter().flat_map(kinds) {
            *baseline.0.entry(kind).or_default() += 1;
        }
        let mut token = sha256_hex(&format!("{:?}", baseline.0));
        token.truncate(DIGITS);
        let mut kept = self.0.lock();
        kept.retain(|(known, _)| *known != token);
        kept.push((token.clone(), Arc::new(baseline)));
        if kept.len() > KEPT {
            kept.remove(0);
        }
        token
    }

    /// Only what is new since the token was given out. Files without anything new are left out.
    pub fn only_new(
        &self,
        token: &str,
        files: Vec<FileDiagnostics>,
    ) -> Result<Vec<FileDiagnostics>, ToolError> {
        let kept = self
            .0
            .lock()
            .iter()
            .find(|(known, _)| known == token)
            .map(|(_, baseline)| baseline.clone());
        let mut left = kept.ok_or_else(errors::since_expired)?.0.clone();
        let mut new = Vec::new();
        for file in files {
            let mut diagnostics = Vec::new();
            for (kind, diagnostic) in kinds(&file) {
                match left.get_mut(&kind) {
                    Some(n) if *n > 0 => *n -= 1,
                    _ => diagnostics.push(diagnostic.clone()),
                }
            }
            if !diagnostics.is_empty() {
                new.push(FileDiagnostics {
                    uri: file.uri,
                    diagnostics,
                });
            }
        }
        Ok(new)
    }
}

fn kinds(file: &FileDiagnostics) -> impl Iterator<Item = (Kind, &Diagnostic)> {
    let kind = |one: &Diagnostic| {
        (
            file.uri.clone(),
            one.severity,
            one.code.clone(),
            one.source.clone(),
            one.message.clone(),
        )
    };
    file.diagnostics.iter().map(move |one| (kind(one), one))
}

#[cfg(test)]
mod tests {
    use super::{
        super::shapes::{Position, Range},
        *,
    };

    fn file(diagnostics: &[(u32, &str)]) -> Vec<FileDiagnostics> {
        let uri = "file:///a";
        let range = |line| Range {
            start: Position { line, character: 0 },
            end: Position { line, character: 1 },
        };
        let diagnostics = diagnostics.iter().map(|(line, message)| {
            Diagnostic::new(
                uri,
                range(*line),
                Some(1),
                None,
                None,
                (*message).to_owned(),
            )
        });
        vec![FileDiagnostics {
            uri: uri.to_owned(),
            diagnostics: diagnostics.collect(),
        }]
    }

    #[test]
    fn what_only_moved_is_not_new() {
        let baselines = Baselines::default();
        let token = baselines.keep(&file(&[(1, "old"), (2, "twice")]));
        assert_eq!(
            baselines
                .only_new(&token, file(&[(5, "old"), (6, "twice")]))
                .unwrap(),
            []
        );
        let new = baselines
            .only_new(
                &token,
                file(&[(5, "old"), (6, "twice"), (7, "twice"), (8, "new")]),
            )
            .unwrap();
        let messages: Vec<_> = new[0]
            .diagnostics
            .iter()
            .map(|one| (one.range.start.line, one.message.as_str()))
            .collect();
        assert_eq!(messages, [(7, "twice"), (8, "new")]);
    }

    #[test]
    fn a_token_is_forgotten_after_many_others() {
        let baselines = Baselines::default();
        let token = baselines.keep(&file(&[(1, "first")]));
        for line in 0..KEPT as u32 {
            baselines.keep(&file(&[(1, &line.to_string())]));
        }
        assert!(baselines.only_new(&token, Vec::new()).is_err());
        assert!(baselines.only_new("nonsense", Vec::new()).is_err());
    }
}
