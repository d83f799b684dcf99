//! What the command prints, kept without ripgrep at hand; `ripgrep.rs` compares with ripgrep itself.

use expect_test::{Expect, expect};
use grep_command::WorkingDirectory;

use crate::{made, run};

#[track_caller]
fn check(arguments: &[&str], expected: Expect) {
    let directory = made::on_disk();
    let tree = WorkingDirectory::new(directory.path()).expect("the directory exists");
    expected.assert_eq(&run(&tree, arguments).text());
}

#[test]
fn lines_are_sorted_by_path() {
    check(
        &["total", "src"],
        expect![[r#"
            src/cart/extra.py:def extra(total):
            src/cart/extra.py:    return total + 1
            src/cart-old.py:total = 1  # old
            src/cart.py:    def total(self):
            src/cart.py:        total = 0
            src/cart.py:            total += item.price
            src/cart.py:        return total
            src/cart.py:    print(Cart().total())
            src/dos.txt:one total<CR>
            src/dos.txt:three total<CR>
            src/important.log:total in an important log
            src/lib.rs:pub fn total() -> u32 {
            src/main.rs:struct Total { total: u64 }
            src/main.rs:        write!(f, "total: {}", self.total)
            src/main.rs:    println!("{}", Total { total: 3 });
            src/no_newline.txt:last total
            src/other.log:total in a log
        "#]],
    );
    check(
        &["-n", "-w", "total", "a", "a.txt"],
        expect![[r#"
        a/b/c/d/deep.txt:1:a deep total
        a/b-c.txt:1:total between
        a.txt:1:total first
    "#]],
    );
}

#[test]
fn hidden_and_ignored_files() {
    check(
        &["--files"],
        expect![[r#"
        B.TXT
        Makefile
        README.md
        a/b/c/d/deep.txt
        a/b-c.txt
        a.txt
        bin/bom.txt
        bin/data.bin
        bin/late.bin
        bin/latin1.txt
        bin/utf16.txt
        ignored/kept.txt
        long.txt
        many.txt
        src/cart/extra.py
        src/cart-old.py
        src/cart.py
        src/dos.txt
        src/empty.txt
        src/important.log
        src/lib.rs
        src/main.rs
        src/no_newline.txt
        src/only_newlines.txt
        src/other.log
        sub/build/out.txt
        vendor/lib.c
        web/app.js
        with space.txt
        ünï.txt
    "#]],
    );
    check(
        &["--files", "--hidden", "-g", "!.git"],
        expect![[r#"
        .config/settings.toml
        .gitignore
        .hidden.rs
        .ignore
        .rgignore
        B.TXT
        Makefile
        README.md
        a/b/c/d/deep.txt
        a/b-c.txt
        a.txt
        bin/bom.txt
        bin/data.bin
        bin/late.bin
        bin/latin1.txt
        bin/utf16.txt
        ignored/kept.txt
        long.txt
        many.txt
        src/.gitignore
        src/cart/extra.py
        src/cart-old.py
        src/cart.py
        src/dos.txt
        src/empty.txt
        src/important.log
        src/lib.rs
        src/main.rs
        src/no_newline.txt
        src/only_newlines.txt
        src/other.log
        sub/build/out.txt
        vendor/lib.c
        web/.ignore
        web/app.js
        with space.txt
        ünï.txt
    "#]],
    );
    check(
        &["--files", "-uu", "-g", "!.git"],
        expect![[r#"
        .config/settings.toml
        .gitignore
        .hidden.rs
        .ignore
        .rgignore
        B.TXT
        Makefile
        README.md
        a/b/c/d/deep.txt
        a/b-c.txt
        a.txt
        bin/bom.txt
        bin/data.bin
        bin/late.bin
        bin/latin1.txt
        bin/utf16.txt
        build/out.txt
        ignored/kept.txt
        ignored/lost.txt
        long.txt
        many.txt
        secret1
        src/.gitignore
        src/cart/extra.py
        src/cart-old.py
        src/cart.py
        src/dos.txt
        src/empty.txt
        src/generated.rs
        src/important.log
        src/lib.rs
        src/main.rs
        src/no_newline.txt
        src/only_newlines.txt
        src/other.log
        sub/build/out.txt
        vendor/lib.c
        web/.ignore
        web/app.js
        web/app.min.js
        web/index.html
        with space.txt
        ünï.txt
    "#]],
    );
    check(
        &["--files", "--no-ignore-vcs", "sub", "build", "src"],
        expect![[r#"
            sub/build/out.txt
            build/out.txt
            src/cart/extra.py
            src/cart-old.py
            src/cart.py
            src/dos.txt
            src/empty.txt
            src/generated.rs
            src/important.log
            src/lib.rs
            src/main.rs
            src/no_newline.txt
            src/only_newlines.txt
            src/other.log
        "#]],
    );
}

#[test]
fn filters() {
    check(
        &["-l", "total", "-t", "rust"],
        expect![[r#"
        .hidden.rs
        src/lib.rs
        src/main.rs
    "#]],
    );
    check(
        &["-l", "total", "-T", "rust", "src"],
        expect![[r#"
        src/cart/extra.py
        src/cart-old.py
        src/cart.py
        src/dos.txt
        src/important.log
        src/no_newline.txt
        src/other.log
    "#]],
    );
    check(
        &["-l", "total", "-g", "*.{py,js}"],
        expect![[r#"
        src/cart/extra.py
        src/cart-old.py
        src/cart.py
        web/app.js
        web/app.min.js
    "#]],
    );
    check(
        &["-l", "total", "-g", "!src/**", "-g", "!*.txt"],
        expect![[r#"
            Makefile
            README.md
            bin/late.bin
            vendor/lib.c
            web/app.js
        "#]],
    );
    check(
        &["-l", "total", "--iglob", "*.txt", "-d", "1"],
        expect![[r#"
            a.txt
            long.txt
            many.txt
            with space.txt
            ünï.txt
        "#]],
    );
    check(
        &["--files", "-g", "*.none"],
        expect![[r#"
        status 1
    "#]],
    );
}

#[test]
fn context() {
    check(
        &["-n", "-C1", "return|append", "src/cart.py", "src/lib.rs"],
        expect![[r#"
            src/cart.py-8-            total += item.price
            src/cart.py:9:        return total
            src/cart.py-10-
            src/cart.py-11-    def add(self, item):
            src/cart.py:12:        self.items.append(item)
            src/cart.py-13-
        "#]],
    );
    check(
        &["-A1", "-B0", "--context-separator", "==", "fn", "src"],
        expect![[r#"
            src/lib.rs:pub fn total() -> u32 {
            src/lib.rs-    0
            ==
            src/main.rs:    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            src/main.rs-        write!(f, "total: {}", self.total)
            ==
            src/main.rs:fn main() {
            src/main.rs-    println!("{}", Total { total: 3 });
        "#]],
    );
    check(
        &["--passthru", "-H", "two", "src/dos.txt"],
        expect![[r#"
            src/dos.txt-one total<CR>
            src/dos.txt:two<CR>
            src/dos.txt-three total<CR>
        "#]],
    );
}

#[test]
fn headings() {
    check(
        &["--heading", "-n", "total", "src/lib.rs", "src/cart"],
        expect![[r#"
            src/lib.rs
            1:pub fn total() -> u32 {

            src/cart/extra.py
            1:def extra(total):
            2:    return total + 1
        "#]],
    );
    check(
        &["--heading", "-C1", "fn main", "src"],
        expect![[r#"
        src/main.rs

        fn main() {
            println!("{}", Total { total: 3 });
    "#]],
    );
    check(
        &["-p", "total", "src/lib.rs"],
        expect![[r#"
            <ESC>[0m<ESC>[32m1<ESC>[0m:pub fn <ESC>[0m<ESC>[1m<ESC>[31mtotal<ESC>[0m() -> u32 {
        "#]],
    );
}

#[test]
fn parts_of_lines() {
    check(
        &["-o", "-b", "[a-z]+ total", "README.md", "ünï.txt"],
        expect![[r#"
            README.md:9:he total
            ünï.txt:6:e total
        "#]],
    );
    check(
        &["--column", "-i", "total", "README.md"],
        expect![[r#"
        3:5:The total of a cart is a sum.
        5:1:Total: TOTAL total
    "#]],
    );
    check(
        &["--vimgrep", "total", "src/lib.rs", "README.md"],
        expect![[r#"
            src/lib.rs:1:8:pub fn total() -> u32 {
            README.md:3:5:The total of a cart is a sum.
            README.md:5:14:Total: TOTAL total
        "#]],
    );
    check(
        &["-r", "<$0>", "tot(al)?", "README.md"],
        expect![[r#"
        The <total> of a cart is a sum.
        Total: TOTAL <total>
    "#]],
    );
    check(
        &["--trim", "total", "src/cart.py"],
        expect![[r#"
        def total(self):
        total = 0
        total += item.price
        return total
        print(Cart().total())
    "#]],
    );
    check(
        &["-M20", "total", "long.txt", "src/cart.py"],
        expect![[r#"
        long.txt:[Omitted long matching line]
        src/cart.py:[Omitted long matching line]
        src/cart.py:        total = 0
        src/cart.py:[Omitted long matching line]
        src/cart.py:[Omitted long matching line]
        src/cart.py:[Omitted long matching line]
    "#]],
    );
    check(
        &["-M20", "--max-columns-preview", "total", "long.txt"],
        expect![[r#"
            x x x x x x x x x x  [... omitted end of long line]
        "#]],
    );
}

#[test]
fn counts_and_lists() {
    check(
        &["-c", "total", "src"],
        expect![[r#"
        src/cart/extra.py:2
        src/cart-old.py:1
        src/cart.py:5
        src/dos.txt:2
        src/important.log:1
        src/lib.rs:1
        src/main.rs:3
        src/no_newline.txt:1
        src/other.log:1
    "#]],
    );
    check(
        &["--count-matches", "-i", "total", "README.md"],
        expect![[r#"
            4
        "#]],
    );
    check(
        &["-c", "--include-zero", "fn main", "src"],
        expect![[r#"
        src/cart/extra.py:0
        src/cart-old.py:0
        src/cart.py:0
        src/dos.txt:0
        src/empty.txt:0
        src/important.log:0
        src/lib.rs:0
        src/main.rs:1
        src/no_newline.txt:0
        src/only_newlines.txt:0
        src/other.log:0
    "#]],
    );
    check(
        &["--files-without-match", "total", "src"],
        expect![[r#"
        src/empty.txt
        src/only_newlines.txt
    "#]],
    );
    check(
        &["-m1", "-c", "total", "src/cart.py"],
        expect![[r#"
        1
    "#]],
    );
    check(&["-l0", "fn main"], expect!["src/main.rs<NUL>"]);
    check(&["-q", "total"], expect![[""]]);
}

#[test]
fn cases_words_lines_and_inversion() {
    check(
        &["-i", "größe", "ünï.txt"],
        expect![[r#"
        größe total Größe GRÖSSE ſk KK
    "#]],
    );
    check(
        &["-onS", "total", "README.md"],
        expect![[r#"
            3:total
            5:Total
            5:TOTAL
            5:total
        "#]],
    );
    check(
        &["-onS", "Total", "README.md"],
        expect![[r#"
            5:Total
        "#]],
    );
    check(
        &["-xn", "    0", "src/lib.rs"],
        expect![[r#"
            2:    0
        "#]],
    );
    check(
        &["-vn", "total", "src/cart.py"],
        expect![[r#"
        1:class Cart:
        2:    def __init__(self):
        3:        self.items = []
        4:
        7:        for item in self.items:
        10:
        11:    def add(self, item):
        12:        self.items.append(item)
        13:
        14:
        15:def main():
    "#]],
    );
    check(
        &["-Fn", "f: &mut", "src/main.rs"],
        expect![[r#"
            6:    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        "#]],
    );
    check(
        &["-Un", r"items:\n\s+total", "src/cart.py"],
        expect![[r#"
            7:        for item in self.items:
            8:            total += item.price
        "#]],
    );
}

#[test]
fn binary_files_and_encodings() {
    check(
        &["-c", "total", "bin"],
        expect![[r#"
        bin/bom.txt:1
        bin/latin1.txt:1
        bin/utf16.txt:1
    "#]],
    );
    check(
        &["total", "bin/data.bin"],
        expect![[r#"
        binary file matches (found "\0" byte around offset 5)
    "#]],
    );
    check(
        &["-m1", "-uuu", "total", "bin"],
        expect![[r#"
        bin/bom.txt:total after a mark
        bin/data.bin: binary file matches (found "\0" byte around offset 5)
        bin/late.bin:total early
        bin/latin1.txt:caf� total
        bin/utf16.txt:utf16 total
    "#]],
    );
    check(
        &["-a", "-c", "total", "bin"],
        expect![[r#"
        bin/bom.txt:1
        bin/data.bin:1
        bin/late.bin:9001
        bin/latin1.txt:1
        bin/utf16.txt:1
    "#]],
    );
    check(
        &["utf16|after", "bin"],
        expect![[r#"
        bin/bom.txt:total after a mark
        bin/utf16.txt:utf16 total
    "#]],
    );
    check(
        &["-E", "latin1", "café", "bin/latin1.txt"],
        expect![[r#"
        café total
    "#]],
    );
}

#[test]
fn json() {
    let directory = made::on_disk();
    let tree = WorkingDirectory::new(directory.path()).expect("the directory exists");
    let outcome = run(
        &tree,
        &[
            "--json",
            "-A1",
            "fn main|café?",
            "src/main.rs",
            "bin/latin1.txt",
        ],
    );
    let text = String::from_utf8(outcome.without_times()).expect("JSON is UTF-8");
    expect![[r#"
        {"type":"begin","data":{"path":{"text":"src/main.rs"}}}
        {"type":"match","data":{"path":{"text":"src/main.rs"},"lines":{"text":"fn main() {\n"},"line_number":11,"absolute_offset":189,"submatches":[{"match":{"text":"fn main"},"start":0,"end":7}]}}
        {"type":"context","data":{"path":{"text":"src/main.rs"},"lines":{"text":"    println!(\"{}\", Total { total: 3 });\n"},"line_number":12,"absolute_offset":201,"submatches":[]}}
        {"type":"end","data":{"path":{"text":"src/main.rs"},"binary_offset":null,"stats":{"elapsed":},"searches":1,"searches_with_match":1,"bytes_searched":243,"bytes_printed":422,"matched_lines":1,"matches":1}}}
        {"type":"begin","data":{"path":{"text":"bin/latin1.txt"}}}
        {"type":"match","data":{"path":{"text":"bin/latin1.txt"},"lines":{"bytes":"Y2Fm6SB0b3RhbAo="},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"caf"},"start":0,"end":3}]}}
        {"type":"context","data":{"path":{"text":"bin/latin1.txt"},"lines":{"bytes":"bmHvdmUK"},"line_number":2,"absolute_offset":11,"submatches":[]}}
        {"type":"end","data":{"path":{"text":"bin/latin1.txt"},"binary_offset":null,"stats":{"elapsed":},"searches":1,"searches_with_match":1,"bytes_searched":17,"bytes_printed":392,"matched_lines":1,"matches":1}}}
        {"data":{"elapsed_total":},"stats":{"bytes_printed":814,"bytes_searched":260,"elapsed":},"matched_lines":2,"matches":2,"searches":2,"searches_with_match":2}},"type":"summary"}
    "#]].assert_eq(&text);
}

#[test]
fn errors() {
    check(
        &["total", "nowhere"],
        expect![[r#"
        grep: nowhere: IO error for operation on nowhere: No such file or directory (os error 2)
        status 2
    "#]],
    );
    check(
        &["total", "nowhere", "src/lib.rs"],
        expect![[r#"
        src/lib.rs:pub fn total() -> u32 {
        grep: nowhere: IO error for operation on nowhere: No such file or directory (os error 2)
        status 2
    "#]],
    );
    check(
        &["-q", "total", "nowhere", "src/lib.rs"],
        expect![[r#"
        grep: nowhere: IO error for operation on nowhere: No such file or directory (os error 2)
    "#]],
    );
    check(
        &["--no-messages", "total", "nowhere"],
        expect![[r#"
        status 2
    "#]],
    );
    check(
        &["nothing has this"],
        expect![[r#"
        status 1
    "#]],
    );
    check(
        &["total", "-g", "*.none"],
        expect![[r#"
            grep: No files were searched: a filter or an ignore rule leaves out all files
            status 2
        "#]],
    );
    check(
        &[],
        expect![[r#"
        grep: a search requires at least one pattern; see --help
        status 2
    "#]],
    );
    check(
        &["(total"],
        expect![[r#"
        grep: regex parse error:
            (?:(total)
            ^
        error: unclosed group
        status 2
    "#]],
    );
    check(
        &[r"total\n"],
        expect![[r#"
        grep: the literal "\n" is not allowed in a regex

        Consider enabling multiline mode with the --multiline flag (or -U for short).
        When multiline mode is enabled, new line characters can be matched.
        status 2
    "#]],
    );
    check(
        &["-g", "[", "total"],
        expect![[r#"
        grep: error parsing glob '[': unclosed character class; missing ']'
        status 2
    "#]],
    );
    check(
        &["-t", "klingon", "total"],
        expect![[r#"
        grep: unrecognized file type: klingon
        status 2
    "#]],
    );
    check(
        &["-A"],
        expect![[r#"
        grep: missing value for flag -A: missing argument for option '-A'
        status 2
    "#]],
    );
    check(
        &["-A", "x", "total"],
        expect![[r#"
        grep: error parsing flag -A: value is not a valid number: invalid digit found in string
        status 2
    "#]],
    );
    check(
        &["--heading=yes", "total"],
        expect![[r#"
        grep: invalid CLI arguments: unexpected argument for option '--heading': "yes"
        status 2
    "#]],
    );
    check(
        &["--colour", "never", "total"],
        expect![[r#"
        grep: unrecognized flag --colour, similar flags that are available: --color, --colors
        status 2
    "#]],
    );
    check(
        &["-Z", "total"],
        expect![[r#"
        grep: unrecognized flag -Z
        status 2
    "#]],
    );
    check(
        &["-uuuu", "total"],
        expect![[r#"
        grep: error parsing flag -u: flag can only be repeated up to 3 times
        status 2
    "#]],
    );
    check(
        &["total", "-"],
        expect![[r#"
        grep: standard input is not searched here; give paths
        status 2
    "#]],
    );
}

#[test]
fn flags_that_ripgrep_has_and_we_do_not() {
    check(
        &["-P", "total"],
        expect![[r#"
        grep: ripgrep's flag -P/--pcre2 is not available here: patterns run in linear time, without PCRE2
        status 2
    "#]],
    );
    check(
        &["--no-pcre2", "-c", "total", "a.txt"],
        expect![[r#"
        1
    "#]],
    );
    check(
        &["--engine", "pcre2", "total"],
        expect![[r#"
        grep: error parsing flag --engine: patterns run in linear time, without PCRE2
        status 2
    "#]],
    );
    check(
        &["--sort", "modified", "total"],
        expect![[r#"
        grep: error parsing flag --sort: results are sorted by path
        status 2
    "#]],
    );
    check(
        &["--sortr=path", "total"],
        expect![[r#"
        grep: ripgrep's flag --sortr is not available here: results are sorted by path
        status 2
    "#]],
    );
    check(
        &["--pre", "cat", "total"],
        expect![[r#"
        grep: ripgrep's flag --pre is not available here: no other programs are started
        status 2
    "#]],
    );
    check(
        &["-z", "total"],
        expect![[r#"
        grep: ripgrep's flag -z/--search-zip is not available here: no other programs are started
        status 2
    "#]],
    );
    check(
        &["--stats", "total"],
        expect![[r#"
        grep: ripgrep's flag --stats is not available here: use --json for statistics
        status 2
    "#]],
    );
    check(
        &["--debug", "total"],
        expect![[r#"
        grep: ripgrep's flag --debug is not available here: nothing is logged
        status 2
    "#]],
    );
    check(
        &["--hyperlink-format=default", "total"],
        expect![[r#"
        grep: ripgrep's flag --hyperlink-format is not available here: there are no hyperlinks
        status 2
    "#]],
    );
}

#[test]
fn help_and_version() {
    check(
        &["--help"],
        expect![[r#"
            Searches text with the flags and the output of ripgrep 15.2.0, sorted by path.

            Usage: grep [FLAGS] PATTERN [PATH...]
                   grep [FLAGS] -e PATTERN... [PATH...]
                   grep [FLAGS] --files [PATH...]

              -e, --regexp PATTERN                   A pattern to search for; may be repeated
              -f, --file FILE                        Search for the patterns in a file, one per line
              -A, --after-context NUM                Show lines after each match
              -B, --before-context NUM               Show lines before each match
                  --binary                           Search binary files, without showing their lines
                  --block-buffered                   Has no effect
              -b, --byte-offset                      Print the byte offset of each line or match
              -s, --case-sensitive                   Search case sensitively (the default)
                  --color WHEN                       When to use color: never, auto, always, ansi
                  --colors SPEC                      Color settings, such as match:fg:blue
                  --column                           Show column numbers
              -C, --context NUM                      Show lines before and after each match
                  --context-separator SEP            Separates chunks of lines
              -c, --count                            Show the number of matching lines per file
                  --count-matches                    Show the number of matches per file
                  --crlf                             Treat CRLF as a line terminator
                  --dfa-size-limit SIZE              The upper limit of a regex's DFA
              -E, --encoding ENCODING                The text encoding of files
                  --engine ENGINE                    Only 'default', the linear-time engine
                  --field-context-separator SEP      Separates the fields of context lines
                  --field-match-separator SEP        Separates the fields of matching lines
                  --files                            Print each file that would be searched
              -l, --files-with-matches               Print the paths with at least one match
                  --files-without-match              Print the paths that contain no match
              -F, --fixed-strings                    Treat all patterns as literals
              -L, --follow                           Follow symbolic links
              -g, --glob GLOB                        Include files, or with ! exclude files
                  --glob-case-insensitive            Match all globs case insensitively
                  --heading                          Print the path above the matches of each file
              -., --hidden                           Search hidden files and directories
                  --iglob GLOB                       Include or exclude files case insensitively
              -i, --ignore-case                      Search case insensitively
                  --ignore-file PATH                 An additional file of ignore rules
                  --ignore-file-case-insensitive     Match ignore rules case insensitively
                  --include-zero                     Show files with zero matches in --count
              -v, --invert-match                     Show lines that do not match
                  --json                             Show matches as JSON Lines
                  --line-buffered                    Has no effect
              -n, --line-number                      Show line numbers
              -N, --no-line-number                   Do not show line numbers
              -x, --line-regexp                      Show matches of whole lines
              -M, --max-columns NUM                  Leave out lines that are longer, in bytes
                  --max-columns-preview              Show the beginning of lines that are too long
              -m, --max-count NUM                    Show at most so many matching lines per file
              -d, --max-depth NUM                    Descend at most so many directories
                  --max-filesize SIZE                Leave out larger files
                  --mmap                             Search each file as a whole
              -U, --multiline                        Allow matches to span lines
                  --multiline-dotall                 Let '.' match line terminators with -U
                  --no-config                        Has no effect: no configuration is read
                  --no-ignore                        Use no ignore files
                  --no-ignore-dot                    Do not use .ignore or .rgignore files
                  --no-ignore-exclude                Do not use .git/info/exclude
                  --no-ignore-files                  Do not use files of --ignore-file
                  --no-ignore-global                 Do not use git's global ignore file
                  --no-ignore-messages               Do not report broken ignore files
                  --no-ignore-parent                 Do not use ignore files of parent directories
                  --no-ignore-vcs                    Do not use .gitignore files
                  --no-messages                      Do not report unreadable files
                  --no-require-git                   Use .gitignore outside of git repositories
                  --no-unicode                       Disable Unicode mode
              -0, --null                             Print a NUL byte after paths
                  --null-data                        Use NUL as a line terminator
                  --one-file-system                  Do not cross file systems
              -o, --only-matching                    Print only the matched parts of a line
                  --path-separator SEP               The path separator to print
                  --passthru                         Print matching and other lines
              -p, --pretty                           Alias for --color=always --heading --line-number
              -q, --quiet                            Print nothing; stop at the first match
                  --regex-size-limit SIZE            The size limit of a compiled regex
              -r, --replace TEXT                     Print matches replaced by a text; $1 is a group
              -S, --smart-case                       Search case insensitively unless there are capitals
                  --sort BY                          Only 'path': results always are sorted by path
                  --stop-on-nonmatch                 Stop at a line that does not match, after a match
              -a, --text                             Search binary files as text
              -j, --threads NUM                      The most threads to use
                  --trim                             Trim leading white space from lines
              -t, --type TYPE                        Search only files of a type
              -T, --type-not TYPE                    Do not search files of a type
                  --type-add SPEC                    Add a glob to a file type: 'foo:*.foo'
                  --type-clear TYPE                  Clear the globs of a file type
                  --type-list                        Show all file types
              -u, --unrestricted                     No ignore files; -uu also hidden, -uuu also binary files
                  --vimgrep                          Print each match on a line of its own
              -H, --with-filename                    Print the path with each line
              -I, --no-filename                      Never print the path with lines
              -w, --word-regexp                      Show matches of whole words
                  --no-pcre2-unicode                 Same as --no-unicode
                  --sort-files                       Has no effect: results always are sorted by path
                  --symbols                          Name the enclosing symbol of each line

            Not available here: --debug, --generate, --hostname-bin, --hyperlink-format, --pcre2, --pcre2-version, --pre, --pre-glob, --search-zip, --sortr, --stats, --trace, --auto-hybrid-regex
        "#]],
    );
    check(
        &["-V"],
        expect![[r#"
        grep, as in ripgrep 15.2.0
    "#]],
    );
}
