"""How a case runs in eager PyTorch: inputs by a formula, checks, times, and one JSON line for each row.

Not here: the cases (`torch_odd`, `torch_layers`).
"""
import json
import math
import os
import sys
import time

import numpy as np
import torch

WEIGHTS = 100
THREADS = int(os.environ.get("PEER_THREADS") or os.environ.get("NAMED_TENSOR_THREADS") or os.cpu_count())
BUDGET = float(os.environ.get("ODD_BUDGET", "0.15"))
WORDS = sys.argv[1:]
torch.set_num_threads(THREADS)


def hashes(seed, size):
    x = np.arange(size, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def numbers(seed, size):
    """Uniform in [-1, 1), exact in f32."""
    return (hashes(seed, size) >> np.uint32(8)).astype(np.float32) / np.float32(2**23) - np.float32(1)


def fill(seed, *shape):
    return torch.from_numpy(numbers(seed, math.prod(shape))).reshape(shape)


def positions(seed, size, below):
    return torch.from_numpy((hashes(seed, size) % np.uint32(below)).astype(np.int64))


def check(seed, y):
    """The sum with fixed weights, and the root of the sum of the squared terms."""
    y = y.detach().to(torch.float32).contiguous().numpy().astype(np.float64).ravel()
    terms = y * numbers(seed, y.size).astype(np.float64)
    found = [float(terms.sum()), float(np.sqrt((terms * terms).sum()))]
    return [x if math.isfinite(x) else None for x in found]


def measure(kind, sizes, how, checks, call):
    calls, start = 0, time.perf_counter()
    while calls < 2 or time.perf_counter() - start < BUDGET / 3:
        call()
        calls += 1
    start = time.perf_counter()
    call()
    inner = max(1, math.ceil(1e-4 / (time.perf_counter() - start)))
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < BUDGET:
        sample = time.perf_counter()
        for _ in range(inner):
            call()
        times.append((time.perf_counter() - sample) * 1e6 / inner)
    times.sort()
    line = {"peer": "torch", "kind": kind, "sizes": sizes, "how": how, "threads": THREADS,
            "least_us": round(times[0], 3), "median_us": round(times[len(times) // 2], 3), "check": checks}
    print(json.dumps(line), flush=True)


def asked(*name):
    return not WORDS or any(word in " ".join(name) for word in WORDS)


def named(sizes):
    return "x".join(str(size) for size in sizes)


def case(kind, all_sizes, inputs, of, given=None, grad=True):
    """`inputs` gives the shape of each variable, or (shape, scale); `of` takes the variables, then what is `given`."""
    for sizes in all_sizes:
        name = named(sizes)
        if not (asked(kind, name, "forwards") or asked(kind, name, "+grad")):
            continue
        variables = []
        for seed, shape in enumerate(inputs(*sizes), 1):
            shape, scale = shape if shape and isinstance(shape[0], tuple) else (shape, None)
            x = fill(seed, *shape)
            variables.append((x if scale is None else x * np.float32(scale)).requires_grad_())
        more = given(*sizes) if given else ()
        with torch.no_grad():
            y = of(*variables, *more)
            weights = fill(WEIGHTS, *y.shape)
            checks = [check(WEIGHTS, y)]
            if asked(kind, name, "forwards"):
                measure(kind, name, "forwards", checks, lambda: of(*variables, *more))
        if grad and asked(kind, name, "+grad"):
            def step():
                loss = (of(*variables, *more) * weights).sum()
                return loss, torch.autograd.grad(loss, variables)

            loss, gradients = step()
            checks = [[loss.item(), checks[0][1]]]
            checks += [check(WEIGHTS + i, g) for i, g in enumerate(gradients, 1)]
            measure(kind, name, "+grad", checks, step)
