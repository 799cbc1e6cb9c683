//! From items to steps: every item that needs numbers of its own gets a buffer and a step that fills it.
//!
//! Lives here: the walk over the items, views, and the primitives that one step does as they are. Elementwise groups
//! (`group`, `once`), contractions (`product`), functions of rows (`rows`) and what is put together (`joining`) have
//! files of their own.
//! Not here: what is fused (`fuse`), which layouts are wanted (`layout`).

mod append;
mod attention;
mod computed;
mod forwards;
mod group;
mod grouped;
mod indexing;
mod joining;
mod once;
mod pass;
mod power;
mod product;
mod relative;
mod rows;
mod scan;
mod several;
mod widen;

use smallvec::SmallVec;

use once::{Products, Programs};

use super::LARGEST_RANK;
use super::fuse::{self, Part, Places};
use super::indices;
use super::joined;
use super::key::{Trace, narrow};
use super::layout::{self, Order, Place, Tail};
use super::masks;
use super::numbered::{ByNumber, FoldSet, few};
use super::order;
use super::outer;
use super::schedule::{Action, Inputs, MatrixFunction, Piece, RowFunction, Schedule, Sizes, Slot, Step};
use super::simplify::{self, Items, Work};
use super::slices;
use super::sliding;
use super::weighed::{self, Weighed};
use crate::element::Kind;
use crate::graph::op::Reduction;
use crate::graph::value::{Strides, row_major};
use crate::graph::{Op, Shape};

/// The schedule of a graph.
pub(super) fn schedule(trace: &Trace<'_>) -> Schedule {
    // A thread that panicked while it planned may have left some.
    drop(weighed::taken());
    let mut schedule = scheduled(trace, &[], &[]);
    schedule.weighed = weighed::taken();
    schedule
}

/// The schedule of a graph whose placeholders lie with these strides. The first results, as many as there are `orders`,
/// lie without gaps in these orders of their axes.
fn scheduled(trace: &Trace<'_>, placeholders: &[Strides], orders: &[Order]) -> Schedule {
    let apart = joined::apart(trace);
    let of_parts = apart.and_then(|apart| apart.schedule(trace, |apart| as_written(apart, placeholders, orders)));
    of_parts.unwrap_or_else(|| as_written(trace, placeholders, orders))
}

/// The same, with products of what is joined as they are.
fn as_written(trace: &Trace<'_>, placeholders: &[Strides], orders: &[Order]) -> Schedule {
    let products = order::reordered(trace);
    let all = simplify::shared(trace, &products);
    let mut drafts = slices::early(&all);
    let items = match &mut drafts {
        Some(drafts) => drafts.items(&all),
        None => all,
    };
    let mut drafts = sliding::late(&items);
    let items = match &mut drafts {
        Some(drafts) => drafts.items(&items),
        None => items,
    };
    let mut drafts = masks::gathered(trace, &items);
    let items = match &mut drafts {
        Some(drafts) => drafts.items(&items),
        None => items,
    };
    let mut drafts = indices::at_once(trace, &items);
    let items = match &mut drafts {
        Some(drafts) => drafts.items(&items),
        None => items,
    };
    let mut drafts = outer::apart(&items);
    let items = match &mut drafts {
        Some(drafts) => drafts.items(&items),
        None => items,
    };
    let items = simplify::rewritten(items);
    let parts = fuse::parts(&items);
    let mut lowering = Lowering {
        trace,
        items: &items,
        parts: &parts,
        placeholders,
        places: ByNumber::new(items.list.len()),
        tails: ByNumber::new(0),
        members: ByNumber::new(items.list.len()),
        producers: ByNumber::new(items.list.len()),
        borders: joining::inside_others(&items),
        programs: Programs::default(),
        products: Products::default(),
        schedule: Schedule {
            leaves: Vec::new(),
            slots: Vec::new(),
            steps: Vec::with_capacity(steps(&items, &parts)),
            roots: SmallVec::new(),
            weighed: Weighed::new(),
        },
    };
    lowering.stored();
    lowering.tails = layout::tails(&items, &parts, &lowering.places);
    for i in 0..narrow(items.list.len()) {
        lowering.item(i);
    }
    let mut roots: SmallVec<[Place; 2]> = items.roots.iter().map(|root| lowering.places[root].clone()).collect();
    for ((&root, place), order) in items.roots.iter().zip(&mut roots).zip(orders) {
        let shape = items.item(root).shape;
        if place.strides != dense(shape, order) {
            *place = lowering.copied(root, place, &shape.sizes().collect::<Sizes>(), order);
        }
    }
    let mut schedule = lowering.schedule;
    schedule.roots = roots;
    several::joined(&mut schedule, &mut lowering.programs);
    schedule.find_dead();
    schedule
}

/// About how many steps there will be. A plan is kept for long, and its steps are most of it.
fn steps(items: &Items<'_>, parts: &[Part]) -> usize {
    use Op::{At, Flip, Rename, Slice, Split, StopGradient, Window};
    let is_step = |(i, (item, part)): (u32, (&simplify::Item<'_>, &Part))| match (part, &item.work) {
        (Part::In(group, _), _) => *group == i,
        (Part::Dead, _) | (_, Work::Leaf | Work::Constant(_) | Work::Spread) => false,
        (_, Work::Op(Rename | StopGradient | Split(..) | Slice { .. } | At(..) | Flip(_) | Window { .. })) => false,
        _ => true,
    };
    (0..).zip(items.list.iter().zip(parts)).filter(|&each| is_step(each)).count()
}

/// So many of the last steps are looked at for a copy that is wanted again.
const LOOKED_AT: usize = 16;

struct Lowering<'a, 't> {
    trace: &'a Trace<'t>,
    items: &'a Items<'a>,
    parts: &'a [Part],
    /// How each placeholder lies, in the body of a scan.
    placeholders: &'a [Strides],
    /// Where the numbers of each item lie, once they have a place.
    places: ByNumber<Place>,
    /// Which axes the users of an item want fastest.
    tails: ByNumber<Tail>,
    /// The items of each group that are not its result.
    members: ByNumber<SmallVec<[u32; 8]>>,
    /// The item that each group goes on with, and where its axes lie, if there is one.
    producers: ByNumber<(u32, Places)>,
    /// The borders that are put around together with others.
    borders: FoldSet<u32>,
    programs: Programs,
    products: Products,
    schedule: Schedule,
}

impl Lowering<'_, '_> {
    /// Gives the leaves that somebody needs, and their views, their places. Those of leaves are the first.
    fn stored(&mut self) {
        let parts = self.parts;
        let needed = || (0..narrow(parts.len())).filter(|&i| parts[i as usize] == Part::Alone);
        let mut others = SmallVec::<[u32; 16]>::new();
        for i in needed() {
            let item = self.items.item(i);
            let op = self.trace.node(item.node).op();
            // A constant may have been made of something else, whose node is not that number.
            let is_leaf = match item.work {
                Work::Leaf => true,
                Work::Constant(_) => matches!(op, Op::Fill(_)),
                _ => false,
            };
            if !is_leaf {
                others.push(i);
                continue;
            }
            let value = self.trace.value(item.node);
            let given = match op {
                Op::Placeholder(number) => self.placeholders.get(*number),
                _ => None,
            };
            let lies = value.map(|value| &value.strides).or(given);
            // A constant is one number, repeated along every axis.
            let strides =
                lies.map_or_else(|| Strides::from_elem(0, item.shape.rank()), |lies| Strides::from_slice(lies));
            let size = if lies.is_some() { item.shape.elements() } else { 1 };
            self.schedule.leaves.push(item.node);
            let slot = self.slot(item.kind, size);
            self.places.insert(i, Place { slot, offset: 0, strides });
        }
        for i in others {
            match self.items.item(i).work {
                Work::Constant(value) => self.fill(i, value),
                _ => drop(self.view(i)),
            }
        }
    }

    /// The place of a view, if it is one and its input has a place.
    fn view(&mut self, i: u32) -> bool {
        let item = self.items.item(i);
        let of = item.inputs.first().and_then(|input| Some((self.items.item(*input).shape, self.places.get(input)?)));
        match of.and_then(|(shape, place)| layout::view(item, shape, place)) {
            Some(place) => self.places.insert(i, place).is_none(),
            None => false,
        }
    }

    fn item(&mut self, i: u32) {
        match &self.parts[i as usize] {
            Part::Dead => {}
            Part::In(group, _) if *group == i => self.group(i),
            Part::In(group, _) => self.members.or_default(*group).push(i),
            Part::Before(group, places) => {
                self.producers.insert(*group, (i, places.clone()));
            }
            Part::Alone if self.places.contains_key(&i) || self.view(i) => {}
            Part::Alone => self.alone(i),
        }
    }

    /// Says which axes are wanted fastest in an item that had best lie as another one, which has its place now.
    fn follow(&mut self, i: u32) {
        let like = self.tails.get(&i).and_then(|tail| tail.like);
        if let Some((like, place)) = like.and_then(|like| Some((like, self.places.get(&like)?))) {
            let axes = Tail::fastest(self.items.item(like).shape, place);
            self.tails.insert(i, Tail { axes, anywhere: false, like: None });
        }
    }

    fn alone(&mut self, i: u32) {
        let items = self.items;
        self.follow(i);
        let item = items.item(i);
        let input = item.inputs.first().map(|&input| items.item(input));
        let ranks = item.inputs.iter().map(|&input| items.item(input).shape.rank());
        let fits = ranks.chain([item.shape.rank()]).max().is_some_and(|rank| rank <= LARGEST_RANK);
        match (&item.work, input) {
            (Work::Contract(axes, scale), _) if item.shape.rank() + axes.len() <= LARGEST_RANK => {
                self.product(i, axes, *scale);
            }
            (Work::Attention(attention), _) => self.attention(i, attention),
            (Work::AttentionGradient(gradient), _) => self.attention_gradient(i, gradient),
            _ if !fits => self.plain(i),
            _ if item.shape.elements() == 0 => self.fill(i, 0.0),
            (Work::Op(Op::Scan(scan)), _) => self.scan(i, scan),
            (Work::Op(Op::Reduce(reduction, axes)), _) => self.reduce(i, *reduction, axes),
            (Work::Sum(axes), _) => self.reduce(i, Reduction::Sum, axes),
            (Work::Op(Op::Softmax { axes, log }), _) => self.softmax(i, axes, *log),
            (Work::Op(Op::Standardize { axes, epsilon }), _) => self.standardize(i, axes, *epsilon),
            (Work::Op(Op::StandardizeGradient { axes, epsilon }), _) => self.standardize_gradient(i, axes, *epsilon),
            (Work::LogSum(axes), _) => self.log_sum(i, axes),
            (&Work::Best { axis, largest }, _) => self.best(i, axis, largest),
            (&Work::First(&Op::Sort { axis, descending }), _) => {
                self.first(i, axis, RowFunction::Sort { descending });
            }
            (&Work::First(&Op::ArgSort { axis, descending }), _) => {
                self.first(i, axis, RowFunction::ArgSort { descending });
            }
            (&Work::Op(&Op::CumulativeSum { axis, backwards }), _) if matches!(item.kind, Kind::F32 | Kind::F64) => {
                self.line(i, axis, RowFunction::CumulativeSum { backwards });
            }
            (&Work::Op(&Op::Sort { axis, descending }), _) if matches!(item.kind, Kind::F32 | Kind::F64) => {
                self.line(i, axis, RowFunction::Sort { descending });
            }
            (&Work::Op(&Op::ArgSort { axis, descending }), Some(x)) if matches!(x.kind, Kind::F32 | Kind::F64) => {
                self.line(i, axis, RowFunction::ArgSort { descending });
            }
            (&Work::Op(&Op::Determinant(a, b)), _) => self.matrix(i, MatrixFunction::Determinant, [a, b]),
            (&Work::Op(&Op::LogDeterminant(a, b)), _) => self.matrix(i, MatrixFunction::LogDeterminant, [a, b]),
            (&Work::Op(&Op::Inverse(a, b)), _) => self.matrix(i, MatrixFunction::Inverse, [a, b]),
            (Work::Op(Op::Merge(..)), _) => self.join(i),
            (&Work::Op(&Op::Pad { value, .. }), _) => self.border(i, value),
            (Work::Op(Op::Concat(axis)), _) if self.grows(i) => self.append(i, *axis),
            (Work::Op(Op::Concat(axis)), _) => self.concat(i, *axis),
            (&Work::Beside(axis), _) => self.join_beside(i, axis),
            (Work::Op(Op::Gather(axis)) | Work::RowsAt(axis), Some(table)) => {
                self.gather(i, *axis, table.shape.size(*axis).unwrap_or(0), None);
            }
            (&Work::Chosen { axis, summed, told }, _) => self.chosen(i, axis, summed, told),
            (&Work::Owed(axis, summed), _) => self.owed(i, axis, summed),
            (&Work::Relative { way, axis, told }, _) => self.relative(i, way, axis, told),
            (&Work::SumsAt(axis, over), _) => self.scatter(i, axis, over),
            (Work::Op(Op::ScatterAdd { axis, over }), _)
                if matches!(item.kind, Kind::F32 | Kind::F64)
                    && over.iter().all(|&name| items.item(item.inputs[1]).shape.has(name)) =>
            {
                self.scatter(i, *axis, over);
            }
            (Work::Op(Op::DynamicSlice(axis)), Some(whole)) => {
                let size = item.shape.size(*axis).unwrap_or(0);
                self.gather(i, *axis, whole.shape.size(*axis).map_or(0, |whole| whole + 1 - size), Some(size));
            }
            (Work::Op(Op::DynamicUpdate(axis)), _) if items.item(item.inputs[2]).shape.elements() == 1 => {
                self.update(i, *axis);
            }
            _ => self.plain(i),
        }
    }

    /// The inputs of an item, each in the order of its own shape.
    fn inputs(&self, i: u32) -> Inputs {
        self.items.item(i).inputs.iter().map(|input| self.places[input].clone()).collect()
    }

    /// A new buffer.
    fn slot(&mut self, kind: Kind, size: usize) -> u32 {
        self.schedule.slots.push(Slot { kind, size });
        narrow(self.schedule.slots.len() - 1)
    }

    /// Adds a step that fills a new buffer with the numbers of item `i`, whose axes lie in this order without gaps.
    fn step(&mut self, i: u32, order: &[usize], action: Action) {
        let item = self.items.item(i);
        let out = self.slot(item.kind, item.shape.elements());
        self.schedule.steps.push(Step::new(action, out, item.node));
        self.places.insert(i, Place { slot: out, offset: 0, strides: dense(item.shape, order) });
    }

    fn fill(&mut self, i: u32, value: f64) {
        let order: Order = (0..self.items.item(i).shape.rank()).collect();
        self.step(i, &order, Action::Fill(value));
    }

    fn plain(&mut self, i: u32) {
        let order: Order = (0..self.items.item(i).shape.rank()).collect();
        self.step(i, &order, Action::Plain { inputs: self.inputs(i) });
    }

    /// Copies the numbers at `source`, which has these sizes, into a buffer with its axes in this order, and returns where they
    /// lie now.
    fn copied(&mut self, i: u32, source: &Place, sizes: &[usize], order: &[usize]) -> Place {
        let (kind, node) = (self.schedule.slots[source.slot as usize].kind, self.items.item(i).node);
        let ordered: Sizes = few(order.iter().map(|&at| sizes[at]));
        let strides = row_major(ordered.iter().copied());
        let mut place = Place { slot: 0, offset: 0, strides: Strides::from_elem(0, sizes.len()) };
        for (&at, &stride) in order.iter().zip(&strides) {
            place.strides[at] = stride;
        }
        let source = source.in_order(order);
        let total = ordered.iter().product();
        let piece = Piece { source, sizes: ordered, offset: 0, strides };
        // What two products want in the same order is copied once, if it is not kept for long.
        let is_it = |step: &&Step| match &step.action {
            Action::Join { around: None, pieces } => matches!(&pieces[..], [known] if *known == piece),
            _ => false,
        };
        if let Some(step) = self.schedule.steps.iter().rev().take(LOOKED_AT).find(is_it) {
            place.slot = step.out;
            return place;
        }
        place.slot = self.slot(kind, total);
        let action = Action::Join { around: None, pieces: Box::new([piece]) };
        self.schedule.steps.push(Step::new(action, place.slot, node));
        place
    }
}

/// The strides, in the order of the shape, of numbers whose axes lie in this order without gaps.
pub(super) fn dense(shape: &Shape, order: &[usize]) -> Strides {
    let sizes: Sizes = few(shape.sizes());
    let mut strides: Strides = few(sizes.iter().map(|_| 0));
    let mut step = 1_isize;
    for &at in order.iter().rev() {
        strides[at] = step;
        step = step.saturating_mul(isize::try_from(sizes[at].max(1)).unwrap_or(isize::MAX));
    }
    strides
}
