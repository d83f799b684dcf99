//! `cargo xtask house`: the figures that the house rules of ARCHITECTURE.md limit. The tests below
//! keep them from rising.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use syn::{Fields, GenericArgument, ImplItem, Item, PathArguments, Signature, Type, Visibility};
use syn::{TraitItem, spanned::Spanned as _, visit::Visit};

use crate::sources::{self, SourceFile, is_for_tests, item_attributes};

/// What is measured of the code that is not for tests.
#[derive(Default)]
pub struct Figures {
    /// The files that declare a type or trait of each name.
    types: BTreeMap<String, BTreeSet<String>>,
    n_public_fields: usize,
    /// `Type.field` of those that are a `String`, perhaps an optional one.
    string_fields: Vec<String>,
    functions: Vec<Function>,
    /// Lines of each file of the engine, everything counted.
    engine_files: Vec<(usize, String)>,
}

pub struct Function {
    /// `path:line name`
    place: String,
    /// From `fn` to the closing brace.
    n_lines: usize,
    /// The receiver included, as clippy counts.
    n_parameters: usize,
}

impl Figures {
    pub fn of(sources: &[SourceFile]) -> Figures {
        let mut figures = Figures::default();
        for source in sources.iter().filter(|source| !source.is_test) {
            if source.package() == "engine" {
                let n_lines = source.text.lines().count();
                figures
                    .engine_files
                    .push((n_lines, source.path.display().to_string()));
            }
            let path = &source.path.display().to_string();
            Visitor {
                path,
                figures: &mut figures,
            }
            .visit_file(&source.syntax);
        }
        figures.engine_files.sort_by(|a, b| b.cmp(a));
        figures
    }

    /// Type names that two or more files declare.
    pub fn shared_types(&self) -> Vec<&str> {
        let shared = self.types.iter().filter(|(_, files)| files.len() > 1);
        shared.map(|(name, _)| name.as_str()).collect()
    }

    pub fn shared_type_share(&self) -> f64 {
        share(self.shared_types().len(), self.types.len())
    }

    pub fn string_field_share(&self) -> f64 {
        share(self.string_fields.len(), self.n_public_fields)
    }
}

/// Percent.
fn share(part: usize, whole: usize) -> f64 {
    100. * part as f64 / whole.max(1) as f64
}

pub fn run(root: &Path) -> anyhow::Result<()> {
    let mut figures = Figures::of(&sources::read(root)?);
    let shared = figures.shared_types();
    println!(
        "type names declared in two or more files: {:.1} % ({} of {}; bar 8 %)",
        figures.shared_type_share(),
        shared.len(),
        figures.types.len()
    );
    for name in shared {
        println!("  {name:<24}{}", figures.types[name].len());
    }
    println!(
        "public fields that are a String: {:.1} % ({} of {}; bar 10 %)",
        figures.string_field_share(),
        figures.string_fields.len(),
        figures.n_public_fields
    );
    println!("longest functions (bar 120 lines):");
    figures
        .functions
        .sort_by_key(|function| std::cmp::Reverse(function.n_lines));
    let long = figures
        .functions
        .iter()
        .filter(|function| function.n_lines > 120)
        .count();
    for function in figures.functions.iter().take(long.max(3)) {
        println!("{:>6}  {}", function.n_lines, function.place);
    }
    println!("most parameters (bar 6):");
    figures
        .functions
        .sort_by_key(|function| std::cmp::Reverse(function.n_parameters));
    let wide = figures
        .functions
        .iter()
        .filter(|function| function.n_parameters > 6)
        .count();
    for function in figures.functions.iter().take(wide.max(3)) {
        println!("{:>6}  {}", function.n_parameters, function.place);
    }
    println!("largest files of the engine (bar 900 lines):");
    let large = figures
        .engine_files
        .iter()
        .filter(|(n_lines, _)| *n_lines > 900)
        .count();
    for (n_lines, path) in figures.engine_files.iter().take(large.max(3)) {
        println!("{n_lines:>6}  {path}");
    }
    Ok(())
}

struct Visitor<'a> {
    path: &'a str,
    figures: &'a mut Figures,
}

impl Visitor<'_> {
    fn declares(&mut self, name: &syn::Ident) {
        let files = self.figures.types.entry(name.to_string()).or_default();
        files.insert(self.path.to_owned());
    }

    fn function(&mut self, signature: &Signature, whole: proc_macro2::Span) {
        let start = signature.span().start().line;
        self.figures.functions.push(Function {
            place: format!("{}:{start} {}", self.path, signature.ident),
            n_lines: whole.end().line + 1 - start,
            n_parameters: signature.inputs.len(),
        });
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(item_attributes(item)) {
            return;
        }
        match item {
            Item::Enum(item) => self.declares(&item.ident),
            Item::Trait(item) => self.declares(&item.ident),
            Item::Type(item) => self.declares(&item.ident),
            Item::Struct(item) => {
                self.declares(&item.ident);
                let Fields::Named(fields) = &item.fields else {
                    return;
                };
                for field in &fields.named {
                    if matches!(field.vis, Visibility::Inherited) {
                        continue;
                    }
                    self.figures.n_public_fields += 1;
                    if is_string(&field.ty) {
                        let field = field.ident.as_ref().map(ToString::to_string);
                        let name = format!("{}.{}", item.ident, field.unwrap_or_default());
                        self.figures.string_fields.push(name);
                    }
                }
            }
            Item::Fn(item) => self.function(&item.sig, item.span()),
            _ => {}
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(function) = item {
            if is_for_tests(&function.attrs) {
                return;
            }
            self.function(&function.sig, function.span());
        }
        syn::visit::visit_impl_item(self, item);
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(function) = item {
            self.function(&function.sig, function.span());
        }
        syn::visit::visit_trait_item(self, item);
    }
}

/// `String` and `Option<String>`.
fn is_string(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    match &last.arguments {
        PathArguments::None => last.ident == "String",
        PathArguments::AngleBracketed(arguments) if last.ident == "Option" => {
            matches!(arguments.args.first(), Some(GenericArgument::Type(ty)) if is_string(ty))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
