//! Library shapes: what members of library types give, from one compact table per language.
//!
//! ```text
//! type list<T> : Sequence<T>      name<parameters> : supertypes
//!   pop -> T                      member -> result; `Self` for the type itself
//!   append, sort                  members that exist, result not interesting
//!   [] -> T                       also `*` iteration, `?` unwrapping, `await`, `()` calling, `deref`
//!   map((T) -> U) -> list<U>      function-typed parameters; `U` is the result of the function given
//! fn sorted(list<T>) -> list<T>   free functions, with their module where they have one
//! function Func<..., R>           a function type: all arguments but the last are parameters, the last is the result
//! function Action<...>            the same without a result
//! wrapper Expression              means its only argument where a function is expected
//! alias List = list
//! alias Any = Object              `Any` is what every type extends, also those of the repository
//! literal string -> str
//! ```

use std::collections::HashMap;

use facts::Semantics;
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

/// The shapes of one language.
#[derive(Debug, Default)]
pub struct Shapes {
    types: FxHashMap<String, TypeShape>,
    functions: FxHashMap<String, MemberShape>,
    aliases: FxHashMap<String, String>,
    literals: FxHashMap<String, ShapeType>,
    /// Function types of any number of parameters, and whether the last argument is the result.
    function_types: FxHashMap<String, bool>,
    wrappers: FxHashSet<String>,
    /// Every member name of a library type.
    owned: FxHashSet<String>,
}

#[derive(Debug, Default)]
pub struct TypeShape {
    pub parameters: Vec<String>,
    pub supertypes: Vec<ShapeType>,
    pub members: FxHashMap<String, MemberShape>,
}

#[derive(Clone, Debug, Default)]
pub struct MemberShape {
    pub parameters: Vec<ShapeType>,
    pub result: Option<ShapeType>,
}

/// A type in a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeType {
    /// A type, or a type parameter where one of that name is in sight.
    Named(String, Vec<ShapeType>),
    /// A function: parameters and, last, the result.
    Function(Vec<ShapeType>),
    Tuple(Vec<ShapeType>),
    Array(Box<ShapeType>),
    Optional(Box<ShapeType>),
    /// `_`.
    Any,
}

impl Shapes {
    /// The shapes of a language, read on first use and kept: there is one table per text.
    pub fn of(semantics: &'static Semantics) -> &'static Shapes {
        static ALL: Mutex<Option<HashMap<usize, &'static Shapes>>> = Mutex::new(None);
        let key = semantics.shapes.as_ptr() as usize;
        let mut all = ALL.lock();
        all.get_or_insert_default()
            .entry(key)
            .or_insert_with(|| Box::leak(Box::new(Shapes::parse(semantics.shapes))))
    }

    pub fn parse(text: &str) -> Shapes {
        let mut shapes = Shapes::default();
        let mut current: Option<String> = None;
        for line in text.lines() {
            let line = line.split(" #").next().unwrap_or("").trim_end();
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let indented = line.starts_with([' ', '\t']);
            let line = line.trim();
            if indented {
                if let Some(shape) = current.as_ref().and_then(|name| shapes.types.get_mut(name)) {
                    for (name, member) in members(line) {
                        shapes.owned.insert(name.clone());
                        shape.members.entry(name).or_insert(member);
                    }
                }
            } else if let Some(header) = line.strip_prefix("type ") {
                let mut parser = Parser::new(header);
                // Types are known by the last part of their path, whatever the language writes
                // between the parts.
                let name = last_part(&parser.word()).to_owned();
                let parameters: Vec<String> = parser
                    .arguments()
                    .into_iter()
                    .map(|ty| {
                        if let ShapeType::Named(name, _) = ty {
                            name
                        } else {
                            String::new()
                        }
                    })
                    .collect();
                let mut supertypes = Vec::new();
                if parser.eat(":") {
                    loop {
                        supertypes.push(parser.ty());
                        if !parser.eat(",") {
                            break;
                        }
                    }
                }
                let shape = shapes.types.entry(name.clone()).or_default();
                // `Task` and `Task<T>` are one here, which has all that is said of either.
                if parameters.len() >= shape.parameters.len() {
                    shape.parameters = parameters;
                }
                supertypes
                    .retain(|of| !matches!(of, ShapeType::Named(of, _) if last_part(of) == name));
                shape.supertypes.extend(supertypes);
                current = Some(name);
            } else if let Some(function) = line.strip_prefix("fn ") {
                current = None;
                for (name, member) in members(function) {
                    shapes.functions.entry(name).or_insert(member);
                }
            } else if let Some(header) = line.strip_prefix("function ") {
                let name = Parser::new(header).word();
                shapes.function_types.insert(name, !header.contains("...>"));
            } else if let Some(name) = line.strip_prefix("wrapper ") {
                shapes.wrappers.insert(name.trim().to_owned());
            } else if let Some((alias, of)) = line
                .strip_prefix("alias ")
                .and_then(|line| line.split_once('='))
            {
                shapes.aliases.insert(
                    last_part(alias.trim()).to_owned(),
                    last_part(of.trim()).to_owned(),
                );
            } else if let Some((kind, ty)) = line
                .strip_prefix("literal ")
                .and_then(|line| line.split_once("->"))
            {
                shapes
                    .literals
                    .insert(kind.trim().to_owned(), Parser::new(ty).ty());
            }
        }
        shapes
    }

    /// A type by its name, its alias, or the last part of its path.
    pub fn find(&self, name: &str) -> Option<(&str, &TypeShape)> {
        let name = last_part(name);
        let aliased = self.aliases.get(name).map_or(name, String::as_str);
        self.types
            .get_key_value(aliased)
            .map(|(key, shape)| (key.as_str(), shape))
    }

    /// A member of a type or of its supertypes, with the name of the type that has it.
    pub fn member(&self, library: &str, name: &str) -> Option<(&MemberShape, &str)> {
        let mut open = vec![library];
        let mut seen = Vec::new();
        while let Some(library) = open.pop() {
            let Some((found, shape)) = self.find(library) else {
                continue;
            };
            if seen.contains(&found) {
                continue;
            }
            seen.push(found);
            if let Some(member) = shape.members.get(name) {
                return Some((member, found));
            }
            open.extend(shape.supertypes.iter().rev().filter_map(|of| match of {
                ShapeType::Named(name, _) => Some(name.as_str()),
                _ => None,
            }));
        }
        None
    }

    pub fn function(&self, path: &str) -> Option<&MemberShape> {
        self.functions.get(path).or_else(|| {
            let last = last_part(path);
            // Shapes are written with dots, whatever the language writes.
            let dotted = || self.functions.get(path.replace("::", ".").as_str());
            (last != path)
                .then(|| dotted().or_else(|| self.functions.get(last)))
                .flatten()
        })
    }

    /// Whether a type of any number of parameters is a function type, and whether its last argument
    /// is the result.
    pub fn function_type(&self, name: &str) -> Option<bool> {
        self.function_types.get(last_part(name)).copied()
    }

    pub fn is_wrapper(&self, name: &str) -> bool {
        self.wrappers.contains(last_part(name))
    }

    pub fn literal(&self, kind: &str) -> Option<&ShapeType> {
        self.literals.get(kind)
    }

    /// Whether an extension of `wanted` can be what a value of the library type `given` means by a
    /// member's name: the type is a `wanted`, and has no such member itself. Of types
    /// without a shape nothing is known, unless libraries own the name.
    pub fn may_extend(&self, given: &str, wanted: &str, member: &str) -> bool {
        let (Some((given, _)), Some((wanted, _))) = (self.find(given), self.find(wanted)) else {
            return last_part(given) == last_part(wanted) || !self.owns(member);
        };
        // From the type to its supertypes, level by level.
        let mut all: Vec<&str> = vec![given];
        let mut next = 0;
        while let Some(ty) = all.get(next).copied() {
            next += 1;
            let Some((_, shape)) = self.find(ty) else {
                continue;
            };
            for supertype in &shape.supertypes {
                if let ShapeType::Named(name, _) = supertype
                    && let Some((name, _)) = self.find(name)
                    && !all.contains(&name)
                {
                    all.push(name);
                }
            }
        }
        let Some(place) = all.iter().position(|ty| *ty == wanted) else {
            return wanted == "object" && !self.owns(member);
        };
        let has_it = |ty: &&str| {
            self.find(ty)
                .is_some_and(|(_, shape)| shape.members.contains_key(member))
        };
        !all[..place].iter().any(has_it)
    }

    /// Whether a member name belongs to library types, so that an untyped receiver's member is not
    /// taken for a local one.
    pub fn owns(&self, member: &str) -> bool {
        self.owned.contains(member)
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit(['.', ':', '/', '\\']).next().unwrap_or(path)
}

/// `a, b, c` or `name(parameters) -> result`.
fn members(line: &str) -> Vec<(String, MemberShape)> {
    let mut found = Vec::new();
    let mut parser = Parser::new(line);
    let mut pending = Vec::new();
    while !parser.at_end() {
        let name = parser.word();
        if name.is_empty() {
            break;
        }
        let mut shape = MemberShape::default();
        if parser.eat("(") {
            while !parser.at_end() && !parser.eat(")") {
                let before = parser.rest.len();
                shape.parameters.push(parser.ty());
                parser.eat(",");
                parser.skip_if_stuck(before);
            }
        }
        pending.push((name, shape));
        if parser.eat("->") {
            // `copy, take(int), reversed -> Self`: the result belongs to all names before it.
            let result = parser.ty();
            found.extend(pending.drain(..).map(|(name, shape)| {
                (
                    name,
                    MemberShape {
                        result: Some(result.clone()),
                        ..shape
                    },
                )
            }));
        }
        parser.eat(",");
    }
    found.extend(pending);
    found
}

struct Parser<'text> {
    rest: &'text str,
}

impl<'text> Parser<'text> {
    fn new(text: &'text str) -> Parser<'text> {
        Parser { rest: text.trim() }
    }

    fn at_end(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.is_empty()
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Passes over a character that no rule takes, such as the dots of `...T`.
    fn skip_if_stuck(&mut self, before: usize) {
        if self.rest.len() == before {
            let mut characters = self.rest.chars();
            characters.next();
            self.rest = characters.as_str();
        }
    }

    /// A name: a path, or one of the special members.
    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        for special in ["[]", "()", "*", "?"] {
            if let Some(rest) = self.rest.strip_prefix(special) {
                self.rest = rest;
                return special.to_owned();
            }
        }
        let end = self
            .rest
            .find(|c: char| {
                !(c.is_alphanumeric()
                    || matches!(c, '_' | '.' | ':' | '/' | '$' | '!' | '@' | '\\' | '#')
                    || c == '?')
            })
            .unwrap_or(self.rest.len());
        let mut word = &self.rest[..end];
        // A colon that introduces supertypes is not part of the name.
        if let Some(bare) = word.strip_suffix(':') {
            word = bare;
        }
        self.rest = &self.rest[word.len()..];
        word.to_owned()
    }

    fn arguments(&mut self) -> Vec<ShapeType> {
        let mut arguments = Vec::new();
        if self.eat("<") {
            while !self.at_end() && !self.eat(">") {
                let before = self.rest.len();
                arguments.push(self.ty());
                self.eat(",");
                self.skip_if_stuck(before);
            }
        }
        arguments
    }

    fn ty(&mut self) -> ShapeType {
        self.rest = self.rest.trim_start();
        let mut ty = if self.eat("(") {
            let mut parts = Vec::new();
            while !self.at_end() && !self.eat(")") {
                let before = self.rest.len();
                parts.push(self.ty());
                self.eat(",");
                self.skip_if_stuck(before);
            }
            if self.eat("->") {
                parts.push(self.ty());
                ShapeType::Function(parts)
            } else {
                ShapeType::Tuple(parts)
            }
        } else {
            let end = self
                .rest
                .find(|c: char| {
                    !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '/' | '$' | '\\'))
                })
                .unwrap_or(self.rest.len());
            let name = &self.rest[..end];
            self.rest = &self.rest[end..];
            if name == "_" || name.is_empty() {
                ShapeType::Any
            } else {
                ShapeType::Named(name.to_owned(), self.arguments())
            }
        };
        loop {
            if self.eat("[]") {
                ty = ShapeType::Array(Box::new(ty));
            } else if self.rest.starts_with('?') {
                self.rest = &self.rest[1..];
                ty = ShapeType::Optional(Box::new(ty));
            } else {
                return ty;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_with_and_without_parameters_is_one() {
        let shapes = Shapes::parse("type Task<T> : Task\n  await -> T\ntype Task\n  Wait\n");
        let (_, task) = shapes.find("Task").unwrap();
        assert_eq!(
            (
                task.parameters.as_slice(),
                task.supertypes.len(),
                task.members.len()
            ),
            (&["T".to_owned()][..], 0, 2)
        );
    }

    #[test]
    fn reads_types_members_and_functions() {
        let shapes = Shapes::parse(
            "# comment\ntype list<T> : Sequence<T>\n  pop -> T\n  append, sort\n  [] -> T\n  map((T) -> U) -> list<U>\n  first((T) -> bool), last -> T\nfn sorted(list<T>, (T) -> U) -> list<T>\nalias List = list\nliteral string -> str\n",
        );
        let (name, list) = shapes.find("typing.List").unwrap();
        assert_eq!(name, "list");
        assert_eq!(list.parameters, ["T"]);
        assert_eq!(
            list.members["pop"].result,
            Some(ShapeType::Named("T".into(), vec![]))
        );
        assert_eq!(
            list.members["[]"].result,
            Some(ShapeType::Named("T".into(), vec![]))
        );
        assert!(list.members["append"].result.is_none());
        assert_eq!(list.members["map"].parameters.len(), 1);
        assert_eq!(list.members["first"].result, list.members["last"].result);
        assert_eq!(
            (
                list.members["first"].parameters.len(),
                list.members["last"].parameters.len()
            ),
            (1, 0)
        );
        assert!(shapes.owns("sort"));
        assert!(shapes.function("builtins.sorted").is_some());
        assert!(shapes.literal("string").is_some());
    }
}
