//! Build files in XML, element by element.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

/// An element whose end was reached.
pub struct Element<'a> {
    /// The names of the elements around it and its own, without prefixes.
    pub path: Vec<&'a str>,
    /// What stands in it beside other elements.
    pub text: &'a str,
    start: &'a BytesStart<'static>,
}

impl Element<'_> {
    pub fn attribute(&self, name: &str) -> Option<String> {
        let attribute = self.start.try_get_attribute(name).ok()??;
        let value = std::str::from_utf8(&attribute.value).ok()?;
        Some(unescaped(value))
    }
}

/// More levels than any build file has.
const DEEPEST: usize = 64;

/// Calls `each` with every element, inner ones first, until the text is no XML any more.
pub fn each_element(text: &str, mut each: impl FnMut(Element<'_>)) {
    struct OpenElement {
        start: BytesStart<'static>,
        name: String,
        text: String,
    }
    let mut reader = Reader::from_str(text);
    let mut open: Vec<OpenElement> = Vec::new();
    let mut close = |open: &mut Vec<OpenElement>| {
        if let Some(last) = open.last() {
            each(Element {
                path: open.iter().map(|open| open.name.as_str()).collect(),
                text: last.text.trim(),
                start: &last.start,
            });
        }
        open.pop();
    };
    loop {
        let (start, is_empty) = match reader.read_event() {
            Ok(Event::Start(start)) => (start, false),
            Ok(Event::Empty(start)) => (start, true),
            Ok(Event::End(_)) => {
                close(&mut open);
                continue;
            }
            Ok(Event::Text(text)) => {
                if let (Some(last), Ok(text)) = (open.last_mut(), std::str::from_utf8(&text)) {
                    last.text.push_str(text);
                }
                continue;
            }
            Ok(Event::Eof) | Err(_) => return,
            Ok(_) => continue,
        };
        if open.len() >= DEEPEST {
            return;
        }
        let name = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
        open.push(OpenElement {
            start: start.into_owned(),
            name,
            text: String::new(),
        });
        if is_empty {
            close(&mut open);
        }
    }
}

fn unescaped(text: &str) -> String {
    match quick_xml::escape::unescape(text) {
        Ok(text) => text.into_owned(),
        Err(_) => text.to_owned(),
    }
}
