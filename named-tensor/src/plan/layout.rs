//! Layouts: where numbers lie, and in which order results had best lie.
//!
//! A view of stored numbers is a place like any other, found here without a step. A result lies in the order of its
//! largest operand; a contraction may choose, and is told by its users which axes they want fastest (its *tail*):
//! softmax the axes it sums, another contraction its summed axes side by side.
//! Not here: the steps (`lower`), the choice inside one contraction (`contract`).

use std::cmp::Reverse;

use crate::kernel::order::sort_few;
use smallvec::SmallVec;

use super::fuse::Part;
use super::numbered::{ByNumber, few};
use super::simplify::{Item, Items, Work};
use super::weighed;
use crate::axis::Name;
use crate::graph::shape::Names;
use crate::graph::value::Strides;
use crate::graph::{Op, Shape};

/// Axes by number, slowest first.
pub(super) type Order = SmallVec<[usize; 8]>;

/// Where the numbers of an item lie: one stride for each axis of its shape.
#[derive(Debug, PartialEq)]
pub(super) struct Place {
    pub(super) slot: u32,
    /// From where the numbers in the slot begin.
    pub(super) offset: usize,
    pub(super) strides: Strides,
}

impl Clone for Place {
    fn clone(&self) -> Place {
        // As one stretch: a list that is cloned is read one by one.
        Place { slot: self.slot, offset: self.offset, strides: Strides::from_slice(&self.strides) }
    }
}

impl Place {
    /// The same numbers with these axes only, in this order.
    pub(super) fn in_order<'a>(&self, order: impl IntoIterator<Item = &'a usize>) -> Place {
        let strides = few(order.into_iter().map(|&at| self.strides[at]));
        Place { slot: self.slot, offset: self.offset, strides }
    }

    /// The same numbers with these axes, in this order, of which its own have those of `shape`; along others they repeat themselves.
    pub(super) fn along<'a>(&self, names: impl IntoIterator<Item = &'a Name>, shape: &Shape) -> Place {
        let stride = |&name: &Name| shape.position(name).map_or(0, |at| self.strides[at]);
        Place { slot: self.slot, offset: self.offset, strides: few(names.into_iter().map(stride)) }
    }

    /// Goes along the axis `at`, of this size, from its other end.
    pub(super) fn turn_back(&mut self, at: usize, size: usize) {
        let (stride, last) = (self.strides[at], size.saturating_sub(1));
        self.offset = self.offset.wrapping_add_signed(stride.wrapping_mul(last as isize));
        self.strides[at] = stride.wrapping_neg();
    }
}

/// Sorts axes from the largest steps to the smallest, whichever way they go.
pub(super) fn far_first(stride: isize) -> Reverse<usize> {
    Reverse(stride.unsigned_abs())
}

/// The axes from the largest stride to the smallest.
pub(super) fn by_stride(strides: &[isize]) -> Order {
    let mut order: Order = few(0..strides.len());
    sort_few(&mut order, |&i| far_first(strides[i]));
    order
}

/// Whether the axes, in this order, are walked with the stride of the last one.
pub(super) fn is_one_run(sizes: &[usize], strides: &[isize]) -> bool {
    let mut expected = None;
    for (&size, &stride) in sizes.iter().zip(strides).rev().filter(|&(&size, _)| size != 1) {
        if expected.is_some_and(|expected| stride != expected) {
            return false;
        }
        expected = Some(stride.saturating_mul(isize::try_from(size).unwrap_or(isize::MAX)));
    }
    true
}

/// The place of a view of its first input, which lies at `of`; none if it is no view, or its numbers must move.
pub(super) fn view(item: &Item<'_>, input: &Shape, of: &Place) -> Option<Place> {
    let along = |name| input.position(name).map_or(0, |at| of.strides[at]);
    // The strides of axes that the input has as well.
    let kept = |item: &Item<'_>| -> Strides { few(item.shape.names().map(along)) };
    let op = match item.work {
        Work::Op(op) => op,
        // All results of a scan lie one after the other.
        Work::Beginning => return Some(of.clone()),
        Work::Spread => return Some(Place { slot: of.slot, offset: of.offset, strides: kept(item) }),
        _ => return None,
    };
    let set = |strides: &mut Strides, name, stride| {
        if let Some(at) = item.shape.position(name) {
            strides[at] = stride;
        }
    };
    let step = |stride: isize, step: usize| stride.saturating_mul(isize::try_from(step).unwrap_or(isize::MAX));
    // What lies backwards is counted from its first position on: the offset may be less than nothing, and wraps.
    let moved = |offset: usize, stride: isize, by: usize| offset.wrapping_add_signed(step(stride, by));
    let mut offset = of.offset;
    let strides = match op {
        Op::Rename | Op::StopGradient => Strides::from_slice(&of.strides),
        Op::Split(axis, parts) => {
            let mut strides = kept(item);
            let mut stride = along(*axis);
            for &part in parts.iter().rev() {
                set(&mut strides, part, stride);
                stride = step(stride, item.shape.size(part).unwrap_or(1).max(1));
            }
            strides
        }
        Op::Merge(parts, axis) => {
            let sizes: Order = few(parts.iter().map(|&part| input.size(part).unwrap_or(1)));
            let steps: Strides = few(parts.iter().map(|&part| along(part)));
            if !is_one_run(&sizes, &steps) {
                return None;
            }
            let mut strides = kept(item);
            // The fastest axis that is more than one position sets the step.
            let last = sizes.iter().zip(&steps).rev().find(|&(&size, _)| size != 1);
            set(&mut strides, *axis, last.map_or(0, |(_, &stride)| stride));
            strides
        }
        Op::Slice { axis, start, step: by } => {
            let mut strides = kept(item);
            // Nothing is read from an empty slice, whose start may be one past the end.
            if item.shape.elements() > 0 {
                offset = moved(offset, along(*axis), *start);
            }
            set(&mut strides, *axis, step(along(*axis), *by));
            strides
        }
        Op::At(axis, position) => {
            if item.shape.elements() > 0 {
                offset = moved(offset, along(*axis), *position);
            }
            kept(item)
        }
        Op::Flip(axis) => {
            let mut strides = kept(item);
            let last = item.shape.size(*axis).unwrap_or(0).saturating_sub(1);
            if item.shape.elements() > 0 {
                offset = moved(offset, along(*axis), last);
            }
            set(&mut strides, *axis, along(*axis).wrapping_neg());
            strides
        }
        Op::Window { axis, into, step: by } => {
            let mut strides = kept(item);
            set(&mut strides, *into, along(*axis));
            set(&mut strides, *axis, step(along(*axis), *by));
            strides
        }
        _ => return None,
    };
    Some(Place { slot: of.slot, offset, strides })
}

/// The axes that are wanted fastest, the fastest last.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    pub(super) axes: Names,
    /// Whether side by side is enough, wherever that is.
    pub(super) anywhere: bool,
    /// Where no axes are: those of an item that is read beside this one, place by place, if it has its place before.
    pub(super) like: Option<u32>,
}

impl Tail {
    /// The axis that is fastest where numbers of this shape lie.
    pub(super) fn fastest(shape: &Shape, place: &Place) -> Names {
        let mut axes = shape.iter().zip(&place.strides);
        let fastest = axes.find(|&((_, size), &stride)| size != 1 && stride == 1);
        few(fastest.map(|((name, _), _)| name))
    }
}

/// For each item, which axes its users want fastest; the user with the most work decides.
pub(super) fn tails(items: &Items<'_>, parts: &[Part], places: &ByNumber<Place>) -> ByNumber<Tail> {
    let mut wishes: ByNumber<(usize, Tail)> = ByNumber::new(items.list.len());
    for i in (0..items.list.len()).rev().filter(|&i| parts[i] != Part::Dead) {
        let item = &items.list[i];
        let own = wishes.get(&super::key::narrow(i)).cloned();
        for (which, &input) in item.inputs.iter().enumerate() {
            if let Some((work, tail)) = wish(items, places, item, which, own.as_ref())
                && (!tail.axes.is_empty() || tail.like.is_some_and(|like| like != input))
                && wishes.get(&input).is_none_or(|(other, _)| weighed::is_less(*other, work))
            {
                wishes.insert(input, (work, tail));
            }
        }
    }
    wishes.map(|(_, tail)| tail)
}

/// What `item` wants of the input `which`, given what is wanted of itself.
fn wish(
    items: &Items<'_>,
    places: &ByNumber<Place>,
    item: &Item<'_>,
    which: usize,
    own: Option<&(usize, Tail)>,
) -> Option<(usize, Tail)> {
    let input = items.item(item.inputs[which]).shape;
    // Only numbers that are read place by place hand on beside what.
    let like =
        own.and_then(|(_, tail)| tail.like).filter(|_| item.is_elementwise() && input.rank() == item.shape.rank());
    let passed = |axes: Names| own.map(|(work, tail)| (*work, Tail { axes, like, ..*tail }));
    let last = |axes: Names| Tail { axes, anywhere: false, like: None };
    let side_by_side = |axes: Names| Tail { axes, anywhere: true, like: None };
    match item.work {
        Work::Contract(axes, _) if which < 2 => {
            let work = item.shape.elements().saturating_mul(input.elements());
            // Stored numbers cannot be asked to lie otherwise, so both operands follow them.
            let stored = item.inputs[..2].iter().find_map(|input| Some((items.item(*input).shape, places.get(input)?)));
            let mut tail: Names = few(axes.iter().copied().filter(|&axis| input.size(axis) != Some(1)));
            if let Some((shape, place)) = stored {
                sort_few(&mut tail, |&name| shape.position(name).map(|at| far_first(place.strides[at])));
            }
            (tail.len() > 1).then_some((work, side_by_side(tail)))
        }
        // The scores of a row lie side by side, and so should its mask.
        Work::Attention(attention) if attention.masked && which + 1 == item.inputs.len() => {
            Some((input.elements(), last(attention.positions.clone())))
        }
        Work::AttentionGradient(gradient) if gradient.of.masked && which + 1 == item.inputs.len() => {
            Some((input.elements(), last(gradient.of.positions.clone())))
        }
        Work::Op(Op::Softmax { axes, .. } | Op::Standardize { axes, .. } | Op::StandardizeGradient { axes, .. }) => {
            Some((input.elements(), last(axes.clone())))
        }
        Work::LogSum(axes) => Some((input.elements(), last(axes.clone()))),
        // What is summed at positions are rows, of which the positions know nothing; but what windows owe follows the longer of
        // their axes, and so do their positions, if no axis beside those is wanted.
        Work::Op(Op::ScatterAdd { .. }) | Work::SumsAt(..) => {
            let positions = items.item(item.inputs[1]).shape;
            let is_counted = items.is_counted(item.inputs[1]);
            let is_beside = |name: &Name| input.has(*name) && !positions.has(*name);
            let longest = || positions.iter().reduce(|a, b| if weighed::is_less(a.1, b.1) { b } else { a });
            let tail: Names = match own.and_then(|(_, tail)| tail.axes.last().copied()).filter(is_beside) {
                Some(wanted) if is_counted && which == 0 => few([wanted]),
                _ if is_counted => few(longest().map(|(name, _)| name)),
                _ if which == 0 => few(input.names().filter(|name| is_beside(name))),
                _ => Names::new(),
            };
            (tail.len() == 1).then_some((input.elements(), last(tail)))
        }
        // Rows are copied side by side.
        Work::Chosen { summed, .. } if which == 2 => {
            let table = items.item(item.inputs[0]).shape;
            Some((input.elements(), last(few(summed.iter().copied().filter(|&name| table.has(name))))))
        }
        Work::Owed(..) if which < 2 => {
            Some((input.elements(), last(few(input.names().filter(|&name| item.shape.has(name))))))
        }
        Work::Op(Op::Rename | Op::StopGradient) => {
            let tail = few(own?.1.axes.iter().filter_map(|&name| input.names().nth(item.shape.position(name)?)));
            passed(tail)
        }
        Work::Op(Op::Split(axis, parts)) => {
            let mut tail = Names::new();
            for name in own?.1.axes.iter().map(|name| if parts.contains(name) { *axis } else { *name }) {
                if !tail.contains(&name) {
                    tail.push(name);
                }
            }
            passed(tail)
        }
        Work::Op(Op::Merge(parts, axis)) => match own {
            Some((_, tail)) if tail.axes.contains(axis) => {
                let one = |name| if name == *axis { (**parts).clone() } else { Names::from_slice(&[name]) };
                passed(tail.axes.iter().flat_map(|&name| one(name)).collect())
            }
            _ => Some((input.elements(), side_by_side((**parts).clone()))),
        },
        Work::Op(Op::Slice { .. } | Op::At(..) | Op::Flip(_)) => passed(own?.1.axes.clone()),
        _ if item.is_elementwise() && own.is_some() => {
            passed(few(own?.1.axes.iter().copied().filter(|&name| input.has(name))))
        }
        // Numbers lie as those do that are read beside them, place by place, if these are there before.
        _ if item.is_elementwise() => {
            let like = beside(items, item, which)?;
            Some((item.shape.elements(), Tail { axes: Names::new(), anywhere: false, like: Some(like) }))
        }
        _ => None,
    }
}

/// What an elementwise operation reads beside its input `which`: numbers with all axes, or else a matrix.
fn beside(items: &Items<'_>, item: &Item<'_>, which: usize) -> Option<u32> {
    let own = item.inputs[which];
    let others = || item.inputs.iter().copied().filter(|&other| other != own && !items.item(other).is_free());
    let is_whole = |other: &u32| items.item(*other).shape.rank() == item.shape.rank();
    let is_matrix = |other: &u32| items.item(*other).shape.sizes().filter(|&size| size != 1).count() > 1;
    let origin = |other: u32| origin(items, other);
    others().filter(is_whole).map(origin).find(|&other| other != own).or_else(|| others().find(is_matrix))
}

/// Operations through which the order of numbers is followed.
const FOLLOWED: usize = 8;

/// Where the order comes from in which elementwise operations have their results: from the first input with all axes.
fn origin(items: &Items<'_>, mut number: u32) -> u32 {
    for _ in 0..FOLLOWED {
        let item = items.item(number);
        let is_whole =
            |input: &&u32| items.item(**input).shape.rank() == item.shape.rank() && !items.item(**input).is_free();
        match item.inputs.iter().find(is_whole) {
            Some(&input) if item.is_elementwise() => number = input,
            _ => break,
        }
    }
    number
}
