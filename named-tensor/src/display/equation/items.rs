//! The nodes of a graph as items of an equation, equal ones once.
//!
//! Lives here: the walk, and which nodes are one item. Not here: how an item is written (`form`, `page`).

use std::collections::{HashMap, HashSet};

use super::form::{Entry, Form, Operands, form};
use super::spelling::{cut, spelt};
use crate::axis::Name;
use crate::element::{Binary, Kind, Unary};
use crate::graph::{Node, Op};

/// What the language takes a value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A plain number.
    Number,
    /// Positions, and what is computed from nothing else.
    Exact,
    /// Real numbers.
    Real,
    /// Truth values.
    Truth,
}

/// A node that is written.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) node: Node,
    /// What it is computed from.
    pub(super) inputs: Operands,
    pub(super) form: Form,
    /// What it is written with.
    pub(super) operands: Operands,
    pub(super) class: Class,
    /// The name it was given.
    pub(super) label: Option<String>,
    /// Whether all its numbers are whole.
    whole: bool,
}

impl Item {
    /// Whether it is made of positions.
    pub(super) fn is_exact(&self) -> bool {
        self.class == Class::Exact
    }

    /// Whether it is made of positions and numbers.
    pub(super) fn is_exact_or_number(&self) -> bool {
        matches!(self.class, Class::Exact | Class::Number)
    }
}

/// All items, each after those it is computed from.
#[derive(Debug, Default)]
pub(super) struct Items {
    items: Vec<Item>,
    by_node: HashMap<usize, usize>,
    by_structure: HashMap<(String, Operands), usize>,
    /// Nodes that are given by name.
    given: HashSet<usize>,
    /// Nodes are told apart by their addresses, so all that were seen stay.
    seen: Vec<Node>,
}

impl Items {
    /// The item of this number.
    pub(super) fn get(&self, at: usize) -> &Item {
        &self.items[at]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// No items yet. A node among `named` that is computed from nothing is given: a constant that has a name is that
    /// tensor and no other.
    pub(super) fn new(named: &[(String, Node)]) -> Items {
        let constant = |mut node: &Node| {
            while let (Op::Cast, [x]) = (node.op(), node.inputs()) {
                node = x;
            }
            node.inputs().is_empty()
        };
        let given = named.iter().filter(|(_, node)| constant(node)).map(|(_, node)| node.id()).collect();
        Items { given, ..Items::default() }
    }

    /// Gives an item a name, unless it has one.
    pub(super) fn label(&mut self, at: usize, name: &str) {
        self.items[at].label.get_or_insert_with(|| name.to_owned());
    }

    /// The item of `root`, after those it is computed from.
    pub(super) fn add(&mut self, root: &Node) -> usize {
        // What a node becomes, once that is an item: itself, or another node that is the same.
        let mut stack: Vec<(Node, Option<Node>)> = vec![(root.clone(), None)];
        let mut open: HashSet<usize> = HashSet::new();
        while let Some((node, other)) = stack.pop() {
            if self.by_node.contains_key(&node.id()) {
                continue;
            }
            if let Some(other) = other {
                let at = self.by_node[&other.id()];
                self.remember(node, at);
            } else if open.insert(node.id()) {
                // The inputs first: whether a number is whole decides how it is spelt.
                let inputs = node.inputs().to_vec();
                stack.push((node, None));
                stack.extend(inputs.into_iter().rev().map(|input| (input, None)));
            } else if let Some(other) = self.other(&node) {
                stack.push((node, Some(other.clone())));
                stack.push((other, None));
            } else {
                self.enter(node);
            }
        }
        self.by_node[&root.id()]
    }

    fn remember(&mut self, node: Node, at: usize) {
        self.by_node.insert(node.id(), at);
        self.seen.push(node);
    }

    /// Another node that is written instead of this one.
    fn other(&self, node: &Node) -> Option<Node> {
        match (node.op(), node.inputs()) {
            // What is stored in 16 bits is a tensor like another.
            _ if self.given.contains(&node.id()) || node.widens().is_some() => None,
            // The precision is none of the equation's business, and positions are numbers as they are.
            (Op::Cast, [x]) if x.kind() != Kind::Bool && node.kind() != Kind::Bool => {
                let kept = node.kind() != Kind::Index || self.items[self.by_node[&x.id()]].whole;
                Some(if kept { x.clone() } else { cut(x) })
            }
            (Op::Reduce(_, axes), [x]) if axes.is_empty() => Some(x.clone()),
            _ => spelt(node),
        }
    }

    fn enter(&mut self, node: Node) {
        let inputs: Operands = node.inputs().iter().map(|input| self.by_node[&input.id()]).collect();
        let given = matches!(node.op(), Op::Input) || node.widens().is_some() || self.given.contains(&node.id());
        // Stored numbers are the same only where they are one tensor; bodies of repetitions are not compared.
        let structure = if given || matches!(node.op(), Op::Scan(_) | Op::Placeholder(_)) {
            (node.id().to_string(), inputs)
        } else {
            (format!("{:?} {:?} {:?}", node.op(), node.shape(), node.kind()), inputs)
        };
        if let Some(&at) = self.by_structure.get(&structure) {
            return self.remember(node, at);
        }
        let inputs = structure.1.clone();
        let (mut found, mut operands) = if given { (Form::Leaf, Operands::new()) } else { form(&node, &inputs, self) };
        if let (Form::Subscript(Entry::Rename(pairs)), &[x]) = (&mut found, operands.as_slice())
            && let Item { form: Form::Subscript(Entry::Rename(before)), operands: first, .. } = &self.items[x]
        {
            // X_{a -> b}_{b -> c} is X_{a -> c}.
            let from = |old: Name| before.iter().find(|&&(_, new)| new == old).map_or(old, |&(first, _)| first);
            let untouched = before.iter().filter(|(_, new)| !pairs.iter().any(|(old, _)| old == new)).copied();
            let joined = pairs.iter().map(|&(old, new)| (from(old), new)).chain(untouched.collect::<Vec<_>>());
            *pairs = joined.filter(|(old, new)| old != new).collect();
            operands = first.clone();
        }
        let at = match (&found, operands.as_slice()) {
            (Form::Subscript(Entry::Rename(pairs)), &[x]) if pairs.is_empty() => x,
            _ => {
                let (class, whole) = (self.class(&node, &found, &operands), self.whole(&node, &inputs));
                self.items.push(Item { node: node.clone(), inputs, form: found, operands, class, label: None, whole });
                self.items.len() - 1
            }
        };
        self.by_structure.insert(structure, at);
        self.remember(node, at);
    }

    /// What the language takes it for: positions with numbers are positions, real numbers with anything are real.
    fn class(&self, node: &Node, form: &Form, operands: &Operands) -> Class {
        match form {
            _ if node.kind() == Kind::Bool => Class::Truth,
            Form::Number(_) => Class::Number,
            Form::Position => Class::Exact,
            Form::Leaf if node.kind() == Kind::Index => Class::Exact,
            Form::Call("argmaxk" | "argsort", ..) => Class::Exact,
            Form::Leaf | Form::Repeated(_) | Form::Indicator | Form::Call("eye" | "one_hot", ..) => Class::Real,
            // The table alone decides.
            Form::Call("index", ..) => operands.first().map_or(Class::Real, |&table| self.items[table].class),
            _ => {
                let any = |class| operands.iter().any(|&x| self.items[x].class == class);
                match form {
                    _ if any(Class::Real) => Class::Real,
                    _ if any(Class::Exact) => Class::Exact,
                    Form::Cases => Class::Real,
                    _ => Class::Number,
                }
            }
        }
    }

    fn whole(&self, node: &Node, inputs: &Operands) -> bool {
        let all = || inputs.iter().all(|&input| self.items[input].whole);
        match node.op() {
            _ if matches!(node.kind(), Kind::Index | Kind::Bool) => true,
            Op::Fill(value) => value.fract() == 0.0,
            Op::Cast | Op::Unary(Unary::Floor) => true,
            Op::Unary(Unary::Neg | Unary::Abs | Unary::Relu) | Op::Select | Op::Rename | Op::Gather(_) => all(),
            Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Max | Binary::Min) => all(),
            Op::Slice { .. } | Op::At(..) | Op::Flip(_) | Op::Split(..) | Op::Merge(..) | Op::Concat(_) => all(),
            _ => false,
        }
    }
}
