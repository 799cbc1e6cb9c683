//! Expressions as mathematics, with parentheses exactly where the tree would otherwise be read as another one.
//!
//! Products, contractions among them, are read from left to right, as in the source; a right operand that is a product
//! itself keeps its parentheses, since contraction is not associative.
//! Lives here: operators and their levels. Not here: calls and subscripts (the files beside), formats.

use super::identifier;
use super::layout::{COMMA, Layout};
use crate::ast::{Binary, Equation, Expression, Form, Function, Number, Unary};
use crate::names::{Callee, Vocabulary};
use std::collections::BTreeSet;

/// How tightly an expression is held together, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// A brace that nothing closes.
    Cases,
    Or,
    And,
    Comparison,
    /// `mod`, which convention gives no place among sums and products.
    Remainder,
    Sum,
    /// `Σ`, whose operand may be a product.
    Big,
    Product,
    Sign,
    Power,
    /// Calls and subscripts.
    Postfix,
    Atom,
}

/// An expression laid out.
pub(super) struct Piece {
    pub(super) layout: Layout,
    pub(super) level: Level,
    /// Whether it begins with a sign, which may not stand behind an operator.
    pub(super) signed: bool,
}

impl Piece {
    pub(super) fn new(level: Level, layout: Layout) -> Piece {
        Piece { layout, level, signed: false }
    }

    /// The layout, in parentheses unless it is held together at least so tightly.
    pub(super) fn at_least(self, least: Level) -> Layout {
        if self.level >= least { self.layout } else { self.layout.in_parentheses() }
    }

    /// The layout behind an operator.
    fn behind(self, least: Level) -> Layout {
        if self.signed { self.layout.in_parentheses() } else { self.at_least(least) }
    }
}

/// What is needed to lay out the expressions of one function.
#[derive(Clone)]
pub(super) struct Typesetter<'a> {
    pub(super) vocabulary: &'a Vocabulary<'a>,
    pub(super) function: &'a Function,
    /// Whether a quotient stands in one line, `a / b`, as in text and in scripts.
    pub(super) linear: bool,
    /// Variables that are single numbers or positions.
    scalars: BTreeSet<String>,
}

impl<'a> Typesetter<'a> {
    pub(super) fn new(vocabulary: &'a Vocabulary<'a>, function: &'a Function, linear: bool) -> Typesetter<'a> {
        let mut typesetter = Typesetter { vocabulary, function, linear, scalars: BTreeSet::new() };
        for Equation { name, form, value } in function.body.iter().flat_map(|body| &body.equations) {
            match form {
                Form::Cases(positions) => typesetter.scalars.extend(positions.iter().map(|one| one.name.to_string())),
                Form::Value(None) if typesetter.is_scalar(value) => {
                    typesetter.scalars.insert(name.to_string());
                }
                Form::Value(_) => {}
            }
        }
        typesetter
    }

    /// The same for scripts, where everything stands in one line.
    pub(super) fn in_script(&self) -> Typesetter<'a> {
        Typesetter { linear: true, ..self.clone() }
    }

    /// An expression.
    pub(super) fn piece(&self, expression: &'a Expression) -> Piece {
        match expression {
            Expression::Number(number) => number_piece(*number),
            Expression::Name(path) => {
                let ident = path.segments.last().map(|segment| identifier::variable(&segment.ident));
                Piece::new(Level::Atom, ident.unwrap_or(Layout::Gap))
            }
            Expression::Size(axis) => {
                Piece::new(Level::Atom, Layout::Fence("|", Box::new(identifier::axis(axis)), "|"))
            }
            Expression::Unary { operator, operand, .. } => {
                let (sign, signed) = match operator {
                    Unary::Negative => ("−", true),
                    Unary::Not => ("¬", false),
                };
                let layout = Layout::row([Layout::Prefix(sign), self.piece(operand).at_least(Level::Power)]);
                Piece { layout, level: Level::Sign, signed }
            }
            Expression::Binary { operator, left, right, .. } => self.binary(*operator, left, right),
            Expression::Dot { axes, left, right, .. } => {
                let names = axes.iter().map(identifier::axis).collect();
                self.joined(left, Layout::Infix("⊙").under(names), right, Level::Product)
            }
            Expression::Call(call) => self.call(call),
            Expression::Subscript { base, entries } => self.subscript(base, entries),
            Expression::Cases { .. } => Piece::new(Level::Cases, self.cases(expression)),
        }
    }

    fn binary(&self, operator: Binary, left: &'a Expression, right: &'a Expression) -> Piece {
        let infix = |sign| Layout::Infix(sign);
        match operator {
            Binary::Add => self.joined(left, infix("+"), right, Level::Sum),
            Binary::Subtract => self.joined(left, infix("−"), right, Level::Sum),
            Binary::Multiply => {
                let sign = if self.is_scalar(left) || self.is_scalar(right) { "·" } else { "⊙" };
                self.joined(left, infix(sign), right, Level::Product)
            }
            Binary::Divide if self.linear => self.joined(left, infix("/"), right, Level::Product),
            Binary::Divide => self.fraction(left, right),
            Binary::Remainder => {
                let (left, right) = (self.piece(left).at_least(Level::Product), self.piece(right));
                let layout = Layout::row([left, infix("mod"), right.behind(Level::Sign)]);
                Piece::new(Level::Remainder, layout)
            }
            Binary::Power => self.power(left, right),
            Binary::And => self.joined(left, infix("∧"), right, Level::And),
            Binary::Or => self.joined(left, infix("∨"), right, Level::Or),
            comparison => {
                let side = |side| self.piece(side).at_least(Level::Remainder);
                let layout = Layout::row([side(left), infix(comparison_sign(comparison)), side(right)]);
                Piece::new(Level::Comparison, layout)
            }
        }
    }

    /// Operators that are read from left to right.
    fn joined(&self, left: &'a Expression, sign: Layout, right: &'a Expression, level: Level) -> Piece {
        let (left, right) = (self.piece(left), self.piece(right));
        let next = match level {
            Level::Or => Level::And,
            Level::And => Level::Comparison,
            Level::Sum => Level::Big,
            _ => Level::Sign,
        };
        let signed = left.signed && left.level >= level;
        Piece { layout: Layout::row([left.at_least(level), sign, right.behind(next)]), level, signed }
    }

    /// One over the other; as the base of a power it needs parentheses.
    pub(super) fn fraction(&self, left: &'a Expression, right: &'a Expression) -> Piece {
        let side = |side| Box::new(self.piece(side).at_least(Level::Or));
        Piece::new(Level::Power, Layout::Fraction(side(left), side(right)))
    }

    pub(super) fn power(&self, base: &'a Expression, exponent: &'a Expression) -> Piece {
        let exponent = self.in_script().piece(exponent).at_least(Level::Or);
        Piece::new(Level::Power, self.piece(base).at_least(Level::Postfix).sup(exponent))
    }

    /// `if .. {} else if .. {} else {}` as one brace.
    fn cases(&self, mut expression: &'a Expression) -> Layout {
        let mut rows = Vec::new();
        while let Expression::Cases { condition, then, otherwise, .. } = expression {
            let condition = Layout::row([Layout::Text("if "), self.piece(condition).at_least(Level::Or)]);
            rows.push((self.piece(then).at_least(Level::Or), condition));
            expression = otherwise;
        }
        rows.push((self.piece(expression).at_least(Level::Or), Layout::Text("otherwise")));
        Layout::Cases(rows)
    }

    /// Expressions in parentheses, separated by commas.
    pub(super) fn arguments(&self, arguments: &'a [Expression]) -> Layout {
        let arguments = arguments.iter().map(|argument| self.piece(argument).at_least(Level::Or));
        Layout::list(arguments, &COMMA).in_parentheses()
    }

    /// Whether an expression is one number, as far as the equations alone say so.
    fn is_scalar(&self, expression: &'a Expression) -> bool {
        match expression {
            Expression::Number(_) | Expression::Size(_) => true,
            // A name that the function does not define is a constant of the program.
            Expression::Name(path) => path.get_ident().is_none_or(|name| {
                let Function { arguments, parameters, body, .. } = self.function;
                let mut equations = body.iter().flat_map(|body| &body.equations);
                let is_defined = arguments.iter().any(|one| one.name == *name)
                    || parameters.iter().any(|one| one.name == *name)
                    || equations.any(|one| one.name == *name);
                !is_defined || self.scalars.contains(&name.to_string())
            }),
            Expression::Unary { operand, .. } => self.is_scalar(operand),
            Expression::Binary { left, right, .. } => self.is_scalar(left) && self.is_scalar(right),
            Expression::Call(call) => {
                let is_builtin = matches!(self.vocabulary.resolve(self.function, call).callee, Callee::Builtin(_));
                is_builtin && call.arguments.iter().all(|argument| self.is_scalar(argument))
            }
            Expression::Cases { then, otherwise, .. } => self.is_scalar(then) && self.is_scalar(otherwise),
            Expression::Dot { .. } | Expression::Subscript { .. } => false,
        }
    }
}

/// The sign of a comparison in mathematics.
pub(super) fn comparison_sign(comparison: Binary) -> &'static str {
    match comparison {
        Binary::Equal => "=",
        Binary::NotEqual => "≠",
        Binary::LessOrEqual => "≤",
        Binary::GreaterOrEqual => "≥",
        other => other.sign(),
    }
}

/// A number in digits, or as a power of ten where that is shorter.
fn number_piece(number: Number) -> Piece {
    let value = number.value;
    if value.is_infinite() {
        return Piece::new(Level::Atom, Layout::Number("∞".to_owned()));
    }
    if value.to_bits() == std::f64::consts::PI.to_bits() {
        return Piece::new(Level::Atom, Layout::Variable("π".to_owned()));
    }
    let plain = number.whole.map_or_else(|| value.to_string(), |whole| whole.to_string());
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e').filter(|_| plain.len() > 6) else {
        return Piece::new(Level::Atom, Layout::Number(plain));
    };
    if mantissa.len() + exponent.len() >= plain.len() {
        return Piece::new(Level::Atom, Layout::Number(plain));
    }
    let exponent = match exponent.strip_prefix('-') {
        Some(digits) => Layout::row([Layout::Prefix("−"), Layout::Number(digits.to_owned())]),
        None => Layout::Number(exponent.to_owned()),
    };
    let power = Layout::Number("10".to_owned()).sup(exponent);
    if mantissa == "1" {
        return Piece::new(Level::Power, power);
    }
    Piece::new(Level::Product, Layout::row([Layout::Number(mantissa.to_owned()), Layout::Infix("·"), power]))
}
