//! Macros that hide declarations from a grammar without a preprocessor, blanked at equal length
//! before the parse: `API(type) name(..)`, `class EXPORT Foo`, `Q_OBJECT`, `f() REQUIRES(mutex);`.
//! The walk still sees the true text.

use super::object_macros::{NamespaceEdge, ObjectMacros};
use crate::languages::conditionals;

/// A word, a literal, or one byte of punctuation; comments and directives are left out.
#[derive(Clone, Copy)]
struct MacroToken {
    start: u32,
    end: u32,
    kind: u8,
}

const WORD: u8 = b'w';
const LITERAL: u8 = b'"';

#[cfg(feature = "c")]
pub(crate) fn prepare_c(text: &str) -> Option<String> {
    prepare(text, true)
}

#[cfg(feature = "cpp")]
pub(crate) fn prepare_cpp(text: &str) -> Option<String> {
    prepare(text, false)
}

fn prepare(text: &str, plain_c: bool) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = conditionals::soften(&mut bytes, conditionals::Expressions::Joined);
    let tokens = tokens(&bytes);
    let mut edits = Blanks {
        tokens: &tokens,
        text: text.as_bytes(),
        closing: closing(&tokens),
        macros: ObjectMacros::of(text.as_bytes()),
        blanked: vec![false; tokens.len()],
        plain_c,
        depth: 0,
        classes: Vec::new(),
        blanks: Vec::new(),
        writes: Vec::new(),
    };
    if !plain_c {
        edits.namespace_macros();
    }
    edits.find();
    changed |= blank_comments_in_macros(&mut bytes);
    changed |= blank_include_tests(&mut bytes);
    let (blanks, writes) = (edits.blanks, edits.writes);
    changed |= !blanks.is_empty() || !writes.is_empty();
    if !changed {
        return None;
    }
    for (start, end) in blanks {
        for byte in &mut bytes[start as usize..end as usize] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    for (at, written) in writes {
        bytes[at as usize..at as usize + written.len()].copy_from_slice(written);
    }
    String::from_utf8(bytes).ok()
}

/// The grammar ends a macro's body at a comment, although a backslash goes on after it.
fn blank_comments_in_macros(text: &mut [u8]) -> bool {
    let mut changed = false;
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&text[from..], b"define") {
        let start = from + at;
        from = start + 6;
        let hash = text[..start]
            .iter()
            .rposition(|byte| !matches!(byte, b' ' | b'\t'))
            .filter(|&hash| text[hash] == b'#');
        let Some(line_start) = hash.filter(|&hash| conditionals::starts_line(text, hash)) else {
            continue;
        };
        let end = directive_end(text, line_start);
        let mut i = start;
        while let Some(at) = memchr::memmem::find(&text[i..end], b"/*") {
            let comment = i + at;
            let Some(len) = memchr::memmem::find(&text[comment..], b"*/") else {
                break;
            };
            let comment_end = comment + len + 2;
            if comment_end >= end || !text[comment_end..end].contains(&b'\n') {
                break;
            }
            for byte in &mut text[comment..comment_end] {
                if !matches!(byte, b'\n' | b'\r' | b'\\') {
                    *byte = b' ';
                }
            }
            changed = true;
            i = comment_end;
        }
        from = end;
    }
    changed
}

/// `#if __has_include(<a.h>)`: the grammar takes no path in a condition.
fn blank_include_tests(text: &mut [u8]) -> bool {
    let mut changed = false;
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&text[from..], b"__has_include") {
        let start = from + at;
        from = start + 1;
        // Conditions are short; a longer line is data.
        const MAX_LINE: usize = 400;
        let window = start.saturating_sub(MAX_LINE);
        let line_start =
            memchr::memrchr(b'\n', &text[window..start]).map_or(window, |i| window + i + 1);
        let line_end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |len| start + len);
        let line = text[line_start..start].trim_ascii_start();
        if line.starts_with(b"#") && !line[1..].trim_ascii_start().starts_with(b"define") {
            text[start..line_end].fill(b' ');
            text[start] = b'1';
            changed = true;
            from = line_end;
        }
    }
    changed
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn tokens(text: &[u8]) -> Vec<MacroToken> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut i = 0;
    let mut at_line_start = true;
    while i < text.len() {
        let byte = text[i];
        match byte {
            b'\n' => at_line_start = true,
            _ if byte.is_ascii_whitespace() => {}
            b'#' if at_line_start => {
                i = directive_end(text, i);
                continue;
            }
            b'/' if text[i..].starts_with(b"//") => {
                i += memchr::memchr(b'\n', &text[i..]).unwrap_or(text.len() - i);
                continue;
            }
            b'/' if text[i..].starts_with(b"/*") => {
                i += memchr::memmem::find(&text[i + 2..], b"*/")
                    .map_or(text.len() - i, |end| end + 4);
                continue;
            }
            b'"' | b'\'' => {
                let end = literal_end(text, i);
                tokens.push(MacroToken {
                    start: i as u32,
                    end: end as u32,
                    kind: LITERAL,
                });
                at_line_start = false;
                i = end;
                continue;
            }
            _ if is_word_byte(byte) => {
                let len = text[i..]
                    .iter()
                    .position(|&byte| !is_word_byte(byte))
                    .unwrap_or(text.len() - i);
                let kind = if byte.is_ascii_digit() { LITERAL } else { WORD };
                if text[i..i + len].ends_with(b"R") && text.get(i + len) == Some(&b'"') {
                    i = raw_string_end(text, i + len);
                    continue;
                }
                tokens.push(MacroToken {
                    start: i as u32,
                    end: (i + len) as u32,
                    kind,
                });
                at_line_start = false;
                i += len;
                continue;
            }
            _ => {
                tokens.push(MacroToken {
                    start: i as u32,
                    end: i as u32 + 1,
                    kind: byte,
                });
                at_line_start = false;
            }
        }
        i += 1;
    }
    tokens
}

fn directive_end(text: &[u8], start: usize) -> usize {
    let mut i = start;
    loop {
        let Some(len) = memchr::memchr(b'\n', &text[i..]) else {
            return text.len();
        };
        let continued = text[start..i + len].trim_ascii_end().ends_with(b"\\");
        i += len;
        if !continued {
            return i;
        }
        i += 1;
    }
}

fn literal_end(text: &[u8], start: usize) -> usize {
    let quote = text[start];
    let mut i = start + 1;
    while i < text.len() {
        match text[i] {
            b'\\' => i += 1,
            b'\n' => return i,
            byte if byte == quote => return i + 1,
            _ => {}
        }
        i += 1;
    }
    text.len()
}

/// `R"x( .. )x"`, from its quote.
fn raw_string_end(text: &[u8], quote: usize) -> usize {
    let Some(open) = memchr::memchr(b'(', &text[quote..(quote + 20).min(text.len())]) else {
        return quote + 1;
    };
    let mut end = vec![b')'];
    end.extend_from_slice(&text[quote + 1..quote + open]);
    end.push(b'"');
    memchr::memmem::find(&text[quote + open..], &end)
        .map_or(text.len(), |at| quote + open + at + end.len())
}

/// For each opening parenthesis the token that closes it, and the other way round; itself where
/// there is none.
fn closing(tokens: &[MacroToken]) -> Vec<u32> {
    let mut partner: Vec<u32> = (0..tokens.len() as u32).collect();
    let mut open = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            b'(' => open.push(i),
            b')' => {
                if let Some(start) = open.pop() {
                    (partner[start], partner[i]) = (i as u32, start as u32);
                }
            }
            // Unbalanced text does not reach over the end of a block.
            b'{' | b'}' => open.clear(),
            _ => {}
        }
    }
    partner
}

struct Blanks<'text> {
    tokens: &'text [MacroToken],
    text: &'text [u8],
    closing: Vec<u32>,
    macros: ObjectMacros<'text>,
    blanked: Vec<bool>,
    plain_c: bool,
    /// How many braces are open; those of linkage blocks do not count.
    depth: u32,
    /// The classes around, and the depth of their bodies.
    classes: Vec<(&'text [u8], u32)>,
    blanks: Vec<(u32, u32)>,
    /// What is written over the text after it was blanked.
    writes: Vec<(u32, &'static [u8])>,
}

impl<'text> Blanks<'text> {
    /// `SHOP_BEGIN_NAMESPACE` becomes a namespace without a name, which the walk names by what the
    /// macro stands for, and `BEGIN_NAMESPACE(shop)` one with a name. Only pairs count.
    fn namespace_macros(&mut self) {
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        for i in 0..self.tokens.len() {
            if self.kind(i) != WORD || !self.starts_line(i) {
                continue;
            }
            let argument = self
                .arguments(i)
                .filter(|&close| close == i + 3 && self.kind(i + 2) == WORD);
            if argument.is_none() && (self.kind(i + 1) == b'(' || !self.ends_line(i)) {
                continue;
            }
            match self.macros.edge(self.word(i)) {
                Some(NamespaceEdge::Opens) => open.push((i, argument)),
                Some(NamespaceEdge::Closes) => {
                    if let Some((start, name)) = open.pop() {
                        self.namespace_between((start, name), (i, argument));
                    }
                }
                None => {}
            }
        }
    }

    /// Rewrites a macro that opens a namespace, and the one that closes it.
    fn namespace_between(
        &mut self,
        opening: (usize, Option<usize>),
        closing: (usize, Option<usize>),
    ) {
        const HEADER: &[u8] = b"namespace{";
        let (start, name) = opening;
        let (end, last) = (closing.0, closing.1.unwrap_or(closing.0));
        let word = self.tokens[start];
        let has_room = (word.end - word.start) as usize >= HEADER.len();
        if !has_room {
            return;
        }
        let is_inline = self.macros.opened(self.word(start)) == Some("");
        match name {
            // Names of the namespace around.
            None if is_inline => return [start, end].iter().for_each(|&i| self.blank(i, i)),
            None => {
                self.blank(start, start);
                self.writes.push((word.start, HEADER));
            }
            Some(close) => {
                self.blank(start, start + 1);
                self.blank(close, close);
                self.writes.push((word.start, b"namespace"));
                self.writes.push((self.tokens[close].start, b"{"));
            }
        }
        self.blank(end, last);
        self.writes.push((self.tokens[end].start, b"}"));
    }

    /// Whether nothing but spaces and comments follows a token on its line.
    fn ends_line(&self, i: usize) -> bool {
        let end = self.tokens[i].end as usize;
        let line_end =
            memchr::memchr(b'\n', &self.text[end..]).map_or(self.text.len(), |len| end + len);
        let next = self.tokens.get(i + 1);
        next.is_none_or(|next| next.start as usize > line_end)
    }

    fn find(&mut self) {
        for i in 0..self.tokens.len() {
            match self.tokens[i].kind {
                b'{' if i == 0 || self.tokens[i - 1].kind != LITERAL => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if !self.plain_c {
                self.follow_classes(i);
                self.cpp_token(i);
            }
            if self.tokens[i].kind != WORD || self.blanked[i] {
                continue;
            }
            let word = self.word(i);
            match word {
                b"__attribute__" | b"__attribute" => {
                    if let Some(close) = self.arguments(i) {
                        self.blank(i, close);
                    }
                }
                // `extern "C" __declspec(dllimport) void f();`
                b"__declspec" if self.before(i).is_some_and(|at| self.kind(at) == LITERAL) => {
                    if let Some(close) = self.arguments(i) {
                        self.blank(i, close);
                    }
                }
                b"__stdcall" | b"__cdecl" | b"__fastcall" | b"__thiscall" | b"__vectorcall"
                    if self.kind(i + 1) == WORD =>
                {
                    self.blank(i, i)
                }
                b"va_arg" => self.type_argument(i),
                // `WITH_LOCK(mutex, return x)`
                b"return" if i > 0 && self.tokens[i - 1].kind == b',' => self.blank(i, i),
                b"new" if !self.plain_c => self.new_array(i),
                // `bool friend operator==(..)`
                b"friend"
                    if i > 0
                        && matches!(self.tokens[i - 1].kind, WORD | b'&' | b'*')
                        && !is_specifier(self.word(i - 1)) =>
                {
                    self.blank(i, i)
                }
                b"struct" | b"union" | b"enum" if self.plain_c && self.depth > 0 => {
                    self.tag_argument(i)
                }
                _ if self.macros.is_nothing(word) && self.arguments(i).is_none() => {
                    self.blank(i, i)
                }
                _ if self.is_numbered_attribute(i) => {
                    let close = self.closing[i + 1] as usize;
                    self.blank(i, close)
                }
                _ if self.fixture_and_name(i).is_some() => self.fixture_test(i),
                _ if is_macro_like(word) => self.macro_word(i),
                _ => self.plain_word(i),
            }
        }
    }

    /// Forms of C++ that the grammar does not know.
    fn cpp_token(&mut self, i: usize) {
        match self.tokens[i].kind {
            // `f(Foo foo = {})`
            b'=' if self.kind(i + 1) == b'{'
                && self.kind(i + 2) == b'}'
                && matches!(self.kind(i + 3), b',' | b')') =>
            {
                self.blank(i + 1, i + 2);
                self.writes.push((self.tokens[i + 1].start, b"0"));
            }
            // `void (Class::*method)(..)`
            b'(' if self.kind(i + 1) == WORD
                && self.kind(i + 2) == b':'
                && self.kind(i + 3) == b':'
                && self.kind(i + 4) == b'*'
                && self.kind(i + 5) == WORD
                && self.kind(i + 6) == b')'
                && self.kind(i + 7) == b'(' =>
            {
                self.blank(i + 1, i + 3);
            }
            _ => {}
        }
    }

    /// `new Foo*[n]`
    fn new_array(&mut self, i: usize) {
        let mut end = i + 1;
        while matches!(self.kind(end), WORD | b':') && end < i + 32 {
            end += 1;
        }
        let stars = (end..end + 4)
            .take_while(|&star| self.kind(star) == b'*')
            .count();
        if stars > 0 && self.kind(end + stars) == b'[' {
            self.blank(end, end + stars - 1);
        }
    }

    /// `va_arg(list, char *)`: a type where the grammar expects a value.
    fn type_argument(&mut self, i: usize) {
        let Some(close) = self.arguments(i) else {
            return;
        };
        let Some(comma) = (i + 2..close)
            .take(64)
            .find(|&inside| self.kind(inside) == b',')
        else {
            return;
        };
        if is_type_word(self.word(comma + 1)) {
            return self.blank(comma, close - 1);
        }
        for star in (comma + 1..close).take(16) {
            if self.kind(star) == b'*' {
                self.blank(star, star);
            }
        }
    }

    /// `list_entry(p, struct foo, link)`: the tag alone can be read as a value.
    fn tag_argument(&mut self, i: usize) {
        let after = self.before(i).map_or(0, |before| self.kind(before));
        if after != b',' || self.kind(i + 1) != WORD {
            return;
        }
        let stars = (i + 2..i + 5)
            .take_while(|&star| self.kind(star) == b'*')
            .count();
        if matches!(self.kind(i + 2 + stars), b',' | b')') {
            self.blank(i, i);
            if stars > 0 {
                self.blank(i + 2, i + 1 + stars);
            }
        }
    }

    /// `atomic_ int x;`: no type is followed by another, so the first word is an attribute.
    fn plain_word(&mut self, i: usize) {
        let word = self.word(i);
        if !is_complete_type(self.word(i + 1))
            || is_type_word(word)
            || is_statement_word(word)
            || matches!(word, b"operator" | b"typename" | b"__extension__")
        {
            return;
        }
        let before = self.before(i);
        if self.starts_declaration(before)
            && before.is_none_or(|before| self.kind(before) != LITERAL)
        {
            self.blank(i, i);
        }
    }

    /// `void printf_like(1, 2) log(..)`: what is given nothing but numbers between a type and the name
    /// of a function is an attribute.
    fn is_numbered_attribute(&self, i: usize) -> bool {
        let Some(close) = self.arguments(i) else {
            return false;
        };
        let is_number = |inside: usize| match self.kind(inside) {
            LITERAL => self.text[self.tokens[inside].start as usize].is_ascii_digit(),
            kind => kind == b',',
        };
        let stars = (close + 1..close + 4)
            .take_while(|&star| self.kind(star) == b'*')
            .count();
        let name = close + 1 + stars;
        let after_type = self
            .before(i)
            .is_some_and(|before| match self.kind(before) {
                WORD => !is_statement_word(self.word(before)),
                kind => kind == b'*',
            });
        close > i + 2
            && (i + 2..close).all(is_number)
            && self.kind(name) == WORD
            && self.kind(name + 1) == b'('
            && !is_statement_word(self.word(i))
            && !is_statement_word(self.word(name))
            && after_type
    }

    /// The last word of the fixture and the text that names the test in `TEST_CASE_METHOD(Fixture,
    /// "name") {`.
    fn fixture_and_name(&self, i: usize) -> Option<(usize, usize)> {
        let word = self.word(i);
        let is_fixture_macro = is_macro_like(word)
            && [&b"METHOD"[..], b"FIXTURE"]
                .iter()
                .any(|part| memchr::memmem::find(word, part).is_some());
        let close = self
            .arguments(i)
            .filter(|_| is_fixture_macro && !self.plain_c)?;
        let mut last = i + 2;
        while self.kind(last + 1) == b':' && self.kind(last + 2) == b':' {
            last += 3;
        }
        let name = last + 2;
        let names_test = self.kind(last) == WORD
            && self.kind(last + 1) == b','
            && self.kind(name) == LITERAL
            && self.text[self.tokens[name].start as usize] == b'"'
            && self.tokens[name].end - self.tokens[name].start > 2
            && self.kind(close + 1) == b'{';
        (names_test && self.starts_declaration(self.before(i))).then_some((last, name))
    }

    /// `TEST_CASE_METHOD(Fixture, "name") {` becomes a member of the fixture, `int Fixture::n() {`,
    /// which the walk names by the text.
    fn fixture_test(&mut self, i: usize) {
        let (Some((last, name)), Some(close)) = (self.fixture_and_name(i), self.arguments(i))
        else {
            return;
        };
        let (start, end) = (self.tokens[i].start, self.tokens[close].end);
        let after = self.tokens[last].end;
        self.blanks.push((start, self.tokens[i + 2].start));
        self.blanks.push((after, end));
        self.blanked[i..=close].fill(true);
        self.writes.push((start, b"int"));
        self.writes.push((after, b"::"));
        self.writes.push((self.tokens[name].start + 1, b"n"));
        self.writes.push((end - 2, b"()"));
    }

    fn word(&self, i: usize) -> &[u8] {
        match self.tokens.get(i) {
            Some(token) if token.kind == WORD => {
                &self.text[token.start as usize..token.end as usize]
            }
            _ => &[],
        }
    }

    fn kind(&self, i: usize) -> u8 {
        self.tokens.get(i).map_or(0, |token| token.kind)
    }

    /// The token that closes the arguments of the word at `i`, if it has any.
    fn arguments(&self, i: usize) -> Option<usize> {
        if self.kind(i + 1) != b'(' {
            return None;
        }
        Some(self.closing[i + 1] as usize).filter(|&close| close > i + 1)
    }

    fn blank(&mut self, from: usize, to: usize) {
        self.blanked[from..=to].fill(true);
        self.blanks
            .push((self.tokens[from].start, self.tokens[to].end));
    }

    /// The last token before `i` that was not blanked.
    fn before(&self, i: usize) -> Option<usize> {
        (0..i).rev().take(64).find(|&before| !self.blanked[before])
    }

    fn macro_word(&mut self, i: usize) {
        let before = self.before(i);
        let close = self.arguments(i);
        let last = close.unwrap_or(i);
        let previous = before.map_or(&[][..], |before| self.word(before));
        // `class EXPORT Foo`, `struct ALIGNED(8) Foo {`.
        if matches!(previous, b"class" | b"struct" | b"union" | b"enum") {
            let opens = matches!(self.kind(last + 2), b'{' | b':' | b'<')
                || self.word(last + 2) == b"final"
                || (previous == b"class" && self.kind(last + 2) == b';');
            if self.kind(last + 1) == WORD && (opens || is_macro_like(self.word(last + 1))) {
                self.blank(i, last);
            }
            return;
        }
        if let Some(before) = before.filter(|&before| self.ends_function_header(before)) {
            // `f() REQUIRES(mutex);`, `f() const NOEXCEPT {`.
            let ends = matches!(self.kind(last + 1), b';' | b'{' | b'=' | b':')
                || is_macro_like(self.word(last + 1))
                || matches!(self.word(last + 1), b"override" | b"final");
            if ends || self.kind(before) == b'&' {
                self.blank(i, last);
            }
            return;
        }
        if self.starts_declaration(before) {
            return self.before_declaration(i, close);
        }
        let Some(before) = before else { return };
        // `int CDECL main(void)`, `Foo *MUTABLE name = 1`, `void INLINE shop::Cart<T>::add(`.
        let names_member = self.names_member(i + 1);
        let names_something = self.kind(i + 1) == WORD
            && !is_statement_word(self.word(i + 1))
            && (names_member
                || matches!(self.kind(i + 2), b'(' | b'=' | b';' | b'[' | b',' | b')'));
        let is_function = names_member || self.kind(i + 2) == b'(';
        let after_type = matches!(self.kind(before), b'*' | b'&')
            || is_complete_type(previous)
            || (self.kind(before) == WORD && !is_type_word(previous) && is_function);
        if close.is_none() && names_something && after_type && !is_statement_word(previous) {
            return self.blank(i, i);
        }
        // `void (CALLBACK *name)(..)`
        if self.kind(before) == b'('
            && self.kind(i + 1) == b'*'
            && self.kind(i + 2) == WORD
            && self.kind(i + 3) == b')'
            && self.kind(i + 4) == b'('
        {
            return self.blank(i, i);
        }
        // `template <typename T, ENABLE_IF(is_integral<T>())>`
        if !self.plain_c
            && close.is_some()
            && self.kind(before) == b','
            && self.kind(last + 1) == b'>'
            && self.in_template_header(before)
        {
            return self.blank(before, last);
        }
        // `f(UNUSED int a)`
        if matches!(self.kind(before), b'(' | b',') && is_type_word(self.word(last + 1)) {
            return self.blank(i, last);
        }
        // `"a" STRINGIFY(B) "c"`
        let is_string = |at: usize| {
            self.kind(at) == LITERAL && self.text[self.tokens[at].start as usize] == b'"'
        };
        let joins_strings = if close.is_some() {
            is_string(before) || is_string(last + 1)
        } else {
            !self.plain_c && is_string(before)
        };
        if joins_strings && self.tokens[before].end < self.tokens[i].start {
            return self.blank(i, last);
        }
        // `Type name GUARDED_BY(mutex);`
        let named =
            (self.kind(before) == WORD && !is_type_word(previous) && !is_statement_word(previous))
                || (self.kind(before) == b']' && close.is_some());
        let typed = self.kind(before) == b']'
            || self
                .before(before)
                .is_some_and(|typed| match self.kind(typed) {
                    WORD if self.word(typed) == b"const" => {
                        matches!(self.kind(typed.wrapping_sub(1)), b'*' | b'&')
                    }
                    WORD => !is_specifier(self.word(typed)) && !is_statement_word(self.word(typed)),
                    kind => matches!(kind, b'*' | b'&' | b'>'),
                });
        let annotates = close.is_some()
            || [&b"UNUSED"[..], b"ALIGN", b"PACKED"]
                .iter()
                .any(|part| memchr::memmem::find(self.word(i), part).is_some());
        let ends = match self.kind(last + 1) {
            b';' | b'=' | b'{' => annotates,
            // `f(Foo& foo LIFETIMEBOUND)`
            b',' | b')' => self.kind(before) == WORD,
            _ => false,
        };
        if named && typed && ends {
            self.blank(i, last);
        }
    }

    /// Whether a declaration may start after this token.
    fn starts_declaration(&self, before: Option<usize>) -> bool {
        let Some(before) = before else { return true };
        match self.kind(before) {
            b';' | b'{' | b'}' => true,
            LITERAL => before > 0 && self.word(before - 1) == b"extern",
            b':' => matches!(
                self.word(before.wrapping_sub(1)),
                b"public" | b"private" | b"protected"
            ),
            b'>' => self.closes_template(before),
            WORD => matches!(
                self.word(before),
                b"static"
                    | b"inline"
                    | b"extern"
                    | b"virtual"
                    | b"const"
                    | b"explicit"
                    | b"constexpr"
                    | b"friend"
                    | b"typedef"
                    | b"__inline"
                    | b"__extension__"
            ),
            _ => false,
        }
    }

    /// Whether a place lies between the brackets of `template <`.
    fn in_template_header(&self, place: usize) -> bool {
        let mut depth = 0;
        for i in (0..place).rev().take(200) {
            match self.kind(i) {
                b'>' => depth += 1,
                b'<' if depth == 0 => return i > 0 && self.word(i - 1) == b"template",
                b'<' => depth -= 1,
                b';' | b'{' | b'}' => return false,
                _ => {}
            }
        }
        false
    }

    /// `template <..>`.
    fn closes_template(&self, close: usize) -> bool {
        let mut depth = 0;
        for i in (0..=close).rev().take(200) {
            match self.kind(i) {
                b'>' => depth += 1,
                b'<' => {
                    depth -= 1;
                    if depth == 0 {
                        return i > 0 && self.word(i - 1) == b"template";
                    }
                }
                b';' | b'{' | b'}' => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether this token ends the header of a function: its parameters, or a word after them.
    fn ends_function_header(&self, mut before: usize) -> bool {
        for _ in 0..6 {
            let after_header = matches!(
                self.word(before),
                b"const" | b"override" | b"final" | b"noexcept" | b"volatile"
            ) || self.kind(before) == b'&';
            match self.before(before) {
                Some(earlier) if after_header => before = earlier,
                _ => break,
            }
        }
        if self.kind(before) != b')' {
            return false;
        }
        let open = self.closing[before] as usize;
        if open == before {
            return false;
        }
        self.before(open).is_some_and(|name| match self.kind(name) {
            WORD => !is_statement_word(self.word(name)),
            // A lambda.
            b']' => true,
            // `(*name)(..)`
            b')' => self.kind(self.closing[name] as usize + 1) == b'*',
            _ => false,
        })
    }

    fn before_declaration(&mut self, i: usize, close: Option<usize>) {
        let last = close.unwrap_or(i);
        let next = last + 1;
        if let Some(close) = close {
            // `API(type) name(..)`
            let is_type = close > i + 2
                && (i + 2..close).all(|inside| {
                    matches!(self.kind(inside), WORD | b'*' | b'&' | b':' | b'<' | b'>')
                });
            let names_function = self.kind(next) == WORD
                && self.kind(next + 1) == b'('
                && !is_statement_word(self.word(next))
                && !is_macro_like(self.word(next))
                && !self.is_constructor(next);
            let wraps_type = is_type
                && (names_function || (self.kind(next) == b'(' && self.kind(next + 1) == WORD));
            if wraps_type {
                self.blank(i, i + 1);
                return self.blank(close, close);
            }
            // `DEPRECATED("since 2") int f();`
            if self.plain_c && self.depth == 0 && self.kind(next) == b'{' {
                return self.function_macro(i, close);
            }
            if !self.statement_macro(i, close) && is_type_word(self.word(next)) {
                self.blank(i, close);
            }
            return;
        }
        // `TRY_IF_ENABLED { … }` among statements.
        let in_class = matches!(self.classes.last(), Some((_, depth)) if *depth == self.depth);
        if self.kind(next) == b'{' && self.depth > 0 && !in_class && self.opens_block(next) {
            return self.blank(i, i);
        }
        let names_function =
            self.depth == 0 && self.kind(next) == WORD && self.kind(next + 1) == b'(';
        if !names_function && self.statement_macro(i, i) {
            return;
        }
        // `CONSTEXPR ~Foo()`
        if self.kind(next) == b'~' && !self.plain_c {
            return self.blank(i, i);
        }
        if self.kind(next) != WORD {
            return;
        }
        if is_type_word(self.word(next))
            || is_statement_word(self.word(next))
            || self.is_constructor(next)
            || self.is_outer_constructor(next)
        {
            return self.blank(i, i);
        }
        // `EXPORT Foo::Bar<T> *name`, `DWORD WINAPI name(`, `JNIEXPORT jint JNICALL name(`
        let Some(third) = self.after_type(next) else {
            return;
        };
        if self.kind(third) != WORD {
            return;
        }
        if is_calling_convention(self.word(next)) {
            return self.blank(next, next);
        }
        self.blank(i, i);
        if is_macro_like(self.word(third))
            && self.kind(third + 1) == WORD
            && self.kind(third + 2) == b'('
        {
            self.blank(third, third);
        }
    }

    /// `Foo(..)` in the body of a class: the name of the class around it.
    fn is_constructor(&self, i: usize) -> bool {
        self.kind(i + 1) == b'('
            && self
                .classes
                .last()
                .is_some_and(|(class, _)| *class == self.word(i))
    }

    /// `Foo::Foo(..)`, `Foo::~Foo()`, `Foo::operator bool()`: members without a type that are
    /// written outside of their class.
    fn is_outer_constructor(&self, mut i: usize) -> bool {
        for _ in 0..8 {
            let end = self.after_arguments(i + 1).unwrap_or(i + 1);
            if self.kind(i) != WORD || self.kind(end) != b':' || self.kind(end + 1) != b':' {
                return false;
            }
            let name = end + 2;
            if self.kind(name) == b'~' || self.word(name) == b"operator" {
                return true;
            }
            if self.word(name) == self.word(i) && self.kind(name + 1) == b'(' {
                return true;
            }
            i = name;
        }
        false
    }

    /// Keeps the classes whose bodies are open.
    fn follow_classes(&mut self, i: usize) {
        match self.tokens[i].kind {
            b'{' => {
                if let Some(class) = self.class_opened_at(i) {
                    self.classes.push((class, self.depth));
                }
            }
            b'}' if self
                .classes
                .last()
                .is_some_and(|(_, depth)| self.depth < *depth) =>
            {
                self.classes.pop();
            }
            _ => {}
        }
    }

    /// The class whose body this brace opens: `class EXPORT Foo final : public Base<int> {`.
    fn class_opened_at(&self, brace: usize) -> Option<&'text [u8]> {
        /// A header is short; what is longer is no header.
        const MAX_HEADER: usize = 60;
        let mut name = None;
        for i in (brace.saturating_sub(MAX_HEADER)..brace).rev() {
            match self.kind(i) {
                WORD if matches!(self.word(i), b"class" | b"struct" | b"union") => {
                    // `template <class T> void f() {`, `enum class Kind {`.
                    let is_header = !matches!(self.kind(i.wrapping_sub(1)), b'<' | b',')
                        && self.word(i.wrapping_sub(1)) != b"enum";
                    return name.filter(|_| is_header);
                }
                WORD if !is_macro_like(self.word(i)) && self.word(i) != b"final" => {
                    name = Some(self.text_of(i))
                }
                b';' | b'{' | b'}' | b')' => return None,
                _ => {}
            }
        }
        None
    }

    fn text_of(&self, i: usize) -> &'text [u8] {
        let token = self.tokens[i];
        &self.text[token.start as usize..token.end as usize]
    }

    /// The token after a type that starts at `i`: its path, arguments, pointers.
    fn after_type(&self, mut i: usize) -> Option<usize> {
        i += 1;
        for _ in 0..64 {
            match self.kind(i) {
                b':' if self.kind(i + 1) == b':' && self.kind(i + 2) == WORD => i += 3,
                b'<' => i = self.after_arguments(i)?,
                b'*' | b'&' => i += 1,
                _ => return Some(i),
            }
        }
        None
    }

    /// Whether a path to a function starts here, which is declared outside of what it belongs to:
    /// `shop::Cart<T>::add(`.
    fn names_member(&self, i: usize) -> bool {
        let Some(end) = self.after_type(i).filter(|&end| end > i + 1) else {
            return false;
        };
        let is_path = (i..end).any(|at| self.kind(at) == b':');
        let ends_in_name = self.kind(end - 1) == WORD;
        is_path && ends_in_name && (self.kind(end) == b'(' || self.word(end - 1) == b"operator")
    }

    /// Whether the braces that open at a token hold statements.
    fn opens_block(&self, open: usize) -> bool {
        let mut depth = 0;
        for i in open..(open + 400).min(self.tokens.len()) {
            match self.kind(i) {
                b'{' => depth += 1,
                b'}' if depth == 1 => return false,
                b'}' => depth -= 1,
                b';' => return true,
                _ => {}
            }
        }
        false
    }

    /// The token after the template arguments that start at `i`, or `i` where none do.
    fn after_arguments(&self, mut i: usize) -> Option<usize> {
        if self.kind(i) != b'<' {
            return Some(i);
        }
        let mut depth = 0;
        for _ in 0..200 {
            match self.kind(i) {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                b';' | b'{' | 0 => return None,
                _ => {}
            }
            i += 1;
            if depth == 0 {
                return Some(i);
            }
        }
        None
    }

    fn starts_line(&self, i: usize) -> bool {
        conditionals::starts_line(self.text, self.tokens[i].start as usize)
    }

    /// `TEST(group, name) {` becomes `int name() {`, for a grammar in which functions have types.
    fn function_macro(&mut self, i: usize, close: usize) {
        let end = self.tokens[close].end as usize;
        let arguments: Vec<usize> = (i + 2..close)
            .filter(|&inside| self.kind(inside) == WORD)
            .collect();
        let (Some(&name), true) = (
            arguments.get(1).or(arguments.first()),
            self.text.get(end).is_some_and(u8::is_ascii_whitespace),
        ) else {
            return;
        };
        let start = self.tokens[i].start;
        if self.tokens[name].start < start + 4 || self.tokens[name].end as usize > end {
            return;
        }
        self.blanks.push((start, self.tokens[name].start));
        self.blanks.push((self.tokens[name].end, end as u32));
        self.blanked[i..=close].fill(true);
        self.writes.push((start, b"int"));
        self.writes.push((end as u32 - 1, b"()"));
    }

    /// `DEFINE_THING(a, b)` on a line of its own, without a semicolon, becomes a statement.
    fn statement_macro(&mut self, i: usize, close: usize) -> bool {
        if !self.starts_line(i) {
            return false;
        }
        // `DEPRECATED("since 2")` in a class, where no statement may be.
        let only_literals =
            close > i + 2 && (i + 2..close).all(|inside| self.kind(inside) == LITERAL);
        let in_class = matches!(self.classes.last(), Some((_, depth)) if *depth == self.depth);
        if only_literals && in_class && self.kind(close + 1) == WORD {
            self.blank(i, close);
            return true;
        }
        let end = self.tokens[close].end as usize;
        let next = self.tokens.get(close + 1);
        let alone = self.ends_line(close);
        let follows = next.is_none_or(|next| matches!(next.kind, WORD | b'}' | b'~' | b'#'));
        let in_list = !in_class
            && self
                .before(i)
                .is_some_and(|before| self.kind(before) == b'{')
            && self.kind(close + 1) == b'}';
        let becomes_statement =
            alone && follows && !in_list && self.text.get(end).is_some_and(u8::is_ascii_whitespace);
        if becomes_statement {
            self.writes.push((end as u32, b";"));
            // A declaration may start after it.
            self.blanked[i..=close].fill(true);
        }
        becomes_statement
    }
}

/// In capitals throughout, or named like an export.
fn is_macro_like(word: &[u8]) -> bool {
    if word.len() < 3 {
        return false;
    }
    let capitals = word
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let has_letter = word.iter().any(u8::is_ascii_uppercase);
    (capitals && has_letter && !KNOWN_TYPES.contains(&word))
        || word.ends_with(b"API_FUNC")
        || word.ends_with(b"API_DATA")
        || ((word.starts_with(b"PRI") || word.starts_with(b"SCN")) && word.len() < 9)
}

/// Types of the libraries of C that are written in capitals.
#[rustfmt::skip]
const KNOWN_TYPES: &[&[u8]] = &[
    b"FILE", b"DIR", b"EOF", b"NULL", b"TRUE", b"FALSE", b"BOOL", b"HANDLE", b"BYTE", b"WORD",
    b"LONG", b"VOID", b"CHAR",
];

#[rustfmt::skip]
const CALLING_CONVENTIONS: &[&[u8]] = &[
    b"WINAPI", b"CALLBACK", b"APIENTRY", b"STDCALL", b"CDECL", b"ZEXPORT", b"PASCAL", b"WINAPIV",
];

/// Types by themselves.
#[rustfmt::skip]
const TYPES: &[&[u8]] = &[
    b"void", b"int", b"char", b"bool", b"float", b"double", b"long", b"short", b"unsigned",
    b"signed", b"size_t", b"ssize_t", b"int8_t", b"int16_t", b"int32_t", b"int64_t", b"uint8_t",
    b"uint16_t", b"uint32_t", b"uint64_t", b"uintptr_t", b"intptr_t",
];

/// Words that are no type by themselves.
#[rustfmt::skip]
const SPECIFIERS: &[&[u8]] = &[
    b"struct", b"union", b"enum", b"class", b"const", b"volatile", b"static", b"inline", b"extern",
    b"virtual", b"typename", b"template", b"constexpr", b"explicit", b"friend", b"typedef",
    b"using", b"namespace", b"public", b"private", b"protected", b"register", b"mutable",
    b"operator",
];

/// Words of statements and expressions, which start no declaration.
#[rustfmt::skip]
const STATEMENT_WORDS: &[&[u8]] = &[
    b"if", b"while", b"for", b"switch", b"return", b"else", b"case", b"do", b"goto", b"break",
    b"continue", b"sizeof", b"catch", b"new", b"delete", b"throw", b"default", b"co_return",
    b"co_await", b"and", b"or", b"not", b"defined", b"alignof", b"decltype",
];

fn is_calling_convention(word: &[u8]) -> bool {
    CALLING_CONVENTIONS.contains(&word)
        || (is_macro_like(word)
            && (word.ends_with(b"CALL") || word.ends_with(b"_CC") || word.ends_with(b"CONV")))
}

/// Words with which a type or a declaration starts.
fn is_type_word(word: &[u8]) -> bool {
    TYPES.contains(&word)
        || SPECIFIERS.contains(&word)
        || matches!(word, b"auto" | b"__inline" | b"__inline__")
}

fn is_complete_type(word: &[u8]) -> bool {
    TYPES.contains(&word) || matches!(word, b"time_t" | b"off_t" | b"pid_t")
}

fn is_specifier(word: &[u8]) -> bool {
    SPECIFIERS.contains(&word)
}

fn is_statement_word(word: &[u8]) -> bool {
    STATEMENT_WORDS.contains(&word)
}
