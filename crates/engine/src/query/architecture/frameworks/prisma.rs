//! Prisma: models in schema files of their own.

use facts::Span;

use super::*;
use crate::query::architecture::{ArchitectureFact, Scan};

pub const PRISMA: Framework = Framework {
    name: "prisma",
    packages: &["@prisma/client", "prisma"],
    read: &[read_schemas],
    ..SCRIPT
};

/// `model User { ... @@map("users") }`.
fn read_schemas(scan: &Scan<'_>) {
    let snapshot = scan.resolver.snapshot();
    for (file, entry) in snapshot.files() {
        if !entry.path.as_str().ends_with(".prisma") {
            continue;
        }
        let Some(text) = snapshot.corpus().text(entry.content) else {
            continue;
        };
        let mut open: Option<(&str, u32)> = None;
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim();
            if let Some(rest) = trimmed.strip_prefix("model ") {
                open = Some((rest.trim_end_matches('{').trim(), offset));
            } else if let Some(mapped) = trimmed.strip_prefix("@@map(") {
                let name = mapped.trim_start_matches("name:").trim();
                if let Some((table, _)) = &mut open {
                    *table = name.trim_matches(['"', ')', ' ']);
                }
            } else if trimmed == "}"
                && let Some((table, start)) = open.take()
            {
                let span = Span::new(start, start + 1);
                scan.add(ArchitectureFact::table("schema", table, file, span));
            }
            offset += line.len() as u32;
        }
    }
}
