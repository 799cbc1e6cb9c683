//! Random graphs: any primitive is tried on any tensors, and what the shape rules accept is kept.
//!
//! Lives here: the generator. Leaves lie in memory in all sorts of ways. Not here: what is compared.

use std::sync::Arc;

use crate::axis::Name;
use crate::element::{Binary, Buffer, Comparison, Kind, Stored, Unary};
use crate::graph::op::{Distribution, Reduction};
use crate::graph::shape::Names;
use crate::graph::value::Strides;
use crate::graph::{Node, Shape, Value};

/// A linear congruential generator; its upper bits are good enough to draw test cases.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678);
        draw.below(2);
        draw
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn number(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0
    }

    pub(super) fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    pub(super) fn subset(&mut self, names: impl Iterator<Item = Name>) -> Names {
        names.filter(|_| self.below(2) == 0).collect()
    }
}

/// The names of random axes.
pub(super) const NAMES: [Name; 6] = [
    Name::declared("a"),
    Name::declared("b"),
    Name::declared("c"),
    Name::declared("d"),
    Name::declared("e"),
    Name::declared("f"),
];

/// Stored numbers of this shape, in a random order of axes, with gaps, and repeated along some axes.
pub(super) fn stored(draw: &mut Draw, kind: Kind, shape: Shape, highest: usize) -> Node {
    let mut order: Vec<usize> = (0..shape.rank()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, draw.below(i + 1));
    }
    let sizes: Vec<usize> = shape.sizes().collect();
    let mut strides = Strides::from_elem(0, sizes.len());
    let mut step = 1;
    for &axis in order.iter().rev() {
        if draw.below(8) == 0 {
            continue;
        }
        step *= 1 + draw.below(5) / 4;
        strides[axis] = step as isize;
        step *= sizes[axis].max(1);
    }
    let offset = draw.below(3);
    let mut buffer = Buffer::zeros(kind, offset + step);
    // The numbers are drawn apart: what is drawn after them does not depend on how many there are.
    let draw = &mut Draw::new(draw.below(1 << 30) as u64);
    match &mut buffer {
        Buffer::F32(values) => values.iter_mut().for_each(|value| *value = draw.number() as f32),
        Buffer::F64(values) => values.iter_mut().for_each(|value| *value = draw.number()),
        Buffer::Index(values) => values.iter_mut().for_each(|value| *value = draw.below(highest.max(1)) as i64),
        Buffer::Bool(values) => values.iter_mut().for_each(|value| *value = draw.below(2) == 0),
        Buffer::Bf16(values) => values.iter_mut().for_each(|value| *value = Stored::from_f64(draw.number())),
        Buffer::Lent(_) => {}
    }
    Node::input(Value { buffer: Arc::new(buffer), offset, strides }, shape)
}

/// A random graph of about `steps` nodes.
pub(crate) fn random_graph(draw: &mut Draw, kind: Kind, steps: usize) -> Vec<Node> {
    let sizes = NAMES.map(|_| *draw.of(&[0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 11]));
    random_graph_of(draw, sizes, kind, steps)
}

/// The same with these sizes of the axes [`NAMES`].
pub(super) fn random_graph_of(draw: &mut Draw, sizes: [usize; 6], kind: Kind, steps: usize) -> Vec<Node> {
    let shape = |draw: &mut Draw| {
        let mut axes: Vec<(Name, usize)> = NAMES.iter().copied().zip(sizes.iter().copied()).collect();
        for i in (1..axes.len()).rev() {
            axes.swap(i, draw.below(i + 1));
        }
        axes.truncate(draw.below(5));
        // An empty axis makes everything empty, so it is left out most of the time.
        axes.retain(|&(_, size)| size > 0 || draw.below(4) == 0);
        Shape::new(axes)
    };
    let mut nodes: Vec<Node> = Vec::new();
    for _ in 0..3 + draw.below(3) {
        let shape = shape(draw);
        // Weights may be stored in 16 bits.
        let as_stored = if draw.below(4) == 0 { Kind::Bf16 } else { kind };
        nodes.push(stored(draw, as_stored, shape, 1).cast(kind));
    }
    for _ in 0..steps {
        let x = draw.of(&nodes).clone();
        let y = if draw.below(3) == 0 { x.clone() } else { draw.of(&nodes).clone() };
        let axes: Vec<Name> = x.shape().names().collect();
        let axis = if axes.is_empty() { NAMES[0] } else { *draw.of(&axes) };
        let size = x.shape().size(axis).unwrap_or(1);
        let node = match draw.below(34) {
            0..=3 => {
                let function =
                    *draw.of(&[Unary::Neg, Unary::Tanh, Unary::Relu, Unary::Sigmoid, Unary::Sin, Unary::Gelu]);
                x.unary(function)
            }
            4..=8 => x.binary(*draw.of(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Max, Binary::Min]), &y),
            9 => x.compare(Comparison::Lt, &y).select(&x, &y),
            10 => {
                let positions = Node::iota(axis, size);
                let last = Node::fill(Kind::Index, draw.below(4) as f64, Shape::default());
                positions.compare(Comparison::Le, &last).select(&x, &Node::fill(kind, 0.25, Shape::default()))
            }
            11 if draw.below(2) == 0 => Node::iota(axis, size).cast(kind).binary(Binary::Mul, &x),
            11 => {
                // Ones and zeros, times what may have any of their axes, summed along any of them.
                let over = shape(draw);
                let positions = stored(draw, Kind::Index, over, size + 1);
                let ones = Node::iota(axis, size).compare(Comparison::Eq, &positions).cast(kind);
                let product = ones.binary(Binary::Mul, &y);
                product.reduce(Reduction::Sum, &draw.subset(product.shape().names()))
            }
            12 | 13 => {
                let over = draw.subset(axes.iter().copied());
                x.reduce(*draw.of(&[Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::Product]), &over)
            }
            14..=18 => {
                let shared = draw.subset(axes.iter().copied().filter(|&name| y.shape().has(name)));
                let product = x.contract(&y, &shared);
                match draw.below(4) {
                    0 => product.binary(Binary::Div, &Node::fill(kind, 3.0, Shape::default())),
                    1 => Node::fill(kind, 0.5, Shape::default()).binary(Binary::Mul, &product),
                    _ => product,
                }
            }
            19 => x.softmax(&draw.subset(axes.iter().copied()), draw.below(2) == 0),
            20 => {
                let over = draw.subset(axes.iter().copied());
                match draw.below(2) {
                    0 => x.standardize(&over, 0.1),
                    _ => x.standardize_gradient(&y.filled(&x.shape().only(&over)), &over, 0.1),
                }
            }
            21 => x.rename(&[(axis, axis.freshened())]),
            22 => {
                let other = *draw.of(&NAMES);
                if x.shape().has(other) {
                    x.rename(&[(axis, other), (other, axis)])
                } else {
                    x.rename(&[(axis, other)])
                }
            }
            23 => {
                let part = *draw.of(&[1, 2, 3]);
                x.split(axis, &[(axis.freshened(), Some(part)), (axis.freshened(), None)])
            }
            24 | 25 => {
                let mut from = draw.subset(axes.iter().copied());
                if draw.below(2) == 0 {
                    from.reverse();
                }
                x.merge(&from, axis.freshened())
            }
            26 => {
                let start = draw.below(size + 1);
                x.slice(axis, start..size, 1 + draw.below(2))
            }
            27 if draw.below(3) > 0 => x.flip(axis),
            27 => x.at(axis, draw.below(size.max(1))),
            28 => x.window(axis, axis.freshened(), 1 + draw.below(3), 1),
            29 => x.pad(axis, draw.below(3), draw.below(2), 0.5),
            30 if size.is_multiple_of(2) => Node::concat_all(axis, &[&x, &y, &x]).unwrap(),
            30 => x.concat(axis, &y),
            31 => {
                let over = shape(draw);
                // One past the end at times, which is an error in both.
                let highest = if draw.below(20) == 0 { size + 1 } else { size };
                let positions = stored(draw, Kind::Index, over, highest);
                if draw.below(3) == 0 {
                    x.scatter_add(&positions, axis.freshened(), size, &draw.subset(axes.iter().copied()))
                } else {
                    x.gather(axis, &positions)
                }
            }
            32 => {
                let part = size.div_ceil(2);
                let start = Node::fill(Kind::Index, draw.below(size - part + 1) as f64, Shape::default());
                let slice = x.dynamic_slice(axis, part, &start);
                if draw.below(2) == 0 { x.dynamic_update(axis, &slice.unary(Unary::Neg), &start) } else { slice }
            }
            _ => match draw.below(10) {
                0 => x.sort(axis, draw.below(2) == 0),
                5..=8 => {
                    let order = x.argsort(axis, draw.below(2) == 0);
                    let best = if draw.below(2) == 0 { order.at(axis, 0) } else { order.slice(axis, 0..1, 1) };
                    if draw.below(2) == 0 { y.gather(axis, &best) } else { best.cast(kind) }
                }
                4 => {
                    // The diagonal outweighs every row, so no rounding matters much.
                    let other = axis.freshened();
                    let rest: Vec<Name> = axes.iter().copied().filter(|&name| name != axis).collect();
                    let one = Node::iota(axis, size).compare(Comparison::Eq, &Node::iota(other, size)).cast(kind);
                    let weight = Node::fill(kind, 2.0 * size as f64, Shape::default());
                    let product = x.contract(&x.rename(&[(axis, other)]), &rest).unary(Unary::Tanh);
                    let matrix = one.binary(Binary::Mul, &weight).binary(Binary::Add, &product);
                    match draw.below(4) {
                        0 => matrix.determinant(axis, other),
                        1 => matrix.log_determinant(axis, other),
                        _ => matrix.inverse(axis, other),
                    }
                }
                1 => x.running_sum(axis, draw.below(2) == 0),
                2 => Node::random(Distribution::Uniform { low: -1.0, high: 1.0 }, 7, kind, x.shape().clone()),
                _ => x.gather(axis, &x.argsort(axis, false)),
            },
        };
        if node.error().is_none() && node.shape().elements() <= 4000 && node.shape().rank() <= 7 && node.kind() == kind
        {
            nodes.push(node);
        }
    }
    let mut roots = vec![nodes[nodes.len() - 1].clone()];
    for _ in 0..draw.below(3) {
        roots.push(draw.of(&nodes).clone());
    }
    roots
}
