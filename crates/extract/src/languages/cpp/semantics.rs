//! How C++ names are looked up, and what its library gives.

use facts::{BareNames, Blocks, Construction, Family, Linearization, MemberVisibility, ModuleSystem, SelfSpelling, Semantics};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::C,
    modules: ModuleSystem::Includes,
    separator: "::",
    blocks: Blocks::Scoped,
    bare_names: BareNames::Members,
    self_spelling: SelfSpelling::Keyword,
    construction: Construction { by_call: true, constructors: &[] },
    linearization: Linearization::DepthFirst,
    members: MemberVisibility::Separate,
    overloads: true,
    structural_interfaces: false,
    siblings_visible: false,
    prototypes: true,
    builtins: &[],
    standard_modules: &[],
    shapes: include_str!("shapes.txt"),
};
