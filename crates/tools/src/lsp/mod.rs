//! The tools of the LSP gateway contract, in the order in which they are listed.

use crate::ErasedTool;

pub const TOOLS: &[&dyn ErasedTool] = &[];
