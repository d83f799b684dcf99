//! The three contracts, and the caps each of them promises.

use std::time::Duration;

use crate::tool::ErasedTool;

/// One contract: its tools, its envelope, its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surface {
    Codecompass,
    Codemap,
    Lsp,
}

/// What one call may cost. Kept centrally, whatever the client asks for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the moment the tool starts to run; waiting for a worker does not count.
    pub deadline: Duration,
    /// The whole answer as it goes on the wire.
    pub response_bytes: usize,
    /// Items of one list or one page.
    pub items: usize,
}

impl Surface {
    pub const ALL: [Surface; 3] = [Surface::Codecompass, Surface::Codemap, Surface::Lsp];

    /// As written on the command line and in `/mcp/NAME`.
    pub fn name(self) -> &'static str {
        match self {
            Surface::Codecompass => "codecompass",
            Surface::Codemap => "codemap",
            Surface::Lsp => "lsp",
        }
    }

    pub fn tools(self) -> &'static [&'static dyn ErasedTool] {
        match self {
            Surface::Codecompass => crate::codecompass::TOOLS,
            Surface::Codemap => crate::codemap::TOOLS,
            Surface::Lsp => crate::lsp::TOOLS,
        }
    }

    pub fn limits(self) -> Limits {
        match self {
            // The gateway's contract, §5.1. Its numbers are hard: nothing may raise them.
            Surface::Lsp => Limits {
                deadline: Duration::from_secs(2),
                response_bytes: 512 * 1024,
                items: 200,
            },
            // Ours: clients show a model at most 25k tokens, about 100 kB; ten times that is a
            // mistake.
            Surface::Codecompass | Surface::Codemap => Limits {
                deadline: Duration::from_secs(30),
                response_bytes: 1024 * 1024,
                items: 1000,
            },
        }
    }
}

impl Limits {
    /// The stricter of both, each by each.
    pub fn and(self, other: Limits) -> Limits {
        Limits {
            deadline: self.deadline.min(other.deadline),
            response_bytes: self.response_bytes.min(other.response_bytes),
            items: self.items.min(other.items),
        }
    }

    /// The size of a list: what was asked for, or `default`, at least 1 and at most the cap. The
    /// flag says that the cap cut it, which every contract has its own way to report.
    pub fn clamp_items(&self, asked: Option<u64>, default: usize) -> (usize, bool) {
        let asked = asked.map_or(default, |asked| {
            usize::try_from(asked).unwrap_or(usize::MAX)
        });
        (asked.clamp(1, self.items), asked > self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_items_are_cut_and_said_so() {
        let limits = Surface::Lsp.limits();
        assert_eq!(limits.clamp_items(None, 100), (100, false));
        assert_eq!(limits.clamp_items(Some(0), 100), (1, false));
        assert_eq!(limits.clamp_items(Some(200), 100), (200, false));
        assert_eq!(limits.clamp_items(Some(u64::MAX), 100), (200, true));
    }
}
