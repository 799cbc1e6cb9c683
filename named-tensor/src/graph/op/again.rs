//! The same primitive on other inputs.
//!
//! Computes what a node computes, from inputs that may have further axes; the shape is found anew by the primitive's
//! own rule. Lives here: one line for each primitive. Not here: what is done with it (`calculus`).

use crate::graph::{Node, Op};

impl Node {
    /// This node's operation on `inputs` in place of its own, which have the same axes and perhaps more.
    #[must_use]
    #[track_caller]
    pub fn again(&self, inputs: &[Node]) -> Node {
        let size = |axis| self.shape().size(axis).unwrap_or(0);
        match (self.op(), inputs) {
            (Op::Input | Op::Failed(_) | Op::Fill(_) | Op::Iota | Op::Random(..) | Op::Placeholder(_), _) => {
                self.clone()
            }
            (Op::Cast, [x]) => x.cast(self.kind()),
            (Op::Unary(function), [x]) => x.unary(*function),
            (Op::Binary(function), [x, y]) => x.binary(*function, y),
            (Op::Compare(comparison), [x, y]) => x.compare(*comparison, y),
            (Op::Select, [condition, yes, no]) => condition.select(yes, no),
            (Op::Reduce(reduction, axes), [x]) => x.reduce(*reduction, axes),
            (Op::Contract(axes), [x, y]) => x.contract(y, axes),
            (Op::Softmax { axes, log }, [x]) => x.softmax(axes, *log),
            (Op::Standardize { axes, epsilon }, [x]) => x.standardize(axes, *epsilon),
            (Op::StandardizeGradient { axes, epsilon }, [x, owed]) => x.standardize_gradient(owed, axes, *epsilon),
            (Op::Rename, [x]) => {
                let old = self.inputs().first().into_iter().flat_map(|old| old.shape().names());
                x.rename(&old.zip(self.shape().names()).collect::<Vec<_>>())
            }
            (Op::Split(axis, parts), [x]) => {
                x.split(*axis, &parts.iter().map(|&part| (part, Some(size(part)))).collect::<Vec<_>>())
            }
            (Op::Merge(from, into), [x]) => x.merge(from, *into),
            (&Op::Slice { axis, start, step }, [x]) => {
                let size = size(axis);
                // The last position taken, and one more; nothing of an empty slice.
                let end = if size == 0 { start } else { start + (size - 1) * step + 1 };
                x.slice(axis, start..end, step)
            }
            (&Op::At(axis, position), [x]) => x.at(axis, position),
            (&Op::Flip(axis), [x]) => x.flip(axis),
            (&Op::Window { axis, into, step }, [x]) => x.window(axis, into, size(into), step),
            (&Op::Pad { axis, before, value }, [x]) => {
                let inside = x.shape().size(axis).unwrap_or(0);
                x.pad(axis, before, size(axis) - before - inside, value)
            }
            (Op::Concat(axis), [x, y]) => x.concat(*axis, y),
            (Op::Concat(axis), parts) => {
                Node::concat_all(*axis, &parts.iter().collect::<Vec<_>>()).unwrap_or_else(|| self.clone())
            }
            (Op::Gather(axis), [table, positions]) => table.gather(*axis, positions),
            (Op::ScatterAdd { axis, over }, [updates, positions]) => {
                updates.scatter_add(positions, *axis, size(*axis), over)
            }
            (Op::DynamicSlice(axis), [x, start]) => x.dynamic_slice(*axis, size(*axis), start),
            (Op::DynamicUpdate(axis), [x, part, start]) => x.dynamic_update(*axis, part, start),
            (&Op::CumulativeSum { axis, backwards }, [x]) => x.running_sum(axis, backwards),
            (&Op::Sort { axis, descending }, [x]) => x.sort(axis, descending),
            (&Op::ArgSort { axis, descending }, [x]) => x.argsort(axis, descending),
            (&Op::Determinant(a, b), [x]) => x.determinant(a, b),
            (&Op::LogDeterminant(a, b), [x]) => x.log_determinant(a, b),
            (&Op::Inverse(a, b), [x]) => x.inverse(a, b),
            (Op::StopGradient, [x]) => x.stop_gradient(),
            (Op::Call(function), [_, arguments @ ..]) => Node::call(function.clone(), arguments),
            (Op::Constrain(axis, mesh), [x]) => x.constrain(*axis, mesh.clone()),
            (Op::Scan(scan), inputs) => scan.again(self, inputs),
            // Nodes are made by builders only, each with as many inputs as its own.
            (op, _) => unreachable!("`{}` on {} inputs", op.name(), inputs.len()),
        }
    }
}
