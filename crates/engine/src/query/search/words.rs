//! Words that say little, and paths that count less.

/// Words of prose that tell nothing about code.
pub fn is_stop_word(word: &str) -> bool {
    const WORDS: &str = " a an the and or but if then else when while of in on at to from by with without for is are was were be been being it its this that these \
        those as not no do does did so than into over can could should would will may might must have has had i we you they them our your their there here which who \
        what how why also only just more most some any each other such same now where ";
    is_in(WORDS, word)
}

/// Words of reports and change descriptions.
pub fn is_report_word(word: &str) -> bool {
    const WORDS: &str = " fix fixes fixed bug issue add added make made allow properly correctly incorrectly description reproduce steps previously currently ensure \
        crash crashes please version versions expected actual behavior behaviour instead ";
    is_in(WORDS, word)
}

/// Words that say what a question wants to know: `what is the purpose of`, `how does it ensure`.
pub fn is_asking_word(word: &str) -> bool {
    const WORDS: &str = " architectural architecture design mechanism mechanisms relationship relationships responsibility responsibilities determine determines ensure \
        ensures impact impacts affect affects purpose significance semantic semantics implication implications performance overhead decision decisions interact interacts \
        interaction implement implements implemented implementation enable enables role rationale refactor behavior behaviour happen happens located defined exist exists \
        reason strategy approach handle handles prevent prevents provide provides serve compared versus rather logic specific specifically different differently difference \
        distinction maintain maintaining consistent existing during through across within between codebase ";
    is_in(WORDS, word)
}

fn is_in(list: &str, word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && list.contains(&format!(" {word} "))
}

/// Other forms of an English word: what it may be in the singular, in the past, or as the one who
/// does it.
pub fn other_forms(word: &str) -> Vec<String> {
    const ENDINGS: &[&str] = &[
        "ations", "ation", "ings", "ing", "ions", "ion", "ers", "ies", "ed", "es", "er", "s", "y",
        "e",
    ];
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let stem = ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 3))
        .unwrap_or(word);
    let mut forms = vec![stem.to_owned()];
    forms.extend(
        [
            "e", "s", "es", "ed", "ing", "er", "ion", "ation", "y", "ies",
        ]
        .iter()
        .map(|ending| format!("{stem}{ending}")),
    );
    // A doubled letter before the ending: `running`, `mapped`.
    let bytes = stem.as_bytes();
    if stem.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] {
        forms.push(stem[..stem.len() - 1].to_owned());
    }
    forms.retain(|form| form != word);
    forms
}

/// Whether a file holds tests, examples, benchmarks or documents rather than what they are about.
pub fn is_test_or_docs(path: &str) -> bool {
    const DIRECTORIES: &[&str] = &[
        "test",
        "tests",
        "__tests__",
        "testing",
        "testdata",
        "testutil",
        "testutils",
        "test_data",
        "spec",
        "specs",
        "fixtures",
        "__fixtures__",
        "mocks",
        "__mocks__",
        "e2e",
        "example",
        "examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "doc",
        "docs",
        "documentation",
    ];
    const DOCUMENTS: &[&str] = &[
        "md", "rst", "txt", "adoc", "html", "css", "svg", "lock", "po", "csv",
    ];
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let file = parts.next().unwrap_or("");
    let directory = |part: &str| {
        DIRECTORIES.contains(&part)
            || part.ends_with(".tests")
            || part.ends_with(".test")
            || part.ends_with("-tests")
            || part.ends_with("_tests")
    };
    if parts.any(directory) {
        return true;
    }
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let test = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with(".test")
        || stem.ends_with(".spec")
        || stem.ends_with("_spec")
        || stem == "tests"
        || stem == "test"
        || stem == "conftest"
        || stem.ends_with(".bench");
    let camel = |ending: &str| {
        path.rsplit('/')
            .next()
            .and_then(|name| name.rsplit_once('.'))
            .is_some_and(|(stem, _)| stem.ends_with(ending))
    };
    test || camel("Test")
        || camel("Tests")
        || camel("Spec")
        || camel("Fixture")
        || camel("Benchmarks")
        || DOCUMENTS.contains(&extension)
}

/// Whether a file of a package is one of its tests, examples or documents, and not a part of what the
/// package gives to others: `tests/cart.py`, but not `shop/testing/cart.py`. `unit` is the directory
/// of the package's manifest.
pub fn is_test_in_unit(path: &str, unit: &str) -> bool {
    /// Directories that hold tests wherever they are.
    const ALWAYS: &[&str] = &[
        "tests",
        "__tests__",
        "__mocks__",
        "__fixtures__",
        "testdata",
    ];
    if !is_test_or_docs(path) {
        return false;
    }
    let below = path.strip_prefix(unit).unwrap_or(path);
    let below = below.trim_start_matches('/');
    let (directory, file) = below.rsplit_once('/').unwrap_or(("", below));
    let mut parts = directory.split('/').filter(|part| *part != "src");
    let first = parts.next().unwrap_or_default();
    let stem = super::stem(file);
    let is_named_so = !matches!(stem, "test" | "tests") && is_test_or_docs(file);
    let is_at_top = is_test_or_docs(&format!("{first}/x")) || first.is_empty();
    is_at_top || is_named_so || parts.any(|part| ALWAYS.contains(&part))
}

/// Whether a file was made by a program, or belongs to someone else.
pub fn is_vendored_or_generated(path: &str) -> bool {
    const DIRECTORIES: &[&str] = &[
        "vendor",
        "vendored",
        "third_party",
        "thirdparty",
        "node_modules",
        "external",
        "dist",
        "generated",
        "__generated__",
        "gen",
    ];
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let file = parts.next().unwrap_or("");
    let generated = [
        ".min.js",
        ".pb.go",
        "_pb2.py",
        "_pb2_grpc.py",
        ".g.cs",
        ".designer.cs",
        ".generated.cs",
        "_generated.go",
        ".gen.go",
        "zz_generated",
    ];
    parts.any(|part| DIRECTORIES.contains(&part))
        || generated.iter().any(|mark| file.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word() {
        assert!(other_forms("limiting").contains(&"limit".to_owned()));
        assert!(other_forms("mapped").contains(&"map".to_owned()));
        assert!(other_forms("validate").contains(&"validation".to_owned()));
        assert!(other_forms("tax").is_empty() && other_forms("größe").is_empty());
    }

    #[test]
    fn asides_are_told_by_their_paths() {
        for path in [
            "tests/cart.rs",
            "shop/test_cart.py",
            "cart_test.go",
            "src/cart.spec.ts",
            "Src/Shop.Tests/Cart.cs",
            "docs/a.py",
            "README.md",
            "a/CartTest.java",
            "examples/x.rs",
        ] {
            assert!(is_test_or_docs(path), "{path}");
        }
        for path in [
            "src/cart.rs",
            "shop/testament.py",
            "latest.go",
            "contest/a.py",
            "src/attestation.ts",
        ] {
            assert!(!is_test_or_docs(path), "{path}");
        }
        assert!(
            is_vendored_or_generated("vendor/x/y.go")
                && is_vendored_or_generated("api/a.pb.go")
                && !is_vendored_or_generated("src/vendoring.rs")
        );
    }
}
