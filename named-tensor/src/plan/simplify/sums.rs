//! Sums of products as contractions.
//!
//! `Σ_ax x·y` is a contraction where the products are more than one of the factors, which then is a matrix or a vector that meets
//! several of the other: weights of rows, say. A product that several sums need is one of each of them where both factors are far
//! smaller than it, so that nobody has to make it: a value and its gradient need the same one.
//! Not here: the order of several factors (`order`).

use smallvec::SmallVec;

use super::{Items, Scale, Work};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::op::Reduction;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::numbered::FoldMap;
use crate::plan::weighed;

/// How many times as large as both factors a product is that is made for none of its sums.
const SMALLER: usize = 4;

impl Items<'_> {
    /// The product and both factors of a sum that can be a contraction.
    fn factors_of_sum(&self, i: usize) -> Option<(u32, [u32; 2])> {
        let Work::Op(Op::Reduce(Reduction::Sum, axes)) = self.list[i].work else { return None };
        let product = self.list[i].inputs[0];
        let item = self.item(product);
        let (Work::Op(Op::Binary(Binary::Mul)), &[left, right]) = (&item.work, &item.inputs[..]) else { return None };
        let (x, y) = (self.item(left).shape, self.item(right).shape);
        let both = |&name: &Name| x.has(name) && y.has(name);
        let smaller = x.elements().min(y.elements());
        let is_one = item.kind.is_real()
            && item.shape.rank() <= LARGEST_RANK
            && axes.iter().all(both)
            && weighed::is_less(smaller, item.shape.elements());
        is_one.then_some((product, [left, right]))
    }

    /// How many sums that can be contractions each product has that several users need.
    pub(super) fn sums_of_products(&self) -> FoldMap<u32, u32> {
        let mut sums = FoldMap::default();
        for i in (0..self.list.len()).filter(|&i| self.uses[i] > 0) {
            if let Some((product, _)) = self.factors_of_sum(i)
                && self.uses[product as usize] > 1
            {
                *sums.entry(product).or_insert(0) += 1;
            }
        }
        sums
    }

    /// Makes a sum of products a contraction, if nobody needs the products but sums that become contractions.
    pub(super) fn sum_of_product(&mut self, i: usize, sums: &FoldMap<u32, u32>) {
        let Some((product, factors)) = self.factors_of_sum(i) else { return };
        let Work::Op(Op::Reduce(_, axes)) = self.list[i].work else { return };
        let uses = self.uses[product as usize];
        let elements = |shape: &Shape| shape.elements().saturating_mul(SMALLER);
        let is_small =
            |&factor: &u32| !weighed::is_less(self.item(product).shape.elements(), elements(self.item(factor).shape));
        if uses == 1 || sums.get(&product) == Some(&uses) && factors.iter().all(is_small) {
            self.list[i].inputs = SmallVec::from_slice(&factors);
            self.list[i].work = Work::Contract(axes, Scale::None);
        }
    }
}
