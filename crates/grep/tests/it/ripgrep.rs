//! Comparison with ripgrep itself, where that very release is installed: `$CODECOMPASS_TEST_RG`,
//! `target/ripgrep/bin/rg` or `rg` on the path. To install it:
//! `cargo install ripgrep --version 15.2.0 --root target/ripgrep`.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

use grep_command::{RIPGREP, WorkingDirectory};
use proptest::prelude::*;

use crate::{made, run, without_times};

/// The ripgrep to compare with; a note is printed when there is none.
fn ripgrep() -> Option<&'static Path> {
    static FOUND: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/ripgrep/bin/rg");
        let named = std::env::var_os("CODECOMPASS_TEST_RG").map(PathBuf::from);
        let expected = format!("ripgrep {RIPGREP}");
        let found = named
            .into_iter()
            .chain([installed, PathBuf::from("rg")])
            .find(|program| {
                let version = Command::new(program).arg("--version").output();
                version.is_ok_and(|version| version.stdout.starts_with(expected.as_bytes()))
            });
        if found.is_none() {
            eprintln!("NOT TESTED: no ripgrep {RIPGREP} to compare with");
        }
        found
    });
    FOUND.as_deref()
}

/// Whether ripgrep and this crate print the same and end with the same status; both outputs if not.
fn compare(rg: &Path, directory: &Path, arguments: &[&str]) -> Result<(), String> {
    let theirs = Command::new(rg)
        .args(["--no-config", "--sort", "path"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("ripgrep runs");
    let tree = WorkingDirectory::new(directory).expect("a directory");
    let ours = run(&tree, arguments);
    let their_out = without_times(&theirs.stdout);
    if their_out == ours.without_times() && theirs.status.code() == Some(ours.exit.status().into())
    {
        return Ok(());
    }
    Err(format!(
        "{arguments:?}\nripgrep, {}:\n{}{}\nours, {:?}:\n{}{}",
        theirs.status,
        String::from_utf8_lossy(&their_out),
        String::from_utf8_lossy(&theirs.stderr),
        ours.exit,
        String::from_utf8_lossy(&ours.without_times()),
        ours.errors,
    ))
}

#[test]
fn many_flags_print_the_same() {
    let Some(rg) = ripgrep() else { return };
    let directory = made::on_disk();
    for line in COMMANDS.lines() {
        let arguments: Vec<&str> = line.split(' ').collect();
        if let Err(difference) = compare(rg, directory.path(), &arguments) {
            panic!("{difference}");
        }
    }
}

#[test]
fn long_lines_before_binary_files() {
    let Some(rg) = ripgrep() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    made::write(directory.path(), made::long_lines_and_late_nuls());
    for arguments in [
        &["match"][..],
        &["-l", "match"],
        &["-m5", "match"],
        &["-c", "match"],
        &["-n", "-C1", "--heading", "match"],
        &["--json", "-m3", "match"],
        &["-uuu", "match"],
        &["-v", "zzz"],
        &["match", "a", "e", "d", "c", "f", "."],
        &["--no-mmap", "match", "b", "a", "d", "e"],
    ] {
        if let Err(difference) = compare(rg, directory.path(), arguments) {
            panic!(
                "{arguments:?} {}",
                &difference[..2000.min(difference.len())]
            );
        }
    }
}

/// One command a line; arguments are separated by one space.
const COMMANDS: &str = r"total
-n total
-N -H total a.txt
-i größe
-i kk
-S total -o
-S Total -o
-w total -c
-x \s+0 src/lib.rs
-F f: -- src
-F (
-e total -e main -n
-e total -e total -c
-v total src
-v -c total
-g *.rs total
-g !*.rs total
-g *.txt -g !a.txt total
-g src/** -l total
-g /src -l total
-g {a,b}* --files
-g !.git -uu -l total
--iglob *.TXT -l total
--glob-case-insensitive -g *.TXT -l total
-t rust total
-T rust -T txt -l total
-t py -t rust --files
-t all --files
-T all --files
--type-add x:*.log --type x --files
--type-add x:include:py,rust -tx --files
--type-clear rust -trust --files
--type-list
--type-add x:*.y --type-list
-l total
-l -v total
--files-without-match total
--files-without-match -v total
-c total
-c -i total
-co total
--count-matches total
--count-matches -v total
-c --include-zero main
--count-matches --include-zero main
-m 1 total
-m 2 -n total
-m 2 -c total
-m 1 -A 3 -n total
-m 0 total
-o total
-o -n -b \w+al
-o -v total
-o -c total
-A 1 main
-B 1 -n main
-C 2 -n main
-C 2 -A 0 -n main
-C2 --passthru -A1 main
-A 1 --no-context-separator total
-C 1 --context-separator  total
-C 1 --context-separator \t=\x00= total
--field-match-separator @@ -n total
--field-context-separator ~ -n -C1 total
-U total.*\n
-U -n \{\n
-U -c \n\n
-U --multiline-dotall -n class.*?total
-U -o -n items:\n\s+total
-U -v items:\n\s+total src/cart.py
-U -r X items:\n src/cart.py
-U --json items:\n\s+total
-u -l total
-uu -l total -g !.git
-uuu -l total -g !.git
-uuu total bin
-uuu -c total bin
-uuu -o total bin
-uuu -v total bin
-uuu --heading -n -C1 early|binary bin src
--heading -C1 -uuu binary bin a.txt
-a total bin/data.bin
-a -c total bin
--binary total bin
--binary -l total
--binary -q total bin
total bin/data.bin
total bin/late.bin
-c total bin/late.bin
-v total bin/data.bin
-l total bin/late.bin
-o total bin/data.bin bin/late.bin
-m 3 total bin/late.bin
-m 3 total bin
--mmap -c total bin
--no-mmap total bin/late.bin
--json total bin
--json -uuu total bin
--json total bin/data.bin
utf16
second bin
utf16 bin/utf16.txt
^total bin/bom.txt
-E none total bin
-E utf-16 total bin/utf16.txt
-E latin1 café bin/latin1.txt
-E utf8 total bin/latin1.txt
caf.? bin/latin1.txt
(?-u)caf\xE9 bin
--no-unicode -i größe
--hidden total
--hidden -l total
-. -l total -g !.git
--heading total
--heading -n total
--heading -c total
--heading -l total
--heading -C 1 total
--heading --no-heading total
--heading total a.txt
--heading -H total a.txt
--heading -I -n total
--heading -o total src
--max-columns 10 total
--max-columns 30 --max-columns-preview -n total
-M 10 -o total
-M 10 -r replaced total
-M 10 -A 1 total src
--files
--files src
--files -0
--files --hidden
--files nowhere
--files src nowhere
--files -q
--files -l
-l --files
--files --no-ignore
--files --no-ignore-vcs
--files --no-ignore-dot
--files --no-ignore-parent src
--files --no-ignore-exclude
--files --ignore-file src/lib.rs
--files --ignore-file .gitignore --no-ignore
--files --no-ignore --ignore
--files --max-depth 1
--files --maxdepth 2
--files -d 0
--files --max-filesize 100
--files --path-separator +
--files vendor build/out.txt
--files . src ./src/ src/../a
--files --color always
--json total
--json -i total src
--json -o -n total src
--json -C 1 total
--json -m 2 -A 1 total
--json -v total src
--json -r <$0> total src
--json --no-json total
--json nothing-has-this
--json -l total
-l --json total
-q --json total
-q total
-q nothing-has-this
-q --files-without-match total
nothing-has-this
total nowhere
total nowhere src
-q total nowhere src
--no-messages total nowhere src
--column total
--column -o total
--column -U items:\n
--no-column --vimgrep total
--vimgrep total
--vimgrep -U items:\n
--vimgrep --heading total
-r new total
-r [$0] total
-r ${x}! (?P<x>t)otal
-r $1$2 (to)(tal)
-or $1 (to)(tal)
-r  total
-b total
-b -o total
-b --column total
-0 total
-0 -c total
-0 -l total
--null-data total src
--null-data -o total bin/data.bin
--crlf total$
total$ src/dos.txt
--crlf -o three.*$ src/dos.txt
--trim total
--trim -n -M 8 total src
--passthru total a.txt
--passthru -n total src
--passthru -v total src
--stop-on-nonmatch -n class|def src/cart.py
--stop-on-nonmatch -n line many.txt
--color always total
--color always -n --heading total
--color always -o total src
--color always -C 1 -n main
--color always -c total
--color always -l total
--color always -r X total
--color ansi total src
--color never total
--colors match:fg:blue --color always total src
--colors path:none --colors line:style:bold --color always -n total src
--color always --vimgrep total src
--color always -M 20 --max-columns-preview total
--color always --trim total src
--color always -U items:\n src
-p total
-p -C1 total
-f src/empty.txt total
-f src/empty.txt
-f src/only_newlines.txt -c
-f src/no_newline.txt -c
-f nowhere
total src/cart.py
-I total
-H total a.txt
total a a.txt a
total .
total ./
total ./src
total src/
total src//cart
total a/../src
-d 1 total
--one-file-system -l total
-L -l total
-j 1 total
-j 4 total
--sort path total
--sort-files total
--line-buffered total src
--block-buffered total src
--regex-size-limit 10 \w{100} src
--dfa-size-limit 10 \w+total src
--engine default total src
--no-pcre2 total src
-s -i total README.md
-i -s total README.md
-w -x total README.md
-x -w total README.md
-nA1 main src
-ni -C1 total README.md
-inw total README.md
-e=total
-e -n src
-A1 -B1 -n main -- src
-- total src
-- -n
--regexp=total src
--glob=*.rs total
(
[
a{2,1}
*
\
a\nb
a\x00b
-a a\x00b
\p{Nope}
-g [ total
-g {a total
-t nope total
-T nope total
--type-add nope total
-A x total
-m -1 total
-E nope total
--color nope total
--max-filesize 1Q total
--nope
-Z
-uuuu total
-e
";

/// Flags that change what is printed, each a list of arguments.
fn flags() -> impl Strategy<Value = Vec<&'static str>> {
    let flag = prop::sample::select(vec![
        &["-n"][..],
        &["-i"],
        &["-S"],
        &["-w"],
        &["-x"],
        &["-F"],
        &["-v"],
        &["-l"],
        &["-c"],
        &["-m2"],
        &["-m1"],
        &["-o"],
        &["-H"],
        &["-I"],
        &["-N"],
        &["-A1"],
        &["-B2"],
        &["-C1"],
        &["-U"],
        &["-uu"],
        &["-uuu"],
        &["--hidden"],
        &["--heading"],
        &["--no-heading"],
        &["-M20"],
        &["--max-columns-preview"],
        &["--json"],
        &["--count-matches"],
        &["--files-without-match"],
        &["--column"],
        &["--vimgrep"],
        &["-r<$0>"],
        &["-b"],
        &["--trim"],
        &["--passthru"],
        &["-q"],
        &["-0"],
        &["-a"],
        &["--crlf"],
        &["--null-data"],
        &["--include-zero"],
        &["--no-unicode"],
        &["--color=always"],
        &["--context-separator=++"],
        &["--no-context-separator"],
        &["-p"],
        &["--multiline-dotall"],
        &["--stop-on-nonmatch"],
        &["--mmap"],
        &["--no-mmap"],
        &["--binary"],
        &["-grust"],
        &["-g!*.txt"],
        &["-ttxt"],
        &["-Tpy"],
        &["-g", "*.{rs,py}"],
        &["-d2"],
        &["src"],
        &["bin"],
        &["a.txt"],
        &["bin/data.bin"],
        &["bin/late.bin"],
        &["."],
        &["nowhere"],
    ]);
    prop::collection::vec(flag, 0..5).prop_map(|flags| flags.concat())
}

fn patterns() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "total", "Total", "t", "fn", "self", "item", "größe", "KK", "ſ", "main", "\t", " ", "0",
    ]);
    let part = prop::sample::select(vec![
        ".",
        r"\w+",
        r"\s",
        "^",
        "$",
        r"\b",
        "|",
        "?",
        "*",
        "(a|t)",
        "[^a-m]",
        "(?i)",
        r"\n",
        "é",
        r"\x00",
        r"(?-u:\xE9)",
        "{2}",
        "(",
        "x?",
    ]);
    let part = prop_oneof![word.prop_map(str::to_owned), part.prop_map(str::to_owned)];
    prop_oneof![
        4 => prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat()),
        1 => "[ -~]{1,6}",
        1 => "\\PC{1,3}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_pattern_with_any_flags(pattern in patterns(), flags in flags()) {
        let Some(rg) = ripgrep() else { return Ok(()) };
        let directory = made::on_disk();
        let arguments = [&["-g!.git"][..], &flags[..], &["-e", &pattern]].concat();
        if let Err(difference) = compare(rg, directory.path(), &arguments) {
            prop_assert!(false, "{}", difference);
        }
    }
}
