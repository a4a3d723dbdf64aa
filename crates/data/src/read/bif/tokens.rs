//! Words and punctuation of a BIF file, each with its line.

/// A token; quotes are gone, so a quoted name and a plain one are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Mark(char),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) line: u64,
    pub(super) what: String,
    pub(super) remedy: &'static str,
}

impl Problem {
    pub(super) fn new(line: u64, what: impl Into<String>, remedy: &'static str) -> Self {
        Self {
            line,
            what: what.into(),
            remedy,
        }
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | '|' | ',' | ';' | '=')
}

/// Splits a text into tokens. Comments start at the start of a token only: a word such as
/// `http://a` is one word.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u64)>, Problem> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let start = line;
        let length = if c.is_whitespace() || c == '\u{feff}' {
            c.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/");
            2 + end.ok_or_else(|| cut_off(line, "a comment"))? + 2
        } else if c == '"' {
            let (word, length) = quoted(rest).ok_or_else(|| cut_off(line, "a quoted name"))?;
            tokens.push((Token::Word(word), start));
            length
        } else if is_mark(c) {
            tokens.push((Token::Mark(c), start));
            c.len_utf8()
        } else {
            let ends = |c: char| c.is_whitespace() || is_mark(c) || c == '"';
            let length = rest.find(ends).unwrap_or(rest.len());
            tokens.push((Token::Word(rest[..length].to_owned()), start));
            length
        };
        line += rest[..length].matches('\n').count() as u64;
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// The name at the start of the text, and its length with quotes; `\"` and `\\` are escapes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut word = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((word, at + 1)),
            '\\' => match chars.peek() {
                Some(&(_, next @ ('"' | '\\'))) => {
                    word.push(next);
                    chars.next();
                }
                _ => word.push('\\'),
            },
            _ => word.push(c),
        }
    }
    None
}

/// The file ends inside something that began at this line.
pub(super) fn cut_off(line: u64, inside: &str) -> Problem {
    let problem = format!("the file ends inside {inside} that starts here");
    let remedy = "the file seems to be cut off: fetch it again";
    Problem::new(line, problem, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_quotes_and_lines_are_understood() {
        let text = "a //b\n/* c\n */ \"d \\\" e\"{0.5;http://x";
        let tokens = tokens(text).unwrap();
        let word = |text: &str| Token::Word(text.to_owned());
        assert_eq!(
            tokens,
            [
                (word("a"), 1),
                (word("d \" e"), 3),
                (Token::Mark('{'), 3),
                (word("0.5"), 3),
                (Token::Mark(';'), 3),
                (word("http://x"), 3),
            ]
        );
    }

    #[test]
    fn an_open_comment_is_reported_where_it_starts() {
        assert_eq!(tokens("a\n/* b\n").unwrap_err().line, 2);
        assert_eq!(tokens("a\n\n\"b\n").unwrap_err().line, 3);
    }
}
