//! Who holds the bucket and not the key learns nothing but sizes.

use remote::{Error, Patience, Remote, RemoteOptions};

use crate::common::{BucketDirectory, REPOSITORY, Shop};

fn with_key(bucket: &BucketDirectory, key: &str) -> RemoteOptions {
    RemoteOptions {
        team_key: Some(key.to_owned()),
        ..bucket.options()
    }
}

#[test]
fn without_the_key_nothing_can_be_named_or_read() {
    let secret = "unmistakable_secret_name";
    let text = format!("def {secret}(): ...\n").repeat(30);
    let (shop, bucket) = (Shop::new(&[("a.py", &text)]), BucketDirectory::new());
    let options = with_key(&bucket, &"k".repeat(32));
    let remote = Remote::open(&options, Patience::PUBLISHING).unwrap();
    shop.publish(&remote, "release-branch").unwrap();
    let objects = ["packs", "trees", "refs"].map(|kind| bucket.objects(kind));
    assert!(objects.iter().all(|objects| !objects.is_empty()));
    for path in objects.iter().flatten() {
        let bytes = std::fs::read(path).unwrap();
        for word in [secret, "a.py", "release-branch", REPOSITORY, "shop"] {
            let holds = |bytes: &[u8]| bytes.windows(word.len()).any(|w| w == word.as_bytes());
            assert!(
                !holds(&bytes) && !holds(path.to_string_lossy().as_bytes()),
                "{word}"
            );
        }
    }
    let found = |options: &RemoteOptions| {
        let remote = Remote::open(options, Patience::ASKING).unwrap();
        remote
            .find(REPOSITORY, Some("release-branch"))
            .unwrap()
            .is_some()
    };
    assert!(found(&options));
    assert!(!found(&bucket.options()));
    assert!(!found(&with_key(&bucket, &"l".repeat(32))));
}

#[test]
fn keys_change_by_publishing_again_and_do_not_disturb_each_other() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    let keys = ["1", "2"].map(|key| with_key(&bucket, &key.repeat(40)));
    for options in &keys {
        shop.publish(
            &Remote::open(options, Patience::PUBLISHING).unwrap(),
            "main",
        )
        .unwrap();
    }
    shop.publish(&bucket.remote(), "main").unwrap();
    assert_eq!(bucket.objects("packs").len(), 3);
    // Collecting with one key leaves the others' objects alone.
    let second = Remote::open(&keys[1], Patience::PUBLISHING).unwrap();
    second.collect_garbage(std::time::Duration::ZERO).unwrap();
    second.collect_garbage(std::time::Duration::ZERO).unwrap();
    assert_eq!(bucket.objects("packs").len(), 3);
}

#[test]
fn a_short_key_is_refused() {
    let bucket = BucketDirectory::new();
    let opened = Remote::open(&with_key(&bucket, "short"), Patience::ASKING);
    assert!(matches!(opened, Err(Error::ShortKey { .. })));
}
