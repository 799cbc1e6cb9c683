//! Calls as mathematics: most are a name, axes underneath and arguments in parentheses; a few have signs of their own.
//!
//! Lives here: also subscripts, which stand behind a tensor as arguments behind a function.

use super::expression::{Level, Piece, Typesetter};
use super::identifier;
use super::layout::{COMMA, Layout};
use crate::ast::{Call, Entry, Expression};
use crate::code::name_of;
use crate::names::Callee;
use syn::Path;

impl<'a> Typesetter<'a> {
    /// Any call.
    pub(super) fn call(&self, call: &'a Call) -> Piece {
        let resolved = self.vocabulary.resolve(self.function, call);
        let names: Vec<Layout> = resolved.axes.iter().map(|group| axes(group)).collect();
        let arguments = &call.arguments;
        let name = match resolved.callee {
            Callee::Builtin(builtin) => match (builtin.name, arguments.as_slice()) {
                ("sqrt", [radicand]) => return self.root(radicand),
                ("pow", [base, exponent]) => return self.power(base, exponent),
                ("floor", [value]) => {
                    let value = self.piece(value).at_least(Level::Or);
                    return Piece::new(Level::Atom, Layout::Fence("⌊", Box::new(value), "⌋"));
                }
                ("div", [left, right]) => {
                    let quotient = self.in_script().quotient(left, right);
                    return Piece::new(Level::Atom, Layout::Fence("⌊", Box::new(quotient), "⌋"));
                }
                ("d", [of, by]) => return self.derivative(of, by),
                ("sum" | "Σ", [summand]) if !names.is_empty() => return self.big("Σ", names, summand),
                ("prod" | "Π", [factor]) if !names.is_empty() => return self.big("Π", names, factor),
                ("eye", [size]) => return self.identity(&resolved.axes, size),
                ("norm", [vector, power]) => {
                    let power = self.in_script().piece(power).at_least(Level::Or);
                    let norm = Layout::Word("norm".to_owned()).sub(power).under(names);
                    return applied(norm, true, self.piece(vector).at_least(Level::Or).in_parentheses());
                }
                ("sigmoid" | "σ", _) => Layout::Variable("σ".to_owned()),
                ("log_softmax", _) => Layout::Word("log softmax".to_owned()),
                ("one_hot", _) => Layout::Word("one-hot".to_owned()),
                (name, _) => identifier::function(name),
            },
            Callee::Function(definition) => identifier::function(&name_of(&definition.name)),
            Callee::Parameter(parameter, _) => identifier::function(&name_of(parameter)),
            Callee::Outside(path) => identifier::function(&crate::set::axis_name(&path)),
        };
        applied(name.under(names), !resolved.axes.is_empty(), self.arguments(arguments))
    }

    /// A root; in one line nothing shows where it ends.
    fn root(&self, radicand: &'a Expression) -> Piece {
        let level = if self.linear { Level::Sign } else { Level::Postfix };
        Piece::new(level, Layout::Root(Box::new(self.piece(radicand).at_least(Level::Or))))
    }

    /// `a / b` in one line.
    fn quotient(&self, left: &'a Expression, right: &'a Expression) -> Layout {
        let (left, right) = (self.piece(left).at_least(Level::Product), self.piece(right).at_least(Level::Power));
        Layout::row([left, Layout::Infix("/"), right])
    }

    /// `∂Y / ∂X*`.
    fn derivative(&self, of: &'a Expression, by: &'a Expression) -> Piece {
        let of = Layout::row([Layout::Prefix("∂"), self.piece(of).at_least(Level::Power)]);
        let by = self.piece(by).at_least(Level::Atom).sup(Layout::Variable("*".to_owned()));
        let by = Layout::row([Layout::Prefix("∂"), by]);
        if self.linear {
            return Piece::new(Level::Product, Layout::row([of, Layout::Infix("/"), by]));
        }
        Piece::new(Level::Power, Layout::Fraction(Box::new(of), Box::new(by)))
    }

    /// A large sign with axes underneath, before a product.
    fn big(&self, sign: &'static str, names: Vec<Layout>, operand: &'a Expression) -> Piece {
        let operand = self.piece(operand);
        let operand = if operand.signed { operand.layout.in_parentheses() } else { operand.at_least(Level::Big) };
        Piece::new(Level::Big, Layout::row([Layout::Prefix(sign).under(names), Layout::Gap, operand]))
    }

    /// The identity over two axes, both of one size.
    fn identity(&self, groups: &[Vec<Path>], size: &'a Expression) -> Piece {
        let size = self.in_script().piece(size).at_least(Level::Or);
        let sized = |axis| Layout::row([identifier::axis(axis), Layout::Fence("[", Box::new(size.clone()), "]")]);
        let below = Layout::list(groups.iter().flatten().map(sized), &COMMA);
        Piece::new(Level::Postfix, Layout::Variable("I".to_owned()).sub(below))
    }

    /// A tensor with renamings, reshapings, positions and ranges.
    pub(super) fn subscript(&self, base: &'a Expression, entries: &'a [Entry]) -> Piece {
        let script = self.in_script();
        let below = Layout::list(entries.iter().map(|entry| script.entry(entry)), &COMMA);
        let base = self.piece(base);
        // What has a subscript already would seem to have a longer one.
        let is_plain = match &base.layout {
            Layout::Variable(_) => true,
            Layout::Row(_) => base.level == Level::Postfix,
            Layout::Sup(inner, _) => matches!(**inner, Layout::Variable(_)) && base.level == Level::Atom,
            _ => false,
        };
        let base = if is_plain { base.layout } else { base.layout.in_parentheses() };
        Piece::new(Level::Postfix, base.sub(below))
    }

    fn entry(&self, entry: &'a Entry) -> Layout {
        let arrow = Layout::Infix("→");
        let value = |value: &'a Expression| self.piece(value).at_least(Level::Or);
        match entry {
            Entry::Rename { from, to } => Layout::row([identifier::axis(from), arrow, identifier::axis(to)]),
            Entry::Flatten { from, to, .. } => {
                let from = Layout::list(from.iter().map(identifier::axis), &COMMA).in_parentheses();
                Layout::row([from, arrow, identifier::axis(to)])
            }
            Entry::Split { from, parts, .. } => {
                let parts = parts.iter().map(|part| {
                    let size = part.size.iter().map(|size| Layout::Fence("[", Box::new(value(size)), "]"));
                    Layout::row(std::iter::once(identifier::axis(&part.axis)).chain(size))
                });
                Layout::row([identifier::axis(from), arrow, Layout::list(parts, &COMMA).in_parentheses()])
            }
            Entry::At { axis, position } => at(axis, value(position)),
            Entry::Slice { axis, low, high, .. } => {
                let range = low.iter().map(value).chain([Layout::Infix("..")]).chain(high.iter().map(value));
                at(axis, Layout::row(range))
            }
        }
    }
}

/// `seq(i)`.
pub(super) fn at(axis: &Path, position: Layout) -> Layout {
    Layout::row([identifier::axis(axis), position.in_parentheses()])
}

/// A name, or several in parentheses that are given for one.
fn axes(group: &[Path]) -> Layout {
    let names = Layout::list(group.iter().map(identifier::axis), &COMMA);
    if group.len() > 1 { names.in_parentheses() } else { names }
}

fn applied(name: Layout, has_axes: bool, arguments: Layout) -> Piece {
    let gap = has_axes.then_some(Layout::Gap);
    Piece::new(Level::Postfix, Layout::row([name].into_iter().chain(gap).chain([arguments])))
}
