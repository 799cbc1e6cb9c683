//! Positions of several axes that are indexed one after the other: they are taken at once.
//!
//! `X_{height(i), width(j)}`  for pairs of positions indexes one axis first: of what is taken there, every other position of the
//! second axis is an element too, so that far more is made than is read. It is one index of both axes as one, at the positions
//! i · |width| + j.  Likewise what it owes is summed in one table.
//! A position that leaves its axis is found as one that leaves both, and then told by the indices one after the other.
//! Lives here: which chains these are, and the items in their place. Not here: an index of one axis (`lower::indexing`).

use smallvec::{SmallVec, smallvec};

use super::LARGEST_RANK;
use super::key::{Trace, narrow};
use super::numbered::{FoldMap, FoldSet};
use super::simplify::{Items, Work};
use super::slices::{Draft, Drafts, Kept, News};
use super::weighed;
use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};

/// What is made on the way is so many times as large as what is taken.
const LARGER: usize = 2;

/// Positions beyond a table of so many are told from those in it by arithmetic that does not overflow.
const MOST: usize = 1 << 31;

/// An index of one axis, or a sum at positions of it.
struct Link<'a> {
    item: u32,
    axis: Name,
    /// What is indexed, or summed.
    of: u32,
    positions: u32,
    /// The axes that are summed away, if it is a sum.
    over: Option<&'a Names>,
}

/// Such links, from the last one to the first.
type Chain<'a> = SmallVec<[Link<'a>; 3]>;

/// The items with such chains at once; none if there are none.
pub(super) fn at_once(trace: &Trace<'_>, items: &Items<'_>) -> Option<Drafts> {
    let links: SmallVec<[u32; 8]> = (0..narrow(items.list.len())).filter(|&i| items.link(i).is_some()).collect();
    if links.len() < 2 {
        return None;
    }
    let uses = items.users_of_each();
    let mut chains: FoldMap<u32, Chain<'_>> = FoldMap::default();
    let mut inside = FoldSet::default();
    for &last in links.iter().rev().filter(|last| uses[**last as usize] > 0) {
        if let (false, Some(chain)) = (inside.contains(&last), items.chain(trace, &uses, last)) {
            inside.extend(chain.iter().map(|link| link.item));
            chains.insert(last, chain);
        }
    }
    if chains.is_empty() {
        return None;
    }
    let mut drafting = Drafting { items, list: Vec::new(), news: Vec::new(), now: Vec::new() };
    for i in 0..narrow(items.list.len()) {
        let now = match chains.get(&i) {
            Some(chain) => drafting.chain(chain),
            None => drafting.kept(i),
        };
        drafting.now.push(now);
    }
    let roots = items.roots.iter().map(|&root| drafting.now[root as usize]).collect();
    Some(Drafts { list: drafting.list, news: drafting.news, roots })
}

impl<'a> Items<'a> {
    fn link(&self, i: u32) -> Option<Link<'a>> {
        let item = self.item(i);
        let (axis, over) = match item.work {
            Work::Op(&Op::Gather(axis)) => (axis, None),
            Work::Op(Op::ScatterAdd { axis, over }) => (*axis, Some(&**over)),
            _ => return None,
        };
        Some(Link { item: i, axis, of: item.inputs[0], positions: item.inputs[1], over })
    }

    /// The chain that ends with this item; none if it is no better at once.
    fn chain(&self, trace: &Trace<'_>, uses: &[u32], last: u32) -> Option<Chain<'a>> {
        let mut chain: Chain<'a> = smallvec![self.link(last)?];
        while let Some(next) = self.link(chain[chain.len() - 1].of)
            && uses[next.item as usize] == 1
            && self.goes_on(trace, &chain, &next)
        {
            chain.push(next);
        }
        let [_, inner @ ..] = &chain[..] else { return None };
        let shape = |i: u32| self.item(i).shape;
        let (of, is_sum) = (chain[chain.len() - 1].of, chain[0].over.is_some());
        let most = inner.iter().map(|link| shape(link.item).elements()).max()?;
        let [fewer, all] = if is_sum { [of, last] } else { [last, of] }.map(|i| shape(i).elements());
        let is_few = |count: usize| count > 0 && weighed::is_less(count, MOST);
        let fits = [of, last].iter().all(|&i| shape(i).rank() < LARGEST_RANK && is_few(shape(i).elements()));
        let is_worth = || !weighed::is_less(most, fewer.saturating_mul(LARGER)) && !weighed::is_less(most, all);
        let has = |name: &Name| chain.iter().any(|link| shape(link.positions).has(*name));
        let are_summed = || chain.iter().filter_map(|link| link.over).flatten().all(has);
        let is_real = matches!(self.item(last).kind, Kind::F32 | Kind::F64);
        (fits && is_worth() && (!is_sum || is_real && are_summed())).then_some(chain)
    }

    /// Whether a link may come before those of a chain, all at once.
    fn goes_on(&self, trace: &Trace<'_>, chain: &[Link<'a>], link: &Link<'a>) -> bool {
        let shape = |i: u32| self.item(i).shape;
        // An error is told by the nodes, one after the other.
        let above = trace.node(self.item(chain[chain.len() - 1].item).node);
        let is_told = above.inputs().first().is_some_and(|node| match node.op() {
            Op::Gather(_) => link.over.is_none(),
            Op::ScatterAdd { .. } => link.over.is_some(),
            _ => false,
        });
        let is_apart = |other: &Link<'a>| match (link.over, other.over) {
            // The positions are not those of an axis that is indexed later, and do not bring it.
            (None, None) => !shape(link.positions).has(other.axis) && shape(link.of).has(other.axis),
            // What is summed first is no matter of the later positions.
            (Some(over), Some(later)) => {
                let positions = shape(other.positions);
                !over.iter().any(|&name| positions.has(name))
                    && !positions.has(link.axis)
                    && !later.contains(&link.axis)
            }
            _ => false,
        };
        is_told && chain.iter().all(|other| other.axis != link.axis && is_apart(other))
    }
}

struct Drafting<'a, 'b> {
    items: &'b Items<'a>,
    list: Vec<Draft>,
    news: Vec<News>,
    /// Where each item is now.
    now: Vec<u32>,
}

impl Drafting<'_, '_> {
    fn kept(&mut self, i: u32) -> u32 {
        let inputs = self.items.item(i).inputs.iter().map(|&input| self.now[input as usize]).collect();
        self.list.push(Draft { from: i, news: None, inputs });
        narrow(self.list.len() - 1)
    }

    fn put(&mut self, from: u32, kept: Kept, shape: Shape, inputs: &[u32]) -> u32 {
        self.news.push(News(kept, shape));
        let news = Some(narrow(self.news.len() - 1));
        self.list.push(Draft { from, news, inputs: inputs.into() });
        narrow(self.list.len() - 1)
    }

    /// All links of a chain as one; behind what it needs stand the inputs of the links, from the first to the last.
    fn chain(&mut self, chain: &[Link<'_>]) -> u32 {
        let items = self.items;
        let (last, first) = (chain[0].item, &chain[chain.len() - 1]);
        let (whole, of) = (items.item(last).shape, items.item(first.of).shape);
        let table = if chain[0].over.is_some() { whole } else { of };
        let mut links: SmallVec<[&Link<'_>; 3]> = chain.iter().collect();
        links.sort_by_key(|link| table.position(link.axis));
        let axes: Names = links.iter().map(|link| link.axis).collect();
        let sizes: SmallVec<[usize; 3]> = axes.iter().map(|&axis| table.size(axis).unwrap_or(1)).collect();
        let (one, limit) = (axes[0].freshened(), sizes.iter().product::<usize>());
        let positions = self.positions(&links, &sizes);
        let mut inputs: SmallVec<[u32; 8]> = smallvec![0, positions, self.now[first.of as usize]];
        inputs.extend(chain.iter().rev().map(|link| self.now[link.positions as usize]));
        let merged = |shape: &Shape| shape.without(&axes).with(one, limit);
        if chain[0].over.is_none() {
            let kept = Kept::Op(Op::Merge(Box::new(axes.clone()), one));
            inputs[0] = self.put(first.of, kept, merged(of), &[self.now[first.of as usize]]);
            return self.put(last, Kept::Op(Op::Gather(one)), whole.clone(), &inputs);
        }
        let over: Names = chain.iter().filter_map(|link| link.over).flatten().copied().collect();
        inputs[0] = self.now[first.of as usize];
        let sums = self.put(last, Kept::Op(Op::ScatterAdd { axis: one, over: Box::new(over) }), merged(whole), &inputs);
        self.put(last, Kept::Op(Op::Split(one, Box::new(axes))), whole.clone(), &[sums])
    }

    fn number(&mut self, from: u32, value: f64) -> u32 {
        self.put(from, Kept::Constant(value), Shape::default(), &[])
    }

    fn binary(&mut self, from: u32, function: Binary, shape: &Shape, inputs: [u32; 2]) -> u32 {
        self.put(from, Kept::Op(Op::Binary(function)), shape.clone(), &inputs)
    }

    /// The positions along several axes as positions of one,  (i · |width| + j) · |depth| + k;  those that leave an axis leave
    /// that one too.
    fn positions(&mut self, links: &[&Link<'_>], sizes: &[usize]) -> u32 {
        let limit = sizes.iter().product::<usize>();
        let mut total: Option<(u32, Shape)> = None;
        for (link, &size) in links.iter().zip(sizes) {
            let (from, at) = (link.positions, self.now[link.positions as usize]);
            let shape = &self.items.item(from).shape.clone();
            let [below, zero, one] = [-1.0, 0.0, 1.0].map(|number| self.number(from, number));
            let [last, count, all] = [size - 1, size, limit].map(|number| self.number(from, number as f64));
            let near = self.binary(from, Binary::Max, shape, [at, zero]);
            let near = self.binary(from, Binary::Min, shape, [near, last]);
            // 1 where the position is not there, and 0 where it is.
            let away = self.binary(from, Binary::Sub, shape, [at, near]);
            let away = self.binary(from, Binary::Max, shape, [away, below]);
            let away = self.binary(from, Binary::Min, shape, [away, one]);
            let away = self.binary(from, Binary::Mul, shape, [away, away]);
            let away = self.binary(from, Binary::Mul, shape, [away, all]);
            let term = self.binary(from, Binary::Add, shape, [near, away]);
            total = Some(match total {
                None => (term, shape.clone()),
                Some((sum, known)) => {
                    // They fit together: the result has the axes of both.
                    let both = known.union(shape, "+").unwrap_or_else(|_| known.clone());
                    let scaled = self.binary(from, Binary::Mul, &known, [sum, count]);
                    (self.binary(from, Binary::Add, &both, [scaled, term]), both)
                }
            });
        }
        total.map_or(0, |(total, _)| total)
    }
}
