//! `cargo xtask loc`: lines of code per crate, without tests, comments and blank lines.

use std::{collections::BTreeMap, fs, path::Path};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::sources::{self, SourceFile};

#[derive(Default)]
struct CodeLines {
    rust: usize,
    /// Rules about frameworks that are text beside the code.
    rules: usize,
}

pub fn run(root: &Path) -> anyhow::Result<()> {
    let mut packages: BTreeMap<String, CodeLines> = BTreeMap::new();
    for source in sources::read(root)?.iter().filter(|source| !source.is_test) {
        packages
            .entry(source.package().to_owned())
            .or_default()
            .rust += code_lines(source);
    }
    for path in sources::files_below(&root.join("crates/engine/src"), &["txt", "rules"])? {
        let text = fs::read_to_string(path)?;
        packages.entry("engine".to_owned()).or_default().rules += rule_lines(&text);
    }
    println!("{:<18}{:>8}{:>8}{:>8}", "crate", "rust", "rules", "sum");
    let mut all = CodeLines::default();
    for (package, lines) in &packages {
        print(package, lines);
        all.rust += lines.rust;
        all.rules += lines.rules;
    }
    print("all", &all);
    Ok(())
}

fn print(name: &str, lines: &CodeLines) {
    let CodeLines { rust, rules } = lines;
    println!("{name:<18}{rust:>8}{rules:>8}{:>8}", rust + rules);
}

/// The lines with a token of code: not blank, not a comment, not part of a test.
fn code_lines(source: &SourceFile) -> usize {
    let text: Vec<&str> = source.text.lines().collect();
    let mut is_code = vec![false; text.len() + 1];
    let tokens: TokenStream = source.text.parse().expect("it was parsed before");
    mark(tokens, &text, &mut is_code);
    for lines in source.test_lines() {
        is_code[lines].fill(false);
    }
    is_code.iter().filter(|is_code| **is_code).count()
}

fn mark(tokens: TokenStream, text: &[&str], is_code: &mut [bool]) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let span = token.span();
        let (start, end) = (span.start(), span.end());
        match token {
            // A doc comment is an attribute to the compiler; its span is that of the comment.
            TokenTree::Punct(punct)
                if punct.as_char() == '#'
                    && text[start.line - 1].chars().nth(start.column) == Some('/') =>
            {
                tokens.next_if(
                    |next| matches!(next, TokenTree::Punct(punct) if punct.as_char() == '!'),
                );
                tokens.next();
            }
            TokenTree::Group(group) => {
                if group.delimiter() != Delimiter::None {
                    is_code[start.line] = true;
                    is_code[end.line] = true;
                }
                mark(group.stream(), text, is_code);
            }
            _ => {
                for line in start.line..=end.line {
                    is_code[line] |= !text[line - 1].trim().is_empty();
                }
            }
        }
    }
}

fn rule_lines(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_not_code() {
        let text = r##"//! A file.

/// Documented.
#[derive(Debug)] // and derived
struct A {
    /* a comment
       of two lines */
    a: &'static str,
}

const TEXT: &str = "one

three";

#[cfg(test)]
fn only_for_tests() {}

#[cfg(test)]
mod tests {
    #[test]
    fn a() {}
}
"##;
        let source = SourceFile {
            path: "a.rs".into(),
            text: text.to_owned(),
            syntax: syn::parse_file(text).unwrap(),
            is_test: false,
        };
        // The attribute, three lines of the struct, two of the constant.
        assert_eq!(code_lines(&source), 6);
    }
}
