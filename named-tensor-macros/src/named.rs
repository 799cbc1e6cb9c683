//! `named!`: the whole way of a block, from tokens to tokens.
//!
//! A function in which anything is wrong is emitted with its signature and without its body (the fallback), so that
//! one mistake gives one error and its callers and the editor go on working.
//! Lives here: the order of the stages. Not here: any of them.

use crate::ast::{Function, ParameterType};
use crate::names::{self, Vocabulary};
use crate::render::Forms;
use crate::report::Report;
use crate::{emit, lower, parse};
use proc_macro2::TokenStream;

/// The whole expansion of `named! { .. }`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let functions = functions(input, &mut report);
    let mut tokens = emit::aside(&report.into_tokens());
    tokens.extend(functions);
    tokens
}

/// The functions of a block; what is wrong goes to the report.
pub(crate) fn functions(input: TokenStream, report: &mut Report) -> TokenStream {
    let mut block = parse::block(input, report);
    names::settle(&mut block, report);
    let vocabulary = Vocabulary::of(&block);
    block.functions.iter().map(|function| one(&vocabulary, function, report)).collect()
}

/// One function: checked, lowered if nothing is wrong so far, emitted.
fn one(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) -> TokenStream {
    let before = report.count();
    names::check(vocabulary, function, report);
    let sound = report.count() == before && function.sound && !vocabulary.calls_broken(function);
    let body = if sound { lower::body(vocabulary, function, report) } else { None };
    let forms = Forms::of(vocabulary, function);
    if function.parameters.is_empty() {
        return emit::function::free(function, &forms, body.as_ref());
    }
    let draws: Vec<_> = function
        .parameters
        .iter()
        .map(|parameter| match &parameter.kind {
            ParameterType::Tensor(kind, initial) if sound => {
                let draw = lower::initial::draw(vocabulary, function, parameter, kind, initial.as_ref());
                draw.map_err(|error| report.add(error)).ok()
            }
            _ => None,
        })
        .collect();
    emit::parameters::parameters(function, &forms, body.as_ref(), &draws)
}
