//! What a symbol is called from outside its file: module path, containers, name.

use engine::{FileId, RepoPath, Snapshot, is_below};
use facts::{Facts, ModuleSystem, SymbolIndex, SymbolKind, TypeId, TypeRecipe};

/// `auth::jwt::validate_token`, `shop.cart.Cart.total`, `jwt.Validator.Validate`: as the language
/// writes it.
pub fn qualified_name(
    snapshot: &Snapshot,
    file: FileId,
    facts: &Facts,
    index: SymbolIndex,
) -> String {
    let mut parts = module_path(snapshot, file, facts);
    parts.extend(chain(facts, index));
    parts.join(separator(snapshot, file))
}

/// Between the parts of a name in the file's language.
pub fn separator(snapshot: &Snapshot, file: FileId) -> &'static str {
    snapshot
        .corpus()
        .semantics(snapshot.file(file).language)
        .map_or(".", |semantics| semantics.separator)
}

/// The names of the symbols around one and its own, outermost first. A member that is outside
/// of every type has the one it belongs to before it; inside one, that is the type it extends or
/// the interface it implements, and no part of its name.
pub fn chain(facts: &Facts, index: SymbolIndex) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for index in facts.container_chain(index) {
        let symbol = facts.symbol(index);
        if symbol.kind != SymbolKind::Impl
            && symbol
                .parent
                .is_none_or(|parent| !facts.symbol(parent).kind.is_type())
            && let Some(owner) = type_name(facts, symbol.owner)
            && parts.last().map(String::as_str) != Some(owner)
        {
            parts.push(owner.to_owned());
        }
        let name = facts.name(symbol.name);
        if symbol.kind == SymbolKind::Namespace {
            parts.extend(
                name.split(['.', '\\'])
                    .flat_map(|part| part.split("::"))
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned),
            );
        } else {
            parts.push(name.to_owned());
        }
    }
    parts
}

/// The module that a file is or belongs to, as the language names modules; empty where the names of
/// the symbols themselves say it.
pub fn module_path(snapshot: &Snapshot, file: FileId, facts: &Facts) -> Vec<String> {
    let entry = snapshot.file(file);
    let Some(semantics) = snapshot.corpus().semantics(entry.language) else {
        return Vec::new();
    };
    let path = entry.path.as_str();
    let split = |path: &str| {
        path.split('/')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    match semantics.modules {
        ModuleSystem::PythonPackages => {
            let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
            let below = below_root(stem, python_root(snapshot, entry.path.directory()));
            let mut parts = split(below);
            if parts
                .last()
                .is_some_and(|part| part == "__init__" || part == "__main__")
            {
                parts.pop();
            }
            parts
        }
        ModuleSystem::RustCrates => rust_module(snapshot, path),
        ModuleSystem::EcmaScript => {
            let stem = path.split_once(".d.").map_or_else(
                || path.rsplit_once('.').map_or(path, |(stem, _)| stem),
                |(stem, _)| stem,
            );
            let package = snapshot
                .project()
                .packages
                .iter()
                .map(|package| package.directory.as_str());
            let root = package
                .filter(|directory| is_below(stem, directory))
                .max_by_key(|directory| directory.len())
                .unwrap_or("");
            let mut parts = split(below_root(stem, root));
            if parts
                .first()
                .is_some_and(|part| part == "src" || part == "lib")
                && parts.len() > 1
            {
                parts.remove(0);
            }
            if parts.last().is_some_and(|part| part == "index") && parts.len() > 1 {
                parts.pop();
            }
            parts
        }
        ModuleSystem::GoPackages => {
            let name = declared_package(facts).or_else(|| go_directory(snapshot, &entry.path));
            name.map(str::to_owned).into_iter().collect()
        }
        ModuleSystem::DeclaredNamespaces
        | ModuleSystem::Includes
        | ModuleSystem::GlobalConstants
        | ModuleSystem::None => Vec::new(),
    }
}

/// The name that a file's package clause has, which need not be that of the directory: that of a
/// module may end with `v2`. Tests outside of a package have its name; `main` tells nothing.
fn declared_package(facts: &Facts) -> Option<&str> {
    let clause = facts.symbols.first()?;
    let name = facts.name(clause.name);
    let name = name.strip_suffix("_test").unwrap_or(name);
    (clause.kind == SymbolKind::Namespace && !name.is_empty() && name != "main").then_some(name)
}

/// The last part of the directory of a Go file, or of the path of its module at the root.
fn go_directory<'a>(snapshot: &'a Snapshot, path: &'a RepoPath) -> Option<&'a str> {
    let directory = path.directory();
    let last = |path: &'a str| path.rsplit('/').next().filter(|name| !name.is_empty());
    last(directory).or_else(|| {
        let modules = &snapshot.project().go_modules;
        let module = modules.iter().find(|module| module.directory == directory);
        module.and_then(|module| last(&module.path))
    })
}

/// The module of a file as its language writes it; its path where the path names no module.
pub fn module_name(snapshot: &Snapshot, file: FileId, facts: &Facts) -> String {
    match module_path(snapshot, file, facts).join(separator(snapshot, file)) {
        name if name.is_empty() => snapshot.file(file).path.to_string(),
        name => name,
    }
}

/// The package that a manifest declares around a file: its name and directory.
pub fn package_of(snapshot: &Snapshot, file: FileId) -> Option<(&str, &str)> {
    let unit = snapshot
        .project()
        .units_around(snapshot.file(file).path.as_str())
        .next()?;
    Some((&unit.name, &unit.directory))
}

fn python_root<'a>(snapshot: &Snapshot, directory: &'a str) -> &'a str {
    // Above the outermost package; a declared root wins.
    let declared = snapshot
        .project()
        .python_roots
        .iter()
        .filter(|root| is_below(directory, root) || directory == root.as_str());
    if let Some(root) = declared.max_by_key(|root| root.len()) {
        return &directory[..root.len()];
    }
    let mut root = directory;
    while !root.is_empty()
        && ["py", "pyi"].iter().any(|extension| {
            snapshot
                .find(&format!("{root}/__init__.{extension}"))
                .is_some()
        })
    {
        root = root.rsplit_once('/').map_or("", |(around, _)| around);
    }
    match root {
        // Directories of scripts are namespaces of their own, below the usual source directories.
        _ if root == directory && root != "src" && root != "lib" => "",
        root => root,
    }
}

fn rust_module(snapshot: &Snapshot, path: &str) -> Vec<String> {
    let crates = snapshot
        .project()
        .cargo_crates
        .iter()
        .filter(|found| is_below(path, &found.directory));
    let around = crates.max_by_key(|found| found.directory.len());
    // Where the root of the crate is, which need not be `src`.
    let roots = around
        .iter()
        .flat_map(|found| &found.roots)
        .filter_map(|root| root.rsplit_once('/'));
    let roots = roots.filter(|(directory, file)| {
        matches!(*file, "lib.rs" | "main.rs") && is_below(path, directory)
    });
    let root = roots
        .map(|(directory, _)| directory)
        .max_by_key(|directory| directory.len());
    let below = below_root(
        path,
        root.or(around.map(|found| found.directory.as_str()))
            .unwrap_or(""),
    );
    let below = below
        .strip_prefix("src/")
        .or_else(|| below.split_once("/src/").map(|(_, below)| below))
        .unwrap_or(below);
    let stem = below.strip_suffix(".rs").unwrap_or(below);
    let mut parts: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|part| part == "mod")
        || parts.len() == 1 && ["lib", "main", "build"].contains(&parts[0].as_str())
    {
        parts.pop();
    }
    parts
}

fn below_root<'a>(path: &'a str, root: &str) -> &'a str {
    path.strip_prefix(root)
        .map_or(path, |below| below.trim_start_matches('/'))
}

/// The plain name of a written type: `Cart` of `&mut shop::Cart<T>`.
pub fn type_name(facts: &Facts, mut id: TypeId) -> Option<&str> {
    // Children have smaller indexes; a bound keeps damaged facts from a loop.
    for _ in 0..8 {
        match facts.type_recipe(id) {
            TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => return Some(facts.name(name)),
            TypeRecipe::Apply(inner, _)
            | TypeRecipe::Pointer(inner)
            | TypeRecipe::Reference(inner)
            | TypeRecipe::Optional(inner) => id = inner,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn names_carry_their_module() {
        check(
            "
//- shop/__init__.py
//- shop/cart.py
class Cart:
    def total(self): ...
//- src/tools/run.py
def main(): ...
//- crates/auth/src/jwt.rs
struct Validator;
impl Validator { fn check(&self) {} }
fn validate() {}
//- src/lib.rs
fn top() {}
//- web/src/cart/index.ts
export class Basket { add() {} }
//- pkg/store/store.go
package store
type Store struct{}
func (s *Store) Open() {}
//- Shop.cs
namespace Acme.Shop { class Order { void Pay() {} } }
",
            expect![[r#"
                Shop.cs: Acme.Shop, Acme.Shop.Order, Acme.Shop.Order.Pay
                crates/auth/src/jwt.rs: jwt::Validator, jwt::Validator, jwt::Validator::check, jwt::validate
                pkg/store/store.go: store.store, store.Store, store.Store.Open
                shop/cart.py: shop.cart.Cart, shop.cart.Cart.total
                src/lib.rs: top
                src/tools/run.py: src.tools.run.main
                web/src/cart/index.ts: web.src.cart.Basket, web.src.cart.Basket.add
            "#]],
        );
    }

    #[track_caller]
    fn check(repository: &str, expected: Expect) {
        let snapshot = fixture::repository(repository).snapshot;
        let mut out = String::new();
        for (id, file) in snapshot.files() {
            let facts = snapshot.corpus().facts(file.content).unwrap();
            let names: Vec<_> = facts
                .symbols_with_index()
                .map(|(index, _)| qualified_name(&snapshot, id, &facts, index))
                .collect();
            if !names.is_empty() {
                out.push_str(&format!("{}: {}\n", file.path, names.join(", ")));
            }
        }
        expected.assert_eq(&out);
    }
}
