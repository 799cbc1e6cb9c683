//! A reader of equations: text of the language becomes a graph again, by the grammar of `named!` alone.
//!
//! It is to prove that printing loses nothing, so it shares nothing with the printing. Lives here: words and the grammar.
//! Not here: what each function means (`functions`), what is compared (`mod`).

use std::collections::HashMap;

use super::functions::{Value, arithmetic, function, real, tensor};
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::{Node, Shape};

/// Reads a page of equations, in which these names are given.
pub(super) fn read(text: &str, given: &[(String, Node)]) -> Node {
    let mut names: HashMap<String, Value> =
        given.iter().map(|(name, node)| (name.clone(), Value::Tensor(node.clone()))).collect();
    let lines: Vec<&str> = text.lines().collect();
    let (last, definitions) = lines.split_last().expect("a page has a last line");
    for line in definitions {
        let line = line.strip_suffix(';').expect("a definition ends with a semicolon");
        let (head, value) = line.split_once(" = ").expect("a definition has an equals sign");
        let (name, rest) = match head.split_once("_{").or(head.split_once(": ")) {
            Some((name, rest)) => (name, rest),
            None => (head, ""),
        };
        let positions = head.contains("_{").then(|| positions(rest.strip_suffix('}').expect("a closing brace")));
        for (axis, letter, size) in positions.iter().flatten() {
            let here = Node::iota(axis_of(axis), *size);
            assert!(names.insert(letter.clone(), Value::Tensor(here)).is_none(), "`{letter}` is defined in {line}");
        }
        let mut value = Reader::new(value, &names).whole();
        for (axis, letter, size) in positions.iter().flatten() {
            names.remove(letter);
            let axis = axis_of(axis);
            let tensor = tensor(&value, Kind::F64);
            if !tensor.shape().has(axis) {
                value = Value::Tensor(tensor.spread(Shape::new([(axis, *size)])));
            }
        }
        if let (Some(positions), Value::Tensor(tensor)) = (&positions, &value) {
            assert_eq!(tensor.shape().rank(), positions.len(), "{line} has other axes than its positions");
        }
        if head.contains(": ") && positions.is_none() {
            let Value::Tensor(tensor) = &value else { panic!("{line} states axes of a number") };
            let listed = rest.trim_start_matches(['R', 'B', '[']).trim_end_matches(']');
            let stated: Vec<Name> = listed.split(", ").filter(|axis| !axis.is_empty()).map(axis_of).collect();
            let same = stated.len() == tensor.shape().rank() && stated.iter().all(|&axis| tensor.shape().has(axis));
            assert!(same, "{line} has the axes {:?}", tensor.shape());
        }
        assert!(names.insert(name.to_owned(), value).is_none(), "`{name}` is defined twice");
    }
    tensor(&Reader::new(last, &names).whole(), Kind::F64)
}

/// `a(i: 3), b(j: 4)`
fn positions(text: &str) -> Vec<(String, String, usize)> {
    let one = |text: &str| {
        let (axis, rest) = text.trim_end_matches(')').rsplit_once('(').expect("a position has a letter");
        let (letter, size) = rest.split_once(": ").expect("a position has a size");
        (axis.to_owned(), letter.to_owned(), size.parse().expect("a size"))
    };
    text.split("), ").map(one).collect()
}

/// The axis written as `seq` or `star(seq)`.
fn axis_of(written: &str) -> Name {
    let plain = written.trim_start_matches("star(").trim_end_matches(')');
    let stars = written.matches("star(").count();
    Name::declared(Box::leak(format!("{plain}{}", "*".repeat(stars)).into_boxed_str()))
}

struct Reader<'a> {
    words: Vec<String>,
    at: usize,
    names: &'a HashMap<String, Value>,
}

impl<'a> Reader<'a> {
    fn new(text: &str, names: &'a HashMap<String, Value>) -> Reader<'a> {
        Reader { words: words(text), at: 0, names }
    }

    fn whole(mut self) -> Value {
        let value = self.expression();
        assert_eq!(self.at, self.words.len(), "a rest after {:?}", &self.words[..self.at]);
        value
    }

    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        let word = self.peek().to_owned();
        self.at += 1;
        word
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) {
        assert!(self.takes(word), "`{word}` is expected, not `{}`, in {:?}", self.peek(), self.words);
    }

    fn expression(&mut self) -> Value {
        let mut left = self.and();
        while self.takes("||") {
            left = Value::Tensor(tensor(&left, Kind::Bool).binary(Binary::Or, &tensor(&self.and(), Kind::Bool)));
        }
        left
    }

    fn and(&mut self) -> Value {
        let mut left = self.compared();
        while self.takes("&&") {
            left = Value::Tensor(tensor(&left, Kind::Bool).binary(Binary::And, &tensor(&self.compared(), Kind::Bool)));
        }
        left
    }

    fn compared(&mut self) -> Value {
        let left = self.sum();
        let signs = [("==", Comparison::Eq), ("!=", Comparison::Ne), ("<", Comparison::Lt), ("<=", Comparison::Le)];
        let signs = signs.into_iter().chain([(">", Comparison::Gt), (">=", Comparison::Ge)]);
        for (sign, comparison) in signs {
            if self.takes(sign) {
                return Value::Tensor(real(&left).compare(comparison, &real(&self.sum())));
            }
        }
        left
    }

    fn sum(&mut self) -> Value {
        let mut left = self.product();
        loop {
            let function = match self.peek() {
                "+" => Binary::Add,
                "-" => Binary::Sub,
                _ => return left,
            };
            self.at += 1;
            left = arithmetic(function, &left, &self.product());
        }
    }

    fn product(&mut self) -> Value {
        let mut left = self.signed();
        loop {
            let word = self.peek().to_owned();
            if let Some(axis) = word.strip_prefix("dot_") {
                self.at += 1;
                let axes = if axis.is_empty() { self.braced() } else { vec![axis_of(axis)] };
                left = Value::Tensor(real(&left).contract(&real(&self.signed()), &axes));
                continue;
            }
            let function = match word.as_str() {
                "*" => Binary::Mul,
                "/" => Binary::Div,
                _ => return left,
            };
            self.at += 1;
            left = arithmetic(function, &left, &self.signed());
        }
    }

    fn signed(&mut self) -> Value {
        if self.takes("-") {
            return match self.signed() {
                Value::Number(value) => Value::Number(-value),
                value => Value::Tensor(real(&value).unary(Unary::Neg)),
            };
        }
        if self.takes("!") {
            return Value::Tensor(tensor(&self.signed(), Kind::Bool).unary(Unary::Not));
        }
        let base = self.postfix();
        if self.takes("^") { arithmetic(Binary::Pow, &base, &self.signed()) } else { base }
    }

    fn postfix(&mut self) -> Value {
        let mut base = self.atom();
        while self.peek() == "_" {
            self.at += 1;
            base = self.subscript(base);
        }
        base
    }

    fn atom(&mut self) -> Value {
        let word = self.next();
        match word.as_str() {
            "(" => {
                let inside = self.expression();
                self.expect(")");
                inside
            }
            "if" => {
                let condition = tensor(&self.expression(), Kind::Bool);
                let yes = self.branch();
                self.expect("else");
                let no = if self.peek() == "if" { self.atom() } else { self.branch() };
                let truth = |value: &Value| matches!(value, Value::Tensor(node) if node.kind() == Kind::Bool);
                let of = |value| if truth(value) { tensor(value, Kind::Bool) } else { real(value) };
                Value::Tensor(condition.select(&of(&yes), &of(&no)))
            }
            "inf" => Value::Number(f64::INFINITY),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => Value::Number(word.parse().expect("a number")),
            _ if self.peek() == "(" => self.call(&word, Vec::new()),
            _ if self.peek() == "{" && word.ends_with('_') => {
                let name = word.strip_suffix('_').expect("an underscore before a brace").to_owned();
                match self.names.get(&name).cloned() {
                    Some(value) => self.subscript(value),
                    None => {
                        let axes = self.braced();
                        self.call(&name, axes)
                    }
                }
            }
            _ => self.names.get(&word).cloned().unwrap_or_else(|| panic!("nothing is called `{word}`")),
        }
    }

    fn branch(&mut self) -> Value {
        self.expect("{");
        let value = self.expression();
        self.expect("}");
        value
    }

    /// `{a, star(b)}`
    fn braced(&mut self) -> Vec<Name> {
        self.expect("{");
        self.listed("}")
    }

    fn listed(&mut self, end: &str) -> Vec<Name> {
        let mut axes = Vec::new();
        while !self.takes(end) {
            axes.push(self.axis());
            self.takes(",");
        }
        axes
    }

    fn axis(&mut self) -> Name {
        let word = self.next();
        if word == "star" && self.takes("(") {
            let inside = self.axis();
            self.expect(")");
            return axis_of(&format!("star({})", star_written(inside)));
        }
        axis_of(&word)
    }

    fn count(&mut self) -> usize {
        self.next().parse().expect("a whole number")
    }

    /// `{a -> b, (c, d) -> e, f -> (g: 2, h: 3), k(1), l(2..5)}`; side by side, renamings are one.
    fn subscript(&mut self, base: Value) -> Value {
        let mut x = tensor(&base, Kind::F64);
        let mut pairs: Vec<(Name, Name)> = Vec::new();
        let mut read: Vec<Name> = Vec::new();
        self.expect("{");
        while !self.takes("}") {
            if self.takes("(") {
                let from = self.listed(")");
                read.extend(&from);
                self.expect("->");
                x = x.rename(&std::mem::take(&mut pairs)).merge(&from, self.axis());
            } else {
                let axis = self.axis();
                read.push(axis);
                if self.takes("->") {
                    if self.takes("(") {
                        let mut parts = Vec::new();
                        while !self.takes(")") {
                            let part = self.axis();
                            self.expect(":");
                            parts.push((part, Some(self.count())));
                            self.takes(",");
                        }
                        x = x.rename(&std::mem::take(&mut pairs)).split(axis, &parts);
                    } else {
                        pairs.push((axis, self.axis()));
                    }
                } else {
                    x = x.rename(&std::mem::take(&mut pairs));
                    self.expect("(");
                    let first = self.count();
                    x = if self.takes("..") { x.slice(axis, first..self.count(), 1) } else { x.at(axis, first) };
                    self.expect(")");
                }
            }
            self.takes(",");
        }
        let once = read.iter().enumerate().all(|(i, axis)| !read[..i].contains(axis));
        assert!(once, "a subscript names an axis twice: {:?}", self.words);
        Value::Tensor(x.rename(&pairs))
    }

    /// A function of the notation; its axes stand in braces or at the end of its name.
    fn call(&mut self, word: &str, axes: Vec<Name>) -> Value {
        let over = [
            "log_softmax",
            "softmax",
            "standardize",
            "sum",
            "mean",
            "var",
            "max",
            "min",
            "prod",
            "norm",
            "argmaxk",
            "argsort",
            "argmax",
            "argmin",
            "cumsum",
            "sort",
            "maxk",
            "index",
            "concat",
            "one_hot",
        ];
        let attached = over.iter().find_map(|name| Some((*name, word.strip_prefix(name)?.strip_prefix('_')?)));
        let (name, axes) = match attached {
            Some((name, axis)) if axes.is_empty() => (name, vec![axis_of(axis)]),
            _ => (word, axes),
        };
        let mut given = Vec::new();
        self.expect("(");
        while !self.takes(")") {
            given.push(self.expression());
            self.takes(",");
        }
        Value::Tensor(function(name, &axes, &given))
    }
}

fn star_written(axis: Name) -> String {
    let plain = axis.text().trim_end_matches('*');
    let stars = axis.text().len() - plain.len();
    format!("{}{plain}{}", "star(".repeat(stars), ")".repeat(stars))
}

/// The words of an equation: names, numbers, signs.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&char) = chars.get(at) {
        let start = at;
        at += 1;
        if char.is_whitespace() {
            continue;
        }
        if char.is_alphabetic() || char == '_' {
            while chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                at += 1;
            }
        } else if char.is_ascii_digit() {
            let in_number = |at: usize| match chars.get(at) {
                // `2..5` is a range, `2.5` a number.
                Some('.') => chars.get(at + 1) != Some(&'.'),
                Some('-') => chars[at - 1] == 'e',
                Some(c) => c.is_ascii_digit() || *c == 'e',
                None => false,
            };
            while in_number(at) {
                at += 1;
            }
        } else {
            let pair: String = chars[start..].iter().take(2).collect();
            if ["->", "==", "!=", "<=", ">=", "&&", "||", ".."].contains(&pair.as_str()) {
                at += 1;
            }
        }
        words.push(chars[start..at].iter().collect());
    }
    words
}
