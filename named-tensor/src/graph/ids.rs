//! Maps and sets of nodes, by the address at which each stands.
//!
//! A gradient asks for each of its nodes some dozen times; nobody outside chooses the addresses, so hashing one takes a
//! multiplication. Not here: the addresses (`Node::id`).

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Something for each of some nodes.
pub type ById<T> = HashMap<usize, T, BuildHasherDefault<Id>>;

/// Some nodes.
pub type Ids = HashSet<usize, BuildHasherDefault<Id>>;

/// Room for the nodes of a small graph: to grow step by step takes longer than to be asked.
const SOME: usize = 28;

/// No nodes yet, with room for some.
pub fn no_ids() -> Ids {
    Ids::with_capacity_and_hasher(SOME, BuildHasherDefault::default())
}

/// Nothing yet, with room for what belongs to some nodes.
pub fn by_no_id<T>() -> ById<T> {
    ById::with_capacity_and_hasher(SOME, BuildHasherDefault::default())
}

/// An odd number whose bits follow no pattern: the golden ratio as a fraction of 2^64.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of an address.
#[derive(Clone, Debug, Default)]
pub struct Id(u64);

impl Hasher for Id {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }

    fn write_usize(&mut self, id: usize) {
        let product = (self.0 ^ id as u64).wrapping_mul(ODD);
        // The lowest bits of an address are 0, and so are those of the product.
        self.0 = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_side_by_side_fall_into_places_of_their_own() {
        let hash = |id: usize| {
            let mut hasher = Id::default();
            hasher.write_usize(id);
            hasher.finish()
        };
        for step in [16, 64, 208, 4096] {
            let places: HashSet<u64> =
                (0..1000).map(|i| hash(0x7f00_0000_1000_u64 as usize + i * step) % 4096).collect();
            assert!(places.len() > 700, "a step of {step} bytes: {} places of 1000", places.len());
            let tops: HashSet<u64> = (0..1000).map(|i| hash(0x7f00_0000_1000_u64 as usize + i * step) >> 57).collect();
            assert!(tops.len() > 100, "the highest bits differ as well: {}", tops.len());
        }
    }
}
