//! Forms of functions, plans, gradients and models, and the numbers they give.
//!
//! Lives here: what takes a function or a struct of parameters. Not here: single operations.

use super::Run;
use crate::paper::*;

named! {
    fn Largest(X: R[width]) -> R[] { max_width(X) }
    fn Score(X: R[width], w: R[width]) -> R[] { X dot_width w }
    fn Spread(X: R[width]) -> R[] { max_width(X) - min_width(X) }
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] { softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V }
    fn Derivative(w: R[key]) -> R[key, star(key)] { d(w * w, w) }
    fn Slope(X: R[width]) -> R[width] { d(X dot_width X, X)_{star(width) -> width} }
    fn Linear(X: R[width]; W: R[width, val], b: R[val]) -> R[val] { X dot_width W + b }
}

#[test]
fn functions_are_lifted_and_nothing_is_compiled_by_hand() -> Run {
    let (a, _, y) = tensors();
    assert_eq!(Largest(&a).to_vec(height)?, [4.0, 9.0, 6.0]);
    assert_eq!(Score(&a, &y).to_vec(height)?, [11.0, 30.0, 31.0]);
    let q = Tensor::new((seq_, key), [[0.0, 0.0], [9.0, 0.0]]);
    let k = Tensor::new((seq, key), [[9.0, 0.0], [0.0, 9.0]]);
    let v = Tensor::new((seq, val), [[1.0], [3.0]]);
    assert!(close(&Attention(&q, &k, &v).to_vec((seq_, val))?, &[2.0, 1.0]));
    assert!(close(&Attention(&k, &k, &v).to_vec((seq, val))?, &[1.0, 3.0]));
    assert_eq!(Spread(&a).to_vec(height)?, [3.0, 8.0, 4.0]);
    let plan = a.sum(width).plan()?;
    assert!(plan.contains("sum"), "{plan}");
    let (s, t) = (a.sum(width), a.sum(height));
    eval(&[&s, &t])?;
    let s = s.eval()?;
    assert_eq!(s.dot(height, &s).item()?, 458.0);
    Ok(())
}

#[test]
fn gradients_have_the_axes_of_their_variables() -> Run {
    let (a, ..) = tensors();
    let (w, b) = (Tensor::new(key, [1.0, 2.0]), Tensor::new(key, [3.0, 4.0]));
    let loss = (&w * &w).dot(key, &b);
    let dw = grad(&loss, &w);
    let (_, db) = grad(&loss, (&w, &b));
    assert_eq!(dw.to_vec(key)?, [6.0, 16.0]);
    assert_eq!(db.to_vec(key)?, [1.0, 4.0]);
    let (value, slope) = value_and_grad(&loss, &w)?;
    assert_eq!(value, 19.0);
    assert_eq!(slope.to_vec(key)?, [6.0, 16.0]);
    assert_eq!(jacobian(&(&w * &w), &w).to_vec((key, star(key)))?, [2.0, 0.0, 0.0, 4.0]);
    assert_eq!(Derivative(&w).to_vec((key, star(key)))?, [2.0, 0.0, 0.0, 4.0]);
    assert_eq!(hessian(&loss, &w).to_vec((star(key), star(star(key))))?, [6.0, 0.0, 0.0, 8.0]);
    assert_eq!(jvp(&(&w * &w), &w, &b).to_vec(key)?, [6.0, 16.0]);
    assert_eq!(vjp(&(&w * &w), &b, &w).to_vec(key)?, [6.0, 16.0]);
    assert_eq!(Slope(&a).at(height, 1).to_vec(width)?, [2.0, 10.0, 18.0]);
    assert_eq!(grad(&w.dot(key, &w.stop_gradient()), &w).to_vec(key)?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn models_are_structs_of_parameters() -> Run {
    let (a, _, y) = tensors();
    let mut model = Linear::init(&mut seeded(0), (width.of(3), val.of(2)))?;
    let names: Vec<String> = model.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["W", "b"]);
    let error = model.apply(&a).sum((height, val));
    let (_, gradient) = value_and_grad(&error, &model)?;
    assert_eq!(gradient.b.to_vec(val)?, [3.0, 3.0]);
    assert_eq!(gradient.W.at(val, 0).to_vec(width)?, [6.0, 12.0, 18.0]);
    model.W = Tensor::new((width, val), [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    model.b = Tensor::new(val, [0.5, -0.5]);
    assert_eq!(model.apply(&a).to_vec((height, val))?, [7.5, 4.5, 10.5, 13.5, 7.5, 10.5]);
    assert_eq!(model.apply(&y).to_vec(val)?, [2.5, 4.5]);
    let path = std::env::temp_dir().join(format!("coming-from-{}.safetensors", std::process::id()));
    model.save(&path)?;
    model.b = Tensor::new(val, [0.0, 0.0]);
    model.load(&path)?;
    std::fs::remove_file(&path).expect("the file was written");
    assert_eq!(model.b.to_vec(val)?, [0.5, -0.5]);
    Ok(())
}
