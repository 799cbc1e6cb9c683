//! Windows are taken late: what does not mix their positions is computed before, once for each number.
//!
//! A number of a picture is in as many windows as a window has positions. A function of each number of the windows is the
//! windows of that function, and a sum over other axes the windows of that sum: a sum over windows along two axes is one
//! along the first, and then one along the second, which adds `n + m` numbers instead of `n · m`.
//! Lives here: what is computed before windows are taken, and the items for that. Not here: windows of stored numbers,
//! which are views (`layout`), products of windows and weights (`windows`).

use smallvec::{SmallVec, smallvec};

use super::key::narrow;
use super::numbered::few;
use super::simplify::{Items, Scale, Work};
use super::slices::{Draft, Drafts, Kept, News};
use super::weighed;
use crate::axis::Name;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};

/// So many times as many numbers as are computed in their place windows have, and more.
const REPAID: usize = 2;

/// Windows along an axis, of so many positions, so far apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    axis: Name,
    into: Name,
    size: usize,
    step: usize,
}

/// What an item is: windows of a draft, those that are taken last at the end.
#[derive(Clone, Debug)]
struct Late {
    of: u32,
    shape: Shape,
    windows: SmallVec<[Window; 2]>,
}

struct Drafting<'a> {
    items: &'a Items<'a>,
    list: Vec<Draft>,
    news: Vec<News>,
    now: Vec<Late>,
    /// Whether something is computed before windows are taken that was not.
    is_new: bool,
}

/// The items with all windows taken late; none if nothing changes.
pub(super) fn late(items: &Items<'_>) -> Option<Drafts> {
    items.list.iter().find(|item| matches!(item.work, Work::Op(Op::Window { .. })))?;
    let (list, now) = (Vec::with_capacity(items.list.len()), Vec::with_capacity(items.list.len()));
    let mut drafting = Drafting { items, list, news: Vec::new(), now, is_new: false };
    for i in 0..narrow(items.list.len()) {
        let now = drafting.item(i);
        drafting.now.push(now);
    }
    let roots = items.roots.iter().map(|&root| drafting.taken(root)).collect();
    drafting.is_new.then_some(Drafts { list: drafting.list, news: drafting.news, roots })
}

impl Window {
    /// The shape of windows of this shape.
    fn shape(&self, of: &Shape) -> Shape {
        let left = of.size(self.axis).and_then(|whole| whole.checked_sub(self.size));
        let many = left.map_or(0, |left| left / self.step + 1);
        of.replaced(self.axis, &[(self.axis, many), (self.into, self.size)])
    }
}

impl Late {
    fn of(of: u32, shape: &Shape) -> Late {
        Late { of, shape: shape.clone(), windows: SmallVec::new() }
    }

    /// The shape once all windows are taken but the last ones.
    fn shape_without(&self, last: usize) -> Shape {
        let first = &self.windows[..self.windows.len() - last];
        first.iter().fold(self.shape.clone(), |shape, window| window.shape(&shape))
    }
}

impl<'a> Drafting<'a> {
    fn put(&mut self, from: u32, kept: Kept, shape: &Shape, inputs: SmallVec<[u32; 3]>) -> u32 {
        self.list.push(Draft { from, news: Some(narrow(self.news.len())), inputs });
        self.news.push(News(kept, shape.clone()));
        narrow(self.list.len() - 1)
    }

    /// What an item is now.
    fn item(&mut self, i: u32) -> Late {
        let item = self.items.item(i);
        let late = match (&item.work, &item.inputs[..]) {
            (&Work::Op(&Op::Window { axis, into, step }), &[of]) => {
                let mut late = self.now[of as usize].clone();
                late.windows.push(Window { axis, into, size: item.shape.size(into).unwrap_or(1), step });
                return late;
            }
            (Work::Op(Op::Reduce(reduction, axes)), &[of]) => self.reduced(i, *reduction, axes, of),
            (Work::Contract(axes, Scale::None), _) => self.before(i, axes),
            (Work::Op(_), [_, ..]) if item.is_elementwise() => self.before(i, &Names::new()),
            _ => None,
        };
        if let Some(late) = late {
            self.is_new = true;
            if late.windows.is_empty() {
                self.ends(i);
            }
            return late;
        }
        let inputs = few(item.inputs.iter().map(|&input| self.taken(input)));
        self.list.push(Draft { from: i, news: None, inputs });
        Late::of(narrow(self.list.len() - 1), item.shape)
    }

    /// Says that the last draft is this item, whose axes are in another order perhaps.
    fn ends(&mut self, i: u32) {
        if let Some(News(_, shape)) = self.news.last_mut() {
            *shape = self.items.item(i).shape.clone();
        }
    }

    /// The draft of an item, all windows taken.
    fn taken(&mut self, i: u32) -> u32 {
        let late = self.now[i as usize].clone();
        if !late.windows.is_empty() {
            let of = self.without(i, &late, 0);
            self.ends(i);
            self.now[i as usize] = Late::of(of, self.items.item(i).shape);
        }
        self.now[i as usize].of
    }

    /// The draft with all windows taken but the last ones.
    fn without(&mut self, from: u32, late: &Late, last: usize) -> u32 {
        let (mut of, mut shape) = (late.of, late.shape.clone());
        for window in &late.windows[..late.windows.len() - last] {
            let Window { axis, into, step, .. } = *window;
            shape = window.shape(&shape);
            of = self.put(from, Kept::Op(Op::Window { axis, into, step }), &shape, smallvec![of]);
        }
        of
    }

    /// A function of each number, or a contraction over these axes, computed before the last windows: those that its inputs
    /// have in common, of which the others have no axis.
    fn before(&mut self, i: u32, summed: &Names) -> Option<Late> {
        let (items, item) = (self.items, self.items.item(i));
        let all: SmallVec<[Late; 3]> = item.inputs.iter().map(|&input| self.now[input as usize].clone()).collect();
        let most = all.iter().max_by_key(|late| late.windows.len())?;
        let fits = |last: &[Window], (late, &input): (&Late, &u32)| {
            let has = |name: Name| items.item(input).shape.has(name);
            late.windows.ends_with(last) || !last.iter().any(|window| has(window.axis) || has(window.into))
        };
        let last = (0..most.windows.len()).map(|first| &most.windows[first..]).find(|last| {
            all.iter().zip(&item.inputs).all(|input| fits(last, input))
                && !last.iter().any(|window| summed.contains(&window.axis))
        })?;
        let left = |late: &Late| if late.windows.ends_with(last) { last.len() } else { 0 };
        let shapes: SmallVec<[Shape; 3]> = all.iter().map(|late| late.shape_without(left(late))).collect();
        let (own, inner): (Names, Names) =
            summed.iter().copied().partition(|&name| shapes.iter().all(|shape| shape.has(name)));
        let axes = shapes.iter().flat_map(Shape::iter);
        let whole =
            axes.fold(Shape::default(), |all, (name, size)| if all.has(name) { all } else { all.with(name, size) });
        let size =
            |all: usize, &name: &Name| all.saturating_mul(items.item(item.inputs[0]).shape.size(name).unwrap_or(1));
        let written = summed.iter().fold(item.shape.elements(), size);
        if !is_repaid(written, whole.elements()) {
            return None;
        }
        let mut inputs = SmallVec::new();
        for (late, &input) in all.iter().zip(&item.inputs) {
            inputs.push(if left(late) == 0 { self.taken(input) } else { self.without(input, late, left(late)) });
        }
        let kept = match item.work {
            Work::Op(op) => Kept::Op(op.clone()),
            _ => Kept::product(own.clone()),
        };
        let shape = whole.without(&own);
        let of = self.put(i, kept, &shape, inputs);
        let late = Late { of, shape, windows: last.into() };
        Some(self.summed(i, Reduction::Sum, late, &inner))
    }

    /// A sum, or the largest, of windows, over other axes before these are taken.
    fn reduced(&mut self, i: u32, reduction: Reduction, axes: &Names, of: u32) -> Option<Late> {
        let late = self.now[of as usize].clone();
        let window = late.windows.last()?;
        let is_apart = axes.iter().any(|&axis| axis != window.into) && !axes.contains(&window.axis);
        if !is_apart || !is_repaid(self.items.item(of).shape.elements(), late.shape_without(1).elements()) {
            return None;
        }
        Some(self.summed(i, reduction, late, axes))
    }

    /// The sum over some axes, of which the windows that come last have none, and then those inside of these.
    fn summed(&mut self, i: u32, reduction: Reduction, mut late: Late, axes: &Names) -> Late {
        if axes.is_empty() {
            return late;
        }
        // Inside of the last windows, if these have none of the other axes.
        let mut own = axes.clone();
        if let Some(&window) = late.windows.last()
            && !axes.contains(&window.axis)
        {
            own.retain(|name| *name == window.into);
            let inner = axes.iter().filter(|name| **name != window.into).copied().collect();
            late.windows.pop();
            late = self.summed(i, reduction, late, &inner);
            late.windows.push(window);
            if own.is_empty() {
                return late;
            }
        }
        let (whole, of) = (late.shape_without(0), self.without(i, &late, 0));
        let shape = whole.without(&own);
        Late::of(self.put(i, Kept::Op(Op::Reduce(reduction, own)), &shape, smallvec![of]), &shape)
    }
}

/// Whether windows of so many numbers are worth what is computed before them.
fn is_repaid(windows: usize, before: usize) -> bool {
    weighed::is_less(before.saturating_mul(REPAID), windows)
}
