//! The equations as calls over named operands: types only.
//!
//! Here every name is resolved, every value has a kind, and every call says what it becomes in
//! `named_tensor::private`. What is left for `emit` is spelling.

use crate::set::Set;
use proc_macro2::{Ident, Span};
use syn::Path;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number known without any tensor, `f64`.
    Scalar,
    /// A comparison of such numbers, `bool`.
    Claim,
    /// A tensor of real numbers in the precision of the function.
    Real,
    /// A tensor of numbers made of positions; always in `f64`, where positions are exact.
    Exact,
    /// A tensor of positions, typed by the axis they lie on.
    Index,
    /// A tensor of truth values.
    Truth,
}

/// Something that has a value.
#[derive(Clone)]
pub(crate) enum Code {
    /// A number.
    Number(f64, Span),
    /// A size or position.
    Count(usize, Span),
    /// A tensor or scalar by its name.
    Variable { name: Ident, borrowed: bool },
    /// A copy of a variable, where a value is moved.
    Copy(Box<Code>),
    /// A constant of the program.
    Constant(Path),
    /// The size of an axis of a tensor, as a whole number.
    Size { of: Box<Code>, axis: Path, span: Span },
    /// The size that `init` is given for an axis, as a whole number.
    Given { axis: Path, span: Span },
    /// A whole number as a real one.
    Float(Box<Code>, Span),
    /// A real number as a whole one, or the error that it is none, by its text if it is made of sizes.
    Whole(Box<Code>, Option<String>, Span),
    /// Arithmetic or a comparison of plain numbers; a sign has no left side.
    Plain { sign: &'static str, left: Option<Box<Code>>, right: Box<Code>, span: Span },
    /// `if c { x } else { y }` on plain numbers.
    PlainCases { condition: Box<Code>, then: Box<Code>, otherwise: Box<Code>, span: Span },
    /// A call into `named_tensor::private`.
    Operation { name: &'static str, generics: Generics, arguments: Vec<Given>, span: Span },
    /// A call of a function of the notation: one of the block, which is known, or one of the program.
    Function { path: Path, arguments: Vec<Given>, span: Span, known: bool },
    /// A call of a parameter that is a function, known if it is one of the block.
    Apply { parameter: Ident, arguments: Vec<Given>, span: Span, known: bool },
    /// The same of a function that may be absent, and then gives its argument.
    ApplyIfPresent { parameter: Ident, argument: Box<Given>, span: Span },
}

/// The type arguments of an operation.
#[derive(Clone)]
pub(crate) enum Generics {
    /// All are inferred.
    Inferred,
    /// The last of this many is the precision of the function.
    Precision(usize),
    /// The only one is `f64`.
    Exact,
    /// The first of three is a set of axes.
    Axes(Set),
}

/// An argument of a call.
#[derive(Clone)]
pub(crate) enum Given {
    /// A tensor, borrowed.
    Tensor(Code),
    /// A tensor or number, moved.
    Value(Code),
    /// Axes as values.
    Axes(Vec<Path>),
    /// The parts that an axis is split into, with their sizes.
    Parts(Vec<(Path, Option<Code>)>, Span),
    /// A range of positions.
    Range(Option<Code>, Option<Code>, Span),
    /// A comparison.
    Comparison(&'static str, Span),
}

/// What an equation defines.
#[derive(Clone)]
pub(crate) struct Definition {
    /// Its name.
    pub(crate) name: Ident,
    /// The positions that its value may use: name, axis, size.
    pub(crate) positions: Vec<(Ident, Path, Code)>,
    /// Its value.
    pub(crate) value: Code,
}

/// A size condition.
#[derive(Clone)]
pub(crate) struct Condition {
    /// As it is written.
    pub(crate) text: String,
    /// The axes it speaks of, with their sizes.
    pub(crate) sizes: Vec<(String, Code)>,
    /// Whether it holds.
    pub(crate) holds: Code,
    /// The comparison sign.
    pub(crate) span: Span,
}

/// An axis whose size is read, and that several arguments or parameters have: they must agree.
#[derive(Clone)]
pub(crate) struct Agreement {
    /// The axis, where its size is read first.
    pub(crate) axis: Path,
    /// What has it.
    pub(crate) sources: Vec<Ident>,
}

/// The body of a function.
#[derive(Clone)]
pub(crate) struct Body {
    /// Checked before all else.
    pub(crate) agreements: Vec<Agreement>,
    /// Checked then.
    pub(crate) conditions: Vec<Condition>,
    /// In order.
    pub(crate) definitions: Vec<Definition>,
    /// The value of the function, at its declared type.
    pub(crate) result: Code,
}

/// What a parameter is at first.
#[derive(Clone)]
pub(crate) enum Draw {
    /// One number everywhere.
    Constant(Code),
    /// Equally likely between two bounds.
    Uniform(Code, Code),
    /// The normal distribution.
    Normal(Code, Code),
    /// Glorot's, by the number of inputs and outputs.
    Glorot(Code, Code),
    /// He's, by the number of inputs.
    He(Code),
}

impl Body {
    /// Whether it names no axis and calls nothing that could, so that it computes each number from those at its own place.
    pub(crate) fn names_no_axis(&self) -> bool {
        let values = self.definitions.iter().map(|definition| &definition.value).chain([&self.result]);
        self.conditions.is_empty()
            && self.definitions.iter().all(|definition| definition.positions.is_empty())
            && values.into_iter().all(Code::names_no_axis)
    }
}

impl Code {
    fn names_no_axis(&self) -> bool {
        match self {
            Code::Number(..) | Code::Count(..) | Code::Variable { .. } | Code::Constant(_) => true,
            Code::Copy(code) | Code::Float(code, _) | Code::Whole(code, ..) => code.names_no_axis(),
            Code::Plain { left, right, .. } => left.iter().chain([right]).all(|code| code.names_no_axis()),
            Code::PlainCases { condition, then, otherwise, .. } => {
                [condition, then, otherwise].into_iter().all(|code| code.names_no_axis())
            }
            Code::Operation { name, generics, arguments, .. } => {
                // A derivative has the axes of what it is a derivative of, under names of their own.
                *name != "jacobian" && generics.names_no_axis() && arguments.iter().all(Given::names_no_axis)
            }
            Code::Size { .. } | Code::Given { .. } => false,
            Code::Function { .. } | Code::Apply { .. } | Code::ApplyIfPresent { .. } => false,
        }
    }
}

impl Generics {
    fn names_no_axis(&self) -> bool {
        match self {
            Generics::Inferred | Generics::Precision(_) | Generics::Exact => true,
            Generics::Axes(set) => set.0.is_empty(),
        }
    }
}

impl Given {
    fn names_no_axis(&self) -> bool {
        match self {
            Given::Tensor(code) | Given::Value(code) => code.names_no_axis(),
            Given::Comparison(..) => true,
            Given::Axes(_) | Given::Parts(..) | Given::Range(..) => false,
        }
    }
}

impl Draw {
    /// The axes whose sizes it is computed from.
    pub(crate) fn axes(&self) -> Vec<Path> {
        let numbers = match self {
            Draw::Constant(number) | Draw::He(number) => vec![number],
            Draw::Uniform(one, other) | Draw::Normal(one, other) | Draw::Glorot(one, other) => vec![one, other],
        };
        let mut found = Vec::new();
        numbers.into_iter().for_each(|number| number.given(&mut found));
        found
    }
}

impl Code {
    /// Adds the axes whose sizes `init` has to know for a plain number.
    fn given(&self, found: &mut Vec<Path>) {
        match self {
            Code::Given { axis, .. } => found.push(axis.clone()),
            Code::Float(number, _) | Code::Whole(number, ..) => number.given(found),
            Code::Plain { left, right, .. } => {
                left.iter().for_each(|left| left.given(found));
                right.given(found);
            }
            Code::PlainCases { condition, then, otherwise, .. } => {
                [condition, then, otherwise].into_iter().for_each(|number| number.given(found));
            }
            Code::Operation { arguments, .. } => {
                for argument in arguments {
                    if let Given::Value(number) = argument {
                        number.given(found);
                    }
                }
            }
            _ => {}
        }
    }
}
