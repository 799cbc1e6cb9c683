//! Convolutions along lines and over pictures, and pooling, as windows and contractions.
//!
//! Not here: other windows (`joining`).

use named_tensor::prelude::*;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::Run;

named! {
    fn Line(X: R[chans, seq], W: R[out, chans, kernel]) -> R[out, seq] {
        W dot_{chans, kernel} unroll_{seq, kernel}(X, |kernel|)
    }

    /// Each channel by itself.
    fn LineOfEach(X: R[chans, seq], W: R[chans, kernel]) -> R[chans, seq] {
        W dot_kernel unroll_{seq, kernel}(X, |kernel|)
    }

    fn Picture(X: R[chans, height, width], W: R[out, chans, kh, kw], b: R[out]) -> R[out, height, width] {
        W dot_{chans, kh, kw} unroll_{height, kh}(unroll_{width, kw}(X, |kw|), |kh|) + b
    }

    fn PictureOfEach(X: R[height, width], W: R[kh, kw]) -> R[height, width] {
        W dot_{kh, kw} unroll_{height, kh}(unroll_{width, kw}(X, |kw|), |kh|)
    }

    /// A border of zeros, one wide.
    fn Padded(X: R[height, width]) -> R[height, width] {
        P_{height(i: |height| + 2), width(j: |width| + 2)} =
            if 1 <= i && i <= |height| && 1 <= j && j <= |width| {
                X_{height(clamp(i - 1, 0, |height| - 1)), width(clamp(j - 1, 0, |width| - 1))}
            } else { 0 };
        P
    }

    /// Windows two apart.
    fn Strided(X: R[chans, height, width], W: R[out, chans, kh, kw]) -> R[out, height, width] {
        Y_{chans(c), height(i: div(|height| - |kh|, 2) + 1), width(j: div(|width| - |kw|, 2) + 1), kh(k), kw(l)} =
            X_{chans(c), height(2 * i + k), width(2 * j + l)};
        W dot_{chans, kh, kw} Y
    }

    fn Largest(X: R[height, width]) -> R[height, width] { max_{kh, kw}(pool_{height, kh}(pool_{width, kw}(X, 2), 2)) }
    fn Means(X: R[height, width]) -> R[height, width] { mean_{kh, kw}(pool_{height, kh}(pool_{width, kw}(X, 2), 2)) }
}

/// All convolutions and poolings.
pub(crate) fn convolutions(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "conv/line" [c, l, k, o] in [[5, 301, 3, 7], [64, 777, 3, 48], [16, 10000, 5, 16]];
        x [chans c, seq l], w [out o, chans c, kernel k] => [out, seq] { Line(x, w) }
    }
    odd! {
        run "conv/line-of-each" [b, c, l, k] in [[3, 7, 101, 4], [2, 100, 1001, 4]];
        x [batch b, chans c, seq l], w [chans c, kernel k] => [batch, chans, seq] { LineOfEach(x, w) }
    }
    odd! {
        run "conv/3x3" [b, c, h, o] in [[2, 3, 31, 8], [8, 16, 28, 32], [4, 33, 57, 17]];
        x [batch b, chans c, height h, width h], w [out o, chans c, kh 3, kw 3], s [out o] =>
            [batch, out, height, width] { Picture(x, w, s) }
    }
    odd! {
        run "conv/5x5" [c, h, w, o] in [[1, 29, 31, 6], [3, 200, 201, 8]];
        x [chans c, height h, width w], f [out o, chans c, kh 5, kw 5], s [out o] =>
            [out, height, width] { Picture(x, f, s) }
    }
    odd! {
        run "conv/1x1" [b, c, h, o] in [[2, 17, 9, 5], [4, 33, 57, 48]];
        x [batch b, chans c, height h, width h], w [out o, chans c, kh 1, kw 1], s [out o] =>
            [batch, out, height, width] { Picture(x, w, s) }
    }
    odd! {
        run "conv/padded" [b, c, h, o] in [[2, 3, 31, 8], [8, 16, 28, 32]];
        x [batch b, chans c, height h, width h], w [out o, chans c, kh 3, kw 3], s [out o] =>
            [batch, out, height, width] { Picture(&Padded(x), w, s) }
    }
    odd! {
        run "conv/strided" [b, c, h, o] in [[2, 3, 31, 8], [8, 16, 57, 32]];
        x [batch b, chans c, height h, width h], w [out o, chans c, kh 3, kw 3] =>
            [batch, out, height, width] { Strided(x, w) }
    }
    odd! {
        run "conv/of-each" [b, c, h] in [[2, 7, 31], [4, 33, 57]];
        x [batch b, chans c, height h, width h], w [chans c, kh 3, kw 3] =>
            [batch, chans, height, width] { PictureOfEach(x, w) }
    }
    odd! {
        run "conv/line-of-each-last" [b, c, l, k] in [[3, 7, 101, 4], [2, 100, 1001, 4], [1, 1536, 2048, 4]];
        x [batch b, seq l, chans c], w [chans c, kernel k] => [batch, seq, chans] { LineOfEach(x, w) }
    }
    odd! {
        run "conv/of-each-last" [b, c, h, k] in [[2, 7, 31, 3], [4, 33, 57, 3], [1, 96, 62, 7]];
        x [batch b, height h, width h, chans c], w [chans c, kh k, kw k] =>
            [batch, height, width, chans] { PictureOfEach(x, w) }
    }
    odd! {
        run "pool/largest" [c, h, w] in [[3, 30, 26], [3, 502, 334], [33, 58, 58]];
        x [chans c, height h, width w] => [chans, height, width] { Largest(x) }
    }
    odd! {
        run "pool/means" [c, h, w] in [[3, 30, 26], [3, 502, 334]];
        x [chans c, height h, width w] => [chans, height, width] { Means(x) }
    }
    Ok(())
}
