//! What is published comes back as it was.

use engine_like::same_answers;
use remote::{Bucket, Error, Objects, Remote, Secrecy};

use crate::common::{BucketDirectory, REPOSITORY, Shop};

mod engine_like {
    //! Compares what a published commit says with what the local index says.

    use facts::{ContentNumber, Facts, RepoPath};
    use rustc_hash::FxHashSet;
    use workspace::{PublishedCommit, SnapshotView, Workspace};

    pub fn same_answers(workspace: &Workspace, view: &SnapshotView, commit: &dyn PublishedCommit) {
        let files = commit.files();
        let paths = |files: &[facts::File]| -> Vec<RepoPath> {
            files.iter().map(|file| file.path.clone()).collect()
        };
        let mut local: Vec<facts::File> = view
            .snapshot
            .files()
            .map(|(_, file)| file.clone())
            .collect();
        local.sort_by(|a, b| a.path.cmp(&b.path));
        assert_eq!(paths(&local), paths(&files));
        assert_eq!(view.skipped.to_vec(), commit.skipped());
        let corpus = view.snapshot.corpus();
        for (here, there) in local.iter().zip(&files) {
            let facts: Facts = facts::decode(&commit.facts_record(there.content).unwrap()).unwrap();
            assert_eq!(
                facts::encode(&facts),
                facts::encode(&corpus.facts(here.content).unwrap())
            );
            let text = String::from_utf8_lossy(&commit.bytes(there.content).unwrap()).into_owned();
            assert_eq!(*text, *corpus.text(here.content).unwrap());
            assert_eq!(here.language, there.language);
        }
        let path_of = |files: &[facts::File], content: ContentNumber| -> Vec<RepoPath> {
            let with = files.iter().filter(|file| file.content == content);
            with.map(|file| file.path.clone()).collect()
        };
        for name in ["Cart", "total", "main", "cart", "nothing", "", "é"] {
            let sorted = |mut paths: Vec<RepoPath>| {
                paths.sort();
                paths
            };
            let here = corpus.defining(name).unwrap();
            let there = commit.defining(&[name]).unwrap().remove(0);
            assert_eq!(
                sorted(here.iter().flat_map(|n| path_of(&local, *n)).collect()),
                sorted(
                    there
                        .iter()
                        .flat_map(|(n, _)| path_of(&files, *n))
                        .collect()
                ),
                "{name}"
            );
            let (here, there) = (
                corpus.mentioning(name).unwrap(),
                commit.mentioning(name).unwrap(),
            );
            assert_eq!(
                sorted(here.iter().flat_map(|n| path_of(&local, *n)).collect()),
                sorted(there.iter().flat_map(|n| path_of(&files, *n)).collect()),
                "{name}"
            );
        }
        let statistics = workspace.text().statistics(view).unwrap();
        assert_eq!(*statistics, commit.statistics().unwrap());
        let words = ["cart", "prices", "total", "absent"];
        let here = workspace.text().matches(view, &words).unwrap();
        let there = commit.matches(&words).unwrap();
        for (i, word) in words.iter().enumerate() {
            let of = |matches: &facts::TextMatches, files: &[facts::File]| {
                let mut found: Vec<_> = matches.words[i]
                    .iter()
                    .map(|(document, counts)| {
                        let document = matches.documents[*document as usize];
                        (
                            path_of(files, document.content),
                            document.symbol,
                            document.lengths,
                            *counts,
                        )
                    })
                    .collect();
                found.sort();
                found
            };
            assert_eq!(of(&here, &local), of(&there, &files), "{word}");
        }
        let lists = [
            vec![vec!["pric"]],
            vec![vec!["cart"], vec!["total"]],
            vec![vec!["otal", "absent"]],
            vec![vec!["ar"]],
            vec![vec!["absent"]],
        ];
        for pieces in lists {
            let owned = |list: &Vec<&str>| list.iter().map(|piece| (*piece).to_owned()).collect();
            let pieces: Vec<Vec<String>> = pieces.iter().map(owned).collect();
            let holds = |file: &&facts::File| {
                let text = commit.bytes(file.content).unwrap();
                let text = String::from_utf8_lossy(&text).to_lowercase();
                let mut lists = pieces.iter();
                lists.all(|list| list.iter().any(|piece| text.contains(&**piece)))
            };
            let expected = files.iter().filter(holds).map(|file| file.content);
            let expected: FxHashSet<ContentNumber> = expected.collect();
            assert_eq!(commit.may_hold(&pieces).unwrap(), expected, "{pieces:?}");
        }
        let mut names = Vec::new();
        commit
            .each_definition(&mut |name, _| names.push(name.to_owned()))
            .unwrap();
        assert!(names.contains(&"Cart".to_owned()) && names.contains(&"total".to_owned()));
    }
}

#[test]
fn a_published_commit_says_what_the_local_index_says() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    let (workspace, view) = shop.indexed();
    let report = shop.publish(&bucket.remote(), "main").unwrap();
    assert_eq!(
        (report.packs_written, report.new_contents),
        (1, report.files)
    );
    let reader = bucket.remote();
    let commit = reader.find(REPOSITORY, Some("main")).unwrap().unwrap();
    same_answers(&workspace, &view, &*commit);
    let default = reader.find(REPOSITORY, None).unwrap().unwrap();
    same_answers(&workspace, &view, &*default);
    assert!(reader.find(REPOSITORY, Some("other")).unwrap().is_none());
    assert!(reader.find("example.org/other", None).unwrap().is_none());
}

#[test]
fn a_pulled_commit_needs_no_store() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    let (workspace, view) = shop.indexed();
    shop.publish(&bucket.remote(), "main").unwrap();
    let cache = tempfile::tempdir().unwrap();
    let mut options = bucket.options();
    options.cache = Some(cache.path().to_path_buf());
    let reader = Remote::open(&options, remote::Patience::ASKING).unwrap();
    let commit = reader.find(REPOSITORY, None).unwrap().unwrap();
    assert!(commit.pull().unwrap() > 0);
    for pack in bucket.objects("packs") {
        std::fs::remove_file(pack).unwrap();
    }
    same_answers(&workspace, &view, &*commit);
    // Also in the next process.
    let next = Remote::open(&options, remote::Patience::ASKING).unwrap();
    let commit = next.find(REPOSITORY, None).unwrap().unwrap();
    same_answers(&workspace, &view, &*commit);
    assert_eq!(commit.pull().unwrap(), 0);
}

#[test]
fn a_commit_writes_the_contents_that_no_pack_has() {
    let files: Vec<(String, String)> = (0..200)
        .map(|i| {
            (
                format!("f{i}.py"),
                format!("def f{i}(): return {i}\n").repeat(20),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let (shop, bucket) = (Shop::new(&files), BucketDirectory::new());
    let first = shop.publish(&bucket.remote(), "main").unwrap();
    assert_eq!(
        (first.files, first.new_contents, first.was_current),
        (200, 200, false)
    );
    let again = shop.publish(&bucket.remote(), "main").unwrap();
    assert_eq!(
        (again.new_contents, again.packs_written, again.was_current),
        (0, 0, true)
    );
    shop.commit(&[("f7.py", "def seven(): return 7\n")]);
    let second = shop.publish(&bucket.remote(), "main").unwrap();
    assert_eq!((second.new_contents, second.packs_written), (1, 1));
    assert!(second.bytes_written * 10 < first.bytes_written);
    // Another ref of the same repository shares its packs.
    let branch = shop.publish(&bucket.remote(), "branch").unwrap();
    assert_eq!((branch.new_contents, branch.packs_written), (0, 0));
    let (workspace, view) = shop.indexed();
    for reference in ["main", "branch"] {
        let commit = bucket
            .remote()
            .find(REPOSITORY, Some(reference))
            .unwrap()
            .unwrap();
        same_answers_of_new_name(&workspace, &view, &*commit);
    }
}

fn same_answers_of_new_name(
    workspace: &workspace::Workspace,
    view: &workspace::SnapshotView,
    commit: &dyn workspace::PublishedCommit,
) {
    let _ = workspace;
    assert_eq!(commit.defining(&["seven"]).unwrap()[0].len(), 1);
    assert!(
        commit.defining(&["f7"]).unwrap()[0].is_empty(),
        "what is gone is not found"
    );
    assert_eq!(commit.files().len(), view.snapshot.n_files());
    assert_eq!(commit.statistics().unwrap().n_contents, 200);
}

#[test]
fn many_commits_do_not_become_many_packs() {
    let (shop, bucket) = (Shop::usual(), BucketDirectory::new());
    for i in 0..60 {
        shop.commit(&[(&format!("more{i}.py"), &format!("def more{i}(): ...\n"))]);
        shop.publish(&bucket.remote(), "main").unwrap();
    }
    let commit = bucket.remote().find(REPOSITORY, None).unwrap().unwrap();
    assert!(commit.tree().packs.len() <= 32);
    let (workspace, view) = shop.indexed();
    same_answers(&workspace, &view, &*commit);
}

#[test]
fn branches_share_packs_and_trees() {
    let contents: Vec<(String, String)> = (0..400)
        .map(|i| {
            (
                format!("f{i}.py"),
                format!("def f{i}(): return {i}\n").repeat(9),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> = contents
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    files.push(("cart.py", "class Cart:\n    def total(self): return 1\n"));
    let (shop, bucket) = (Shop::new(&files), BucketDirectory::new());
    let first = shop.publish(&bucket.remote(), "main").unwrap();
    // Each branch goes on from the one before: it has its contents, and one more that is new.
    let mut most = 0;
    for i in 0..30 {
        let text = format!("def changed{i}(): return {i}\n").repeat(9);
        shop.commit(&[(&format!("f{i}.py"), &text)]);
        let branch = shop
            .publish(&bucket.remote(), &format!("branch{i}"))
            .unwrap();
        assert_eq!(branch.new_contents, 1, "{i}");
        most = most.max(branch.bytes_written);
        if i == 7 {
            let (workspace, view) = shop.indexed();
            let commit = bucket
                .remote()
                .find(REPOSITORY, Some("branch7"))
                .unwrap()
                .unwrap();
            assert!(commit.tree().base.is_some());
            same_answers(&workspace, &view, &*commit);
        }
    }
    assert!(
        most * 10 < first.bytes_written,
        "{most} of {}",
        first.bytes_written
    );
    // The trees of the branches need that of `main` even when it names another.
    shop.commit(&[("f0.py", "def other(): ...\n")]);
    shop.git(&["checkout", "-q", "--orphan", "new"]);
    shop.git(&["rm", "-rqf", "."]);
    shop.commit(&[("only.py", "def only(): ...\n")]);
    shop.publish(&bucket.remote(), "main").unwrap();
    let remote = bucket.remote();
    for _ in 0..2 {
        remote.collect_garbage(std::time::Duration::ZERO).unwrap();
    }
    for i in 0..30 {
        let found = bucket
            .remote()
            .find(REPOSITORY, Some(&format!("branch{i}")));
        let commit = found.unwrap().unwrap();
        assert_eq!(workspace::PublishedCommit::files(&*commit).len(), 401);
        let name = format!("changed{i}");
        let found = workspace::PublishedCommit::defining(&*commit, &[&name]).unwrap();
        assert_eq!(found[0].len(), 1, "{name}");
    }
}

#[test]
fn a_word_that_is_cut_off_may_hold_anything() {
    let long = format!("KEY = \"{}end\"\n", "abcdefgh".repeat(20));
    let shop = Shop::new(&[("key.py", &long), ("other.py", "def other(): ...\n")]);
    let bucket = BucketDirectory::new();
    shop.publish(&bucket.remote(), "main").unwrap();
    let commit = bucket.remote().find(REPOSITORY, None).unwrap().unwrap();
    let files = workspace::PublishedCommit::files(&*commit);
    let holding = |piece: &str| {
        let found = workspace::PublishedCommit::may_hold(&*commit, &[vec![piece.to_owned()]]);
        let found = found.unwrap();
        let here = files.iter().filter(|file| found.contains(&file.content));
        here.map(|file| file.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(holding("end"), ["key.py"]);
    assert_eq!(holding("other"), ["key.py", "other.py"]);
}

#[test]
fn packages_that_manifests_name_are_published() {
    let shop = Shop::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\n[dependencies]\nserde = \"1\"\n",
        ),
        (
            "web/package.json",
            r#"{"name": "@shop/web", "dependencies": {"react": "19"}}"#,
        ),
        ("src/lib.rs", ""),
    ]);
    let bucket = BucketDirectory::new();
    shop.publish(&bucket.remote(), "main").unwrap();
    let commit = bucket.remote().find(REPOSITORY, None).unwrap().unwrap();
    let named = workspace::PublishedCommit::package_names(&*commit).unwrap();
    let shown = |name: &workspace::PackageName| {
        let verb = if name.is_provided {
            "provides"
        } else {
            "requires"
        };
        let registry = name.registry.as_str();
        format!("{} {verb} {registry}/{}", name.manifest, name.name)
    };
    let shown: Vec<String> = named.iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "Cargo.toml requires cargo/serde",
            "Cargo.toml provides cargo/shop",
            "web/package.json provides npm/@shop/web",
            "web/package.json requires npm/react",
        ]
    );
    let (_, view) = shop.indexed();
    assert_eq!(view.package_names(), named);
}

#[test]
fn publishers_at_the_same_time_leave_whole_refs() {
    let bucket = BucketDirectory::new();
    std::thread::scope(|scope| {
        for i in 0..4 {
            let bucket = &bucket;
            scope.spawn(move || {
                let shop = Shop::new(&[
                    ("a.py", &format!("def by{i}(): ...\n")),
                    ("same.py", "same = 1\n"),
                ]);
                shop.publish(&bucket.remote(), "main").unwrap();
                shop.publish(&bucket.remote(), &format!("branch{i}"))
                    .unwrap();
            });
        }
    });
    let remote = bucket.remote();
    assert_eq!(remote.manifests(REPOSITORY).unwrap().len(), 5);
    for manifest in remote.manifests(REPOSITORY).unwrap() {
        let commit = remote
            .find(REPOSITORY, Some(&manifest.reference))
            .unwrap()
            .unwrap();
        for file in workspace::PublishedCommit::files(&*commit) {
            assert!(workspace::PublishedCommit::facts_record(&*commit, file.content).is_some());
        }
    }
}

#[test]
fn a_store_that_ignores_conditions_is_refused() {
    let shop = Shop::usual();
    let store = std::sync::Arc::new(unconditional::Unconditional::default());
    let remote = Remote::with_objects(Objects::new(
        Bucket::with_store(store),
        Secrecy::default(),
        None,
    ));
    let refused = shop.publish(&remote, "main");
    assert!(
        matches!(refused, Err(Error::Unconditional("If-None-Match"))),
        "{refused:?}"
    );
    assert!(remote.find(REPOSITORY, None).unwrap().is_none());
}

mod unconditional {
    //! A store that takes every write, whatever its condition.

    use std::fmt;

    use futures_util::stream::BoxStream;
    use object_store::{
        CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
        PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, memory::InMemory,
        path::Path,
    };

    #[derive(Debug, Default)]
    pub struct Unconditional(InMemory);

    impl fmt::Display for Unconditional {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Unconditional")
        }
    }

    #[async_trait::async_trait]
    impl ObjectStore for Unconditional {
        async fn put_opts(
            &self,
            path: &Path,
            payload: PutPayload,
            _: PutOptions,
        ) -> Result<PutResult> {
            self.0.put_opts(path, payload, PutOptions::default()).await
        }

        async fn put_multipart_opts(
            &self,
            path: &Path,
            options: PutMultipartOptions,
        ) -> Result<Box<dyn MultipartUpload>> {
            self.0.put_multipart_opts(path, options).await
        }

        async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
            self.0.get_opts(path, options).await
        }

        fn delete_stream(
            &self,
            paths: BoxStream<'static, Result<Path>>,
        ) -> BoxStream<'static, Result<Path>> {
            self.0.delete_stream(paths)
        }

        fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
            self.0.list(prefix)
        }

        async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
            self.0.list_with_delimiter(prefix).await
        }

        async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
            self.0.copy_opts(from, to, options).await
        }
    }
}
