//! The blocks of a BIF file, by recursive descent.

use super::tokens::{Problem, Token, cut_off, tokens};

/// `variable NAME { type discrete [ k ] { labels }; }`
pub(super) struct VariableBlock {
    pub(super) name: String,
    pub(super) labels: Vec<String>,
    pub(super) line: u64,
}

/// `probability ( NAME | parents ) { entries }`
pub(super) struct ProbabilityBlock {
    pub(super) name: String,
    pub(super) parents: Vec<String>,
    pub(super) entries: Vec<Entry>,
    pub(super) line: u64,
}

pub(super) struct Entry {
    pub(super) selects: Selects,
    pub(super) values: Vec<f64>,
    pub(super) line: u64,
}

/// Which rows of the table an entry is about.
pub(super) enum Selects {
    Row(Vec<String>),
    Default,
    Table,
}

/// A file as it is written, before anything is looked up.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) variables: Vec<VariableBlock>,
    pub(super) probabilities: Vec<ProbabilityBlock>,
}

pub(super) fn parse(text: &str) -> Result<Blocks, Problem> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        block: (1, "the file"),
    };
    let mut blocks = Blocks::default();
    while parser.at < parser.tokens.len() {
        let line = parser.line();
        let keyword = parser.word("network, variable or probability")?;
        match keyword.as_str() {
            "network" => {
                parser.block = (line, "a network block");
                parser.skip_block()?;
            }
            "variable" => {
                parser.block = (line, "a variable block");
                blocks.variables.push(parser.variable(line)?);
            }
            "probability" => {
                parser.block = (line, "a probability block");
                blocks.probabilities.push(parser.probability(line)?);
            }
            "property" => parser.skip_statement()?,
            other => {
                let problem = format!("expected network, variable or probability, found {other:?}");
                let remedy = "correct the file, or fetch it again";
                return Err(Problem::new(line, problem, remedy));
            }
        }
    }
    Ok(blocks)
}

struct Parser {
    tokens: Vec<(Token, u64)>,
    at: usize,
    /// Where the block began that is being read, and what it is.
    block: (u64, &'static str),
}

impl Parser {
    fn line(&self) -> u64 {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(at).map_or(1, |(_, line)| *line)
    }

    fn peek(&self) -> Result<&Token, Problem> {
        let token = self.tokens.get(self.at).map(|(token, _)| token);
        token.ok_or_else(|| cut_off(self.block.0, self.block.1))
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let found = match self.peek() {
            Ok(Token::Word(word)) => format!("{word:?}"),
            Ok(Token::Mark(mark)) => format!("`{mark}`"),
            Err(problem) => return problem,
        };
        let problem = format!("expected {expected}, found {found}");
        Problem::new(self.line(), problem, "correct the line")
    }

    fn word(&mut self, expected: &str) -> Result<String, Problem> {
        match self.peek()? {
            Token::Word(word) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            Token::Mark(_) => Err(self.unexpected(expected)),
        }
    }

    /// Steps over a mark if it comes next.
    fn accept(&mut self, mark: char) -> Result<bool, Problem> {
        let found = *self.peek()? == Token::Mark(mark);
        self.at += usize::from(found);
        Ok(found)
    }

    fn expect(&mut self, mark: char) -> Result<(), Problem> {
        if self.accept(mark)? {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{mark}`")))
        }
    }

    /// Words up to a mark, with or without commas between them.
    fn words_until(&mut self, end: char) -> Result<Vec<String>, Problem> {
        let mut words = Vec::new();
        while !self.accept(end)? {
            words.push(self.word(&format!("a name or `{end}`"))?);
            self.accept(',')?;
        }
        Ok(words)
    }

    fn skip_statement(&mut self) -> Result<(), Problem> {
        while !self.accept(';')? {
            self.at += 1;
        }
        Ok(())
    }

    /// Skips a name and everything up to the matching closing brace.
    fn skip_block(&mut self) -> Result<(), Problem> {
        while !self.accept('{')? {
            self.at += 1;
        }
        let mut depth = 1;
        while depth > 0 {
            match self.peek()? {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    fn variable(&mut self, line: u64) -> Result<VariableBlock, Problem> {
        let name = self.word("the name of a variable")?;
        self.expect('{')?;
        let mut labels = None;
        while !self.accept('}')? {
            let at = self.line();
            match self.word("type or property")?.as_str() {
                "property" => self.skip_statement()?,
                "type" if labels.is_none() => labels = Some(self.categories(&name)?),
                other => {
                    let problem = format!("variable {name:?}: unexpected {other:?}");
                    return Err(Problem::new(at, problem, "give each variable one type"));
                }
            }
        }
        let labels = labels.ok_or_else(|| {
            let problem = format!("variable {name:?} has no type");
            Problem::new(line, problem, "add `type discrete [ k ] { labels };`")
        })?;
        Ok(VariableBlock { name, labels, line })
    }

    /// `discrete [ k ] { labels };`
    fn categories(&mut self, name: &str) -> Result<Vec<String>, Problem> {
        let line = self.line();
        let kind = self.word("discrete")?;
        if kind != "discrete" {
            let problem = format!("variable {name:?} is {kind:?}, only discrete ones can be read");
            return Err(Problem::new(line, problem, "bin it into categories"));
        }
        let mut count = None;
        if self.accept('[')? {
            let text = self.word("a number of categories")?;
            count = Some(text.parse::<usize>().map_err(|_| {
                let problem = format!("{text:?} is not a number of categories");
                Problem::new(line, problem, "write it as a whole number")
            })?);
            self.expect(']')?;
        }
        self.accept('=')?;
        self.expect('{')?;
        let labels = self.words_until('}')?;
        self.expect(';')?;
        if let Some(count) = count.filter(|count| *count != labels.len()) {
            let n = labels.len();
            let problem = format!("variable {name:?} announces {count} categories, but lists {n}");
            let remedy = "correct the number or the list";
            return Err(Problem::new(line, problem, remedy));
        }
        Ok(labels)
    }

    fn probability(&mut self, line: u64) -> Result<ProbabilityBlock, Problem> {
        self.expect('(')?;
        let name = self.word("the name of a variable")?;
        let parents = if self.accept('|')? {
            self.words_until(')')?
        } else {
            self.expect(')')?;
            Vec::new()
        };
        self.expect('{')?;
        let mut entries = Vec::new();
        while !self.accept('}')? {
            entries.extend(self.entry()?);
        }
        Ok(ProbabilityBlock {
            name,
            parents,
            entries,
            line,
        })
    }

    /// One list of probabilities; none of a property.
    fn entry(&mut self) -> Result<Option<Entry>, Problem> {
        let line = self.line();
        let selects = if self.accept('(')? {
            Selects::Row(self.words_until(')')?)
        } else {
            match self.word("`(`, table or default")?.as_str() {
                "table" => Selects::Table,
                "default" => Selects::Default,
                "property" => return self.skip_statement().map(|()| None),
                other => {
                    let problem = format!("expected `(`, table or default, found {other:?}");
                    return Err(Problem::new(line, problem, "correct the line"));
                }
            }
        };
        let values = self.numbers()?;
        Ok(Some(Entry {
            selects,
            values,
            line,
        }))
    }

    fn numbers(&mut self) -> Result<Vec<f64>, Problem> {
        let mut numbers = Vec::new();
        while !self.accept(';')? {
            let line = self.line();
            let text = self.word("a probability or `;`")?;
            let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
            numbers.push(number.ok_or_else(|| {
                let problem = format!("{text:?} is not a number");
                let remedy = "write probabilities as 0.25, and `;` after the last";
                Problem::new(line, problem, remedy)
            })?);
            self.accept(',')?;
        }
        Ok(numbers)
    }
}
