//! Slices are taken early: where only some positions are read, the others are not computed.
//!
//! Taking positions of an axis commutes with whatever does not mix them: elementwise functions, functions of other axes,
//! contractions over others. So an item whose users all take the same positions of it is computed at these positions
//! alone, and asks its inputs for no more. The scores after the last word of a text need one row of the last layer.
//! Lives here: who asks for which positions, and the items for that. Each is what its node is, at some positions.
//! Not here: a slice of stored numbers, which is a view (`layout`).

use smallvec::SmallVec;

use super::LARGEST_RANK;
use super::key::narrow;
use super::numbered::{FoldMap, few};
use super::simplify::{Item, Items, Scale, Work};

use crate::axis::Name;
use crate::element::Binary;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};

/// Some positions of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Slice {
    axis: Name,
    start: usize,
    /// How many, and how far apart; none for one position, whose axis is gone.
    many: Option<(usize, usize)>,
}

/// What the users of an item read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Demand {
    Nothing,
    Some(Slice),
    Everything,
}

/// An item as it will be. Most are what they were.
#[derive(Debug)]
pub(super) struct Draft {
    /// The item that it was, or in whose place it stands.
    pub(super) from: u32,
    /// What is new about it, by number.
    pub(super) news: Option<u32>,
    pub(super) inputs: SmallVec<[u32; 3]>,
}

/// What is new about an item: its work, its shape.
#[derive(Debug)]
pub(super) struct News(pub(super) Kept, pub(super) Shape);

#[derive(Debug)]
pub(super) enum Kept {
    /// It does what it did.
    Work,
    /// It is one number.
    Constant(f64),
    /// It does something else with its inputs, as to take a slice.
    Op(Op),
    /// It is the contraction of its inputs over these axes.
    Contract(Names),
}

impl Kept {
    /// The product of two, summed over these axes.
    pub(super) fn product(summed: Names) -> Kept {
        if summed.is_empty() { Kept::Op(Op::Binary(Binary::Mul)) } else { Kept::Contract(summed) }
    }
}

/// Items as they will be.
#[derive(Debug)]
pub(super) struct Drafts {
    pub(super) list: Vec<Draft>,
    pub(super) news: Vec<News>,
    pub(super) roots: SmallVec<[u32; 4]>,
}

impl Drafts {
    /// These items, made of those that were.
    pub(super) fn items<'a>(&'a mut self, were: &Items<'a>) -> Items<'a> {
        let Drafts { list, news, roots } = self;
        let item = |Draft { from, news: at, inputs }: Draft| {
            let was = were.item(from);
            let (work, shape) = match at.map(|at| &news[at as usize]) {
                None => (was.work, was.shape),
                Some(News(Kept::Work, shape)) => (was.work, shape),
                Some(News(Kept::Constant(number), shape)) => (Work::Constant(*number), shape),
                Some(News(Kept::Op(op), shape)) => (Work::Op(op), shape),
                Some(News(Kept::Contract(axes), shape)) => (Work::Contract(axes, Scale::None), shape),
            };
            Item { work, inputs, shape, kind: was.kind, node: was.node }
        };
        Items { list: list.drain(..).map(item).collect(), roots: std::mem::take(roots), uses: Vec::new() }
    }
}

/// The items with all slices taken early; none if nothing changes.
pub(super) fn early(items: &Items<'_>) -> Option<Drafts> {
    let demands = demands(items)?;
    // Slices come to the items that there are.
    let room = items.list.len() + items.list.len() / 8;
    let (list, now) = (Vec::with_capacity(room), Vec::with_capacity(items.list.len()));
    let mut drafting = Drafting { items, demands, list, news: Vec::new(), now, sliced: FoldMap::default() };
    for i in 0..narrow(items.list.len()) {
        let now = drafting.item(i);
        drafting.now.push(now);
    }
    let roots = items.roots.iter().map(|&root| drafting.now[root as usize]).collect();
    Some(Drafts { list: drafting.list, news: drafting.news, roots })
}

/// What is read of each item; none if no item is asked for less than it has and can give less.
fn demands(items: &Items<'_>) -> Option<Vec<Demand>> {
    let mut demands = vec![Demand::Nothing; items.list.len()];
    let mut is_less = false;
    items.roots.iter().for_each(|&root| demands[root as usize] = Demand::Everything);
    // Users stand behind what they use.
    for i in (0..items.list.len()).rev() {
        let (item, wanted) = (&items.list[i], demands[i]);
        let mut ask = |input: u32, more: Demand| {
            let demand = &mut demands[input as usize];
            *demand = if *demand == Demand::Nothing || *demand == more { more } else { Demand::Everything };
        };
        match (wanted, Slice::of(items, item)) {
            (Demand::Nothing, _) => {}
            (_, Some(slice)) => ask(item.inputs[0], Demand::Some(slice)),
            (Demand::Some(slice), None) if commutes(items, item, slice) => {
                is_less = true;
                for &input in &item.inputs {
                    let some = slice.of_input(item, items.item(input).shape);
                    ask(input, some.map_or(Demand::Everything, Demand::Some));
                }
            }
            _ => item.inputs.iter().for_each(|&input| ask(input, Demand::Everything)),
        }
    }
    is_less.then_some(demands)
}

/// Whether an item, at some positions of one of its axes, is the same of its inputs at these positions.
fn commutes(items: &Items<'_>, item: &Item<'_>, slice: Slice) -> bool {
    use Op::{
        Binary, Cast, Compare, Concat, Flip, Merge, Reduce, Rename, Select, Softmax, Split, Standardize,
        StandardizeGradient, Unary,
    };
    let (axis, ranks) = (slice.axis, item.inputs.iter().map(|&input| items.item(input).shape.rank()));
    // What has more axes is evaluated as its node says.
    let rank = ranks.max().unwrap_or(0).max(item.shape.rank());
    match item.work {
        Work::Contract(axes, _) => item.shape.rank() + axes.len() <= LARGEST_RANK,
        Work::Constant(_) => true,
        Work::Op(Op::Iota) => slice.many.is_none(),
        Work::Op(_) if rank > LARGEST_RANK => false,
        Work::Op(Unary(_) | Binary(_) | Compare(_) | Select | Cast | Rename | Op::StopGradient | Reduce(..)) => true,
        Work::Op(Softmax { axes, .. } | Standardize { axes, .. } | StandardizeGradient { axes, .. }) => {
            !axes.contains(&axis)
        }
        Work::Op(Concat(along)) => *along != axis,
        Work::Op(Split(_, parts)) => !parts.contains(&axis),
        Work::Op(Merge(_, into)) => *into != axis,
        Work::Op(Flip(along)) => *along != axis,
        _ => false,
    }
}

impl Slice {
    /// The slice that an item is, if it has fewer positions than its input: without that nothing is gained.
    fn of(items: &Items<'_>, item: &Item<'_>) -> Option<Slice> {
        let is_less = |axis| items.item(item.inputs[0]).shape.size(axis) != Some(1);
        match item.work {
            Work::Op(&Op::At(axis, start)) if is_less(axis) => Some(Slice { axis, start, many: None }),
            Work::Op(&Op::Slice { axis, start, step }) if is_less(axis) => {
                Some(Slice { axis, start, many: Some((item.shape.size(axis)?, step)) })
            }
            _ => None,
        }
    }

    /// The slice of an input of `item` that is needed for this one of the item; none if it has all of the input.
    fn of_input(self, item: &Item<'_>, input: &Shape) -> Option<Slice> {
        let axis = match item.work {
            // The new names stand in the order of the old ones.
            Work::Op(Op::Rename) => input.names().nth(item.shape.position(self.axis)?)?,
            _ => self.axis,
        };
        input.has(axis).then_some(Slice { axis, ..self })
    }

    fn op(self) -> Op {
        match self.many {
            None => Op::At(self.axis, self.start),
            Some((_, step)) => Op::Slice { axis: self.axis, start: self.start, step },
        }
    }

    fn shape(self, whole: &Shape) -> Shape {
        match self.many {
            None => whole.without(&[self.axis]),
            Some((size, _)) => whole.replaced(self.axis, &[(self.axis, size)]),
        }
    }
}

struct Drafting<'a, 'b> {
    items: &'b Items<'a>,
    demands: Vec<Demand>,
    list: Vec<Draft>,
    news: Vec<News>,
    /// Where each item is now: whole, or the slice that is asked for.
    now: Vec<u32>,
    /// The slices of whole items that only some users ask for.
    sliced: FoldMap<(u32, Slice), u32>,
}

impl Drafting<'_, '_> {
    fn add(&mut self, from: u32, inputs: SmallVec<[u32; 3]>, news: Option<News>) -> u32 {
        let news = news.map(|news| {
            self.news.push(news);
            narrow(self.news.len() - 1)
        });
        self.list.push(Draft { from, news, inputs });
        narrow(self.list.len() - 1)
    }

    /// Drafts an item as it is asked for.
    fn item(&mut self, i: u32) -> u32 {
        let items = self.items;
        let item = items.item(i);
        match (self.demands[i as usize], Slice::of(items, item)) {
            (Demand::Nothing, _) => u32::MAX,
            // Its input is this slice already.
            (wanted, Some(slice)) if self.demands[item.inputs[0] as usize] == Demand::Some(slice) => {
                self.cut(i, self.now[item.inputs[0] as usize], wanted)
            }
            (Demand::Some(slice), None) if commutes(items, item, slice) => {
                let inputs = few(item.inputs.iter().map(|&input| self.input(item, input, slice)));
                let work = match item.work {
                    Work::Op(Op::Iota) => Kept::Constant(slice.start as f64),
                    _ => Kept::Work,
                };
                self.add(i, inputs, Some(News(work, slice.shape(item.shape))))
            }
            (wanted, _) => {
                let inputs = few(item.inputs.iter().map(|&input| self.now[input as usize]));
                let whole = self.add(i, inputs, None);
                self.cut(i, whole, wanted)
            }
        }
    }

    /// The input of an item of which only `slice` is needed.
    fn input(&mut self, item: &Item<'_>, input: u32, slice: Slice) -> u32 {
        let now = self.now[input as usize];
        match slice.of_input(item, self.items.item(input).shape) {
            Some(slice) if self.demands[input as usize] != Demand::Some(slice) => self.slice(input, now, slice),
            _ => now,
        }
    }

    /// What is wanted of item `i`, which stands at `whole`.
    fn cut(&mut self, i: u32, whole: u32, wanted: Demand) -> u32 {
        match wanted {
            Demand::Some(slice) => self.slice(i, whole, slice),
            _ => whole,
        }
    }

    /// A slice of item `i`, which stands at `whole`; the same one for all who ask.
    fn slice(&mut self, i: u32, whole: u32, slice: Slice) -> u32 {
        if let Some(&known) = self.sliced.get(&(whole, slice)) {
            return known;
        }
        let (inputs, shape) = (SmallVec::from_slice(&[whole]), slice.shape(self.items.item(i).shape));
        let made = self.add(i, inputs, Some(News(Kept::Op(slice.op()), shape)));
        self.sliced.insert((whole, slice), made);
        made
    }
}
