//! The structure of a graph as a key.
//!
//! One pass over the graph lists its nodes, inputs before users, and writes what a plan depends on as words: primitives,
//! sizes, kinds, and how the numbers of its leaves lie. Axis names are numbered by first appearance, so that a graph
//! built again with fresh names has the same key; constants and seeds are data of the run, not of the structure, but for
//! those that make a border of a choice, and the ε of a standardization that is written out.
//! Lives here: the walk. Not here: the words (`words`), who keeps plans (`cache`), what is done with the list (`simplify`).

use std::collections::HashMap;

use smallvec::SmallVec;

use super::again::{Again, may_be, picked};
use super::numbered::{FoldMap, Numbered};
use super::words::{Counts, KeyWords, Words};
use crate::element::{Binary, Unary};
use crate::error::Result;
use crate::graph::op::scan::unread;
use crate::graph::op::{Border, Scan, Whole, Written};
use crate::graph::{Node, Op, Value};

/// The nodes of a graph by number, with its key.
#[derive(Default)]
pub(super) struct Trace<'a> {
    listed: SmallVec<[Listed<'a>; 16]>,
    /// The inputs of all nodes, one after the other, by number.
    edges: SmallVec<[u32; 32]>,
    /// The bodies of scans, by the number of the scan's node.
    bodies: FoldMap<u32, Trace<'a>>,
    /// The choices that are borders, by number.
    borders: FoldMap<u32, Border>,
    /// The nodes that are a primitive, written out, by number.
    written: SmallVec<[(u32, Written); 1]>,
    /// Scans that are the beginning of another one, by number, and that.
    pub(super) beginnings: SmallVec<[(u32, u32); 1]>,
    /// The roots by number.
    pub(super) roots: SmallVec<[u32; 4]>,
    /// Equal for graphs that one plan serves.
    pub(super) key: KeyWords,
    /// Which words of the key are counts.
    pub(super) counts: Counts,
}

struct Listed<'a> {
    node: &'a Node,
    /// The stored numbers, looked up once: another thread may store some while we look.
    value: Option<&'a Value>,
    /// Where its inputs end in the list of all.
    end: u32,
    /// Where its words begin in the key, and how many they are.
    words: (u32, u32),
}

impl<'a> Trace<'a> {
    /// Lists what `roots` are computed from. Nodes that have a value are leaves.
    pub(super) fn new(roots: &'a [Node]) -> Result<Trace<'a>> {
        let mut trace = Trace::default();
        trace.list(roots, false)?;
        Ok(trace)
    }

    /// Lists what is computed in place of something that was listed, which may be the body of a scan.
    pub(super) fn anew(roots: &'a [Node]) -> Result<Trace<'a>> {
        let mut trace = Trace::default();
        trace.list(roots, true)?;
        Ok(trace)
    }

    /// The same, in place; only the body of a scan has placeholders.
    fn list(&mut self, roots: &'a [Node], in_body: bool) -> Result<()> {
        let again = self.walk(roots, in_body, &Again::new())?;
        if again.is_empty() {
            return Ok(());
        }
        *self = Trace::default();
        self.walk(roots, in_body, &again).map(drop)
    }

    /// The same, where the nodes `again`, in the order of their addresses, are no leaves even if they have a value. Returns which
    /// nodes should not be any.
    fn walk(&mut self, roots: &'a [Node], in_body: bool, again: &[usize]) -> Result<Again> {
        let trace = self;
        let mut known: SmallVec<[&Node; 4]> = SmallVec::new();
        let mut words = Words::default();
        let mut seen = Seen::default();
        // The numbers of inputs that are done and whose users are not.
        let mut done: SmallVec<[u32; 32]> = SmallVec::new();
        let mut stack: SmallVec<[Visit<'a>; 16]> = SmallVec::new();
        for root in roots {
            if let Some(number) = seen.number(root) {
                trace.roots.push(number);
                continue;
            }
            stack.push(Visit::new(root, again));
            while let Some(visit) = stack.last_mut() {
                if let Some(input) = visit.inputs.get(visit.next) {
                    visit.next += 1;
                    match seen.number(input) {
                        Some(number) => done.push(number),
                        None => stack.push(Visit::new(input, again)),
                    }
                    continue;
                }
                let Visit { node, value, inputs, .. } = *visit;
                stack.pop();
                node.checked()?;
                if value.is_some() && may_be(node) {
                    known.push(node);
                }
                if matches!(node.op(), Op::Placeholder(_)) && !in_body {
                    return Err(unread());
                }
                let first = done.len() - inputs.len();
                let start = trace.key.len();
                words.node(node, value, &done[first..], &mut trace.key);
                let said = (narrow(start), narrow(trace.key.len() - start));
                if let (Op::Scan(scan), None) = (node.op(), value) {
                    let mut body = Trace::default();
                    body.list(&scan.results, true)?;
                    trace.key.push(body.key.len() as u64);
                    trace.key.extend_from_slice(&body.key);
                    trace.bodies.insert(narrow(trace.listed.len()), body);
                }
                if let (Op::Select, None) = (node.op(), value) {
                    trace.find_border(node, narrow(trace.listed.len()), &done[first..]);
                }
                if let (Op::Binary(Binary::Div | Binary::Sub | Binary::Add) | Op::Unary(Unary::Log), None) =
                    (node.op(), value)
                {
                    trace.find_written(node, narrow(trace.listed.len()), &done[first..]);
                }
                done[first..].iter().for_each(|&input| trace.edges.push(input));
                done.truncate(first);
                let number = narrow(trace.listed.len());
                done.push(number);
                seen.add(node, number);
                trace.listed.push(Listed { node, value, end: narrow(trace.edges.len()), words: said });
            }
            trace.roots.extend(done.pop());
        }
        trace.key.extend(trace.roots.iter().map(|&root| u64::from(root)));
        if trace.bodies.len() > 1 {
            trace.find_beginnings();
        }
        trace.counts = words.counts;
        Ok(picked(&known, |node| seen.number(node).is_some()))
    }

    /// Finds scans that do what another one does as well. Bodies are compared as they are, not by their structure: constants
    /// in them are no part of that.
    fn find_beginnings(&mut self) {
        let mut scans: SmallVec<[(u32, &Scan); 4]> = SmallVec::new();
        for &number in self.bodies.keys() {
            if let Op::Scan(scan) = self.node(number).op() {
                scans.push((number, scan));
            }
        }
        scans.sort_unstable_by_key(|&(number, _)| number);
        // Of a chain of many scans each has inputs of its own.
        let mut alike: HashMap<&[u32], SmallVec<[usize; 2]>> = HashMap::new();
        for (at, &(number, _)) in scans.iter().enumerate() {
            alike.entry(self.inputs(number)).or_default().push(at);
        }
        let longer = |&(some, scan): &(u32, &Scan)| {
            let others = alike.get(self.inputs(some))?.iter().map(|&at| scans[at]);
            others.filter(|&(other, _)| other != some).find(|(_, longer)| scan.is_beginning_of(longer))
        };
        let found: SmallVec<[(u32, u32); 4]> =
            scans.iter().filter_map(|scan| Some((scan.0, longer(scan)?.0))).collect();
        for (some, other) in found {
            if self.beginnings.is_empty() {
                // No root has this number.
                self.key.push(u64::MAX);
            }
            self.beginnings.push((some, other));
            self.key.extend([u64::from(some), u64::from(other)]);
        }
    }

    /// Finds out whether a choice, which will have this number, is a border. Constants say so, which are no part of the structure
    /// otherwise.
    fn find_border(&mut self, node: &Node, number: u32, inputs: &[u32]) {
        let Some(border) = node.border() else { return };
        let index = inputs[border.branch];
        if self.first(index, border.gathers).is_some() {
            // No node begins with this word.
            self.key.push(u64::MAX);
            self.key.extend_from_slice(&border.numbers);
            self.borders.insert(number, border);
        }
    }

    /// Finds out whether a node, which will have this number, is a primitive that is written out. Its ε is a constant.
    fn find_written(&mut self, node: &Node, number: u32, inputs: &[u32]) {
        let Some(written) = node.written_out() else { return };
        if self.first(inputs[0], written.below - 1).is_some() {
            let epsilon = if let Whole::Op(Op::Standardize { epsilon, .. }) = &written.whole { *epsilon } else { 0.0 };
            self.key.extend([u64::MAX, epsilon.to_bits()]);
            self.written.push((number, written));
        }
    }

    /// The first input of the first input, so many times; none if numbers are stored on the way.
    fn first(&self, number: u32, times: usize) -> Option<u32> {
        (0..times).try_fold(number, |number, _| self.inputs(number).first().copied())
    }

    /// Whether a number may be the whole of something that is written out.
    pub(super) fn is_written(&self, number: u32) -> bool {
        self.written.iter().any(|&(whole, _)| whole == number)
    }

    /// What is written out, where nobody asks for what stands inside: the number of the whole, that of the tensor it is a function
    /// of, and the function.
    pub(super) fn written(&self) -> FoldMap<u32, (u32, &Whole)> {
        let mut found = FoldMap::default();
        if self.written.is_empty() {
            return found;
        }
        let mut uses = vec![0_usize; self.size()];
        self.roots.iter().chain(&self.edges).for_each(|&number| uses[number as usize] += 1);
        for (number, written) in &self.written {
            if let Some(of) = self.first(*number, written.below).filter(|&of| self.is_alone(*number, of, &uses)) {
                found.insert(*number, (of, &written.whole));
            }
        }
        found
    }

    /// Whether what stands between a node and another one below it, of which the node is a function, is used for nothing else.
    fn is_alone(&self, number: u32, of: u32, uses: &[usize]) -> bool {
        let mut inside: FoldMap<u32, usize> = FoldMap::default();
        let mut stack: SmallVec<[u32; 16]> = self.inputs(number).iter().copied().collect();
        while let Some(number) = stack.pop() {
            if number != of && !self.inputs(number).is_empty() {
                let met = inside.entry(number).or_insert(0);
                *met += 1;
                if *met == 1 {
                    stack.extend_from_slice(self.inputs(number));
                }
            }
        }
        inside.iter().all(|(&number, &met)| uses[number as usize] == met)
    }

    /// The table that a choice puts a border around, and the primitives that make the same of it; none if it is no border.
    pub(super) fn border(&self, number: u32) -> Option<(u32, &[Node])> {
        let border = self.borders.get(&number)?;
        let index = self.inputs(number)[border.branch];
        Some((self.first(index, border.gathers)?, &border.made))
    }

    /// How many nodes there are.
    pub(super) fn size(&self) -> usize {
        self.listed.len()
    }

    /// The node of this number.
    pub(super) fn node(&self, number: u32) -> &'a Node {
        self.listed[number as usize].node
    }

    /// All nodes, each with the numbers of its inputs.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&'a Node, &[u32])> {
        (0..).zip(&self.listed).map(|(number, listed)| (listed.node, self.inputs(number)))
    }

    /// The numbers of its inputs; none for a leaf.
    pub(super) fn inputs(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.listed[number - 1].end };
        &self.edges[start as usize..self.listed[number].end as usize]
    }

    /// What the key says of it.
    pub(super) fn words(&self, number: u32) -> &[u64] {
        let (start, size) = self.listed[number as usize].words;
        &self.key[start as usize..][..size as usize]
    }

    /// The body of a scan that is to be run.
    pub(super) fn body(&self, number: u32) -> Option<&Trace<'a>> {
        self.bodies.get(&number)
    }

    /// The numbers it had when the graph was walked.
    pub(super) fn value(&self, number: u32) -> Option<&'a Value> {
        self.listed[number as usize].value
    }
}

/// A node on the way down.
struct Visit<'a> {
    node: &'a Node,
    value: Option<&'a Value>,
    /// None are needed where there is a value.
    inputs: &'a [Node],
    /// How many inputs have been looked at.
    next: usize,
}

impl<'a> Visit<'a> {
    fn new(node: &'a Node, again: &[usize]) -> Visit<'a> {
        let value = node.value().filter(|_| again.binary_search(&node.id()).is_err());
        Visit { node, value, inputs: if value.is_some() { &[] } else { node.inputs() }, next: 0 }
    }
}

/// The numbers of nodes that have been listed and may be met again.
#[derive(Default)]
struct Seen {
    nodes: Numbered<usize>,
    numbers: SmallVec<[u32; 16]>,
}

impl Seen {
    /// The number of a node that is listed. One with a single owner is met only through that, so it is never looked for:
    /// a second owner inside of this graph would have been there before the walk.
    fn number(&self, node: &Node) -> Option<u32> {
        let at = if node.owners() == 1 { None } else { self.nodes.get(node.id()) };
        at.map(|at| self.numbers[at as usize])
    }

    fn add(&mut self, node: &Node, number: u32) {
        if node.owners() > 1 {
            self.nodes.number(node.id());
            self.numbers.push(number);
        }
    }
}

/// A number of a node. Four billion nodes do not fit in memory, since each takes more than 64 bytes.
#[expect(clippy::cast_possible_truncation, reason = "the bound is in the comment above")]
pub(super) fn narrow(number: usize) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Name;
    use crate::element::{Binary, Kind};
    use crate::graph::Shape;
    use crate::graph::op::{Distribution, Reduction};

    const A: Name = Name::declared("a");
    const B: Name = Name::declared("b");

    fn draw(kind: Kind, axes: &[(Name, usize)], seed: u64) -> Node {
        Node::random(Distribution::Uniform { low: 0.0, high: 1.0 }, seed, kind, Shape::new(axes.iter().copied()))
    }

    fn key(root: &Node) -> Vec<u64> {
        Trace::new(std::slice::from_ref(root)).unwrap().key.to_vec()
    }

    #[test]
    fn names_count_by_where_they_are_the_same() {
        let sum = |x, y| key(&draw(Kind::F32, &[(x, 3)], 1).binary(Binary::Add, &draw(Kind::F32, &[(y, 3)], 2)));
        assert_eq!(sum(A, A), sum(B, B), "one axis of any name");
        assert_eq!(sum(A, B), sum(B, A.freshened()), "two axes of any names");
        assert_ne!(sum(A, A), sum(A, B), "one axis is not two");
    }

    #[test]
    fn sizes_kinds_and_parameters_count_and_seeds_do_not() {
        let x = |kind, size, seed| draw(kind, &[(A, size), (B, 4)], seed);
        let first = key(&x(Kind::F32, 3, 1).at(B, 1));
        assert_eq!(first, key(&x(Kind::F32, 3, 2).at(B, 1)), "another seed");
        assert_ne!(first, key(&x(Kind::F32, 5, 1).at(B, 1)), "another size");
        assert_ne!(first, key(&x(Kind::F64, 3, 1).at(B, 1)), "another kind");
        assert_ne!(first, key(&x(Kind::F32, 3, 1).at(B, 2)), "another position");
        let reduced = |reduction, axis| key(&x(Kind::F32, 4, 1).reduce(reduction, &[axis]));
        assert_ne!(reduced(Reduction::Sum, A), reduced(Reduction::Max, A), "another reduction");
        assert_ne!(reduced(Reduction::Sum, A), reduced(Reduction::Sum, B), "another axis");
    }

    #[test]
    fn inputs_stand_before_their_users_and_each_node_once() {
        let x = draw(Kind::F32, &[(A, 3)], 1);
        let sum = x.binary(Binary::Add, &x);
        let root = sum.binary(Binary::Mul, &x.binary(Binary::Sub, &sum));
        let roots = [root, sum];
        let trace = Trace::new(&roots).unwrap();
        assert_eq!(trace.size(), 4, "x, the sum, the difference, the product");
        for number in 0..narrow(trace.size()) {
            assert!(trace.inputs(number).iter().all(|&input| input < number), "inputs before users");
            for (input, &number) in trace.node(number).inputs().iter().zip(trace.inputs(number)) {
                assert_eq!(input.id(), trace.node(number).id(), "the input in its place");
            }
        }
        let numbered = trace.roots.iter().map(|&root| trace.node(root).id());
        assert!(numbered.eq(roots.iter().map(Node::id)), "the roots in their order");
    }
}
