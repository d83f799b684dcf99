//! A small repository with everything that makes a search differ: ignore rules of all kinds,
//! hidden files, binary files, encodings, line ends, long lines and names that sort unusually.

use std::{fs, path::Path};

use grep_command::MemoryFiles;
use tempfile::TempDir;

/// Path and content of each file.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files: Vec<(&'static str, Vec<u8>)> = [
        (
            "README.md",
            "# Shop\n\nThe total of a cart is a sum.\n\nTotal: TOTAL total\n",
        ),
        ("Makefile", "all:\n\tcargo build\n\ntotal:\n\techo total\n"),
        ("src/cart.py", CART),
        (
            "src/cart/extra.py",
            "def extra(total):\n    return total + 1\n",
        ),
        ("src/cart-old.py", "total = 1  # old\n"),
        ("src/main.rs", MAIN),
        ("src/lib.rs", "pub fn total() -> u32 {\n    0\n}\n"),
        ("src/no_newline.txt", "first\nlast total"),
        ("src/empty.txt", ""),
        ("src/dos.txt", "one total\r\ntwo\r\nthree total\r\n"),
        ("src/only_newlines.txt", "\n\n\n"),
        ("a/b/c/d/deep.txt", "a deep total\n"),
        ("a/b-c.txt", "total between\n"),
        ("a.txt", "total first\n"),
        ("B.TXT", "TOTAL upper\n"),
        ("with space.txt", "total with space\n"),
        ("ünï.txt", "größe total Größe GRÖSSE ſk KK\n"),
        (".hidden.rs", "fn hidden_total() {}\n"),
        (".config/settings.toml", "total = true\n"),
        (
            ".gitignore",
            "*.log\n/build/\nignored/*\n!ignored/kept.txt\n# comment\nsecret?\n",
        ),
        ("src/.gitignore", "generated.rs\n!important.log\n"),
        ("src/generated.rs", "fn generated_total() {}\n"),
        ("src/important.log", "total in an important log\n"),
        ("src/other.log", "total in a log\n"),
        ("build/out.txt", "total built\n"),
        ("sub/build/out.txt", "total not at the root\n"),
        ("ignored/kept.txt", "total kept\n"),
        ("ignored/lost.txt", "total lost\n"),
        ("secret1", "total secret\n"),
        (".ignore", "vendor\n!src/other.log\n"),
        ("vendor/lib.c", "int total(void);\n"),
        (".rgignore", "*.min.js\n!vendor\n"),
        (
            "web/app.js",
            "const total = (a, b) => a + b;\nexport { total };\n",
        ),
        ("web/app.min.js", "const total=1;\n"),
        ("web/index.html", "<p class=\"total\">\n  total\n</p>\n"),
        ("web/.ignore", "*.html\n"),
    ]
    .map(|(path, text)| (path, text.as_bytes().to_vec()))
    .into();
    files.push(("bin/data.bin", b"total\0binary total\n\0\0".to_vec()));
    files.push((
        "bin/late.bin",
        [b"total early\n".repeat(9000), b"\0 total\n".to_vec()].concat(),
    ));
    files.push(("bin/latin1.txt", b"caf\xE9 total\nna\xEFve\n".to_vec()));
    files.push(("bin/utf16.txt", utf16("utf16 total\nsecond line\n")));
    files.push((
        "bin/bom.txt",
        "\u{FEFF}total after a mark\n".as_bytes().to_vec(),
    ));
    files.push((
        "long.txt",
        [b"x ".repeat(3000), b"total\n".to_vec()].concat(),
    ));
    files.push((
        "many.txt",
        (1..=300)
            .map(|n| format!("line {n} total {}\n", n % 7))
            .collect::<String>()
            .into_bytes(),
    ));
    files
}

const CART: &str = "\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        total = 0
        for item in self.items:
            total += item.price
        return total

    def add(self, item):
        self.items.append(item)


def main():
    print(Cart().total())
";

const MAIN: &str = "\
use std::fmt;

struct Total { total: u64 }

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, \"total: {}\", self.total)
    }
}

fn main() {
    println!(\"{}\", Total { total: 3 });
}
";

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// Binary files whose matches ripgrep prints or not, depending on the lines of files before them.
pub fn long_lines_and_late_nuls() -> Vec<(&'static str, Vec<u8>)> {
    let line = |n: usize| [vec![b'x'; n], b"\n".to_vec()].concat();
    let late_nul = [b"match\n".repeat(50_000), b"\0".to_vec()].concat();
    vec![
        ("a", late_nul.clone()),
        ("b", line(100_000)),
        ("c", late_nul.clone()), // In a buffer of 196,608 bytes.
        ("d", line(200_000)),
        ("e", late_nul), // In a buffer of 589,824 bytes: the NUL is seen first.
        ("f", b"match\n".repeat(200_000)),
    ]
}

/// The files in memory.
pub fn in_memory() -> MemoryFiles {
    files().into_iter().collect()
}

/// The files in a directory that is a git repository.
pub fn on_disk() -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), files());
    directory
}

pub fn write<P: AsRef<Path>, B: AsRef<[u8]>>(root: &Path, files: impl IntoIterator<Item = (P, B)>) {
    fs::create_dir_all(root.join(".git/info")).expect("a repository");
    for (path, bytes) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
}
