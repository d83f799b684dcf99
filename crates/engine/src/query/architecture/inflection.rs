//! English plurals and the spellings of names, as frameworks derive tables and parameters from
//! class names.

/// `Category` is `Categories`, `person` is `people`.
pub fn plural(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    if UNCOUNTABLE.iter().any(|known| ends_in_word(&lower, known)) {
        return word.to_owned();
    }
    for (one, many) in IRREGULAR {
        if ends_in_word(&lower, many) {
            return word.to_owned();
        }
        if ends_in_word(&lower, one) {
            let kept = word.len() - one.len();
            let first = &word[kept..kept + 1];
            let rest = if first.chars().all(char::is_uppercase) {
                capital(many)
            } else {
                (*many).to_owned()
            };
            return format!("{}{rest}", &word[..kept]);
        }
    }
    let before_y = lower.strip_suffix('y').and_then(|stem| stem.chars().last());
    if before_y.is_some_and(|c| !"aeiou".contains(c)) {
        return format!("{}ies", &word[..word.len() - 1]);
    }
    if let Some(stem) = lower.strip_suffix("sis") {
        return format!("{}ses", &word[..stem.len()]);
    }
    if ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        // What ends in one `s` after another consonant or a vowel of a plural is already one:
        // `news`, `users`.
        let is_plural = lower.ends_with('s')
            && !["ss", "us", "is", "as"]
                .iter()
                .any(|end| lower.ends_with(end));
        return if is_plural {
            word.to_owned()
        } else {
            format!("{word}es")
        };
    }
    if lower.ends_with("fe") {
        return format!("{}ves", &word[..word.len() - 2]);
    }
    if ["lf", "rf", "af"].iter().any(|end| lower.ends_with(end)) {
        return format!("{}ves", &word[..word.len() - 1]);
    }
    if ["hero", "potato", "tomato", "echo", "veto"]
        .iter()
        .any(|known| lower.ends_with(known))
    {
        return format!("{word}es");
    }
    format!("{word}s")
}

/// `articles` is `article`, `people` is `person`.
pub fn singular(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    if UNCOUNTABLE.iter().any(|known| ends_in_word(&lower, known)) {
        return word.to_owned();
    }
    for (one, many) in IRREGULAR {
        if ends_in_word(&lower, many) {
            return format!("{}{one}", &word[..word.len() - many.len()]);
        }
    }
    let cut = |n: usize, end: &str| format!("{}{end}", &word[..word.len() - n]);
    match lower.as_str() {
        word if word.ends_with("ies") && word.len() > 4 => cut(3, "y"),
        word if word.ends_with("statuses")
            || word.ends_with("aliases")
            || word.ends_with("buses") =>
        {
            cut(2, "")
        }
        word if ["sses", "xes", "zes", "ches", "shes", "oes"]
            .iter()
            .any(|end| word.ends_with(end)) =>
        {
            cut(2, "")
        }
        word if ["analyses", "bases", "crises", "theses"]
            .iter()
            .any(|end| word.ends_with(end)) =>
        {
            cut(2, "is")
        }
        word if word.ends_with("lves") || word.ends_with("rves") && !word.ends_with("curves") => {
            cut(3, "f")
        }
        word if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") => cut(0, ""),
        word if word.ends_with('s') => cut(1, ""),
        _ => word.to_owned(),
    }
}

/// `HTTPRequestLog` is `http_request_log`.
pub fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (i, c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let ends_word = before.is_some_and(|before| before.is_lowercase() || before.is_numeric());
        let begins_word = before.is_some_and(char::is_uppercase)
            && chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (ends_word || begins_word) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// `blog_posts` and `blog-posts` are `BlogPosts`.
pub fn camel(name: &str) -> String {
    name.split(['_', '-']).map(capital).collect()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// Whether a name's last word is this one: `order_news`, `SalesPerson`.
fn ends_in_word(lower: &str, word: &str) -> bool {
    lower == word || lower.ends_with(&format!("_{word}")) || word.len() > 4 && lower.ends_with(word)
}

const UNCOUNTABLE: &[&str] = &[
    "equipment",
    "information",
    "rice",
    "money",
    "species",
    "series",
    "fish",
    "sheep",
    "jeans",
    "police",
    "news",
    "metadata",
    "feedback",
];

const IRREGULAR: &[(&str, &str)] = &[
    ("person", "people"),
    ("man", "men"),
    ("child", "children"),
    ("sex", "sexes"),
    ("move", "moves"),
    ("zombie", "zombies"),
    ("datum", "data"),
    ("medium", "media"),
    ("ox", "oxen"),
    ("mouse", "mice"),
    ("quiz", "quizzes"),
    ("index", "indices"),
    ("matrix", "matrices"),
    ("vertex", "vertices"),
    ("criterion", "criteria"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_plurals_and_singulars() {
        let words = [
            ("user", "users"),
            ("category", "categories"),
            ("address", "addresses"),
            ("box", "boxes"),
            ("status", "statuses"),
            ("person", "people"),
            ("child", "children"),
            ("day", "days"),
            ("reply", "replies"),
            ("news", "news"),
            ("mod_mail", "mod_mails"),
            ("branch", "branches"),
        ];
        for (one, many) in words {
            assert_eq!((plural(one).as_str(), singular(many).as_str()), (many, one));
            assert_eq!(plural(many), many);
        }
        assert_eq!(plural("Person"), "People");
    }

    #[test]
    fn spellings() {
        assert_eq!(snake("HTTPRequestLog"), "http_request_log");
        assert_eq!(snake("UserModel2"), "user_model2");
        assert_eq!(camel("blog_posts"), "BlogPosts");
    }
}
