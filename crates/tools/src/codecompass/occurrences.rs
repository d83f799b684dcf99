//! What became of every place that has a symbol's name, as metadata show it.

use answers::occurrences::Occurrences;
use engine::query::Account;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub struct OccurrencesShape {
    files_with_name: usize,
    other_meanings: usize,
    ambiguous: usize,
    unresolved: usize,
    #[serde(flatten)]
    elsewhere: Option<OutsideCode>,
}

/// Places outside of understood code, looked for where nothing in code means the symbol.
#[derive(Serialize, JsonSchema)]
pub struct OutsideCode {
    in_comments_and_strings: usize,
    in_other_files: usize,
    not_understood: usize,
    files_not_indexed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_searched: Option<usize>,
}

impl From<Account> for OccurrencesShape {
    fn from(account: Account) -> OccurrencesShape {
        OccurrencesShape {
            files_with_name: account.files,
            other_meanings: account.others,
            ambiguous: account.ambiguous,
            unresolved: account.unresolved,
            elsewhere: None,
        }
    }
}

impl From<Occurrences> for OccurrencesShape {
    fn from(occurrences: Occurrences) -> OccurrencesShape {
        let texts = occurrences.elsewhere;
        OccurrencesShape {
            elsewhere: Some(OutsideCode {
                in_comments_and_strings: texts.in_text,
                in_other_files: texts.in_other_files,
                not_understood: texts.not_understood,
                files_not_indexed: occurrences.n_files_not_indexed,
                files_searched: texts.cut_at_files,
            }),
            ..occurrences.account.into()
        }
    }
}
