//! Contractions by pairs as items, each once.
//!
//! Products in new orders have pairs in common: of a chain and its gradients each needs the other's. Lives here: which are
//! there already. Not here: which pairs there are (`order`).

use smallvec::SmallVec;

use super::one_hot::SCALAR;
use super::{Item, Scale, TIMES, Work};
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::Op;
use crate::graph::Shape;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::plan::key::narrow;
use crate::plan::numbered::{FoldMap, few};
use crate::plan::order::{Does, Operand, Pair, Unread};

static OVER: Op = Op::Binary(Binary::Div);
static PLUS: Op = Op::Binary(Binary::Add);
static MINUS: Op = Op::Binary(Binary::Sub);
static NEGATED: Op = Op::Unary(Unary::Neg);
static MORE: Op = Op::Compare(Comparison::Gt);

/// Contractions of two items that are there, by both, and sums of one: products in new orders have some in common.
#[derive(Default)]
pub(super) struct Paired {
    known: FoldMap<[u32; 3], u32>,
}

impl Paired {
    /// Notes what an item does with these two, if it may be a pair.
    pub(super) fn note(&mut self, work: Work<'_>, inputs: &[u32], item: u32) {
        if let Some(key) = key(work, inputs) {
            self.known.entry(key).or_insert(item);
        }
    }

    /// Puts the pairs of a product into the list, as far as they are not there, all but the last one. That is the node itself:
    /// what it does, with which inputs, and the node that tells what is wrong.
    pub(super) fn put<'a>(
        &mut self,
        pairs: &'a [Pair],
        item_of: &[u32],
        (kind, node): (Kind, u32),
        list: &mut Vec<Item<'a>>,
    ) -> (Work<'a>, SmallVec<[u32; 3]>, u32) {
        let mut made: SmallVec<[u32; 8]> = SmallVec::new();
        for (at, pair) in pairs.iter().enumerate() {
            let item = |operand| match operand {
                Operand::Node(number) => item_of[number as usize],
                Operand::Pair(pair) => made[pair],
            };
            let mut inputs: SmallVec<[u32; 3]> = few([pair.left].into_iter().chain(pair.right).map(item));
            if let (Some(unread), [_, read]) = (&pair.unread, &mut inputs[..]) {
                *read = without(unread, (item_of[unread.positions as usize], *read), (kind, node), list);
            }
            let work = match (pair.does, &pair.at) {
                (Does::Sums, _) => Work::Sum(&pair.summed),
                (Does::Renames, _) => Work::Op(&Op::Rename),
                (Does::Inverts, _) => Work::Op(&OVER),
                (Does::Negates, _) => Work::Op(&NEGATED),
                (Does::Spreads, _) => Work::Spread,
                (Does::Adds, _) => Work::Op(&PLUS),
                (Does::Subtracts, _) => Work::Op(&MINUS),
                (Does::Multiplies, Some(at)) => Work::Op(&at.op),
                (Does::Multiplies, None) if pair.summed.is_empty() => Work::Op(&TIMES),
                (Does::Multiplies, None) => Work::Contract(&pair.summed, Scale::None),
            };
            // A wrong position is told by a node of its own.
            let node = pair.at.as_ref().map_or(node, |at| at.told);
            let is_last = at + 1 == pairs.len();
            let of_one = match pair.does {
                Does::Inverts => Some([3, inputs[0], 0]),
                Does::Renames => Some([4, inputs[0], digest(&pair.shape)]),
                _ => None,
            };
            if let Some(&known) = of_one.filter(|_| !is_last).and_then(|key| self.known.get(&key))
                && list.get(known as usize).is_some_and(|item| item.shape.iter().eq(pair.shape.iter()))
            {
                made.push(known);
                continue;
            }
            if pair.does == Does::Inverts {
                let one = Item { work: Work::Constant(1.0), inputs: SmallVec::new(), shape: &SCALAR, kind, node };
                list.push(one);
                inputs.insert(0, narrow(list.len() - 1));
            }
            if is_last {
                return (work, inputs, node);
            }
            let next = narrow(list.len());
            if let Some(key) = of_one {
                self.known.insert(key, next);
            }
            let Some(key) = key(work, &inputs) else {
                made.push(next);
                list.push(Item { work, inputs, shape: &pair.shape, kind, node });
                continue;
            };
            let known = *self.known.entry(key).or_insert(next);
            let is_same = match list.get(known as usize).map(|item| (item.work, item.shape)) {
                Some((Work::Contract(axes, _) | Work::Sum(axes) | Work::Op(Op::Reduce(_, axes)), _)) => {
                    pair.at.is_none() && are_same(axes, &pair.summed)
                }
                Some((Work::Op(Op::Binary(_)), _)) => true,
                // Sums at the same positions may be of axes of different sizes.
                Some((Work::Op(op), shape)) => {
                    let has = |(name, size)| shape.size(name) == Some(size);
                    pair.at.as_ref().is_some_and(|at| at.is_same(op)) && pair.shape.iter().all(has)
                }
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

/// Zeros in place of what is not read: the item `of`, at positions that are counted nowhere.
fn without<'a>(
    unread: &'a Unread,
    (positions, of): (u32, u32),
    (kind, node): (Kind, u32),
    list: &mut Vec<Item<'a>>,
) -> u32 {
    let mut put = |work, inputs: &[u32], shape, kind| {
        list.push(Item { work, inputs: SmallVec::from_slice(inputs), shape, kind, node });
        narrow(list.len() - 1)
    };
    let [one, zero] = [1.0, 0.0].map(|number| put(Work::Constant(number), &[], &*SCALAR, kind));
    let counts = put(Work::SumsAt(unread.axis, &unread.over), &[one, positions], &unread.counts, kind);
    let are_read = put(Work::Op(&MORE), &[counts, zero], &unread.counts, Kind::Bool);
    put(Work::Op(&Op::Select), &[are_read, of, zero], &unread.shape, kind)
}

/// A number of the names that axes have.
fn digest(shape: &Shape) -> u32 {
    let next = |digest: u64, name: Name| (digest.rotate_left(5) ^ name.number()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (shape.names().fold(0, next) >> 32) as u32
}

/// What an item does that may be a pair, and both of its inputs in one order, or that of a sum twice.
fn key(work: Work<'_>, inputs: &[u32]) -> Option<[u32; 3]> {
    let does = match work {
        Work::Contract(..) | Work::Op(Op::Gather(_) | Op::ScatterAdd { .. }) => 0,
        Work::Op(Op::Binary(Binary::Mul)) => 1,
        Work::Sum(_) | Work::Op(Op::Reduce(Reduction::Sum, _)) => 2,
        _ => return None,
    };
    let (&first, &last) = inputs.first().zip(inputs.last())?;
    Some([does, first.min(last), first.max(last)])
}

fn are_same(left: &Names, right: &Names) -> bool {
    left.len() == right.len() && left.iter().all(|axis| right.contains(axis))
}
