//! How many tokens a text costs a model.

use std::sync::LazyLock;

use tiktoken_rs::CoreBPE;

/// By the tokenizer of current models (`o200k_base`), loaded by the first who asks: that takes a tenth of a second.
pub fn count(text: &str) -> usize {
    static TOKENIZER: LazyLock<Option<CoreBPE>> = LazyLock::new(|| tiktoken_rs::o200k_base().ok());
    match &*TOKENIZER {
        Some(tokenizer) => tokenizer.encode_ordinary(text).len(),
        // Without its table, the most that the text can cost.
        None => text.len(),
    }
}

/// The CodeCompass contract's own estimate: words between spaces, times 1.3.
pub fn estimate(json: &str) -> usize {
    (json.split_whitespace().count() as f64 * 1.3).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_and_estimated() {
        assert_eq!(count("hello world"), 2);
        assert_eq!(estimate("a b c"), 4);
        assert_eq!(estimate(""), 0);
    }
}
