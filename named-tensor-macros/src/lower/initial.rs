//! Initial values of parameters: those that are written, and those that can be read off the equations.
//!
//! Without a statement, a parameter that the body contracts starts as ~ normal(0, 1/√n), where n is the number of values
//! summed (the product of the sizes of the contracted axes); a table that the body only looks up (which contracts it
//! with a one-hot vector, n = 1) as ~ normal(0, 1); one that is only added, a bias, as 0. Everything else must be said.

use super::{Scope, arithmetic::plain};
use crate::ast::{Binary, Call, Entry, Expression, Function, Initial, Parameter, TensorType};
use crate::builtin::Shape;
use crate::ir::{Code, Draw, Generics, Given};
use crate::names::{Callee, Vocabulary, declared};
use crate::report::{error, nearest};
use crate::set::{axis_name, axis_text};
use proc_macro2::{Ident, Span};
use std::cell::RefCell;
use syn::Path;

/// What a parameter is at first.
pub(crate) fn draw(
    vocabulary: &Vocabulary<'_>,
    function: &Function,
    parameter: &Parameter,
    kind: &TensorType,
    initial: Option<&Initial>,
) -> syn::Result<Draw> {
    let scope =
        Scope { vocabulary, function, variables: Vec::new(), defined: 0, initial: true, sized: RefCell::default() };
    let name = &parameter.name;
    match initial {
        Some(Initial::Constant(value)) => Ok(Draw::Constant(scope.scalar(value)?)),
        Some(Initial::Drawn { name: distribution, arguments, axes }) => {
            let (inputs, outputs) = match axes {
                Some((inputs, outputs)) => (Some(inputs.clone()), outputs.clone()),
                None => (contracted(vocabulary, function, name), None),
            };
            let axes = inputs.map(|inputs| {
                let is_input = |axis: &&Path| inputs.iter().any(|input| axis_name(input) == axis_name(axis));
                let rest = || kind.set.0.iter().filter(|axis| !is_input(axis)).cloned().collect();
                let outputs = outputs.unwrap_or_else(rest);
                (inputs, outputs)
            });
            scope.drawn(distribution, arguments, axes)
        }
        None => match contracted(vocabulary, function, name) {
            Some(inputs) => {
                let span = name.span();
                let root = Code::Operation {
                    name: "sqrt",
                    generics: Generics::Inferred,
                    arguments: vec![Given::Value(scope.product(&inputs, span)?)],
                    span,
                };
                Ok(Draw::Normal(Code::Number(0.0, span), plain("/", span, Code::Number(1.0, span), root)))
            }
            None => unstated(vocabulary, function, name),
        },
    }
}

impl Scope<'_> {
    fn drawn(&self, name: &Ident, arguments: &[Expression], axes: Option<(Vec<Path>, Vec<Path>)>) -> syn::Result<Draw> {
        let distribution = name.to_string();
        let fans = |axes: Option<(Vec<Path>, Vec<Path>)>| {
            axes.ok_or_else(|| {
                let help = format!("write `~ {name}({{inputs}} -> {{outputs}})`");
                error(name.span(), "which axes are summed cannot be seen from the equations", &[help])
            })
        };
        match (distribution.as_str(), arguments) {
            ("normal", [mean, deviation]) => Ok(Draw::Normal(self.scalar(mean)?, self.scalar(deviation)?)),
            ("uniform", [low, high]) => Ok(Draw::Uniform(self.scalar(low)?, self.scalar(high)?)),
            ("glorot", []) => {
                let (inputs, outputs) = fans(axes)?;
                Ok(Draw::Glorot(self.product(&inputs, name.span())?, self.product(&outputs, name.span())?))
            }
            ("he", []) => Ok(Draw::He(self.product(&fans(axes)?.0, name.span())?)),
            _ => {
                let names = ["normal", "uniform", "glorot", "he"];
                let mut help = vec!["`normal(mean, deviation)`, `uniform(low, high)`, `glorot`, `he`".to_owned()];
                help.extend(nearest(&distribution, names).map(|meant| format!("did you mean `{meant}`?")));
                let known = names.contains(&distribution.as_str());
                let message = if known {
                    format!("`{name}` has other arguments")
                } else {
                    format!("no distribution is called `{name}`")
                };
                Err(error(name.span(), message, &help))
            }
        }
    }

    /// The product of the sizes of axes, 1 for none.
    fn product(&self, axes: &[Path], span: Span) -> syn::Result<Code> {
        let mut sizes = axes.iter().map(|axis| Ok(Code::Float(Box::new(self.size(axis)?), span)));
        let first = sizes.next().unwrap_or(Ok(Code::Number(1.0, span)))?;
        sizes.try_fold(first, |product, size: syn::Result<Code>| Ok(plain("*", span, product, size?)))
    }
}

/// The axes over which the body first contracts a parameter, where that is seen at once: `X dot_chans W`, or a part of it,
/// `X dot_chans W_{heads(0)}`, `X dot_chans index_heads(W, I)`.
fn contracted(vocabulary: &Vocabulary<'_>, function: &Function, name: &Ident) -> Option<Vec<Path>> {
    let mut found = None;
    function.walk(&mut |node| {
        if let Expression::Dot { axes, left, right, .. } = node {
            for side in [left, right] {
                if found.is_none() && side.variable() == Some(name) {
                    found = Some(axes.clone());
                }
                // Under a renaming, the contracted axes are called as before it.
                if found.is_none()
                    && let Expression::Subscript { base, entries } = &**side
                    && base.variable() == Some(name)
                {
                    found = before_renaming(axes, entries);
                }
                if found.is_none()
                    && let Expression::Call(call) = &**side
                    && looks_up(vocabulary, function, call, name)
                {
                    found = Some(axes.clone());
                }
            }
        }
    });
    found
}

/// The axes over which the body first contracts something that a parameter is a part of, `X dot_chans (M * W)`, if it has these
/// and others.
fn contracted_within(function: &Function, name: &Ident) -> Option<Vec<Path>> {
    let own = &declared(function, name)?.set.0;
    let has = |axis: &Path| own.iter().any(|own| axis_name(own) == axis_name(axis));
    let mut found = None;
    function.walk(&mut |node| {
        if let Expression::Dot { axes, left, right, .. } = node
            && found.is_none()
            && axes.len() < own.len()
            && axes.iter().all(has)
        {
            let mut is_inside = false;
            [left, right]
                .into_iter()
                .for_each(|side| side.walk(&mut |node| is_inside |= node.variable() == Some(name)));
            found = is_inside.then(|| axes.clone());
        }
    });
    found
}

fn before_renaming(axes: &[Path], entries: &[Entry]) -> Option<Vec<Path>> {
    let mut renames = Vec::new();
    for entry in entries {
        match entry {
            Entry::Rename { from, to } => renames.push((from, to)),
            // One position of another axis: what is left is contracted as the whole would be.
            Entry::At { .. } => {}
            _ => return None,
        }
    }
    let original = |axis: &Path| {
        let renamed = renames.iter().find(|(_, to)| axis_name(to) == axis_name(axis));
        renamed.map_or_else(|| axis.clone(), |(from, _)| (*from).clone())
    };
    Some(axes.iter().map(original).collect())
}

/// Whether a call reads the parameter as a table: `index_vocab(E, I)`.
fn looks_up(vocabulary: &Vocabulary<'_>, function: &Function, call: &Call, name: &Ident) -> bool {
    call.arguments.first().and_then(Expression::variable) == Some(name)
        && matches!(vocabulary.resolve(function, call).callee, Callee::Builtin(builtin) if builtin.shape == Shape::Index)
}

/// The start of a parameter that is never contracted: a table, a bias, or unknown.
fn unstated(vocabulary: &Vocabulary<'_>, function: &Function, name: &Ident) -> syn::Result<Draw> {
    let (mut added, mut looked_up, mut mentioned) = (0, 0, 0);
    function.walk(&mut |node| {
        mentioned += usize::from(node.variable() == Some(name));
        match node {
            Expression::Binary { operator: Binary::Add | Binary::Subtract, left, right, .. } => {
                added += [left, right].into_iter().filter(|side| side.variable() == Some(name)).count();
            }
            Expression::Call(call) => {
                looked_up += usize::from(looks_up(vocabulary, function, call, name));
            }
            Expression::Subscript { base, entries } if base.variable() == Some(name) => {
                looked_up += usize::from(entries.iter().all(|entry| matches!(entry, Entry::At { .. })));
            }
            _ => {}
        }
    });
    let span = name.span();
    let number = |value| Code::Number(value, span);
    if mentioned > 0 && looked_up == mentioned {
        Ok(Draw::Normal(number(0.0), number(1.0)))
    } else if added == mentioned {
        Ok(Draw::Constant(number(0.0)))
    } else {
        let mut help = vec![format!("write `{name}: R[..] = 1` or `{name}: R[..] ~ normal(0, 1)`")];
        // `X * W` may well be a slip where `X dot_chans W` was meant.
        let result: Vec<String> = function.result.set.0.iter().map(axis_name).collect();
        let kind = declared(function, name).filter(|kind| kind.set.0.len() > 1);
        let inputs = kind.iter().flat_map(|kind| &kind.set.0).find(|axis| !result.contains(&axis_name(axis)));
        if let Some(axes) = contracted_within(function, name) {
            let sizes: Vec<String> = axes.iter().map(|axis| format!("|{}|", axis_text(axis))).collect();
            let drawn = format!("~ normal(0, 1 / sqrt({}))", sizes.join(" * "));
            help.push(format!(
                "it is contracted as a part of something; what is contracted itself is at first `{drawn}`"
            ));
        } else if let Some(axis) = inputs.map(axis_text).filter(|axis| !axis.contains('(')) {
            help.push(format!("`{axis}` is no axis of the result: if it is summed over, write `.. dot_{axis} {name}`"));
        }
        Err(error(span, format!("what `{name}` is at first cannot be seen from the equations"), &help))
    }
}
