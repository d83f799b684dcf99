//! Rust's tokens, for what the grammar leaves as token trees: macro arguments, attributes, use
//! trees.

use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Lifetime,
    String,
    /// A number or character.
    Literal,
    Comment,
    /// `(`, `[`, `{`.
    Open,
    Close,
    /// One byte of punctuation.
    Mark,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// Tokens of a part of a text, in one pass.
pub(super) struct RustTokens<'text> {
    bytes: &'text [u8],
    position: usize,
    end: usize,
}

pub(super) fn tokens(text: &str, span: Span) -> RustTokens<'_> {
    RustTokens {
        bytes: text.as_bytes(),
        position: span.start as usize,
        end: (span.end as usize).min(text.len()),
    }
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl RustTokens<'_> {
    fn byte(&self, offset: usize) -> u8 {
        let position = self.position + offset;
        if position < self.end {
            self.bytes[position]
        } else {
            0
        }
    }

    fn skip_while(&mut self, accepts: impl Fn(u8) -> bool) {
        while self.position < self.end && accepts(self.bytes[self.position]) {
            self.position += 1;
        }
    }

    /// After the opening quote.
    fn skip_quoted(&mut self, quote: u8) {
        while self.position < self.end {
            let byte = self.bytes[self.position];
            self.position += if byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                break;
            }
        }
        self.position = self.position.min(self.end);
    }

    /// At the `#` or quote of a raw string.
    fn skip_raw(&mut self) {
        let start = self.position;
        self.skip_while(|byte| byte == b'#');
        let n_hashes = self.position - start;
        self.position += 1;
        while let Some(quote) =
            memchr::memchr(b'"', self.bytes.get(self.position..self.end).unwrap_or(&[]))
        {
            self.position += quote + 1;
            let hashes = self.bytes[self.position..self.end]
                .iter()
                .take(n_hashes)
                .take_while(|&&byte| byte == b'#')
                .count();
            if hashes == n_hashes {
                self.position += n_hashes;
                return;
            }
        }
        self.position = self.end;
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        while self.position < self.end {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => (depth, self.position) = (depth + 1, self.position + 2),
                (b'*', b'/') => (depth, self.position) = (depth - 1, self.position + 2),
                _ => self.position += 1,
            }
            if depth == 0 {
                break;
            }
        }
        self.position = self.position.min(self.end);
    }

    /// A word, or a string with a prefix.
    fn word(&mut self) -> TokenKind {
        let start = self.position;
        self.skip_while(in_word);
        let raw = |prefix: &[u8]| matches!(prefix, b"r" | b"br" | b"cr");
        match (&self.bytes[start..self.position], self.byte(0)) {
            (prefix, b'"') if raw(prefix) => {
                self.skip_raw();
                TokenKind::String
            }
            (prefix, b'#') if raw(prefix) && matches!(self.byte(1), b'#' | b'"') => {
                self.skip_raw();
                TokenKind::String
            }
            (b"r", b'#') => {
                self.position += 1;
                self.skip_while(in_word);
                TokenKind::Word
            }
            (b"b" | b"c", b'"') => {
                self.position += 1;
                self.skip_quoted(b'"');
                TokenKind::String
            }
            (b"b", b'\'') => {
                self.position += 1;
                self.skip_quoted(b'\'');
                TokenKind::Literal
            }
            _ => TokenKind::Word,
        }
    }

    /// A character or a lifetime, at its quote.
    fn quote(&mut self) -> TokenKind {
        self.position += 1;
        if self.byte(0) == b'\\' {
            self.skip_quoted(b'\'');
            return TokenKind::Literal;
        }
        let width = match self.byte(0) {
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
        if self.byte(width) == b'\'' {
            self.position += width + 1;
            return TokenKind::Literal;
        }
        self.skip_while(in_word);
        TokenKind::Lifetime
    }
}

impl Iterator for RustTokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_while(|byte| byte.is_ascii_whitespace());
        if self.position >= self.end {
            return None;
        }
        let start = self.position;
        let kind = match self.bytes[start] {
            byte if starts_word(byte) => self.word(),
            b'0'..=b'9' => {
                self.skip_while(in_word);
                if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
                    self.position += 1;
                    self.skip_while(in_word);
                }
                TokenKind::Literal
            }
            b'"' => {
                self.position += 1;
                self.skip_quoted(b'"');
                TokenKind::String
            }
            b'\'' => self.quote(),
            b'/' if self.byte(1) == b'/' => {
                self.position = memchr::memchr(b'\n', &self.bytes[start..self.end])
                    .map_or(self.end, |i| start + i);
                TokenKind::Comment
            }
            b'/' if self.byte(1) == b'*' => {
                self.skip_block_comment();
                TokenKind::Comment
            }
            b'(' | b'[' | b'{' => {
                self.position += 1;
                TokenKind::Open
            }
            b')' | b']' | b'}' => {
                self.position += 1;
                TokenKind::Close
            }
            _ => {
                self.position += 1;
                TokenKind::Mark
            }
        };
        self.position = self.position.min(self.end);
        Some(Token {
            kind,
            span: Span::new(start as u32, self.position as u32),
        })
    }
}

/// Words that are never names.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "async"
            | "await"
            | "break"
            | "const"
            | "continue"
            | "crate"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "false"
            | "fn"
            | "for"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "pub"
            | "ref"
            | "return"
            | "self"
            | "Self"
            | "static"
            | "struct"
            | "super"
            | "trait"
            | "true"
            | "type"
            | "unsafe"
            | "use"
            | "where"
            | "while"
            | "_"
    )
}
