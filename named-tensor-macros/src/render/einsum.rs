//! Products and contractions as einsum strings, such as `qk,sk->qs`.
//!
//! A string exists where a function is nothing but sums of products in which every argument and parameter occurs once.
//! An axis that is contracted and one of the same name outside are different letters, as they are different axes.
//! Operands are in the order of the signature, axes in the order in which types are written.

use crate::ast::{Binary, Element, Entry, Equation, Expression, Form, Function, ParameterType, TensorType};
use crate::names::{Callee, Vocabulary};
use crate::set::axis_name;
use std::collections::BTreeMap;

/// The einsum string of a function, if it has one.
pub(super) fn of(vocabulary: &Vocabulary<'_>, function: &Function) -> Option<String> {
    let body = function.body.as_ref()?;
    let parameters = function.parameters.iter().map(|parameter| match &parameter.kind {
        ParameterType::Tensor(kind, _) if !parameter.optional => Some((parameter.name.to_string(), kind)),
        _ => None,
    });
    let arguments = function.arguments.iter().map(|argument| Some((argument.name.to_string(), &argument.kind)));
    let operands: Vec<(String, &TensorType)> = arguments.chain(parameters).collect::<Option<_>>()?;
    if operands.is_empty() || operands.iter().any(|(_, kind)| !matches!(kind.element, Element::Real)) {
        return None;
    }
    let mut einsum =
        Einsum { vocabulary, function, operands, given: BTreeMap::new(), same: Vec::new(), names: Vec::new() };
    let mut values = BTreeMap::new();
    for Equation { name, form, value } in &body.equations {
        let Form::Value(_) = form else { return None };
        let value = einsum.expression(value, &mut values)?;
        values.insert(name.to_string(), value);
    }
    let result = einsum.expression(&body.result, &mut values)?;
    let is_whole = values.is_empty() && einsum.given.len() == einsum.operands.len();
    if is_whole { einsum.text(&result) } else { None }
}

/// The axes of a value: which index each name stands for.
type Axes = BTreeMap<String, usize>;

struct Einsum<'a> {
    vocabulary: &'a Vocabulary<'a>,
    function: &'a Function,
    operands: Vec<(String, &'a TensorType)>,
    /// The indices of each operand, once it has occurred.
    given: BTreeMap<String, Vec<usize>>,
    /// Each index, or the earlier one that it equals.
    same: Vec<usize>,
    /// The name with which each index came.
    names: Vec<String>,
}

impl<'a> Einsum<'a> {
    /// The axes of an expression; every value may be used once.
    fn expression(&mut self, expression: &'a Expression, values: &mut BTreeMap<String, Axes>) -> Option<Axes> {
        match expression {
            Expression::Name(path) => {
                let name = path.get_ident()?.to_string();
                values.remove(&name).or_else(|| self.operand(&name))
            }
            Expression::Binary { operator: Binary::Multiply, left, right, .. } => self.product(left, right, values),
            Expression::Dot { axes, left, right, .. } => {
                let mut product = self.product(left, right, values)?;
                axes.iter().all(|axis| product.remove(&axis_name(axis)).is_some()).then_some(product)
            }
            Expression::Call(call) => {
                let resolved = self.vocabulary.resolve(self.function, call);
                let (Callee::Builtin(builtin), [summand]) = (resolved.callee, call.arguments.as_slice()) else {
                    return None;
                };
                if builtin.call != "sum" {
                    return None;
                }
                let mut summed = self.expression(summand, values)?;
                let mut axes = resolved.axes.iter().flatten();
                axes.all(|axis| summed.remove(&axis_name(axis)).is_some()).then_some(summed)
            }
            Expression::Subscript { base, entries } => {
                let before = self.expression(base, values)?;
                let mut after = before.clone();
                for entry in entries {
                    let Entry::Rename { from, .. } = entry else { return None };
                    after.remove(&axis_name(from))?;
                }
                for entry in entries {
                    let Entry::Rename { from, to } = entry else { return None };
                    let is_new = after.insert(axis_name(to), *before.get(&axis_name(from))?).is_none();
                    if !is_new {
                        return None;
                    }
                }
                Some(after)
            }
            _ => None,
        }
    }

    /// An operand, with an index of its own for each axis; none if it has occurred already.
    fn operand(&mut self, name: &str) -> Option<Axes> {
        let (_, kind) = self.operands.iter().find(|(operand, _)| operand == name)?;
        let names: Vec<String> = kind.set.0.iter().map(axis_name).collect();
        let indices: Vec<usize> = (self.same.len()..self.same.len() + names.len()).collect();
        self.same.extend(&indices);
        self.names.extend(names.iter().cloned());
        let is_first = self.given.insert(name.to_owned(), indices.clone()).is_none();
        is_first.then(|| names.into_iter().zip(indices).collect())
    }

    /// Axes of one name become one index.
    fn product(
        &mut self,
        left: &'a Expression,
        right: &'a Expression,
        values: &mut BTreeMap<String, Axes>,
    ) -> Option<Axes> {
        let (mut axes, right) = (self.expression(left, values)?, self.expression(right, values)?);
        for (name, index) in right {
            let first = *axes.entry(name).or_insert(index);
            let (index, first) = (self.root(index), self.root(first));
            let (least, most) = (index.min(first), index.max(first));
            self.same[most] = least;
        }
        Some(axes)
    }

    /// The first of the indices that are equal to this one.
    fn root(&self, mut index: usize) -> usize {
        while self.same[index] != index {
            index = self.same[index];
        }
        index
    }

    /// The string, once every operand has its indices.
    fn text(&self, result: &Axes) -> Option<String> {
        let mut letters = Letters::default();
        let mut texts = Vec::new();
        for (name, _) in &self.operands {
            let mut text = String::new();
            for &index in self.given.get(name)? {
                text.push(letters.of(self.root(index), &self.names[self.root(index)])?);
            }
            texts.push(text);
        }
        let mut last = String::new();
        for axis in &self.function.result.set.0 {
            let index = self.root(*result.get(&axis_name(axis))?);
            last.push(letters.of(index, &self.names[index])?);
        }
        let is_result = result.len() == self.function.result.set.0.len();
        is_result.then(|| format!("{}->{last}", texts.join(",")))
    }
}

/// Letters given to indices: the first free one of the axis's name, else the first free one of the alphabet.
#[derive(Default)]
struct Letters(BTreeMap<usize, char>);

impl Letters {
    fn of(&mut self, index: usize, name: &str) -> Option<char> {
        if let Some(letter) = self.0.get(&index) {
            return Some(*letter);
        }
        let own = name.chars().filter(char::is_ascii_alphabetic);
        let mut candidates = own.chain('a'..='z').chain('A'..='Z');
        let letter = candidates.find(|letter| !self.0.values().any(|taken| taken == letter))?;
        self.0.insert(index, letter);
        Some(letter)
    }
}
