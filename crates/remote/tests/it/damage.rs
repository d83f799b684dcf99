//! A damaged object counts as absent, and never as something else.

use std::{fs, path::PathBuf};

use workspace::PublishedCommit as _;

use crate::common::{BucketDirectory, REPOSITORY, Shop};

/// What a reader can say about a name, if anything.
fn answer(bucket: &BucketDirectory) -> Option<(usize, usize, Vec<u8>)> {
    let remote = bucket.remote();
    let commit = remote.find(REPOSITORY, None).ok()??;
    let defining = commit.defining(&["total"]).ok()?.remove(0);
    let (content, _) = defining.first()?;
    let mentioning = commit.mentioning("total").ok()?.len();
    commit.facts_record(*content)?;
    commit.matches(&["cart"]).ok()?;
    Some((defining.len(), mentioning, commit.bytes(*content)?))
}

#[test]
fn a_damaged_object_is_absent_and_the_next_publisher_mends_it() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    let whole = answer(&bucket).unwrap();
    let kinds = ["packs", "trees", "refs"];
    let objects: Vec<PathBuf> = kinds.iter().flat_map(|kind| bucket.objects(kind)).collect();
    for path in &objects {
        let bytes = fs::read(path).unwrap();
        let step = (bytes.len() / 40).max(1);
        for i in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[i] ^= 0x10;
            fs::write(path, &damaged).unwrap();
            // Absent, or not touched by the question.
            assert!(
                answer(&bucket).is_none_or(|answer| answer == whole),
                "byte {i} of {path:?}"
            );
        }
        for length in [0, 1, 40, bytes.len() / 2, bytes.len() - 1] {
            fs::write(path, &bytes[..length]).unwrap();
            assert!(answer(&bucket).is_none_or(|answer| answer == whole));
        }
        fs::write(path, &bytes).unwrap();
    }
    assert_eq!(answer(&bucket), Some(whole.clone()));
    // Manifests are replaced by the next publisher.
    for path in bucket.objects("refs") {
        fs::write(path, b"damaged").unwrap();
    }
    assert_eq!(answer(&bucket), None);
    shop.publish(&bucket.remote(), "main").unwrap();
    assert_eq!(answer(&bucket), Some(whole));
}

#[test]
fn a_workspace_answers_without_a_store_that_is_gone() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    for kind in ["packs", "trees"] {
        for path in bucket.objects(kind) {
            fs::remove_file(path).unwrap();
        }
    }
    assert!(answer(&bucket).is_none());
    // And publishing again brings it back.
    shop.publish(&bucket.remote(), "main").unwrap();
    assert!(answer(&bucket).is_some());
}
