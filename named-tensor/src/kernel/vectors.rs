//! Which vectors the loops compute with: the widest of this processor, or narrower ones where the environment asks for them.
//!
//! `NAMED_TENSOR_VECTORS` says how many bits they have at most: with 256 a processor that has AVX-512 computes with AVX2, with
//! 0 without either. So one computer shows what others compute. Products that `gemm` computes follow its own choice.
//! Not here: what is computed with them (`lanes`, `simd`, `turn`, `stream`).

use super::settings;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};
use pulp::{Arch, Scalar, WithSimd};
#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;
use std::sync::LazyLock;

/// Does the work, compiled for those vectors.
#[inline(always)]
pub(super) fn dispatch<W: WithSimd>(work: W) -> W::Output {
    match widest() {
        Arch::Scalar => one_by_one(work),
        #[cfg(target_arch = "x86_64")]
        Arch::V3(simd) => in_256_bits(
            simd,
            #[inline(always)]
            move || work.with_simd(simd),
        ),
        #[cfg(target_arch = "x86_64")]
        Arch::V4(simd) => in_512_bits(
            simd,
            #[inline(always)]
            move || work.with_simd(simd),
        ),
        #[cfg(not(target_arch = "x86_64"))]
        wider => wider.dispatch(work),
        #[cfg(target_arch = "x86_64")]
        _ => one_by_one(work),
    }
}

// A processor runs what is compiled for its widest vectors alone. What is compiled for each width has a section of its own in
// the program, so that what is never run shares no page of memory with what is.

/// Does the work, compiled for no vectors.
#[cfg_attr(target_arch = "x86_64", cold)]
#[cfg_attr(all(target_arch = "x86_64", target_os = "linux"), unsafe(link_section = ".text_narrow"))]
#[inline(never)]
fn one_by_one<W: WithSimd>(work: W) -> W::Output {
    work.with_simd(Scalar)
}

/// Does the work, compiled for vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn in_256_bits<R>(_: V3, work: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi1,bmi2,fma,lzcnt")]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".text_narrow"))]
    #[inline]
    fn compiled<R>(work: impl FnOnce() -> R) -> R {
        line_up_stack();
        work()
    }
    // SAFETY: there is a `V3` only where the processor has all of these.
    unsafe { compiled(work) }
}

/// Does the work, compiled for vectors of 512 bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn in_512_bits<R>(_: V4, work: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "sse3,ssse3,sse4.1,sse4.2,popcnt,avx,avx2,bmi1,bmi2,fma,lzcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".text_wide"))]
    #[inline]
    fn compiled<R>(work: impl FnOnce() -> R) -> R {
        line_up_stack();
        work()
    }
    // SAFETY: there is a `V4` only where the processor has all of these.
    unsafe { compiled(work) }
}

/// Has the compiler line up the stack of the function that this stands in, by keeping something there that asks for it. Else the
/// stack begins at any multiple of 16, and a register that is kept in two pages is stored some ten times as slowly: a softmax
/// took four times as long in one start of a program out of sixteen.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn line_up_stack() {
    #[repr(align(64))]
    struct Line {
        _room: [u8; 64],
    }
    let line = MaybeUninit::<Line>::uninit();
    std::hint::black_box(&line);
}

/// The widest vectors that may be used.
#[inline]
pub(super) fn widest() -> Arch {
    static WIDEST: LazyLock<Arch> = LazyLock::new(|| {
        // Who asks for no number is told so before anything is computed (`plan`).
        at_most(settings::vectors().ok().flatten().unwrap_or(usize::MAX))
    });
    *WIDEST
}

/// How many numbers a register of the widest kind has.
pub(super) fn lanes<T>() -> usize {
    let bytes = match widest() {
        Arch::Scalar => 1,
        #[cfg(target_arch = "x86_64")]
        Arch::V3(_) => 32,
        #[cfg(target_arch = "x86_64")]
        Arch::V4(_) => 64,
        #[cfg(not(target_arch = "x86_64"))]
        _ => 16,
        #[cfg(target_arch = "x86_64")]
        _ => 1,
    };
    (bytes / size_of::<T>()).max(1)
}

/// Whether there are no vectors: work is done one number at a time.
pub(super) fn are_none() -> bool {
    matches!(widest(), Arch::Scalar)
}

/// Whether there are 32 registers of the widest kind, and these as wide as a line of memory.
pub(super) fn has_many_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return of_512().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Vectors of 512 bits, if they are the widest.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn of_512() -> Option<V4> {
    if let Arch::V4(simd) = widest() { Some(simd) } else { None }
}

/// Vectors of 256 bits, if they are the widest.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn of_256() -> Option<V3> {
    if let Arch::V3(simd) = widest() { Some(simd) } else { None }
}

#[cfg(target_arch = "x86_64")]
fn at_most(bits: usize) -> Arch {
    if bits >= 512
        && let Some(simd) = V4::try_new()
    {
        return Arch::V4(simd);
    }
    if bits >= 256
        && let Some(simd) = V3::try_new()
    {
        return Arch::V3(simd);
    }
    Arch::Scalar
}

/// With 32 bits such a processor has eight registers, whatever their width: loops that keep more of them gain nothing.
#[cfg(target_arch = "x86")]
fn at_most(_: usize) -> Arch {
    Arch::Scalar
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn at_most(bits: usize) -> Arch {
    if bits >= 128 { Arch::new() } else { Arch::Scalar }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Simd;

    /// How many bits the vectors have that work is compiled for.
    struct Bits;

    impl WithSimd for Bits {
        type Output = usize;

        fn with_simd<S: Simd>(self, _: S) -> usize {
            8 * size_of::<S::f32s>()
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn work_is_done_with_the_vectors_that_are_chosen() {
        let bits = match widest() {
            Arch::V4(_) => 512,
            Arch::V3(_) => 256,
            _ => 32,
        };
        assert_eq!(dispatch(Bits), bits);
    }

    #[test]
    fn loops_ask_for_the_setting() {
        // The setting is read once in a process, so another one is asked.
        const NAME: &str = "kernel::vectors::tests::loops_ask_for_the_setting";
        if std::env::var("NAMED_TENSOR_VECTORS").is_ok_and(|said| said == "0") {
            return assert_eq!(dispatch(Bits), 32, "one number at a time");
        }
        let program = std::env::current_exe().unwrap();
        let run = std::process::Command::new(program).args(["--exact", NAME]).env("NAMED_TENSOR_VECTORS", "0").output();
        let text = String::from_utf8_lossy(&run.unwrap().stdout).into_owned();
        assert!(text.contains("1 passed"), "{text}");
    }

    #[test]
    fn vectors_are_the_widest_of_the_processor_that_the_setting_allows() {
        #[cfg(target_arch = "x86_64")]
        {
            let (wide, half) = (is_x86_feature_detected!("avx512f"), is_x86_feature_detected!("avx2"));
            for bits in [usize::MAX, 512] {
                assert_eq!(matches!(at_most(bits), Arch::V4(_)), wide, "{bits} bits");
            }
            for bits in [511, 256] {
                assert_eq!(matches!(at_most(bits), Arch::V3(_)), half, "{bits} bits");
            }
            assert!(matches!(at_most(255), Arch::Scalar), "no vectors of fewer bits are used");
        }
        assert!(matches!(at_most(0), Arch::Scalar), "no vectors");
    }
}
