//! What no ref needs goes after the grace period, and nothing else.

use std::time::Duration;

use workspace::PublishedCommit as _;

use crate::common::{BucketDirectory, REPOSITORY, Shop};

#[test]
fn only_what_no_ref_needs_is_removed() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    // Everything is different: the first pack and tree are needed by no ref.
    let other = Shop::new(&[("b.py", "def other(): ...\n")]);
    other.publish(&bucket.remote(), "main").unwrap();
    let count = || (bucket.objects("packs").len(), bucket.objects("trees").len());
    assert_eq!(count(), (2, 2));

    let long = bucket
        .remote()
        .collect_garbage(Duration::from_secs(3600))
        .unwrap();
    assert_eq!((long.removed, long.waiting, long.live), (0, 2, 2));
    let soon = bucket
        .remote()
        .collect_garbage(Duration::from_secs(3600))
        .unwrap();
    assert_eq!(
        (soon.removed, count()),
        (0, (2, 2)),
        "the grace period has not ended"
    );
    let done = bucket.remote().collect_garbage(Duration::ZERO).unwrap();
    assert_eq!((done.removed, done.live, count()), (2, 2, (1, 1)));
    let again = bucket.remote().collect_garbage(Duration::ZERO).unwrap();
    assert_eq!((again.removed, again.waiting), (0, 0));
    let commit = bucket.remote().find(REPOSITORY, None).unwrap().unwrap();
    assert_eq!(commit.defining(&["other"]).unwrap()[0].len(), 1);
}

#[test]
fn what_is_published_again_is_kept() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    Shop::new(&[("b.py", "")])
        .publish(&bucket.remote(), "main")
        .unwrap();
    bucket
        .remote()
        .collect_garbage(Duration::from_secs(3600))
        .unwrap();
    // The old pack is named again before the period ends.
    shop.publish(&bucket.remote(), "release").unwrap();
    bucket.remote().collect_garbage(Duration::ZERO).unwrap();
    let commit = bucket
        .remote()
        .find(REPOSITORY, Some("release"))
        .unwrap()
        .unwrap();
    assert_eq!(commit.defining(&["total"]).unwrap()[0].len(), 1);
    let content = commit.files()[0].content;
    assert!(commit.facts_record(content).is_some());
}

#[test]
fn a_ref_that_cannot_be_read_stops_the_collector() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    std::fs::write(&bucket.objects("refs")[0], b"damaged").unwrap();
    assert!(bucket.remote().collect_garbage(Duration::ZERO).is_err());
    assert_eq!(bucket.objects("packs").len(), 1);
}
