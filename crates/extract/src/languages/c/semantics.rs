//! How C names are looked up, and what its library gives.

use facts::{BareNames, Blocks, Construction, Family, Linearization, MemberVisibility, ModuleSystem, SelfSpelling, Semantics};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::C,
    modules: ModuleSystem::Includes,
    separator: ".",
    blocks: Blocks::Scoped,
    bare_names: BareNames::Lexical,
    self_spelling: SelfSpelling::Keyword,
    construction: Construction { by_call: false, constructors: &[] },
    linearization: Linearization::DepthFirst,
    members: MemberVisibility::Open,
    overloads: false,
    structural_interfaces: false,
    siblings_visible: false,
    prototypes: true,
    builtins: &[],
    standard_modules: &[],
    shapes: include_str!("shapes.txt"),
};
