//! What became of every place that bears a symbol's name, as a sentence.

use answers::occurrences::Occurrences;

/// After a full stop.
pub fn sentence(occurrences: &Occurrences) -> String {
    let (account, texts) = (&occurrences.account, &occurrences.elsewhere);
    let parts = [
        (account.others, "mean something else"),
        (account.ambiguous, "could mean it or another"),
        (account.unresolved, "could not be resolved"),
        (texts.in_text, "stand in comments and strings"),
        (texts.in_other_files, "stand in files that are no code"),
        (
            texts.not_understood,
            "stand in code that was not understood",
        ),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"))
        .collect();
    let searched = texts.cut_at_files.map_or_else(String::new, |n| {
        format!(" Only {n} files were searched for it.")
    });
    let unread = match occurrences.n_files_not_indexed {
        0 => String::new(),
        n => format!(" {n} files are not indexed."),
    };
    match parts.is_empty() {
        true => format!(" Its name is written nowhere else.{searched}{unread}"),
        false => format!(
            " Of the other places with its name, {}.{searched}{unread}",
            parts.join(", ")
        ),
    }
}
