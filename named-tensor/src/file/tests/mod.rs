//! Tests of files. Lives here: a small model, and files to try it on. Round trips and tensors that do not fit are in
//! `fitting`, bytes that lie in `hostile`, files that must survive in `disk`.

mod disk;
mod fitting;
mod hostile;

use super::*;
use crate::graph::Node;
use crate::params::{Draw, Init, Parameter, ParameterMut, Path as Inside};
use crate::params::{visit_nested, visit_nested_mut, visit_tensor, visit_tensor_mut};
use crate::prelude::*;

axes! { chans, key, key_, vocab }

type Weights<T> = Tensor<R![chans, key], T>;
type Bias<T> = Tensor<R![key], T>;
type Scale<T> = Tensor<R![], T>;

#[derive(Debug, Clone)]
struct Linear<T: Real> {
    weights: Weights<T>,
    bias: Bias<T>,
}

#[derive(Debug, Clone)]
struct Model<T: Real> {
    first: Linear<T>,
    second: Linear<T>,
    scale: Scale<T>,
}

impl<T: Real> Parameters<T> for Linear<T> {
    type Axes = R![chans, key];
    type Of<U: Real> = Linear<U>;

    fn visit(&self, path: &mut Inside, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        visit_tensor(path, "weights", &self.weights, visitor);
        visit_tensor(path, "bias", &self.bias, visitor);
    }

    fn visit_mut(&mut self, path: &mut Inside, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        visit_tensor_mut(path, "weights", &mut self.weights, visitor);
        visit_tensor_mut(path, "bias", &mut self.bias, visitor);
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        let draw = Draw::Uniform { low: -1.0, high: 1.0 };
        Ok(Linear { weights: init.tensor("weights", &draw)?, bias: init.tensor("bias", &draw)? })
    }

    fn cast<U: Real>(&self) -> Linear<U> {
        let cast = |node: &Node| node.cast(U::KIND);
        Linear {
            weights: Tensor::from_node(cast(self.weights.node())),
            bias: Tensor::from_node(cast(self.bias.node())),
        }
    }
}

impl<T: Real> Parameters<T> for Model<T> {
    type Axes = R![chans, key];
    type Of<U: Real> = Model<U>;

    fn visit(&self, path: &mut Inside, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        visit_nested(path, "first", &self.first, visitor);
        visit_nested(path, "second", &self.second, visitor);
        visit_tensor(path, "scale", &self.scale, visitor);
    }

    fn visit_mut(&mut self, path: &mut Inside, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        visit_nested_mut(path, "first", &mut self.first, visitor);
        visit_nested_mut(path, "second", &mut self.second, visitor);
        visit_tensor_mut(path, "scale", &mut self.scale, visitor);
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        let scale = init.tensor("scale", &Draw::Constant(1.0))?;
        Ok(Model { first: init.nested("first")?, second: init.nested("second")?, scale })
    }

    fn cast<U: Real>(&self) -> Model<U> {
        let scale = Tensor::from_node(self.scale.node().cast(U::KIND));
        Model { first: self.first.cast(), second: self.second.cast(), scale }
    }
}

fn linear(seed: u64, keys: usize) -> Linear<f32> {
    crate::params::init(&mut seeded(seed), (chans.of(3), key.of(keys))).expect("it is small")
}

fn model(seed: u64) -> Model<f32> {
    crate::params::init(&mut seeded(seed), (chans.of(3), key.of(2))).expect("it is small")
}

fn bytes(tensors: &Tensors) -> Vec<u8> {
    let mut bytes = Vec::new();
    tensors.write(&mut bytes).expect("memory takes all bytes");
    bytes
}

/// The bytes of a file with this header.
fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), numbers].concat()
}

/// All numbers of all parameters, by their bits.
fn bits<T: Real>(parameters: &impl Files<T>) -> Vec<u8> {
    bytes(&parameters.to_tensors().expect("parameters are numbers"))
}

/// A folder that is gone after the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("named-tensor-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("temporary files can be written");
        Folder(path)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        entries.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
