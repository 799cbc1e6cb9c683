//! The equations as they are written: types only, each with the span of the token a message would point at.
//!
//! The tree knows nothing of what names mean: whether `sum_seq` is a built-in over `seq` or a function of the block is
//! settled in `names`, whether a value is a scalar or a tensor in `lower`.

use crate::code::name_of;
use crate::set::{Set, axis_name};
use proc_macro2::{Ident, Span};
use std::fmt;
use syn::{Attribute, Path, Visibility};

/// Everything inside one `named! { .. }`.
#[derive(Default)]
pub(crate) struct Block {
    /// The functions, in order.
    pub(crate) functions: Vec<Function>,
    /// Axes named by `axis head, foo;`: they exist although no signature mentions them.
    pub(crate) axes: Vec<Ident>,
    /// Functions whose signature could not be read; calls to them are not blamed again.
    pub(crate) broken: Vec<Ident>,
}

/// `pub fn f_{ax}(X: R[ax]; W: R[ax, out]) -> R[out] where |out| = 2 { .. }`.
pub(crate) struct Function {
    /// Documentation and other attributes.
    pub(crate) attributes: Vec<Attribute>,
    /// Who may use it.
    pub(crate) visibility: Visibility,
    /// Its name.
    pub(crate) name: Ident,
    /// The axes it is parametric in.
    pub(crate) axis_parameters: Vec<Ident>,
    /// What stands before the semicolon.
    pub(crate) arguments: Vec<Argument>,
    /// What stands behind it, if it is there.
    pub(crate) parameters: Vec<Parameter>,
    /// The declared type of the result.
    pub(crate) result: TensorType,
    /// The conditions on sizes.
    pub(crate) conditions: Vec<Condition>,
    /// The equations; none when they could not be read.
    pub(crate) body: Option<Body>,
    /// The text of the function, for documentation.
    pub(crate) text: String,
    /// Whether the types of its signature are as they are written; if not, no types judge its body and its callers.
    pub(crate) sound: bool,
}

/// As many arguments as `named_tensor` can lift a function over.
pub(crate) const MOST_ARGUMENTS: usize = 8;

/// `Q: R[key]`.
pub(crate) struct Argument {
    /// Documentation.
    pub(crate) attributes: Vec<Attribute>,
    /// Its name.
    pub(crate) name: Ident,
    /// Its type.
    pub(crate) kind: TensorType,
}

/// `R[seq, key]`, `B[seq]` or `vocab[seq]`.
#[derive(Clone)]
pub(crate) struct TensorType {
    /// What the elements are.
    pub(crate) element: Element,
    /// The axes.
    pub(crate) set: Set,
    /// The word before the bracket.
    pub(crate) span: Span,
}

/// What the elements of a tensor are.
#[derive(Clone)]
pub(crate) enum Element {
    /// Real numbers, `R`.
    Real,
    /// Truth values, `B`.
    Truth,
    /// Positions along an axis, `vocab`.
    Position(Path),
}

/// `W: R[chans, out] ~ normal(0, 1)` or `norm1: LayerNorm`.
pub(crate) struct Parameter {
    /// Documentation.
    pub(crate) attributes: Vec<Attribute>,
    /// Its name.
    pub(crate) name: Ident,
    /// What it is.
    pub(crate) kind: ParameterType,
    /// Whether it may be absent: `b: R[out]?`.
    pub(crate) optional: bool,
}

/// What a parameter is.
pub(crate) enum ParameterType {
    /// Numbers, and what they are at first.
    Tensor(TensorType, Option<Initial>),
    /// A function with parameters of its own.
    Function(Path),
}

/// What a parameter is at first.
pub(crate) enum Initial {
    /// `= 1`.
    Constant(Expression),
    /// `~ normal(0, 1)`, `~ glorot({chans} -> {out})`.
    Drawn {
        /// The distribution.
        name: Ident,
        /// Its arguments.
        arguments: Vec<Expression>,
        /// The axes summed over and the axes produced, when they are stated.
        axes: Option<(Vec<Path>, Option<Vec<Path>>)>,
    },
}

/// `|heads| * |key| = |chans|`.
pub(crate) struct Condition {
    /// The left side.
    pub(crate) left: Expression,
    /// How the sides compare; `=` is equality here.
    pub(crate) comparison: Binary,
    /// The right side.
    pub(crate) right: Expression,
    /// The condition as it is written.
    pub(crate) text: String,
    /// The comparison sign.
    pub(crate) span: Span,
}

/// Equations, then the value of the function.
pub(crate) struct Body {
    /// In order; each may use those before it.
    pub(crate) equations: Vec<Equation>,
    /// The last expression.
    pub(crate) result: Expression,
}

/// One line of a body.
pub(crate) struct Equation {
    /// What it defines.
    pub(crate) name: Ident,
    /// How.
    pub(crate) form: Form,
    /// The right side.
    pub(crate) value: Expression,
}

/// The left side of an equation.
pub(crate) enum Form {
    /// `X = ..` or `X: R[seq] = ..`.
    Value(Option<TensorType>),
    /// `M_{seq(i), seq_(j)} = ..`.
    Cases(Vec<Position>),
}

/// `seq(i)` or `seq(i: 5)` on the left side of a definition by positions.
pub(crate) struct Position {
    /// The axis.
    pub(crate) axis: Path,
    /// What a position along it is called.
    pub(crate) name: Ident,
    /// The size of the axis, when it is stated.
    pub(crate) size: Option<Expression>,
}

/// An expression.
pub(crate) enum Expression {
    /// `2`, `0.5`, `inf`.
    Number(Number),
    /// A variable, a position, or a constant of the Rust program.
    Name(Path),
    /// `|key|`.
    Size(Path),
    /// `-X`, `!c`.
    Unary { operator: Unary, span: Span, operand: Box<Expression> },
    /// `X + Y`, `i <= j`.
    Binary { operator: Binary, span: Span, left: Box<Expression>, right: Box<Expression> },
    /// `X dot_key Y`.
    Dot { axes: Vec<Path>, span: Span, left: Box<Expression>, right: Box<Expression> },
    /// `softmax_seq(X)`, `standardize_{batch, layer}(X)`, `crate::att::Attention(Q, K, V)`.
    Call(Call),
    /// `X_{val -> chans}`.
    Subscript { base: Box<Expression>, entries: Vec<Entry> },
    /// `if i <= j { 0 } else { -inf }`.
    Cases { span: Span, condition: Box<Expression>, then: Box<Expression>, otherwise: Box<Expression> },
}

/// A literal.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    /// Its value.
    pub(crate) value: f64,
    /// Its value if it is written as a whole number.
    pub(crate) whole: Option<usize>,
    /// Where it stands.
    pub(crate) span: Span,
}

/// A function applied.
pub(crate) struct Call {
    /// Its name, with an axis attached if that is how it is written (`sum_seq`).
    pub(crate) function: Path,
    /// The axes in braces, if there are braces; a group in parentheses has several.
    pub(crate) axes: Option<Vec<Vec<Path>>>,
    /// The arguments.
    pub(crate) arguments: Vec<Expression>,
}

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    /// `-`
    Negative,
    /// `!`
    Not,
}

/// An operator between its operands, except contraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `^`
    Power,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One entry of a subscript.
pub(crate) enum Entry {
    /// `val -> chans`.
    Rename { from: Path, to: Path },
    /// `(height, width) -> layer`.
    Flatten { from: Vec<Path>, to: Path, span: Span },
    /// `layer -> (heads: 12, key)`.
    Split { from: Path, parts: Vec<Part>, span: Span },
    /// `height(i)`.
    At { axis: Path, position: Expression },
    /// `seq(2..5)`.
    Slice { axis: Path, low: Option<Expression>, high: Option<Expression>, span: Span },
}

/// `heads: 12` or `key` in the parts an axis is split into.
pub(crate) struct Part {
    /// The new axis.
    pub(crate) axis: Path,
    /// Its size; one may be left out.
    pub(crate) size: Option<Expression>,
}

impl Function {
    /// Whether this is a parameter that may be absent.
    pub(crate) fn optional(&self, name: &Ident) -> bool {
        self.parameters.iter().any(|parameter| parameter.optional && parameter.name == *name)
    }

    /// The names that the signature gives: arguments and parameters, functions among them.
    pub(crate) fn given(&self) -> impl Iterator<Item = &Ident> {
        let arguments = self.arguments.iter().map(|argument| &argument.name);
        arguments.chain(self.parameters.iter().map(|parameter| &parameter.name))
    }

    /// Whether this is an argument or a parameter.
    pub(crate) fn has(&self, name: &Ident) -> bool {
        self.given().any(|known| known == name)
    }

    /// Whether this is an argument or a parameter, what an equation defines, or a position on the left side of one.
    pub(crate) fn defines(&self, name: &str) -> bool {
        let is = |known: &Ident| name_of(known) == name;
        let defined = |equation: &Equation| {
            let positions = if let Form::Cases(positions) = &equation.form { positions.as_slice() } else { &[] };
            is(&equation.name) || positions.iter().any(|position| is(&position.name))
        };
        self.given().any(is) || self.body.iter().flat_map(|body| &body.equations).any(defined)
    }
}

impl Binary {
    /// How it is written.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::Power => "^",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::LessOrEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterOrEqual => ">=",
            Binary::And => "&&",
            Binary::Or => "||",
        }
    }

    /// How tightly it binds.
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Binary::Or => 0,
            Binary::And => 1,
            Binary::Add | Binary::Subtract => 3,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 4,
            Binary::Power => 5,
            _ => 2,
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match &self.element {
            Element::Real => "R".to_owned(),
            Element::Truth => "B".to_owned(),
            Element::Position(axis) => axis_name(axis),
        };
        let axes: Vec<String> = self.set.0.iter().map(axis_name).collect();
        write!(f, "{word}[{}]", axes.join(", "))
    }
}
