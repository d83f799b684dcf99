//! `docs/contracts/lsp.md` on the servers that are tested; that its promises name tests which exist
//! is in `crates/tools/src/promises.rs`.

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn the_page_tells_tested_servers_from_others() {
    let page = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contracts/lsp.md"),
    )
    .unwrap();
    let (_, after) = page.split_once("Tested with ours:").unwrap();
    let (tested, after) = after.split_once("Known and untested:").unwrap();
    let (untested, _) = after.split_once(". ").unwrap();
    let names = |text: &str| {
        text.split(',')
            .map(|name| name.trim().trim_end_matches('.').to_owned())
            .collect::<BTreeSet<_>>()
    };
    let catalogue = language_servers::Catalogue::builtin();
    let known = |tested: bool| {
        catalogue
            .servers
            .iter()
            .filter(|spec| spec.tested == tested)
            .map(|spec| spec.name.clone())
            .collect()
    };
    assert_eq!(names(tested), known(true));
    assert_eq!(names(untested), known(false));
}
