//! How much one answer may hold. More than the cap is cut to it, less than one is one; both show in
//! `limits_applied`.

/// A budget field with what it is when nobody asks, and what it is at most.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    pub field: &'static str,
    pub default: i64,
    pub hard_cap: i64,
}

const fn of(field: &'static str, default: i64, hard_cap: i64) -> Allowance {
    Allowance {
        field,
        default,
        hard_cap,
    }
}

pub const RESULTS: Allowance = of("max_results", 20, 100);
pub const REFERENCES: Allowance = of("max_references", 50, 500);
pub const DEPTH: Allowance = of("max_depth", 1, 6);
pub const PER_LEVEL: Allowance = of("max_references", 20, 500);
pub const LINES: Allowance = of("max_lines", 120, 400);
pub const CHARS: Allowance = of("max_chars", 12_000, 40_000);
pub const TRACE_DEPTH: Allowance = of("max_depth", 3, 6);
pub const TRACE_NODES: Allowance = of("max_results", 100, 500);
