//! What is wrong with a place, in words.

use engine::query::change::{Break, BreakKind, Misfit};

use super::SymbolSide;

pub(super) fn message(
    found: &Break,
    before: Option<&SymbolSide>,
    after: Option<&SymbolSide>,
) -> String {
    let old = before.map_or(found.name.as_str(), |side| side.name.as_str());
    let new = after.map(|side| side.name.as_str());
    let there = after.map(|side| format!(" at {}:{}", side.path, side.line));
    let there = there.unwrap_or_default();
    match &found.kind {
        BreakKind::Removed => format!("`{old}` is gone"),
        BreakKind::Renamed => match new {
            Some(new) => format!("`{old}` is now `{new}`{there}"),
            None => format!("`{old}` has another name"),
        },
        BreakKind::Moved => match after {
            Some(after) => format!("`{old}` is now in {}", after.path),
            None => format!("`{old}` is elsewhere"),
        },
        BreakKind::Hidden => format!("`{old}` can no longer be seen from here"),
        BreakKind::Import => format!("`{}` is no longer imported or exported", found.name),
        BreakKind::Arguments(misfit) => {
            let callee = new.unwrap_or(old);
            format!(
                "the call does not fit `{callee}`{there}: {}",
                misfit_text(misfit)
            )
        }
        BreakKind::Undefined => format!("there is no `{}`", found.name),
        BreakKind::Unimplemented => format!("`{}`{there} is not implemented", found.name),
        BreakKind::Override => format!("there is no `{}` left to override", found.name),
        BreakKind::Cycle(through) => format!("the import closes a cycle: {}", through.join(" -> ")),
        BreakKind::Duplicate => format!("`{}` is defined twice; the other is{there}", found.name),
    }
}

fn misfit_text(misfit: &Misfit) -> String {
    match misfit {
        Misfit::TooMany { given, at_most } => format!("{given} given, at most {at_most} taken"),
        Misfit::TooFew { given, at_least } => format!("{given} given, at least {at_least} needed"),
        Misfit::UnknownName(name) => format!("no parameter is called `{name}`"),
        Misfit::Missing(name) => format!("`{name}` must be given"),
        Misfit::NeedsValue => "it needs a value, and gets the type".to_owned(),
    }
}
