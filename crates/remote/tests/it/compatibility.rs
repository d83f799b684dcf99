//! Objects that the first version of the layout wrote, kept: later versions read them.
//!
//! `UPDATE_EXPECT=1 cargo test -p remote compatibility` writes them anew. Do so only together with a new
//! folder name in `bucket.rs`: buckets hold objects of former releases.

use std::{fs, path::Path};

use remote::{Patience, Remote, RemoteOptions};
use workspace::PublishedCommit as _;

use crate::common::{BucketDirectory, REPOSITORY, Shop};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/objects-v1");
const KEY: &str = "a key of the tests, of more than 32 characters";

fn options(key: Option<&str>) -> RemoteOptions {
    RemoteOptions {
        url: format!("file://{KEPT}"),
        team_key: key.map(str::to_owned),
        ..RemoteOptions::default()
    }
}

#[test]
fn objects_of_the_first_version_are_read() {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write_kept();
    }
    for key in [None, Some(KEY)] {
        let remote = Remote::open(&options(key), Patience::PUBLISHING).unwrap();
        let commit = remote.find(REPOSITORY, Some("main")).unwrap().unwrap();
        let files = commit.files();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "app.py",
                "latin.py",
                "notes.md",
                "shop/__init__.py",
                "shop/cart.py"
            ]
        );
        assert_eq!(commit.skipped()[0].path.as_str(), "blob.bin");
        let cart = files[4].content;
        assert_eq!(commit.defining(&["total"]).unwrap()[0][0].0, cart);
        assert_eq!(
            commit.mentioning("total").unwrap(),
            [files[0].content, cart]
        );
        let text = commit.bytes(cart).unwrap();
        assert!(text.starts_with(b"class Cart:\n"));
        assert!(commit.facts_record(cart).is_some());
        assert_eq!(commit.row(cart).unwrap().len as usize, text.len());
        assert_eq!(commit.matches(&["prices"]).unwrap().documents.len(), 1);
        assert_eq!(commit.statistics().unwrap().n_contents, 5);
        // Trees did not say so then.
        assert_eq!(commit.package_names(), None);
    }
}

fn write_kept() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    for key in [None, Some(KEY)] {
        let options = RemoteOptions {
            team_key: key.map(str::to_owned),
            ..bucket.options()
        };
        let remote = Remote::open(&options, Patience::PUBLISHING).unwrap();
        shop.publish(&remote, "main").unwrap();
    }
    let _ = fs::remove_dir_all(KEPT);
    for kind in ["packs", "trees", "refs"] {
        for object in bucket.objects(kind) {
            let below = object.strip_prefix(bucket.0.path()).unwrap();
            let to = Path::new(KEPT).join(below);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&object, to).unwrap();
        }
    }
}
