//! Ways through the syntax tree: every expression below another, every axis that is named, every variable.
//!
//! Lives here: traversal only. Not here: what is right or wrong about what is found (`names`).

use crate::ast::{Entry, Equation, Expression, Form, Function, Initial, ParameterType};
use syn::Path;

impl Expression {
    /// Calls `visit` on this expression and on all below it, outside first.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        visit(self);
        for below in self.children() {
            below.walk(visit);
        }
    }

    /// The expressions directly below this one.
    pub(crate) fn children(&self) -> Vec<&Expression> {
        match self {
            Expression::Number(_) | Expression::Name(_) | Expression::Size(_) => Vec::new(),
            Expression::Unary { operand, .. } => vec![operand],
            Expression::Binary { left, right, .. } | Expression::Dot { left, right, .. } => vec![left, right],
            Expression::Call(call) => call.arguments.iter().collect(),
            Expression::Subscript { base, entries } => {
                std::iter::once(&**base).chain(entries.iter().flat_map(Entry::expressions)).collect()
            }
            Expression::Cases { condition, then, otherwise, .. } => vec![condition, then, otherwise],
        }
    }

    /// The variable that this expression is, if it is nothing else.
    pub(crate) fn variable(&self) -> Option<&syn::Ident> {
        match self {
            Expression::Name(path) => path.get_ident(),
            _ => None,
        }
    }

    /// Whether the variable `name` occurs in it.
    pub(crate) fn mentions(&self, name: &syn::Ident) -> bool {
        let mut found = false;
        self.walk(&mut |node| found |= node.variable().is_some_and(|ident| ident == name));
        found
    }
}

impl Entry {
    /// The axes that must be there.
    pub(crate) fn uses(&self) -> Vec<&Path> {
        match self {
            Entry::Rename { from, .. } | Entry::Split { from, .. } => vec![from],
            Entry::Flatten { from, .. } => from.iter().collect(),
            Entry::At { axis, .. } | Entry::Slice { axis, .. } => vec![axis],
        }
    }

    /// The axes that it makes.
    pub(crate) fn creates(&self) -> Vec<&Path> {
        match self {
            Entry::Rename { to, .. } | Entry::Flatten { to, .. } => vec![to],
            Entry::Split { parts, .. } => parts.iter().map(|part| &part.axis).collect(),
            Entry::At { .. } | Entry::Slice { .. } => Vec::new(),
        }
    }

    /// The names in positions.
    pub(crate) fn letters(&self) -> impl Iterator<Item = &syn::Ident> {
        let mut letters = Vec::new();
        if let Entry::At { .. } | Entry::Slice { .. } = self {
            self.expressions().into_iter().for_each(|one| one.walk(&mut |node| letters.extend(node.variable())));
        }
        letters.into_iter()
    }

    fn expressions(&self) -> Vec<&Expression> {
        match self {
            Entry::Rename { .. } | Entry::Flatten { .. } => Vec::new(),
            Entry::Split { parts, .. } => parts.iter().filter_map(|part| part.size.as_ref()).collect(),
            Entry::At { position, .. } => vec![position],
            Entry::Slice { low, high, .. } => low.iter().chain(high).collect(),
        }
    }
}

impl Equation {
    /// The expressions of the equation: sizes on the left side, then the right side.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let sizes = match &self.form {
            Form::Cases(positions) => positions.iter().filter_map(|position| position.size.as_ref()).collect(),
            Form::Value(_) => Vec::new(),
        };
        sizes.into_iter().chain([&self.value])
    }
}

impl Function {
    /// The expressions of the body.
    pub(crate) fn body_expressions(&self) -> Vec<&Expression> {
        let Some(body) = &self.body else { return Vec::new() };
        body.equations.iter().flat_map(Equation::expressions).chain([&body.result]).collect()
    }

    /// The expressions in the signature: conditions and initial values.
    pub(crate) fn signature_expressions(&self) -> Vec<&Expression> {
        let conditions = self.conditions.iter().flat_map(|condition| [&condition.left, &condition.right]);
        let initials = self.parameters.iter().flat_map(|parameter| match &parameter.kind {
            ParameterType::Tensor(_, Some(Initial::Constant(value))) => vec![value],
            ParameterType::Tensor(_, Some(Initial::Drawn { arguments, .. })) => arguments.iter().collect(),
            _ => Vec::new(),
        });
        conditions.chain(initials).collect()
    }

    /// Calls `visit` on every expression of the body, at any depth.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        for expression in self.body_expressions() {
            expression.walk(visit);
        }
    }
}
