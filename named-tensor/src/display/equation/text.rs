//! Pieces of an equation: text, how tightly it holds together, and which positions it speaks of.
//!
//! Lives here: the levels of the grammar, parentheses, subscripts, numbers. Not here: what each primitive looks like (`form`,
//! `page`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::element::Kind;

/// The levels of the grammar of `named!`, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// `if c { x } else { y }`
    Cases,
    /// `x || y`
    Or,
    /// `x && y`
    And,
    /// `x <= y`
    Compared,
    /// `x + y`
    Sum,
    /// `x * y`, `x dot_ax y`
    Product,
    /// `-x`
    Signed,
    /// `x ^ y`
    Power,
    /// `x_{a -> b}`
    Postfix,
    /// `x`, `f(x)`, `(..)`
    Atom,
}

impl Level {
    /// The next tighter level: what the right operand of a sign of this level must hold together with.
    pub(super) fn tighter(self) -> Level {
        match self {
            Level::Cases => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Compared,
            Level::Compared => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Signed,
            Level::Signed => Level::Power,
            Level::Power => Level::Postfix,
            Level::Postfix | Level::Atom => Level::Atom,
        }
    }
}

/// Positions that a text speaks of: axes with their sizes.
pub(super) type Bound = SmallVec<[(Name, usize); 2]>;

/// A part of an equation.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) level: Level,
    /// The positions in it; an equation with them is one by positions.
    pub(super) bound: Bound,
    /// Whether nothing but numbers and positions is in it.
    pub(super) free: bool,
    /// Whether it may be written twice.
    pub(super) cheap: bool,
    /// The subscript that it ends with.
    pub(super) subscript: Option<Subscript>,
}

/// An entry of a subscript: its text, the axes that are named in it, and whether it renames.
#[derive(Clone, Debug)]
pub(super) struct Subscript {
    pub(super) text: String,
    pub(super) axes: Vec<String>,
    pub(super) renames: bool,
}

impl Text {
    /// A text that speaks of no positions.
    pub(super) fn new(text: String, level: Level) -> Text {
        Text { text, level, bound: Bound::new(), free: false, cheap: false, subscript: None }
    }

    /// A name, which may be written anywhere.
    pub(super) fn name(name: &str) -> Text {
        Text { cheap: true, ..Text::new(name.to_owned(), Level::Atom) }
    }

    /// The text where something at least as tight as `level` is needed.
    pub(super) fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    /// The text with one more entry in its subscript, or with another subscript: in one, no axis is named twice, and
    /// renamings side by side are one.
    pub(super) fn with_entry(&self, entry: Subscript) -> Text {
        let apart = |before: &Subscript| {
            !(before.renames && entry.renames) && entry.axes.iter().all(|axis| !before.axes.contains(axis))
        };
        let open = self.subscript.as_ref().filter(|before| apart(before));
        let (text, axes) = match (open, self.text.strip_suffix('}')) {
            (Some(before), Some(text)) => {
                (format!("{text}, {}}}", entry.text), [before.axes.as_slice(), &entry.axes].concat())
            }
            _ => (format!("{}_{{{}}}", self.at(Level::Postfix), entry.text), entry.axes.clone()),
        };
        let cheap = self.cheap && text.len() <= 48;
        let subscript = Some(Subscript { axes, ..entry });
        Text { cheap, subscript, ..Text::new(text, Level::Postfix) }
    }
}

/// A number of this kind, as short as it reads back the same.
pub(super) fn number(value: f64, kind: Kind) -> Text {
    let size = value.abs();
    let plain = size == 0.0 || (1e-4..1e15).contains(&size);
    let digits = match kind {
        _ if value.is_nan() => "(0 / 0)".to_owned(),
        _ if size.is_infinite() => "inf".to_owned(),
        Kind::F32 if plain => (size as f32).to_string(),
        Kind::F32 if (size as f32).is_finite() && size as f32 > 0.0 => format!("{:e}", size as f32),
        _ if plain => size.to_string(),
        _ => format!("{size:e}"),
    };
    let (text, level) = if value.is_sign_negative() && !value.is_nan() {
        (format!("-{digits}"), Level::Signed)
    } else {
        (digits, Level::Atom)
    };
    Text { free: true, cheap: true, ..Text::new(text, level) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_short_as_they_read_back_the_same() {
        let written = |value, kind| number(value, kind).text;
        assert_eq!(written(8.0, Kind::F64), "8");
        assert_eq!(written(f64::from(0.1_f32), Kind::F32), "0.1");
        assert_eq!(written(0.1, Kind::F64), "0.1");
        assert_eq!(written(1e-5, Kind::F64), "1e-5");
        assert_eq!(written(-1e300, Kind::F64), "-1e300");
        assert_eq!(written(f64::NEG_INFINITY, Kind::F32), "-inf");
        assert_eq!(written(f64::NAN, Kind::F64), "(0 / 0)");
    }

    #[test]
    fn a_sign_before_a_number_holds_looser_than_a_subscript() {
        assert_eq!(number(-2.0, Kind::F64).at(Level::Postfix), "(-2)");
        assert_eq!(number(2.0, Kind::F64).at(Level::Postfix), "2");
    }

    #[test]
    fn entries_of_a_subscript_stand_apart_if_they_name_an_axis_twice_or_rename_twice() {
        let x = Text::name("X");
        let at = |axis: &str| Subscript { text: format!("{axis}(1)"), axes: vec![axis.to_owned()], renames: false };
        let rename = |old: &str, new: &str| Subscript {
            text: format!("{old} -> {new}"),
            axes: vec![old.to_owned(), new.to_owned()],
            renames: true,
        };
        let printed =
            |entries: [Subscript; 2]| entries.into_iter().fold(x.clone(), |x, entry| x.with_entry(entry)).text;
        assert_eq!(printed([at("a"), at("b")]), "X_{a(1), b(1)}");
        assert_eq!(printed([at("a"), rename("b", "c")]), "X_{a(1), b -> c}");
        assert_eq!(printed([rename("a", "b"), at("b")]), "X_{a -> b}_{b(1)}");
        assert_eq!(printed([rename("a", "b"), rename("c", "d")]), "X_{a -> b}_{c -> d}");
    }
}
