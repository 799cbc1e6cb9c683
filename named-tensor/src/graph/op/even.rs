//! Positions that go in even steps: what is read there is a view, and not a copy.
//!
//! `X_{seq(2 * i + k)}`  are windows of X,  `X_{seq(i + 1)}`  is a slice of it,  `X_{seq(|seq| - 1 - i)}`  is X from its end
//! on. Lives here: which positions are such, whatever
//! arithmetic made them of counted positions and constants, and the view. It is taken only if every position is there: an
//! index that leaves its axis stays one, which says so at evaluation.
//! Not here: all other positions (`indexing`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::{Node, Op, Shape};

/// Operations of an arithmetic that are looked through, one below the other.
const DEPTH: usize = 12;
/// Numbers below it are exact in all kinds that positions are computed in.
const EXACT: i64 = 1 << 24;

/// `start + Σ step · position along axis`.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) start: i64,
    pub(super) along: SmallVec<[(Name, i64); 3]>,
}

impl Node {
    /// The elements of this table at `positions` of `axis`: a view where they go in even steps, and else
    /// [`gather`](Node::gather).
    #[must_use]
    #[track_caller]
    pub fn indexed(&self, axis: Name, positions: &Node) -> Node {
        match self.at_even_steps(axis, positions) {
            Some(view) => view,
            None => self.gather(axis, positions),
        }
    }

    #[track_caller]
    fn at_even_steps(&self, axis: Name, positions: &Node) -> Option<Node> {
        let shape = positions.shape();
        if positions.kind() != Kind::Index || [self, positions].iter().any(|node| node.error().is_some()) {
            return None;
        }
        self.at_steps(axis, &Steps::of(positions, DEPTH)?, shape)
    }

    /// The view of the elements of `axis` in these steps along the axes of `shape`, if there is one and all are there.
    #[track_caller]
    pub(super) fn at_steps(&self, axis: Name, steps: &Steps, shape: &Shape) -> Option<Node> {
        let size = self.shape().size(axis)?;
        let is_free = |name: Name| name == axis || !self.shape().has(name);
        let is_going = steps.along.iter().all(|&(_, step)| step != 0);
        if !is_going || steps.along.len() != shape.rank() || !shape.names().all(is_free) {
            return None;
        }
        let [first, last] = steps.range(shape)?.map(|end| usize::try_from(end).ok());
        let (first, last) = (first?, last.filter(|&last| last < size)?);
        let mut along = steps.along.clone();
        // What goes in the larger steps is which window, what goes in the smaller ones is where in it.
        along.sort_by_key(|&(name, step)| (step.abs(), shape.size(name)));
        let far = |step: i64| usize::try_from(step.abs()).ok();
        let mut sized = along.iter().map(|&(name, step)| Some((name, shape.size(name)?, far(step)?)));
        let (lesser, greater) = (sized.next().flatten(), sized.next().flatten());
        let view = match (lesser, greater) {
            (None, _) => self.at(axis, first),
            (Some((name, _, step)), None) => self.stretch(axis, first, last, step).rename(&[(axis, name)]),
            (Some((within, count, step)), Some((which, _, apart))) if along.len() == 2 => {
                let reach = (count - 1) * step;
                let stretch = self.stretch(axis, first, last, 1).rename(&[(axis, which)]);
                stretch.window(which, within, reach + 1, apart).stretch(within, 0, reach, step)
            }
            _ => return None,
        };
        let backwards = along.iter().filter(|&&(_, step)| step < 0);
        Some(backwards.fold(view, |view, &(name, _)| view.flip(name)))
    }

    /// Every `step`-th position from the first one to the last one.
    #[track_caller]
    fn stretch(&self, axis: Name, first: usize, last: usize, step: usize) -> Node {
        match self.shape().size(axis) {
            Some(size) if (first, last + 1, step) == (0, size, 1) => self.clone(),
            _ => self.slice(axis, first..last + 1, step),
        }
    }
}

impl Steps {
    /// The steps that these positions go in, if they do.
    pub(super) fn of(node: &Node, depth: usize) -> Option<Steps> {
        let depth = depth.checked_sub(1)?;
        if !matches!(node.kind(), Kind::Index | Kind::F32 | Kind::F64) {
            return None;
        }
        let steps = match (node.op(), node.inputs()) {
            (&Op::Fill(value), [])
                if value.fract() == 0.0 && value.abs() < EXACT as f64 && node.shape().rank() == 0 =>
            {
                Steps { start: value as i64, along: SmallVec::new() }
            }
            (Op::Iota, []) => Steps { start: 0, along: node.shape().names().map(|axis| (axis, 1)).collect() },
            (Op::Cast, [x]) => Steps::of(x, depth)?,
            (Op::Rename, [x]) => {
                let Steps { start, along } = Steps::of(x, depth)?;
                let renamed = |(name, step)| Some((node.shape().names().nth(x.shape().position(name)?)?, step));
                Steps { start, along: along.into_iter().map(renamed).collect::<Option<_>>()? }
            }
            (Op::Binary(Binary::Add), [x, y]) => Steps::of(x, depth)?.plus(Steps::of(y, depth)?, 1),
            (Op::Binary(Binary::Sub), [x, y]) => Steps::of(x, depth)?.plus(Steps::of(y, depth)?, -1),
            (Op::Binary(Binary::Mul), [x, y]) => {
                let (x, y) = (Steps::of(x, depth)?, Steps::of(y, depth)?);
                let (many, by) = if x.along.is_empty() { (y, x) } else { (x, y) };
                if !by.along.is_empty() {
                    return None;
                }
                Steps::default().plus(many, by.start)
            }
            _ => return None,
        };
        // What is not exact is rounded somewhere on its way, and may not be even.
        let range = steps.range(node.shape())?;
        let all = range.into_iter().chain(steps.along.iter().map(|&(_, step)| step));
        all.into_iter().all(|number| number.abs() < EXACT).then_some(steps)
    }

    /// The sum of these and of so many times others.
    pub(super) fn plus(mut self, others: Steps, times: i64) -> Steps {
        self.start += times * others.start;
        for (name, step) in others.along {
            match self.along.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known += times * step,
                None => self.along.push((name, times * step)),
            }
        }
        self
    }

    /// The same from another start on.
    pub(super) fn moved(self, by: i64) -> Steps {
        Steps { start: self.start + by, ..self }
    }

    /// The least and the greatest position, if there is any.
    pub(super) fn range(&self, shape: &Shape) -> Option<[i64; 2]> {
        let mut range = [self.start; 2];
        for &(name, step) in &self.along {
            let last = i64::try_from(shape.size(name)?.checked_sub(1)?).ok()?;
            let reach = step.checked_mul(last)?;
            range[usize::from(reach > 0)] += reach;
        }
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::{A, B, C, D, counting, error, read, tensor};

    fn number(kind: Kind, value: f64) -> Node {
        Node::fill(kind, value, Shape::default())
    }

    /// `start + Σ step · position`, computed in this kind.
    fn positions(kind: Kind, start: f64, along: &[(Name, usize, f64)]) -> Node {
        let steps = along
            .iter()
            .map(|&(name, size, step)| Node::iota(name, size).cast(kind).binary(Binary::Mul, &number(kind, step)));
        steps.fold(number(kind, start), |sum, more| sum.binary(Binary::Add, &more)).cast(Kind::Index)
    }

    /// Whether the index of `axis` is a view; its numbers are those of an index either way.
    #[track_caller]
    fn is_view(x: &Node, axis: Name, positions: &Node) -> bool {
        let (found, plain) = (x.indexed(axis, positions), x.gather(axis, positions));
        let rest = found.binary(Binary::Sub, &plain);
        assert_eq!(rest.shape().rank(), plain.shape().rank(), "{:?}", found.shape());
        assert!(read(&rest).iter().all(|&rest: &f64| rest == 0.0), "{:?}", plain.shape());
        !matches!(found.op(), Op::Gather(_))
    }

    const KINDS: [Kind; 3] = [Kind::Index, Kind::F32, Kind::F64];

    #[test]
    fn positions_in_even_steps_are_slices_and_windows() {
        let x = counting(&[(A, 23), (B, 2)]);
        for kind in KINDS {
            for (start, along) in [
                (5.0, &[][..]),
                (0.0, &[(A, 23, 1.0)]),
                (3.0, &[(A, 20, 1.0)]),
                (1.0, &[(C, 8, 3.0)]),
                (0.0, &[(A, 21, 1.0), (C, 3, 1.0)]),
                (2.0, &[(A, 9, 2.0), (C, 5, 1.0)]),
                (2.0, &[(C, 9, 2.0), (A, 5, 1.0)]),
                (0.0, &[(C, 17, 1.0), (D, 4, 2.0)]),
                (1.0, &[(C, 4, 3.0), (D, 4, 2.0)]),
                (22.0, &[(C, 1, 7.0), (D, 1, 7.0)]),
                (22.0, &[(A, 23, -1.0)]),
                (20.0, &[(C, 5, -2.0)]),
                (4.0, &[(C, 19, 1.0), (D, 5, -1.0)]),
                (22.0, &[(A, 9, -2.0), (C, 5, -1.0)]),
                (10.0, &[(A, 5, -2.0), (C, 4, 3.0)]),
            ] {
                assert!(is_view(&x, A, &positions(kind, start, along)), "{kind:?}: {start}, {along:?}");
            }
        }
        let lies = Node::iota(C, 4).rename(&[(C, D)]).binary(Binary::Add, &number(Kind::Index, 3.0));
        let lies = number(Kind::Index, 20.0).binary(Binary::Sub, &number(Kind::Index, 15.0)).binary(Binary::Add, &lies);
        assert!(is_view(&x, A, &lies), "under another name, and behind a difference");
    }

    #[test]
    fn other_positions_are_an_index() {
        let x = counting(&[(A, 23), (B, 2)]);
        for (start, along) in [
            (0.0, &[(C, 5, 0.5)][..]),
            (0.0, &[(C, 5, 0.0)]),
            (0.0, &[(B, 2, 3.0)]),
            (0.0, &[(B, 2, 3.0), (C, 2, 1.0)]),
            (0.0, &[(C, 3, 1.0), (D, 3, 1.0), (A, 3, 1.0)]),
            (0.0, &[(C, 0, 1.0)]),
        ] {
            assert!(!is_view(&x, A, &positions(Kind::F64, start, along)), "{start}, {along:?}");
        }
        let chosen = tensor(&[(C, 3)], &[0_i64, 1, 2]);
        assert!(!is_view(&x, A, &chosen), "stored positions");
        let square = Node::iota(C, 4).binary(Binary::Mul, &Node::iota(C, 4));
        assert!(!is_view(&x, A, &square), "squares");
        let each = Node::fill(Kind::Index, 3.0, Shape::new([(C, 4)]));
        assert!(!is_view(&x, A, &each), "the same again and again");
    }

    #[test]
    fn positions_that_leave_their_axis_are_told_as_those_of_an_index() {
        let x = counting(&[(A, 23)]);
        for (start, step) in [(3.0, 1.0), (-1.0, 1.0), (0.0, 2.0)] {
            let of = positions(Kind::Index, start, &[(A, 21, step)]);
            let (index, plain, line) = (x.indexed(A, &of), x.gather(A, &of), line!());
            let [index, plain] = [index, plain].map(|node| error(&node));
            let places = [&index, &plain].map(|error| error.place().map(|place| place.line()));
            assert_eq!(places, [Some(line); 2]);
            let [index, plain] = [index, plain].map(|error| error.to_string());
            assert_eq!(index.split(", at").next(), plain.split(", at").next(), "{start} {step}");
        }
    }

    #[test]
    fn large_steps_and_long_arithmetic_do_not_overflow() {
        let x = counting(&[(A, 3)]);
        let mut far = Node::iota(C, 1);
        for _ in 0..10 {
            far = far.binary(Binary::Mul, &number(Kind::Index, 16_000_000.0));
        }
        assert!(!is_view(&x, A, &far), "a step that has no number");
        let mut long = Node::iota(C, 3);
        for _ in 0..200_000 {
            long = long.binary(Binary::Add, &number(Kind::Index, 0.0));
        }
        assert!(!is_view(&x, A, &long), "a long chain");
    }
}
