//! What is known of the caches of a core.
//!
//! Not here: memory that is asked for before it is read (`ahead`), stores that pass the caches by (`stream`).

use std::sync::LazyLock;

/// Bytes of a second-level cache where nothing is known of it: no usual one is smaller.
const USUAL: usize = 256 << 10;

/// Bytes of the second-level cache of a core, as the processor tells, or Linux where a processor does not.
pub(super) fn second_level() -> usize {
    /// Found once: a virtual machine takes longer to answer than a small product.
    static BYTES: LazyLock<usize> = LazyLock::new(|| told().unwrap_or(USUAL));
    *BYTES
}

#[cfg(target_arch = "x86_64")]
fn told() -> Option<usize> {
    let caches = raw_cpuid::CpuId::new().get_cache_parameters()?;
    let sizes = caches.filter(|cache| cache.level() == 2).map(|cache| {
        cache.sets() * cache.associativity() * cache.physical_line_partitions() * cache.coherency_line_size()
    });
    sizes.max().filter(|&size| size > 0)
}

#[cfg(not(target_arch = "x86_64"))]
fn told() -> Option<usize> {
    told_by_linux()
}

/// The same of the first core as Linux tells, on any processor; none elsewhere, or where it does not say.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn told_by_linux() -> Option<usize> {
    let of = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index2/{name}")).ok();
    let (level, size) = (of("level")?, of("size")?);
    let size: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    (level.trim() == "2" && size > 0).then(|| size.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_level_cache_has_room_for_what_any_has() {
        assert!((USUAL / 2..=64 << 20).contains(&second_level()), "{} bytes", second_level());
    }

    #[test]
    fn the_second_level_cache_is_as_large_as_the_system_says() {
        // Not every system tells.
        if let Some(size) = told_by_linux() {
            assert_eq!(second_level(), size);
        }
    }
}
