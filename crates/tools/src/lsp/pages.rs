//! Long lists in pages: the cursor, and the lists kept while a client pages through them.
//!
//! A cursor is base64url of `{"v":2,"o":offset,"k":request,"s":snapshot}`. `k` binds it to its
//! question, `s` to the state that the question was answered from.

use std::{
    any::Any,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents,
    epochs::Epoch,
    errors,
    shapes::{count, sha256_hex},
};
use crate::{Context, LSP, ToolError};

const VERSION: u64 = 2;
/// Where a request does not say.
const PAGE: usize = 100;
/// One list: room for 20,000 references below long paths.
const BYTES_PER_LIST: usize = 8 << 20;
const BYTES_IN_ALL: usize = 64 << 20;
/// A model takes its time between two pages.
const KEPT_FOR: Duration = Duration::from_secs(10 * 60);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    v: u64,
    o: u64,
    k: String,
    s: String,
}

/// One page of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub origin: ListOrigin,
    pub next_cursor: Option<String>,
}

/// What all pages of a list say alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOrigin {
    /// Who made the list, as the summary says it.
    pub provider: String,
    /// For `since`, where the tool has that.
    pub token: Option<String>,
}

/// `v1|tool|field|field`, hashed.
pub fn request_key(tool: &str, fields: &[&str]) -> String {
    let mut text = format!("v1|{tool}");
    for field in fields {
        text.push('|');
        text.push_str(field);
    }
    sha256_hex(&text)
}

/// Binds a question to a state.
pub fn snapshot_key(request_key: &str, epochs: &str) -> String {
    sha256_hex(&format!("v1|snapshot|{request_key}|{epochs}"))
}

pub fn page_size(context: &Context, asked: Option<u64>) -> usize {
    context.limits(LSP).clamp_items(asked, PAGE).0
}

impl From<String> for ListOrigin {
    fn from(provider: String) -> ListOrigin {
        ListOrigin {
            provider,
            token: None,
        }
    }
}

// Which page of a list is asked for. No doc comment: it would become a description in the schema of
// every question that flattens this.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageInput {
    /// Default 100, at most 200
    #[schemars(range(min = 1))]
    page_size: Option<u64>,
    /// `nextCursor` of the page before
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PagedOutput<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
    pub summary: String,
    #[serde(skip)]
    pub base: Option<String>,
}

/// What a list is about: the tool, the fields that tell its questions apart, and one of its items.
pub struct PagedQuestion<'a> {
    pub tool: &'static str,
    pub fields: &'a [&'a str],
    pub item: &'static str,
}

impl PagedQuestion<'_> {
    /// The page that is asked for of a list that follows the texts and their language servers.
    pub fn answer<T: Clone + Serialize + Send + Sync + 'static>(
        &self,
        context: &Context,
        asked: &PageInput,
        epoch: Epoch,
        compute: impl FnOnce() -> Result<(Vec<T>, ListOrigin), ToolError>,
    ) -> Result<PagedOutput<T>, ToolError> {
        let request_key = request_key(self.tool, self.fields);
        let cursor = Cursor::read(asked.cursor.as_deref(), &request_key)?;
        let gateway = context.host.gateway();
        let state = || {
            let text = epoch.text + gateway.provider_epoch();
            gateway.state(context.roots(), [text, epoch.files])
        };
        let page_size = page_size(context, asked.page_size);
        let cursor = cursor.as_ref();
        let page = gateway
            .pages
            .page(&request_key, state, cursor, page_size, compute)?;
        let n_items = count(page.items.len(), self.item);
        let (next, provider) = (page.next_note(), &page.origin.provider);
        Ok(PagedOutput {
            summary: format!("Returned {n_items}{next}. {provider}"),
            items: page.items,
            next_cursor: page.next_cursor,
            base: documents::base(context),
        })
    }
}

impl<T> Page<T> {
    /// What a summary adds where the list goes on.
    pub fn next_note(&self) -> &'static str {
        match self.next_cursor {
            Some(_) => " (next page available)",
            None => "",
        }
    }
}

impl Cursor {
    /// The cursor of a request, if it has one and it belongs to the question.
    pub fn read(text: Option<&str>, request_key: &str) -> Result<Option<Cursor>, ToolError> {
        let Some(text) = text else { return Ok(None) };
        let bytes = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| errors::cursor_invalid())?;
        let cursor: Cursor =
            serde_json::from_slice(&bytes).map_err(|_| errors::cursor_invalid())?;
        if cursor.v != VERSION || cursor.k != request_key {
            return Err(errors::cursor_invalid());
        }
        Ok(Some(cursor))
    }

    fn write(&self) -> String {
        // Four plain fields cannot fail to be written.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The lists that clients page through, the one used last at the end.
#[derive(Default)]
pub struct Pages(Mutex<Vec<KeptList>>);

struct KeptList {
    snapshot_key: String,
    items: Arc<dyn Any + Send + Sync>,
    origin: ListOrigin,
    bytes: usize,
    used: Instant,
}

impl Pages {
    /// The page that a request means; `compute` makes the whole list, in its order, and says where
    /// it comes from, where it is not kept.
    ///
    /// `state` is read again after that: a server may publish while it is asked, and a cursor must
    /// not be stale when it is given out.
    pub fn page<T: Clone + Serialize + Send + Sync + 'static>(
        &self,
        request_key: &str,
        state: impl Fn() -> String,
        cursor: Option<&Cursor>,
        page_size: usize,
        compute: impl FnOnce() -> Result<(Vec<T>, ListOrigin), ToolError>,
    ) -> Result<Page<T>, ToolError> {
        let mut snapshot_key = snapshot_key(request_key, &state());
        if cursor.is_some_and(|cursor| cursor.s != snapshot_key) {
            return Err(errors::cursor_stale());
        }
        let offset = cursor.map_or(0, |cursor| usize::try_from(cursor.o).unwrap_or(usize::MAX));
        let (items, origin) = match (self.kept(&snapshot_key), cursor) {
            (Some(kept), _) => kept,
            (None, Some(_)) => return Err(errors::cursor_expired()),
            (None, None) => {
                let (items, origin) = compute()?;
                let items = Arc::new(items);
                // What fits one page needs no second look.
                if items.len() > page_size {
                    snapshot_key = self::snapshot_key(request_key, &state());
                    self.keep(&snapshot_key, &items, &origin)?;
                }
                (items, origin)
            }
        };
        let end = offset.saturating_add(page_size);
        let next = (end < items.len()).then(|| Cursor {
            v: VERSION,
            o: end as u64,
            k: request_key.to_owned(),
            s: snapshot_key,
        });
        let items = items
            .get(offset.min(items.len())..end.min(items.len()))
            .unwrap_or_default()
            .to_vec();
        Ok(Page {
            items,
            origin,
            next_cursor: next.map(|cursor| cursor.write()),
        })
    }

    fn kept<T: Send + Sync + 'static>(
        &self,
        snapshot_key: &str,
    ) -> Option<(Arc<Vec<T>>, ListOrigin)> {
        let mut kept = self.0.lock();
        kept.retain(|kept| kept.used.elapsed() < KEPT_FOR);
        let i = kept
            .iter()
            .position(|kept| kept.snapshot_key == snapshot_key)?;
        let mut found = kept.remove(i);
        found.used = Instant::now();
        let (items, origin) = (found.items.clone(), found.origin.clone());
        kept.push(found);
        Some((items.downcast().ok()?, origin))
    }

    fn keep<T: Serialize + Send + Sync + 'static>(
        &self,
        snapshot_key: &str,
        items: &Arc<Vec<T>>,
        origin: &ListOrigin,
    ) -> Result<(), ToolError> {
        let written =
            serde_json::to_vec(&**items).map_err(|error| ToolError::internal(error.to_string()))?;
        let bytes = written.len();
        if bytes > BYTES_PER_LIST {
            return Err(errors::snapshot_too_large(bytes, BYTES_PER_LIST));
        }
        let mut kept = self.0.lock();
        kept.retain(|kept| kept.snapshot_key != snapshot_key);
        while kept.iter().map(|kept| kept.bytes).sum::<usize>() + bytes > BYTES_IN_ALL {
            kept.remove(0);
        }
        kept.push(KeptList {
            snapshot_key: snapshot_key.to_owned(),
            items: items.clone(),
            origin: origin.clone(),
            bytes,
            used: Instant::now(),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Code;

    fn code<T: std::fmt::Debug>(result: Result<T, ToolError>) -> &'static str {
        match result.unwrap_err().code {
            Code::Own(code) => code.trim_start_matches("MCP_LSP_GATEWAY/"),
            other => panic!("{other:?}"),
        }
    }

    fn state() -> String {
        "s".to_owned()
    }

    #[test]
    fn a_state_that_moves_while_the_list_is_made_leaves_a_good_cursor() {
        let (pages, moved) = (Pages::default(), std::cell::Cell::new(0));
        let state = || moved.get().to_string();
        let page = pages.page("k", state, None, 1, || {
            moved.set(1);
            Ok((vec![1, 2], ListOrigin::default()))
        });
        let cursor = Cursor::read(page.unwrap().next_cursor.as_deref(), "k").unwrap();
        assert_eq!(
            pages
                .page::<i32>("k", state, cursor.as_ref(), 1, || panic!("it is kept"))
                .unwrap()
                .items,
            [2]
        );
    }

    #[test]
    fn pages_follow_each_other_and_their_size_may_change() {
        let pages = Pages::default();
        let numbers = || Ok(((0..10).collect::<Vec<u32>>(), ListOrigin::default()));
        let first = pages.page("k", state, None, 4, numbers).unwrap();
        assert_eq!(first.items, [0, 1, 2, 3]);
        let cursor = Cursor::read(first.next_cursor.as_deref(), "k").unwrap();
        let second = pages
            .page::<u32>("k", state, cursor.as_ref(), 3, || panic!("it is kept"))
            .unwrap();
        assert_eq!(second.items, [4, 5, 6]);
        let cursor = Cursor::read(second.next_cursor.as_deref(), "k").unwrap();
        let third = pages
            .page::<u32>("k", state, cursor.as_ref(), 3, || panic!("it is kept"))
            .unwrap();
        assert_eq!(
            (third.items.as_slice(), third.next_cursor),
            (&[7, 8, 9][..], None)
        );
    }

    #[test]
    fn a_cursor_is_plain_json_in_base64url() {
        let pages = Pages::default();
        let page = pages
            .page("k", state, None, 1, || {
                Ok((vec![1, 2], ListOrigin::default()))
            })
            .unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(page.next_cursor.unwrap()).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            format!(
                r#"{{"v":2,"o":1,"k":"k","s":"{}"}}"#,
                snapshot_key("k", "s")
            )
        );
    }

    #[test]
    fn what_is_no_cursor_of_the_question_is_invalid() {
        let read =
            |value: Value| Cursor::read(Some(&URL_SAFE_NO_PAD.encode(value.to_string())), "k");
        let good = json!({ "v": 2, "o": 1, "k": "k", "s": "s" });
        assert!(read(good.clone()).unwrap().is_some());
        for (field, value) in [
            ("v", json!(1)),
            ("v", json!("2")),
            ("o", json!(-1)),
            ("o", json!(1.5)),
            ("k", json!("other")),
            ("s", json!(null)),
            ("x", json!(1)),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert_eq!(code(read(bad)), "CURSOR_INVALID", "{field}");
        }
        for text in ["", "*", "e30", "bnVsbA==", "bnVsbA"] {
            assert_eq!(
                code(Cursor::read(Some(text), "k")),
                "CURSOR_INVALID",
                "{text}"
            );
        }
        assert_eq!(Cursor::read(None, "k").unwrap(), None);
    }

    #[test]
    fn another_state_is_stale_a_forgotten_list_expired_an_offset_beyond_it_empty() {
        let pages = Pages::default();
        let cursor = |o, s: &str| Cursor {
            v: VERSION,
            o,
            k: "k".to_owned(),
            s: snapshot_key("k", s),
        };
        let never = || -> Result<(Vec<u32>, ListOrigin), ToolError> {
            panic!("a later page computes nothing")
        };
        assert_eq!(
            code(pages.page("k", state, Some(&cursor(1, "t")), 1, never)),
            "CURSOR_STALE"
        );
        assert_eq!(
            code(pages.page("k", state, Some(&cursor(1, "s")), 1, never)),
            "CURSOR_EXPIRED"
        );
        pages
            .page("k", state, None, 1, || {
                Ok((vec![1u32, 2], ListOrigin::default()))
            })
            .unwrap();
        for offset in [2, 3, u64::MAX] {
            let page = pages
                .page("k", state, Some(&cursor(offset, "s")), 1, never)
                .unwrap();
            assert_eq!(
                page,
                Page {
                    items: Vec::new(),
                    origin: ListOrigin::default(),
                    next_cursor: None
                }
            );
        }
    }

    #[test]
    fn a_list_too_large_to_keep_is_refused_and_older_lists_make_room() {
        let pages = Pages::default();
        let list = |bytes: usize| {
            (
                vec!["x".repeat(bytes / 2), "y".repeat(bytes / 2)],
                ListOrigin::default(),
            )
        };
        assert_eq!(
            code(pages.page("k", state, None, 1, || Ok(list(BYTES_PER_LIST)))),
            "SNAPSHOT_TOO_LARGE"
        );
        // On one page, nothing need be kept.
        assert_eq!(
            pages
                .page("k", state, None, 2, || Ok(list(BYTES_PER_LIST)))
                .unwrap()
                .items
                .len(),
            2
        );
        for i in 0..12 {
            pages
                .page(
                    "k",
                    || i.to_string(),
                    None,
                    1,
                    || Ok(list(BYTES_PER_LIST - 100)),
                )
                .unwrap();
        }
        assert!(pages.kept::<String>(&snapshot_key("k", "0")).is_none());
        assert!(pages.kept::<String>(&snapshot_key("k", "11")).is_some());
        assert!(pages.0.lock().iter().map(|kept| kept.bytes).sum::<usize>() <= BYTES_IN_ALL);
    }

    #[test]
    fn keys_are_as_the_document_writes_them() {
        let key = request_key("vscode.lsp.references", &["file:///a", "1", "2", "false"]);
        assert_eq!(
            key,
            sha256_hex("v1|vscode.lsp.references|file:///a|1|2|false")
        );
        assert_eq!(
            request_key("vscode.lsp.diagnostics.workspace", &[]),
            sha256_hex("v1|vscode.lsp.diagnostics.workspace")
        );
        assert_eq!(
            snapshot_key("k", "roots:r|epochs:1,2,3"),
            sha256_hex("v1|snapshot|k|roots:r|epochs:1,2,3")
        );
    }
}
