//! Scores to which several things are added, one after the other: the things are added first.
//!
//! `(Q ⊙ K + M) - B` is `Q ⊙ K + (M - B)`, so that what is attention with one mask is attention with several, however they are
//! written; their sum has their own axes and not those of all scores.
//! And  `if C { Q ⊙ K } else { c }`  with a number c is a choice between scores and the mask  `if C { 0 } else { c }`,  which has
//! the axes of C.
//! Lives here: which sums and choices these are, and the items that come of them. Not here: attention itself (`attention`).

use smallvec::{SmallVec, smallvec};

use super::key::{Trace, narrow};
use super::simplify::{Items, Scale, Work};
use super::slices::{Draft, Drafts, Kept, News};
use crate::element::{Binary, Unary};
use crate::graph::{Op, Shape};

/// At most so many things are added to scores.
const MOST: usize = 8;

/// What is added to scores, or taken away from them.
#[derive(Clone, Copy)]
struct Term {
    item: u32,
    is_less: bool,
}

/// Scores and what is added to them, the last first.
struct Sum {
    scores: u32,
    terms: SmallVec<[Term; 2]>,
}

/// What scores are made of beside the product.
enum Made {
    /// A sum.
    Of(Sum),
    /// A choice: the condition, the scores and the number.
    Chosen([u32; 3]),
}

/// The items with such sums in another order and such choices with a mask; none if nothing changes.
pub(super) fn gathered(trace: &Trace<'_>, items: &Items<'_>) -> Option<Drafts> {
    let weights = |i: &u32| matches!(items.item(*i).work, Work::Op(Op::Softmax { log: false, .. }));
    let mut all = (0..narrow(items.list.len())).filter(weights).peekable();
    all.peek()?;
    let uses = items.users_of_each();
    let found = |i: u32| {
        let last = items.item(i).inputs[0];
        let sum = || items.sum_of_scores(&uses, last).map(Made::Of);
        items.choice_of_scores(trace, &uses, last).map(Made::Chosen).or_else(sum).map(|made| (last, made))
    };
    let all_made: Vec<(u32, Made)> = all.filter_map(found).collect();
    if all_made.is_empty() {
        return None;
    }
    let (mut list, mut news) = (Vec::with_capacity(items.list.len() + MOST), Vec::new());
    let mut now: Vec<u32> = Vec::with_capacity(items.list.len());
    for i in 0..narrow(items.list.len()) {
        let mut inputs: SmallVec<[u32; 3]> = items.item(i).inputs.iter().map(|&input| now[input as usize]).collect();
        let mut changed = None;
        match all_made.iter().find(|&&(last, _)| last == i).map(|(_, made)| made) {
            Some(Made::Of(sum)) => {
                let mask = sum.mask(items, &now, i, &mut list, &mut news);
                inputs = smallvec![now[sum.scores as usize], mask];
                changed = Some(narrow(news.len()));
                news.push(News(Kept::Op(Op::Binary(Binary::Add)), items.item(i).shape.clone()));
            }
            Some(&Made::Chosen([condition, _, number])) => {
                let mut put = |from, kept, shape: &Shape, inputs| {
                    list.push(Draft { from, news: Some(narrow(news.len())), inputs });
                    news.push(News(kept, shape.clone()));
                    narrow(list.len() - 1)
                };
                // Not of the number, whose node says what it is.
                let zero = put(i, Kept::Constant(0.0), items.item(number).shape, SmallVec::new());
                let choice = smallvec![now[condition as usize], zero, now[number as usize]];
                inputs[2] = put(i, Kept::Work, items.item(condition).shape, choice);
            }
            None => {}
        }
        now.push(narrow(list.len()));
        list.push(Draft { from: i, news: changed, inputs });
    }
    let roots = items.roots.iter().map(|&root| now[root as usize]).collect();
    Some(Drafts { list, news, roots })
}

impl Items<'_> {
    /// How many items and roots use each item.
    pub(super) fn users_of_each(&self) -> Vec<u32> {
        let mut uses = vec![0; self.list.len()];
        let inputs = self.list.iter().flat_map(|item| &item.inputs);
        inputs.chain(&self.roots).for_each(|&input| uses[input as usize] += 1);
        uses
    }

    /// The sum that ends with item `last`, if it is one of scores and more than one thing, or less one.
    fn sum_of_scores(&self, uses: &[u32], last: u32) -> Option<Sum> {
        let mut sum = Sum { scores: last, terms: SmallVec::new() };
        while !self.is_product(sum.scores) {
            let item = self.item(sum.scores);
            let (Work::Op(Op::Binary(function @ (Binary::Add | Binary::Sub))), &[left, right]) =
                (&item.work, &item.inputs[..])
            else {
                return None;
            };
            let is_less = *function == Binary::Sub;
            let leads = |side: u32| self.leads_to_product(MOST, side);
            let (scores, other) = match () {
                () if leads(left) => (left, right),
                () if !is_less && leads(right) => (right, left),
                () => return None,
            };
            if uses[sum.scores as usize] != 1 || sum.terms.len() == MOST {
                return None;
            }
            sum.terms.push(Term { item: other, is_less });
            sum.scores = scores;
        }
        let is_several = sum.terms.len() > 1 || sum.terms.iter().any(|term| term.is_less);
        // What brings axes of its own would be more than a mask.
        let is_mask = self.item(sum.scores).shape.rank() == self.item(last).shape.rank();
        (is_several && is_mask).then_some(sum)
    }

    /// The choice that item `last` is, if it is one between scores and a number other than 0.
    fn choice_of_scores(&self, trace: &Trace<'_>, uses: &[u32], last: u32) -> Option<[u32; 3]> {
        let item = self.item(last);
        let (Work::Op(Op::Select), &[condition, scores, number]) = (&item.work, &item.inputs[..]) else { return None };
        let other = self.item(number);
        // A number that may differ from run to run is none of those that a plan knows, as all are that are 0 where they are stored.
        let is_number = match other.work {
            Work::Constant(value) => value as f32 != 0.0,
            Work::Leaf => matches!(trace.node(other.node).op(), Op::Fill(_)) && trace.value(other.node).is_none(),
            _ => false,
        };
        let is_mask = self.item(scores).shape.rank() == item.shape.rank();
        (is_number && other.shape.rank() == 0 && is_mask && uses[last as usize] == 1 && self.is_product(scores))
            .then_some([condition, scores, number])
    }

    /// Whether an item is a contraction, or a multiple of one.
    fn is_product(&self, item: u32) -> bool {
        let is_contraction = |item: u32| matches!(self.item(item).work, Work::Contract(_, Scale::None));
        let item_is = self.item(item);
        is_contraction(item)
            || matches!(item_is.work, Work::Op(Op::Binary(Binary::Mul | Binary::Div)))
                && item_is.inputs.iter().any(|&input| is_contraction(input))
                && item_is.inputs.iter().any(|&input| self.item(input).shape.rank() == 0)
    }

    /// Whether so many sums at most lead from an item to a product.
    fn leads_to_product(&self, depth: usize, item: u32) -> bool {
        let inside = self.item(item);
        self.is_product(item)
            || depth > 0
                && match inside.work {
                    Work::Op(Op::Binary(Binary::Add)) => {
                        inside.inputs.iter().any(|&input| self.leads_to_product(depth - 1, input))
                    }
                    Work::Op(Op::Binary(Binary::Sub)) => self.leads_to_product(depth - 1, inside.inputs[0]),
                    _ => false,
                }
    }
}

impl Sum {
    /// Makes the items of what is added in all, for the sum that item `of` was. Returns the last.
    fn mask(&self, items: &Items<'_>, now: &[u32], of: u32, list: &mut Vec<Draft>, news: &mut Vec<News>) -> u32 {
        let mut put = |op: Op, shape: &Shape, inputs: SmallVec<[u32; 3]>| {
            news.push(News(Kept::Op(op), shape.clone()));
            list.push(Draft { from: of, news: Some(narrow(news.len() - 1)), inputs });
            narrow(list.len() - 1)
        };
        let shape = |term: &Term| items.item(term.item).shape;
        // The first that is added begins; all others follow as they were written.
        let first = self.terms.iter().rposition(|term| !term.is_less).unwrap_or(self.terms.len() - 1);
        let begin = &self.terms[first];
        let (mut mask, mut whole) = (now[begin.item as usize], shape(begin).clone());
        if begin.is_less {
            mask = put(Op::Unary(Unary::Neg), &whole, smallvec![mask]);
        }
        for (_, term) in self.terms.iter().enumerate().rev().filter(|&(at, _)| at != first) {
            let function = if term.is_less { Binary::Sub } else { Binary::Add };
            // They fit together: all of them fit the scores.
            whole = whole.union(shape(term), "+").unwrap_or(whole);
            mask = put(Op::Binary(function), &whole, smallvec![mask, now[term.item as usize]]);
        }
        mask
    }
}
