//! What a callable does besides returning: library calls are told by the type or module they belong
//! to, tables by what declares them.

use engine::{
    Analysis, Budget,
    query::{self, Access, Affected, SideEffect},
};

/// The side effects of the callable at the cursor, then what it throws, one a line.
#[track_caller]
fn check(repository: &str, expected: &[&str]) {
    let fixture = fixture::repository(repository);
    let analysis = Analysis::new(fixture.snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let symbol = fixture.symbol_at_cursor(&resolver);
    let architecture = query::architecture::architecture_of(&analysis);
    let effects = query::effects(&resolver, symbol, &architecture).value;
    let thrown = effects.thrown.iter().map(|thrown| {
        let by = format!("{:?}", thrown.by).to_lowercase();
        format!("{by} {}", thrown.name)
    });
    let shown: Vec<String> = effects
        .side_effects
        .iter()
        .map(shown)
        .chain(thrown)
        .collect();
    assert_eq!(shown, expected);
}

fn shown(effect: &SideEffect) -> String {
    let plural = if effect.lines.len() > 1 { "s" } else { "" };
    let numbers: Vec<String> = effect.lines.iter().map(u32::to_string).collect();
    let lines = format!("line{plural} {}", numbers.join(", "));
    match &effect.on {
        Affected::Variable { kind, owner, name } => {
            let owner = owner.as_ref().map(|owner| format!("{owner}."));
            format!(
                "writes {} {}{name}",
                kind.as_str(),
                owner.unwrap_or_default()
            )
        }
        Affected::Library { touches, member } => {
            let read = if effect.access == Access::Reads {
                "read, "
            } else {
                ""
            };
            format!("{}: {member} ({read}{lines})", touches.as_str())
        }
        Affected::Table { name, written_by } => match written_by {
            Some(by) => format!("database: writes {name} ({by}, {lines})"),
            None => format!("database: reads {name} ({lines})"),
        },
    }
}

mod csharp {
    use super::*;

    #[track_caller]
    fn body(body: &str, expected: &[&str]) {
        check(
            &format!(
                "//- A.cs\nusing System.IO;\nusing System.Net.Http;\nclass Profile {{ public void Delete() {{ }} }}\nclass A {{ HttpClient _api; IHttpClientFactory _clients; Profile _profile; async Task Ru$0n(string path, FileInfo file, Order order, CancellationToken token) {{\n{body}\n}} }}\n"
            ),
            expected,
        );
    }

    #[test]
    fn files_and_directories_by_their_types() {
        body("File.Delete(path);", &["file system: File.Delete (line 5)"]);
        body(
            "System.IO.File.Move(path, path);",
            &["file system: File.Move (line 5)"],
        );
        body(
            "if (File.Exists(path))\nFile.Copy(path, path);",
            &[
                "file system: File.Exists (read, line 5)",
                "file system: File.Copy (line 6)",
            ],
        );
        body(
            "Directory.Delete(path, true);\nDirectory.Delete(path);",
            &["file system: Directory.Delete (lines 5, 6)"],
        );
        body(
            "file.MoveTo(path); new FileInfo(path).Delete();",
            &[
                "file system: FileInfo.MoveTo (line 5)",
                "file system: FileInfo.Delete (line 5)",
            ],
        );
        body(
            "Directory.GetParent(path).Create();",
            &["file system: DirectoryInfo.Create (line 5)"],
        );
        body(
            "foreach (var f in new DirectoryInfo(path).EnumerateFiles()) f.CopyTo(path);",
            &[
                "file system: DirectoryInfo.EnumerateFiles (read, line 5)",
                "file system: FileInfo.CopyTo (line 5)",
            ],
        );
        body(
            "await ZipFile.ExtractToDirectoryAsync(path, path);",
            &["file system: ZipFile.ExtractToDirectoryAsync (line 5)"],
        );
        body(
            "using var s = new FileStream(path, FileMode.Create);",
            &["file system: new FileStream (line 5)"],
        );
        body(
            "using var s = new FileStream(path, FileMode.Open, FileAccess.Read);",
            &["file system: new FileStream (read, line 5)"],
        );
    }

    #[test]
    fn a_type_of_the_program_is_no_library() {
        body("_profile.Delete();", &[]);
        body(
            "var list = new List<string>(); list.Remove(path); list.Add(path);",
            &[],
        );
    }

    #[test]
    fn the_network_by_its_client() {
        body(
            "await _api.GetAsync(path);",
            &["network: HttpClient.GetAsync (line 5)"],
        );
        body(
            "var r = await _clients.CreateClient().GetAsync(path); await r.Content.ReadAsStringAsync();",
            &[
                "network: HttpClient.GetAsync (line 5)",
                "network: HttpContent.ReadAsStringAsync (read, line 5)",
            ],
        );
    }

    #[test]
    fn guards_throw_what_they_belong_to() {
        body(
            "ArgumentNullException.ThrowIfNull(path); ArgumentException.ThrowIfNullOrEmpty(path);",
            &["guard ArgumentNullException", "guard ArgumentException"],
        );
        body(
            "ObjectDisposedException.ThrowIf(true, this); token.ThrowIfCancellationRequested();",
            &[
                "guard ObjectDisposedException",
                "guard OperationCanceledException",
            ],
        );
        body(
            "throw new InvalidOperationException();",
            &["throw InvalidOperationException"],
        );
    }

    const SHOP: &str = "//- Shop.cs\nusing Microsoft.EntityFrameworkCore;\nnamespace Shop;\npublic class Order { public int Id { get; set; } }\npublic class ShopContext : DbContext { public DbSet<Order> Orders { get; set; } }\n";

    #[track_caller]
    fn shop(body: &str, expected: &[&str]) {
        let file = format!(
            "{SHOP}//- Store.cs\nusing Microsoft.EntityFrameworkCore;\nnamespace Shop;\nclass Store {{ IDbContextFactory<ShopContext> _factory; ShopContext _own; async Task Ru$0n(Order order) {{\n{body}\n}} }}\n"
        );
        check(&file, expected);
    }

    #[test]
    fn sets_are_tables_that_are_read_and_written() {
        shop(
            "var all = _own.Orders.Where(o => o.Id > 1).ToList();",
            &["database: reads Orders (line 4)"],
        );
        shop(
            "_own.Orders.Add(order);\nawait _own.SaveChangesAsync();",
            &[
                "database: writes Orders (Add, line 4)",
                "database: ShopContext.SaveChangesAsync (line 5)",
            ],
        );
        shop(
            "_own.Orders.Where(o => o.Id == 1).ExecuteDelete();",
            &["database: writes Orders (ExecuteDelete, line 4)"],
        );
    }

    #[test]
    fn a_factory_gives_its_context() {
        shop(
            "using var db = _factory.CreateDbContext();\nreturn db.Orders.Count();",
            &[
                "database: IDbContextFactory.CreateDbContext (read, line 4)",
                "database: reads Orders (line 5)",
            ],
        );
        shop(
            "var db = await _factory.CreateDbContextAsync();\nawait using (db.ConfigureAwait(false)) { db.Orders.Remove(order); }",
            &[
                "database: IDbContextFactory.CreateDbContextAsync (read, line 4)",
                "database: writes Orders (Remove, line 5)",
            ],
        );
    }
}

#[test]
fn python_modules_and_paths() {
    let body = |body: &str, expected: &[&str]| {
        check(
            &format!(
                "//- a.py\nimport os, shutil, requests, subprocess\nfrom os import remove\nfrom pathlib import Path\ndef ru$0n(name):\n{body}\n"
            ),
            expected,
        );
    };
    body("    os.remove(name)", &["file system: os.remove (line 5)"]);
    body("    remove(name)", &["file system: os.remove (line 5)"]);
    body(
        "    shutil.rmtree(name)",
        &["file system: shutil.rmtree (line 5)"],
    );
    body(
        "    Path(name).write_text('x')",
        &["file system: Path.write_text (line 5)"],
    );
    body(
        "    with open(name, 'wb') as f:\n        f.write(b'x')",
        &["file system: open (line 5)"],
    );
    body(
        "    with open(name) as f:\n        return f.read()",
        &["file system: open (read, line 5)"],
    );
    body(
        "    requests.get(name)",
        &["network: requests.get (line 5)"],
    );
    body(
        "    s = requests.Session()\n    s.post(name)",
        &["network: Session.post (line 6)"],
    );
    body(
        "    subprocess.run([name])",
        &["process: subprocess.run (line 5)"],
    );
    body("    {}.get(name)\n    [].remove(name)", &[]);
}

#[test]
fn node_modules_under_any_name() {
    let body = |body: &str, expected: &[&str]| {
        check(
            &format!(
                "//- a.ts\nimport * as fs from 'node:fs'\nimport {{ writeFile }} from 'fs/promises'\nimport axios from 'axios'\nimport {{ exec }} from 'child_process'\nexport async function ru$0n(name: string) {{\n{body}\n}}\n"
            ),
            expected,
        );
    };
    body(
        "fs.unlinkSync(name)",
        &["file system: fs.unlinkSync (line 6)"],
    );
    body(
        "fs.readFileSync(name)",
        &["file system: fs.readFileSync (read, line 6)"],
    );
    body(
        "await writeFile(name, 'x')",
        &["file system: promises.writeFile (line 6)"],
    );
    body("await fetch(name)", &["network: fetch (line 6)"]);
    body("await axios.post(name)", &["network: axios.post (line 6)"]);
    body("exec(name)", &["process: child_process.exec (line 6)"]);
    body("new Map<string, string>().get(name)", &[]);
}

#[test]
fn java_and_kotlin_files_and_repositories() {
    let java = |body: &str, expected: &[&str]| {
        check(
            &format!(
                "//- A.java\nimport java.io.*;\nimport java.nio.file.*;\nimport java.util.*;\ninterface Orders extends JpaRepository<Order, Long> {{}}\nclass Order {{}}\nclass A {{ Orders orders; void ru$0n(Path path, File file, Order order) {{\n{body}\n}} }}\n"
            ),
            expected,
        );
    };
    java(
        "Files.deleteIfExists(path);",
        &["file system: Files.deleteIfExists (line 7)"],
    );
    java("file.mkdirs();", &["file system: File.mkdirs (line 7)"]);
    java(
        "new FileOutputStream(file);",
        &["file system: new FileOutputStream (line 7)"],
    );
    java(
        "Objects.requireNonNull(path);",
        &["guard NullPointerException"],
    );
    java("new ArrayList<String>().remove(0);", &[]);
    check(
        "//- A.kt\nimport java.io.File\nfun ru$0n(path: String) {\n  require(path.isNotEmpty())\n  File(path).writeText(\"x\")\n}\n",
        &[
            "file system: File.writeText (line 4)",
            "guard IllegalArgumentException",
        ],
    );
}

#[test]
fn rust_and_go_by_module() {
    check(
        "//- src/lib.rs\nuse std::fs;\nuse std::process::Command;\npub fn ru$0n(path: &str) {\n    fs::remove_file(path).unwrap();\n    std::fs::read_to_string(path).unwrap();\n    Command::new(\"ls\").spawn().unwrap();\n}\n//- Cargo.toml\n[package]\nname = \"a\"\n",
        &[
            "file system: fs.remove_file (line 4)",
            "file system: fs.read_to_string (read, line 5)",
            "process: Command.spawn (line 6)",
        ],
    );
    check(
        "//- a.go\npackage a\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc Ru$0n(path string) {\n\tos.RemoveAll(path)\n\tos.OpenFile(path, os.O_RDWR|os.O_CREATE, 0)\n\thttp.Get(path)\n}\n//- go.mod\nmodule a\n",
        &[
            "file system: os.RemoveAll (line 9)",
            "file system: os.OpenFile (line 10)",
            "network: http.Get (line 11)",
        ],
    );
}

#[test]
fn ruby_php_and_c() {
    check(
        "//- a.rb\nrequire 'fileutils'\nclass A\n  def ru$0n(path)\n    FileUtils.rm_rf(path)\n    File.write(path, 'x')\n    File.read(path)\n  end\nend\n",
        &[
            "file system: FileUtils.rm_rf (line 4)",
            "file system: File.write (line 5)",
            "file system: File.read (read, line 6)",
        ],
    );
    check(
        "//- a.php\n<?php\nfunction ru$0n($path) {\n  unlink($path);\n  file_put_contents($path, 'x');\n  $h = fopen($path, 'r');\n}\n",
        &[
            "file system: unlink (line 3)",
            "file system: file_put_contents (line 4)",
            "file system: fopen (read, line 5)",
        ],
    );
    check(
        "//- a.c\n#include <stdio.h>\nvoid ru$0n(const char *path) {\n  remove(path);\n  FILE *f = fopen(path, \"w\");\n}\n",
        &[
            "file system: remove (line 3)",
            "file system: fopen (line 4)",
        ],
    );
}

#[test]
fn models_of_other_frameworks_are_tables() {
    check(
        "//- shop/models.py\nfrom django.db import models\nclass Order(models.Model):\n    total = models.IntegerField()\n//- app.py\nfrom shop.models import Order\ndef ru$0n():\n    Order.objects.filter(total=1)\n    isinstance(1, Order)\n",
        &["database: reads shop_order (line 3)"],
    );
}

#[test]
fn what_is_thrown_is_named_for_its_type() {
    for (file, body, thrown) in [
        (
            "a.py",
            "def ru$0n():\n    raise errors.Bad(1).with_traceback(x)",
            "Bad",
        ),
        ("a.js", "function ru$0n() { throw new Bad('x') }", "Bad"),
        (
            "a.php",
            "<?php\nfunction ru$0n() { throw new Errors\\Bad('x'); }",
            "Bad",
        ),
        (
            "a.rb",
            "def ru$0n\n  raise Errors::Bad.new('x')\nend",
            "Bad",
        ),
        (
            "a.cpp",
            "void ru$0n() { throw std::bad_cast(); }",
            "bad_cast",
        ),
        ("a.kt", "fun ru$0n(x: Int?) = x ?: throw Bad()", "Bad"),
    ] {
        check(
            &format!("//- {file}\n{body}\n"),
            &[&format!("throw {thrown}")],
        );
    }
}
