//! Subscripts: renaming, flattening, splitting, positions and ranges.
//!
//! Entries apply from left to right; renamings that stand side by side happen at once, so that axes can be swapped.

use super::arithmetic::{along, instead_of_one_hot};
use super::{Scope, Value, operation};
use crate::ast::{Element, Entry, Expression, Part};
use crate::ir::{Code, Given, Kind};
use crate::names::{declared, size_source, sizes_read};
use crate::report::error;
use crate::set::{axis_name, axis_span, axis_text};
use quote::ToTokens;
use syn::Path;

impl Scope<'_> {
    /// `X_{..}`.
    pub(super) fn subscript(&self, base: &Expression, entries: &[Entry]) -> syn::Result<Value> {
        let value = self.expression(base)?;
        if matches!(value.kind, Kind::Scalar | Kind::Claim) {
            return Err(error(base.span(), "a number has no axes, so it takes no subscript", &[]));
        }
        let Value { kind, mut code } = value;
        let is_rename = |entry: &Entry| matches!(entry, Entry::Rename { .. });
        for run in entries.chunk_by(|one, next| is_rename(one) && is_rename(next)) {
            code = self.step(run, code)?;
        }
        Ok(Value { kind, code })
    }

    /// One entry, or several renamings at once.
    fn step(&self, run: &[Entry], base: Code) -> syn::Result<Code> {
        let Some(entry) = run.first() else { return Ok(base) };
        let base = Given::Tensor(base);
        Ok(match entry {
            Entry::Rename { from, .. } => {
                let pair = |entry: &Entry| match entry {
                    Entry::Rename { from, to } => Some((from.clone(), to.clone())),
                    _ => None,
                };
                let (sources, targets) = run.iter().filter_map(pair).unzip();
                operation("rename", axis_span(from), vec![base, Given::Axes(sources), Given::Axes(targets)])
            }
            Entry::Flatten { from, to, span } => {
                operation("flatten", *span, vec![base, Given::Axes(from.clone()), Given::Axes(vec![to.clone()])])
            }
            Entry::Split { from, parts, span } => {
                let mut open = parts.iter().filter(|part| part.size.is_none()).map(|part| &part.axis);
                if let (Some(_), Some(second)) = (open.next(), open.next()) {
                    let (from, second_name) = (axis_name(from), axis_name(second));
                    let help =
                        format!("write `{second_name}: ` and its size; that of one axis follows from `|{from}|`");
                    let message = format!("`{from}` is split into axes of which only one may be without a size");
                    return Err(error(axis_span(second), message, &[help]));
                }
                let size = |part: &Part| {
                    if let Some(size) = &part.size {
                        self.is_known(&part.axis, size, parts)?;
                    }
                    let size = part.size.as_ref().map(|size| self.whole(size)).transpose()?;
                    Ok((part.axis.clone(), size))
                };
                let parts = parts.iter().map(size).collect::<syn::Result<Vec<_>>>()?;
                operation("split", *span, vec![base, Given::Axes(vec![from.clone()]), Given::Parts(parts, *span)])
            }
            Entry::At { axis, position } => self.at(axis, position, base)?,
            Entry::Slice { axis, low, high, span } => {
                let end = |end: &Option<Expression>| end.as_ref().map(|end| self.whole(end)).transpose();
                let range = Given::Range(end(low)?, end(high)?, *span);
                operation("slice", axis_span(axis), vec![base, Given::Axes(vec![axis.clone()]), range])
            }
        })
    }

    /// Refuses a size that is read from an axis which the split makes, where nothing else has it.
    fn is_known(&self, axis: &Path, size: &Expression, parts: &[Part]) -> syn::Result<()> {
        let mut unknown = None;
        sizes_read(size, &mut |read: &Path| {
            let is_made = parts.iter().any(|part| axis_name(&part.axis) == axis_name(read));
            if is_made && !self.initial && size_source(self.function, &axis_name(read), self.defined).is_none() {
                unknown = Some(read.clone());
            }
        });
        let Some(unknown) = unknown else { return Ok(()) };
        let help = format!("write a number or a size that is known: `{}: 4`", axis_text(axis));
        Err(error(axis_span(&unknown), format!("the size of `{}` is not known here", axis_name(&unknown)), &[help]))
    }

    /// Refuses the letter of a position along another axis, which may be one letter for another, and declared positions
    /// along another axis.
    fn is_along(&self, axis: &Path, position: &Expression) -> syn::Result<()> {
        let Expression::Name(name) = position else { return Ok(()) };
        let kind = name.get_ident().and_then(|name| declared(self.function, name)).map(|kind| &kind.element);
        if let Some(Element::Position(of)) = kind
            && axis_name(of) != axis_name(axis)
        {
            let (of, along, name) = (axis_text(of), axis_text(axis), name.to_token_stream());
            let help = format!("the same numbers along `{along}`: `{along}({name} + 0)`");
            let message = format!("`{name}` holds positions along `{of}`, not along `{along}`");
            return Err(error(position.span(), message, &[help]));
        }
        let letter = self.variables.iter().rev().find(|variable| name.is_ident(&variable.name));
        match letter.and_then(|letter| Some((&letter.name, axis_name(letter.along.as_ref()?), axis_name(axis)))) {
            Some((letter, of, axis)) if of != axis => {
                let help = format!("the same number along `{axis}`, as on a diagonal: `{axis}({letter} + 0)`");
                Err(error(position.span(), format!("`{letter}` is a position of `{of}`, not of `{axis}`"), &[help]))
            }
            _ => Ok(()),
        }
    }

    /// One position along an axis: a number, or a tensor of positions, which is looked up.
    fn at(&self, axis: &Path, position: &Expression, base: Given) -> syn::Result<Code> {
        let span = axis_span(axis);
        let axes = Given::Axes(vec![axis.clone()]);
        let value = self.expression(position)?;
        Ok(match value.kind {
            Kind::Scalar => operation("at", span, vec![base, axes, Given::Value(self.whole(position)?)]),
            kind if kind == Kind::Index || self.is_foreign(&value.code) => {
                self.is_along(axis, position)?;
                operation("index", span, vec![axes, base, Given::Tensor(value.code)])
            }
            Kind::Exact => operation("index", span, vec![axes, base, Given::Tensor(along(axis, value.code, span)?)]),
            other => {
                let mut help = instead_of_one_hot(&value.code, other, &axis_name(axis));
                help.insert(
                    0,
                    "a whole number, a size, or a tensor declared with positions along this axis".to_owned(),
                );
                return Err(error(position.span(), format!("a position is needed here, not {}", other.words()), &help));
            }
        })
    }
}
