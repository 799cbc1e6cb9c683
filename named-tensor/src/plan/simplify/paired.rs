//! Contractions by pairs as items, each once.
//!
//! Products in new orders have pairs in common: of a chain and its gradients each needs the other's. Lives here: which are
//! there already. Not here: which pairs there are (`order`).

use smallvec::SmallVec;

use super::{Item, Scale, TIMES, Work};
use crate::element::Kind;
use crate::graph::shape::Names;
use crate::plan::key::narrow;
use crate::plan::numbered::{FoldMap, few};
use crate::plan::order::{Operand, Pair};

/// Contractions of two items that are there, by both: products in new orders have some in common.
#[derive(Default)]
pub(super) struct Paired {
    known: FoldMap<[u32; 2], u32>,
}

impl Paired {
    /// Notes that an item contracts these two.
    pub(super) fn note(&mut self, inputs: &[u32], item: u32) {
        self.known.entry(sorted(inputs)).or_insert(item);
    }

    /// Puts the pairs of a product into the list, as far as they are not there, all but the last one. That is the node itself:
    /// what it does, and with which inputs.
    pub(super) fn put<'a>(
        &mut self,
        pairs: &'a [Pair],
        item_of: &[u32],
        (kind, node): (Kind, u32),
        list: &mut Vec<Item<'a>>,
    ) -> (Work<'a>, SmallVec<[u32; 3]>) {
        let mut made: SmallVec<[u32; 8]> = SmallVec::new();
        for (at, pair) in pairs.iter().enumerate() {
            let item = |operand| match operand {
                Operand::Node(number) => item_of[number as usize],
                Operand::Pair(pair) => made[pair],
            };
            let inputs: SmallVec<[u32; 3]> = few([pair.left].into_iter().chain(pair.right).map(item));
            let work = match pair.right {
                None => Work::Sum(&pair.summed),
                Some(_) if pair.summed.is_empty() => Work::Op(&TIMES),
                Some(_) => Work::Contract(&pair.summed, Scale::None),
            };
            if at + 1 == pairs.len() {
                return (work, inputs);
            }
            let next = narrow(list.len());
            if inputs.len() < 2 {
                made.push(next);
                list.push(Item { work, inputs, shape: &pair.shape, kind, node });
                continue;
            }
            let known = *self.known.entry(sorted(&inputs)).or_insert(next);
            let is_same = match list.get(known as usize).map(|item| item.work) {
                Some(Work::Contract(axes, _)) => are_same(axes, &pair.summed),
                _ => false,
            };
            made.push(if is_same { known } else { next });
            if !is_same {
                list.push(Item { work, inputs, shape: &pair.shape, kind, node });
            }
        }
        unreachable!("a product has pairs, of which the last one is the node")
    }
}

/// Both inputs of a product, in one order.
fn sorted(inputs: &[u32]) -> [u32; 2] {
    [inputs[0].min(inputs[1]), inputs[0].max(inputs[1])]
}

fn are_same(left: &Names, right: &Names) -> bool {
    left.len() == right.len() && left.iter().all(|axis| right.contains(axis))
}
