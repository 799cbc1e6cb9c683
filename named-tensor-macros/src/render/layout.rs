//! Mathematics as a tree of boxes: what stands beside, above and below what.
//!
//! The tree knows nothing of equations or tensors, and nothing of a format: each format has one printer, which decides
//! how a fraction or a name under an operator is written. Signs are kept as their Unicode characters.

/// A piece of mathematics.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Layout {
    /// One beside the other.
    Row(Vec<Layout>),
    /// A variable; a single letter is slanted.
    Variable(String),
    /// The name of a function, upright.
    Word(String),
    /// The name of an axis, upright, and how many primes it has.
    Axis(String, usize),
    /// So many primes, as a superscript.
    Primes(usize),
    /// A number, in digits.
    Number(String),
    /// A sign between its operands.
    Infix(&'static str),
    /// A sign directly before its operand.
    Prefix(&'static str),
    /// `,` or `;`.
    Separator(&'static str),
    /// Words of a sentence.
    Text(&'static str),
    /// Between a function and its argument; only formats without names underneath need to see it.
    Gap,
    /// One over the other.
    Fraction(Box<Layout>, Box<Layout>),
    /// The square root.
    Root(Box<Layout>),
    /// A sign or word, and the names underneath.
    Under(Box<Layout>, Vec<Layout>),
    /// With a subscript.
    Sub(Box<Layout>, Box<Layout>),
    /// With a superscript.
    Sup(Box<Layout>, Box<Layout>),
    /// Between two delimiters.
    Fence(&'static str, Box<Layout>, &'static str),
    /// One brace before values, each with the words and condition under which it holds.
    Cases(Vec<(Layout, Layout)>),
}

/// A line of mathematics: two sides and the sign between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// What is defined or declared.
    pub(crate) left: Layout,
    /// `=`, `:`, `∈` or a comparison.
    pub(crate) sign: &'static str,
    /// As what.
    pub(crate) right: Layout,
}

/// Lines below one another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lines {
    /// In order.
    pub(crate) lines: Vec<Line>,
    /// Whether the signs stand below one another. If not, lines begin at the left, and a long one is broken before
    /// its sign.
    pub(crate) aligned: bool,
}

impl Layout {
    /// One beside the other; a row of one is that one.
    pub(crate) fn row(parts: impl IntoIterator<Item = Layout>) -> Layout {
        let mut parts: Vec<Layout> = parts.into_iter().collect();
        if parts.len() == 1 { parts.remove(0) } else { Layout::Row(parts) }
    }

    /// A list, separated by a sign such as `,` or `×`.
    pub(crate) fn list(parts: impl IntoIterator<Item = Layout>, separator: &Layout) -> Layout {
        let mut row = Vec::new();
        for part in parts {
            if !row.is_empty() {
                row.push(separator.clone());
            }
            row.push(part);
        }
        Layout::row(row)
    }

    /// In parentheses.
    pub(crate) fn in_parentheses(self) -> Layout {
        Layout::Fence("(", Box::new(self), ")")
    }

    /// With a subscript.
    pub(crate) fn sub(self, below: Layout) -> Layout {
        Layout::Sub(Box::new(self), Box::new(below))
    }

    /// With a superscript.
    pub(crate) fn sup(self, above: Layout) -> Layout {
        Layout::Sup(Box::new(self), Box::new(above))
    }

    /// Whether it is higher than a line, so that what encloses it must be higher too.
    pub(crate) fn is_tall(&self) -> bool {
        match self {
            Layout::Fraction(..) | Layout::Cases(_) => true,
            Layout::Row(parts) => parts.iter().any(Layout::is_tall),
            Layout::Under(what, _) => matches!(**what, Layout::Prefix(_)),
            Layout::Root(inside) | Layout::Fence(_, inside, _) => inside.is_tall(),
            Layout::Sub(base, _) | Layout::Sup(base, _) => base.is_tall(),
            _ => false,
        }
    }

    /// How wide it is set, about, in tenths of a letter.
    pub(crate) fn width(&self) -> usize {
        let letters = |text: &str| 10 * text.chars().count();
        let script = |layout: &Layout| layout.width() * 7 / 10;
        let row = |parts: &[Layout]| parts.iter().map(Layout::width).sum();
        match self {
            Layout::Row(parts) => row(parts),
            Layout::Variable(name) | Layout::Word(name) | Layout::Number(name) => letters(name),
            Layout::Axis(name, primes) => letters(name) + 5 * primes,
            Layout::Primes(primes) => 5 * primes,
            Layout::Infix(sign) => letters(sign) + 20,
            Layout::Prefix(text) | Layout::Text(text) => letters(text),
            Layout::Separator(_) => 15,
            Layout::Gap => 0,
            Layout::Fraction(over, under) => over.width().max(under.width()),
            Layout::Root(inside) | Layout::Fence(_, inside, _) => inside.width() + 20,
            Layout::Under(what, names) => what.width().max(names.iter().map(script).sum()),
            Layout::Sub(base, other) | Layout::Sup(base, other) => base.width() + script(other),
            Layout::Cases(rows) => {
                rows.iter().map(|(value, when)| value.width() + when.width()).max().unwrap_or(0) + 40
            }
        }
    }

    /// With names underneath; itself if there are none.
    pub(crate) fn under(self, names: Vec<Layout>) -> Layout {
        if names.is_empty() { self } else { Layout::Under(Box::new(self), names) }
    }
}

impl Line {
    /// Whether it is to be broken before its sign.
    pub(crate) fn is_long(&self) -> bool {
        self.left.width() + self.right.width() > WIDTH
    }
}

impl Lines {
    /// Lines whose signs stand below one another, if all are short enough.
    pub(crate) fn new(lines: Vec<Line>) -> Lines {
        let left = lines.iter().map(|line| line.left.width()).max().unwrap_or(0);
        let aligned = lines.iter().all(|line| left + line.right.width() <= WIDTH);
        Lines { lines, aligned }
    }
}

/// How wide a line may be in one piece, in tenths of a letter.
const WIDTH: usize = 960;

/// `,` as a layout.
pub(crate) const COMMA: Layout = Layout::Separator(",");
