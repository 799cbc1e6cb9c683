//! An axis: what a name is.
//!
//! Lives here: the trait every declared axis implements, and the name as data, as the graph knows it.
//! Not here: sets of axes as types (`axes`), sizes (`graph::shape`).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::axes::order::{Digit, Stars};

/// A declared axis. Only [`axes!`](crate::axes!) implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis",
    label = "not an axis",
    note = "axes are declared with `axes! {{ key, val }}`"
)]
pub trait Axis: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Its name as written; a trailing underscore is a prime.
    const NAME: &'static str;
    /// Its place in the order of axes: the first letter.
    type A: Digit;
    /// The second letter.
    type B: Digit;
    /// The hash's first digit.
    type C: Digit;
    /// The hash's second digit.
    type D: Digit;
    /// The hash's third digit.
    type E: Digit;
    /// The hash's last digit.
    type F: Digit;
    /// How many stars.
    type Stars: Stars;
}

/// The name of an axis as data: as declared, or a fresh one that stands for it inside a lifted function.
#[derive(Clone, Copy)]
pub struct Name {
    text: &'static str,
    /// 0 for a declared name.
    fresh: u32,
    /// A digest of the text; for a fresh name a number, unlike that of any other with the same `fresh`. Names are compared far
    /// more often than they are made, and nearly always this tells them apart.
    digest: u32,
}

impl Name {
    /// A declared name.
    #[must_use]
    pub const fn declared(text: &'static str) -> Name {
        // FNV-1a.
        let (mut digest, mut rest) = (0x811c_9dc5_u32, text.as_bytes());
        while let [byte, after @ ..] = rest {
            digest = (digest ^ *byte as u32).wrapping_mul(0x0100_0193);
            rest = after;
        }
        Name { text, fresh: 0, digest }
    }

    /// The name of an axis, made at compile time.
    #[must_use]
    pub(crate) const fn of<A: Axis>() -> Name {
        const { Name::declared(A::NAME) }
    }

    /// A name that meets no other, and prints as this one.
    #[must_use]
    pub fn freshened(self) -> Name {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Name::counted(self.text, NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The fresh name that a plan gives this one at a place of its own, the same whenever it plans the same.
    pub(crate) fn at(self, place: u64) -> Name {
        const PLACES: u64 = 1 << 63;
        Name::counted(self.text, PLACES | place)
    }

    /// The fresh name with this number, of which there are more than are ever made.
    fn counted(text: &'static str, number: u64) -> Name {
        const ROUND: u64 = u32::MAX as u64;
        Name { text, fresh: (number % ROUND) as u32 + 1, digest: (number / ROUND) as u32 }
    }

    /// Whether it stands for an axis outside a lifted function.
    #[must_use]
    pub fn is_fresh(self) -> bool {
        self.fresh != 0
    }

    /// As written in the declaration.
    #[must_use]
    pub fn text(self) -> &'static str {
        self.text
    }
}

impl Name {
    /// The same for equal names, and nearly never for others.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.fresh) << 32 | u64::from(self.digest)
    }
}

/// Whether two texts are the same. One name may stand at several places of a program; names are short, and to call for the
/// comparison of a few bytes takes longer than the comparison.
#[inline(never)]
fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    match left.len() {
        size if size != right.len() => false,
        size @ 1..4 => left[0] == right[0] && left[size / 2] == right[size / 2] && left[size - 1] == right[size - 1],
        4..=8 => left.first_chunk::<4>() == right.first_chunk() && left.last_chunk::<4>() == right.last_chunk(),
        _ => left == right,
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Name) -> bool {
        // A fresh name is unlike any other whatever its text.
        self.number() == other.number()
            && (self.fresh != 0 || std::ptr::eq(self.text, other.text) || same(self.text, other.text))
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.number());
    }
}

/// Prints as the paper does: `seq_` as `seq′`, `star(seq)` as `seq*`, with two stars as `seq†`.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unstarred = self.text.trim_end_matches('*');
        let stem = unstarred.trim_end_matches('_');
        f.write_str(stem)?;
        for _ in stem.len()..unstarred.len() {
            f.write_str("′")?;
        }
        match self.text.len() - unstarred.len() {
            2 => f.write_str("†"),
            stars => (0..stars).try_for_each(|_| f.write_str("*")),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)?;
        if self.fresh != 0 {
            write!(f, "#{}", self.fresh)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_fresh_name_is_unlike_any_other_however_many_were_made() {
        let seq = Name::declared("seq");
        let round = u64::from(u32::MAX);
        let numbers = [0, 1, round - 1, round, round + 1, 2 * round, u64::MAX / 2];
        let all: Vec<Name> = [seq].into_iter().chain(numbers.map(|number| Name::counted("seq", number))).collect();
        for (i, name) in all.iter().enumerate() {
            assert_eq!(name.is_fresh(), i > 0);
            assert!(all.iter().skip(i + 1).all(|other| name != other), "{name:?}");
        }
        assert_ne!(seq.freshened(), seq.freshened());
        let places = [0, 1, u64::from(u32::MAX) << 16 | 0xffff].map(|place| seq.at(place));
        assert!(places.iter().all(|place| !all.contains(place)) && places[0] != places[1] && places[1] != places[2]);
        assert_eq!(seq.at(1), seq.at(1));
    }
}
