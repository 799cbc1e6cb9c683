//! Which products of matrices contractions become: what is copied, in which order, and where nothing is.

use super::*;

fn axis(size: usize, left: isize, right: isize, summed: bool) -> Axis {
    Axis { size, left, right, has: (left != 0, right != 0), summed }
}

fn side_by_side(axes: &[usize]) -> Wanted<'_> {
    Wanted { axes, anywhere: true }
}

#[test]
fn axes_of_a_norm_lie_last_and_those_of_a_sum_side_by_side() {
    // x[chans, height, width] · w[chans, out], where height and width are one run of rows.
    let axes = [axis(33, 342, 7, true), axis(18, 19, 0, false), axis(19, 1, 0, false), axis(7, 0, 1, false)];
    let [norm, sum] = [false, true].map(|anywhere| product(&axes, Wanted { axes: &[1, 2], anywhere }));
    assert_eq!(
        (&norm.order[..], norm.rows.out, norm.columns.out),
        (&[3, 1, 2][..], 1, 342),
        "places beside each other"
    );
    assert_eq!((&sum.order[..], sum.rows.out, sum.columns.out), (&[1, 2, 3][..], 7, 1), "features beside each other");
}

#[test]
fn a_projection_to_heads_is_one_matrix_product() {
    // x[seq, chans] · w[chans, heads, key]
    let axes = [axis(5, 12, 0, false), axis(12, 1, 12, true), axis(3, 0, 4, false), axis(4, 0, 1, false)];
    let product = product(&axes, Wanted::default());
    assert!(product.copy_left.is_none() && product.copy_right.is_none(), "both are read as they lie");
    assert!(product.batch.is_empty(), "heads and key are the columns: {product:?}");
    assert_eq!((product.rows.size, product.inner.size, product.columns.size), (5, 12, 12));
    assert_eq!(&product.order[..], [0, 2, 3]);
}

#[test]
fn columns_are_neighbours_where_the_others_are_more_but_far_apart() {
    // a[inner] · x[seq, inner, chans]
    for (seq, inner, chans) in [(512, 4, 256), (2000, 5, 64), (100, 3, NEAR)] {
        let far = (inner * chans) as isize;
        let axes = [axis(inner, 1, chans as isize, true), axis(seq, 0, far, false), axis(chans, 0, 1, false)];
        let product = described(&axes, Wanted::default(), false, false, None).expect("one sum");
        let along = Loop { size: chans, left: 0, right: 1, out: 1 };
        assert_eq!((product.columns, &product.order[..]), (along, &[1, 2][..]));
        assert_eq!(product.batch[..], [Loop { size: seq, left: 0, right: far, out: chans as isize }]);
    }
    // Too few of them fill no registers.
    let axes = [axis(4, 1, 20, true), axis(512, 0, 80, false), axis(NEAR - 12, 0, 1, false)];
    let product = described(&axes, Wanted::default(), false, false, None).expect("one sum");
    assert_eq!(product.columns.size, 512);
}

#[test]
fn a_result_of_few_rows_lies_along_them_where_they_alone_are_neighbours() {
    // x[batch, inner, row] · y[batch, col, inner]
    let of = |rows: usize, [left, right]: [[isize; 2]; 2]| {
        let axes = [
            axis(50, 16 * rows as isize, 16 * 9, false),
            axis(rows, left[0], 0, false),
            axis(16, left[1], right[0], true),
            axis(9, 0, right[1], false),
        ];
        product(&axes, Wanted::default()).order
    };
    let [along, across] = [|_| [16, 1], |rows: usize| [1, rows as isize]];
    assert_eq!(&of(8, [across(8), [1, 16]])[..], [0, 3, 1], "nothing is turned around");
    assert_eq!(&of(8, [across(8), [9, 1]])[..], [0, 1, 3], "columns are neighbours too");
    assert_eq!(&of(8, [along(8), [1, 16]])[..], [0, 1, 3], "neither are");
    assert_eq!(&of(FEW_ROWS, [across(FEW_ROWS), [1, 16]])[..], [0, 3, 1], "so many rows are few");
    assert_eq!(&of(FEW_ROWS + 1, [across(FEW_ROWS + 1), [1, 16]])[..], [0, 1, 3], "many rows repay turning");
}

#[test]
fn scores_read_heads_with_strides_and_values_write_what_the_next_product_reads() {
    let (seq, seq_, heads, key) = (50, 60, 3, 40);
    // q[seq′, heads, key] · k[seq, heads, key]
    let wide = 3 * 40;
    let axes =
        [axis(seq_, wide, 0, false), axis(heads, 40, 40, false), axis(key, 1, 1, true), axis(seq, 0, wide, false)];
    let scores = product(&axes, side_by_side(&[3]));
    assert!(scores.copy_left.is_none() && scores.copy_right.is_none(), "both are read as they lie");
    assert_eq!(&scores.order[..], [1, 0, 3], "heads, seq′, seq");
    assert_eq!(scores.batch[..], [Loop { size: heads, left: 40, right: 40, out: 3000 }]);

    // a[heads, seq′, seq] · v[seq, heads, val], where heads and val are summed next.
    let axes =
        [axis(heads, 3000, 40, false), axis(seq_, 50, 0, false), axis(seq, 1, wide, true), axis(key, 0, 1, false)];
    let values = product(&axes, side_by_side(&[0, 3]));
    assert!(values.copy_left.is_none() && values.copy_right.is_none(), "both are read as they lie");
    assert_eq!(&values.order[..], [1, 0, 3], "seq′, heads, val");
    assert_eq!((values.rows.out, values.columns.out), (wide, 1));

    // o[seq′, heads, val] · w[chans, heads, val]
    let axes = [axis(seq_, wide, 0, false), axis(heads, 40, 40, true), axis(key, 1, 1, true), axis(7, 0, wide, false)];
    let last = product(&axes, Wanted::default());
    assert_eq!((last.rows.size, last.inner.size, last.columns.size), (seq_, 120, 7));
    assert!(last.batch.is_empty() && last.copy_left.is_none() && last.copy_right.is_none(), "one matrix product");
}

#[test]
fn summed_axes_in_different_orders_have_the_smaller_operand_copied() {
    // Left lies as [m, a, b], right as [b, a, n].
    let axes = [axis(90, 12, 0, false), axis(3, 4, 5, true), axis(4, 1, 15, true), axis(5, 0, 1, false)];
    let product = product(&axes, Wanted::default());
    assert_eq!(product.copy_left, None, "the left operand is larger");
    assert_eq!(product.copy_right.as_deref(), Some(&[1, 2, 3][..]), "it is brought into the order of the left one");
    assert_eq!((product.inner.size, product.inner.left, product.inner.right), (12, 1, 5));
}

#[test]
fn windows_are_copied_along_the_longer_of_their_runs() {
    // x(b, c, m, n) by windows of 3 × 3 with positions 26 × 26, times w(out, c, kh, kw): the picture has rows of 28.
    for (across, apart, wide, last) in [(26, 1, 3, 2), (3, 1, 26, 5), (13, 2, 3, 2), (13, 2, 7, 5), (26, 4, 3, 5)] {
        let axes = [
            axis(8, 16 * 784, 0, false),
            axis(26, 28, 0, false),
            axis(across, apart, 0, false),
            axis(16, 784, 9, true),
            axis(3, 28, 3, true),
            axis(wide, 1, 1, true),
            axis(6, 0, 144, false),
        ];
        let turned = axes.map(|a| Axis { left: a.right, right: a.left, has: (a.has.1, a.has.0), ..a });
        let [left, right] =
            [product(&axes, Wanted::default()).copy_left, product(&turned, Wanted::default()).copy_right];
        assert_eq!(
            left.and_then(|order| order.last().copied()),
            Some(last),
            "{across} × {wide}, {apart} apart, on the left"
        );
        assert_eq!(
            right.and_then(|order| order.last().copied()),
            Some(last),
            "{across} × {wide}, {apart} apart, on the right"
        );
    }
}

#[test]
fn one_operand_stays_where_it_lies_for_several_products_of_whole_panels_and_is_packed_for_others() {
    // x[seq, chans] · w[heads, chans, key]: for each head x is read again, as it lies.
    let copied = |key: usize| {
        let by_head = 256 * key as isize;
        let axes = [
            axis(500, 256, 0, false),
            axis(256, 1, key as isize, true),
            axis(12, 0, by_head, false),
            axis(key, 0, 1, false),
        ];
        let product = product(&axes, Wanted::default());
        [product.copy_left.is_some(), product.copy_right.is_some() || product.windows.is_some()]
    };
    assert_eq!(copied(64), [false, false], "the columns of a head are a panel");
    assert_eq!(copied(128), [false, false], "they are two panels");
    assert_eq!(copied(20), [false, true], "those of all heads side by side fill panels");
}

#[test]
fn large_matrices_are_summed_over_two_axes_as_they_lie() {
    // Left lies as [m, a, b], right as [b, a, n].
    let axes = [axis(90, 480, 0, false), axis(12, 40, 70, true), axis(40, 1, 840, true), axis(70, 0, 1, false)];
    let product = product(&axes, Wanted::default());
    assert!(product.copy_left.is_none() && product.copy_right.is_none(), "nothing is copied: {product:?}");
    assert_eq!((product.inner.size, product.inner.left, product.inner.right), (40, 1, 840));
    assert_eq!(product.batch[..], [Loop { size: 12, left: 40, right: 70, out: 0 }], "the other axis of the sum");
}

#[test]
fn a_sum_is_not_taken_in_parts_whose_terms_are_neighbours_of_those_of_other_parts() {
    // Left lies as [m, b, a], right as [b, a, n]: of a row of the left one each part would read every twelfth number.
    let axes = [axis(90, 480, 0, false), axis(12, 1, 840, true), axis(40, 12, 70, true), axis(70, 0, 1, false)];
    let product = product(&axes, Wanted::default());
    assert!(product.batch.is_empty(), "one sum: {product:?}");
}

#[test]
fn of_two_operands_that_are_as_large_the_one_whose_rows_stay_rows_is_copied() {
    // Left lies as [m, a, b], right as [b, a, n]: the right one keeps its rows along n.
    let axes = [axis(50, 12, 0, false), axis(3, 4, 50, true), axis(4, 1, 150, true), axis(50, 0, 1, false)];
    let product = product(&axes, Wanted::default());
    assert_eq!(product.copy_left, None, "the left operand would be turned around");
    assert_eq!(product.copy_right.as_deref(), Some(&[1, 2, 3][..]));
}

#[test]
fn the_last_axis_of_the_result_is_a_row_or_a_column_whatever_is_wanted() {
    let axes = [axis(4, 100, 100, false), axis(5, 10, 0, false), axis(6, 1, 1, true), axis(7, 0, 10, false)];
    let product = product(&axes, side_by_side(&[0]));
    assert!(product.rows.out == 1 || product.columns.out == 1, "{product:?}");
}
