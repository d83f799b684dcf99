//! What became of every place that has a symbol's name, as a sentence.

use answers::occurrences::Occurrences;

/// After a full stop.
pub fn sentence(occurrences: &Occurrences) -> String {
    let texts = &occurrences.elsewhere;
    let parts = occurrences.in_words();
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
            " Other places with its name: {}.{searched}{unread}",
            parts.join(", ")
        ),
    }
}
