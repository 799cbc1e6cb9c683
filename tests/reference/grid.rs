//! A grid: sizes and numbers, the last axis fastest.
//!
//! Lives here: making a grid, reading one number, and walking over all places.
//! Not here: formulas (the other files), strides, views, names.

/// Numbers on a grid of positions, row by row: the last axis is the fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// How many positions each axis has.
    pub sizes: Vec<usize>,
    /// One number per place.
    pub values: Vec<f64>,
}

impl Grid {
    /// A grid of given numbers.
    ///
    /// # Panics
    /// If there are more or fewer numbers than places.
    #[must_use]
    pub fn new(sizes: &[usize], values: Vec<f64>) -> Grid {
        assert_eq!(values.len(), sizes.iter().product::<usize>(), "a grid of sizes {sizes:?}");
        Grid { sizes: sizes.to_vec(), values }
    }

    /// A grid whose number at each place is computed from the place.
    #[must_use]
    pub fn from_fn(sizes: &[usize], f: impl FnMut(&[usize]) -> f64) -> Grid {
        let mut f = f;
        Grid { sizes: sizes.to_vec(), values: places(sizes).iter().map(|place| f(place)).collect() }
    }

    /// A grid without axes: one number.
    #[must_use]
    pub fn scalar(value: f64) -> Grid {
        Grid::new(&[], vec![value])
    }

    /// The number at a place.
    #[must_use]
    pub fn get(&self, place: &[usize]) -> f64 {
        self.values[self.offset(place)]
    }

    /// Puts a number at a place.
    pub fn set(&mut self, place: &[usize], value: f64) {
        let offset = self.offset(place);
        self.values[offset] = value;
    }

    /// How many numbers stand before a place, which must be on the grid.
    fn offset(&self, place: &[usize]) -> usize {
        assert_eq!(place.len(), self.sizes.len(), "a place of a grid of sizes {:?}", self.sizes);
        let mut offset = 0;
        for (&position, &size) in place.iter().zip(&self.sizes) {
            assert!(position < size, "place {place:?} of a grid of sizes {:?}", self.sizes);
            offset = offset * size + position;
        }
        offset
    }

    /// The only number of a grid without axes.
    #[must_use]
    pub fn item(&self) -> f64 {
        self.get(&[])
    }

    /// One number for each place of the axes that are not in `axes`: `f` of the numbers over `axes`.
    #[must_use]
    pub fn reduce(&self, axes: &[usize], f: impl Fn(&[f64]) -> f64) -> Grid {
        let over = places(&self.sizes_of(|axis| axes.contains(&axis)));
        Grid::from_fn(&self.sizes_of(|axis| !axes.contains(&axis)), |outer| {
            let numbers: Vec<f64> = over.iter().map(|inner| self.get(&interleave(axes, outer, inner))).collect();
            f(&numbers)
        })
    }

    /// A grid of the same sizes: for each place of the other axes, the numbers over `axes` are replaced by `f` of them.
    #[must_use]
    pub fn along(&self, axes: &[usize], f: impl Fn(&[f64]) -> Vec<f64>) -> Grid {
        let mut result = self.clone();
        let over = places(&self.sizes_of(|axis| axes.contains(&axis)));
        for outer in places(&self.sizes_of(|axis| !axes.contains(&axis))) {
            let numbers: Vec<f64> = over.iter().map(|inner| self.get(&interleave(axes, &outer, inner))).collect();
            for (inner, value) in over.iter().zip(f(&numbers)) {
                result.set(&interleave(axes, &outer, inner), value);
            }
        }
        result
    }

    /// The sizes of some axes.
    fn sizes_of(&self, chosen: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.sizes.len()).filter(|&axis| chosen(axis)).map(|axis| self.sizes[axis]).collect()
    }
}

/// All places of a grid of these sizes, the last axis fastest.
#[must_use]
pub fn places(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut places = vec![Vec::new()];
    for &size in sizes {
        let mut longer = Vec::new();
        for place in &places {
            for position in 0..size {
                let mut place = place.clone();
                place.push(position);
                longer.push(place);
            }
        }
        places = longer;
    }
    places
}

/// The place whose positions on `axes` are `inner` and on the other axes `outer`, both in the order of the axes.
fn interleave(axes: &[usize], outer: &[usize], inner: &[usize]) -> Vec<usize> {
    let rank = outer.len() + inner.len();
    let (mut outer, mut inner) = (outer.iter(), inner.iter());
    let next = |axis| if axes.contains(&axis) { inner.next() } else { outer.next() };
    (0..rank).map(next).map(|position| *position.expect("one position per axis")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_of_a_grid_is_the_fastest() {
        assert_eq!(places(&[2, 2]), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        let grid = Grid::from_fn(&[2, 3], |place| (10 * place[0] + place[1]) as f64);
        assert_eq!(grid.values, [0., 1., 2., 10., 11., 12.]);
        assert_eq!(grid.get(&[1, 2]), 12.);
    }

    #[test]
    fn an_axis_of_size_zero_has_no_places_and_no_axes_have_one() {
        assert!(places(&[3, 0, 2]).is_empty());
        assert_eq!(places(&[]), [[0usize; 0]]);
    }
}
