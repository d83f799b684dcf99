//! How many tokens a text costs a model.

pub use ::tokens::count;

/// The CodeCompass contract's own estimate: words between spaces, times 1.3.
pub fn estimate(json: &str) -> usize {
    (json.split_whitespace().count() as f64 * 1.3).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated() {
        assert_eq!(estimate("a b c"), 4);
        assert_eq!(estimate(""), 0);
    }
}
