//! Functions that would compute themselves: the notation has no recursion, and a call without end has no value.
//!
//! Lives here: the search for a way from a function back to itself, through calls and through parameters.

use super::{Callee, Vocabulary};
use crate::ast::{Expression, Function, ParameterType};
use crate::report::{Report, list};
use std::collections::BTreeSet;

/// Reports a function that leads back to itself.
pub(super) fn check(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let own = function.name.to_string();
    let mut reached = BTreeSet::new();
    let mut left = vec![function];
    while let Some(next) = left.pop() {
        for name in uses(vocabulary, next) {
            if let Some(used) = vocabulary.function(&name)
                && reached.insert(name)
            {
                left.push(used);
            }
        }
    }
    if reached.contains(&own) {
        let others: Vec<&String> = reached.iter().filter(|name| **name != own).collect();
        let message = if others.is_empty() {
            format!("`{own}` is defined by itself")
        } else {
            format!("`{own}` is defined by itself, through {}", list(others))
        };
        let help = "an equation has no recursion: apply a function several times by naming it several times";
        report.error(function.name.span(), message, &[help.to_owned()]);
    }
}

/// The functions of the block that a function calls, or has as parameters.
fn uses(vocabulary: &Vocabulary<'_>, function: &Function) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for parameter in &function.parameters {
        if let ParameterType::Function(path) = &parameter.kind
            && let Some(name) = path.get_ident()
        {
            names.push(name.to_string());
        }
    }
    function.walk(&mut |node| {
        if let Expression::Call(call) = node
            && let Callee::Function(definition) = vocabulary.resolve(function, call).callee
        {
            names.push(definition.name.to_string());
        }
    });
    names
}
