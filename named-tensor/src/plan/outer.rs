//! Outer products that are far larger than their factors, and are contracted: a factor is contracted first.
//!
//! What one example owes a matrix has the axes of what goes in and of what is owed, `x d`, and a weighed sum of many is
//! `Σ_batch x·d·s`, the product of two matrices, `x` and `d·s`. Summed as it is written it would be read, which takes ten times
//! as long, and be written for that, though what else it is needed for, as its length, makes it on the way.
//! Lives here: which contractions these are, and the items in their place. Not here: the order of several contractions (`order`).

use smallvec::{SmallVec, smallvec};

use super::LARGEST_RANK;
use super::key::narrow;
use super::numbered::few;
use super::simplify::{Item, Items, Scale, Work};
use super::slices::{Draft, Drafts, Kept, News};
use super::weighed;
use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};

/// Numbers from which on an outer product is large. Less in tests, so that they come here too.
const LARGE: usize = if cfg!(test) { 24 } else { 64 * 1024 };
/// How many times as large as what is read and made in its place it is at least.
const REPAID: usize = 4;

/// A factor of an outer product, under the names that the contraction knows.
struct Factor {
    item: u32,
    shape: Shape,
}

/// What a contraction becomes: the factor `first` with what the product is contracted with, then that with the other one.
struct Apart {
    first: Factor,
    second: Factor,
    with: u32,
    /// What the two contractions sum, and the axes between them.
    summed: [Names; 2],
    between: Shape,
}

/// The items with such contractions made of two; none if nothing changes.
pub(super) fn apart(items: &Items<'_>) -> Option<Drafts> {
    let found = |i: u32| Some((i, items.taken_apart(i)?));
    let mut all = (0..narrow(items.list.len())).filter_map(found).peekable();
    all.peek()?;
    let (mut list, mut news) = (Vec::with_capacity(items.list.len()), Vec::new());
    let mut now: Vec<u32> = Vec::with_capacity(items.list.len());
    for i in 0..narrow(items.list.len()) {
        let mut put = |kept, shape: Shape, inputs| {
            list.push(Draft { from: i, news: Some(narrow(news.len())), inputs });
            news.push(News(kept, shape));
            narrow(list.len() - 1)
        };
        let last = match all.next_if(|&(at, _)| at == i) {
            Some((_, Apart { first, second, with, summed: [inner, outer], between })) => {
                let [first, second] = [first, second].map(|Factor { item, shape }| {
                    let is_renamed = shape.names().ne(items.item(item).shape.names());
                    let known = now[item as usize];
                    if is_renamed { put(Kept::Op(Op::Rename), shape, smallvec![known]) } else { known }
                });
                let made = put(Kept::product(inner), between, smallvec![first, now[with as usize]]);
                put(Kept::product(outer), items.item(i).shape.clone(), smallvec![made, second])
            }
            None => {
                let inputs: SmallVec<[u32; 3]> = few(items.item(i).inputs.iter().map(|&input| now[input as usize]));
                list.push(Draft { from: i, news: None, inputs });
                narrow(list.len() - 1)
            }
        };
        now.push(last);
    }
    let roots = items.roots.iter().map(|&root| now[root as usize]).collect();
    Some(Drafts { list, news, roots })
}

impl Items<'_> {
    /// What an item becomes, if it is the contraction of a large outer product with something small.
    fn taken_apart(&self, i: u32) -> Option<Apart> {
        let item = self.item(i);
        let (Work::Contract(axes, Scale::None), &[left, right]) = (&item.work, &item.inputs[..]) else { return None };
        let is_real = matches!(item.kind, Kind::F32 | Kind::F64);
        let of = |product, with| self.apart_from(item, axes, product, with);
        is_real.then(|| of(left, right).or_else(|| of(right, left))).flatten()
    }

    /// The same, if `product` is the outer product.
    fn apart_from(&self, item: &Item<'_>, axes: &Names, product: u32, with: u32) -> Option<Apart> {
        let factors = self.factors_of_outer(product)?;
        let (elements, other) = (self.item(product).shape.elements(), self.item(with).shape);
        let fits = self.item(product).shape.rank() + other.rank() <= LARGEST_RANK;
        if !fits || !is_repaid(elements, other.elements()) {
            return None;
        }
        let size = |name: &Name| other.size(*name).unwrap_or(1);
        let times = |elements: usize, axes: &Names| axes.iter().map(size).fold(elements, usize::saturating_mul);
        let written = times(item.shape.elements(), axes);
        let [one, two] = factors;
        let ways = [(&one, &two), (&two, &one)].map(|(first, second)| {
            let (outer, inner): (Names, Names) = axes.iter().copied().partition(|&name| second.shape.has(name));
            let more = first.shape.iter().filter(|&(name, _)| !other.has(name));
            let between = Shape::new(other.iter().chain(more).filter(|(name, _)| !inner.contains(name)));
            let cost = times(between.elements(), &inner).saturating_add(times(item.shape.elements(), &outer));
            (cost, [inner, outer], between)
        });
        let is_second = weighed::is_less(ways[1].0, ways[0].0);
        let [first_way, second_way] = ways;
        let (cost, summed, between) = if is_second { second_way } else { first_way };
        let [first, second] = if is_second { [two, one] } else { [one, two] };
        let is_cheap = is_repaid(elements, between.elements())
            && !weighed::is_less(written.saturating_add(written / REPAID), cost);
        is_cheap.then_some(Apart { first, second, with, summed, between })
    }

    /// The factors of a large outer product, under the names that it has at last.
    fn factors_of_outer(&self, product: u32) -> Option<[Factor; 2]> {
        let names = self.item(product).shape;
        let mut at = product;
        while self.item(at).is_rename() {
            at = self.item(at).inputs[0];
        }
        let item = self.item(at);
        let (Work::Op(Op::Binary(Binary::Mul)), &[one, two]) = (&item.work, &item.inputs[..]) else { return None };
        let [x, y] = [one, two].map(|factor| self.item(factor).shape);
        let elements = item.shape.elements();
        let is_outer =
            !weighed::is_less(elements, LARGE) && is_repaid(elements, x.elements().saturating_add(y.elements()));
        let named = |factor: u32, shape: &Shape| {
            let outside = |name| names.names().nth(item.shape.position(name)?);
            let axes: Option<SmallVec<[(Name, usize); 8]>> =
                shape.iter().map(|(name, size)| Some((outside(name)?, size))).collect();
            Some(Factor { item: factor, shape: Shape::new(axes?) })
        };
        is_outer.then(|| Some([named(one, x)?, named(two, y)?])).flatten()
    }
}

/// Whether so many numbers are far more than others.
fn is_repaid(elements: usize, others: usize) -> bool {
    !weighed::is_less(elements, others.saturating_mul(REPAID))
}
