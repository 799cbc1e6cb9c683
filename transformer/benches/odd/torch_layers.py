"""Layers and programs in eager PyTorch, as `layers.rs` and `programs.rs` beside this file have them."""
import math

import torch
import torch.nn.functional as F

from torch_case import case, fill, positions


def turned(x, angles):
    """Rotary positions of x[..., seq, features]."""
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


def norm(x, g, s):
    return F.batch_norm(x, None, None, g, s, training=True)


def heads(x, w):
    """x[..., seq, chans] by w[chans, heads, key], as [..., heads, seq, key]."""
    return (x @ w.flatten(1)).unflatten(-1, w.shape[1:]).transpose(-2, -3)


def layers():
    def llama(x, q, k, v, o, w, u, z, angles):
        x1 = F.rms_norm(x, x.shape[1:], eps=1e-5)
        q = turned(heads(x1, q.flatten(1, 2)), angles)
        k = turned(heads(x1, k), angles)
        h = F.scaled_dot_product_attention(q[None], k[None], heads(x1, v)[None], is_causal=True, enable_gqa=True)[0]
        x = x + h.transpose(0, 1).flatten(1) @ o.flatten(0, 2)
        x3 = F.rms_norm(x, x.shape[1:], eps=1e-5)
        return x + (F.silu(x3 @ w) * (x3 @ u)) @ z

    def llama_inputs(n, d, g, s, f):
        c = 6 * d
        return [(n, c), ((c, g, s, d), 0.1), ((c, g, d), 0.1), ((c, g, d), 0.1), ((g, s, d, c), 0.1),
                ((c, f), 0.1), ((c, f), 0.1), ((f, c), 0.1)]

    case("layers/llama", [(33, 10, 2, 3, 77), (301, 64, 2, 3, 1001)], llama_inputs, llama,
         lambda n, d, g, s, f: (fill(50, n, d // 2),))

    def encoder(x, q, k, v, o, w, c, u, mask):
        h = F.scaled_dot_product_attention(heads(x, q), heads(x, k), heads(x, v), attn_mask=mask[:, None, None])
        x = F.layer_norm(x + h.transpose(1, 2).flatten(2) @ o.flatten(0, 1), x.shape[2:])
        return F.layer_norm(x + F.gelu(x @ w + c) @ u, x.shape[2:])

    def lengths(b, n, *_):
        words = n // 2 + positions(50, b, n // 2)
        return (torch.where(torch.arange(n) <= words[:, None], 0.0, -math.inf),)

    case("layers/encoder", [(3, 17, 3, 9, 50), (5, 101, 4, 33, 501)],
         lambda b, n, h, d, f: [(b, n, h * d), *[((h * d, h, d), 0.1)] * 3, ((h, d, h * d), 0.1),
                                ((h * d, f), 0.1), (f,), ((f, h * d), 0.1)], encoder, lengths)

    def mixer(x, u, v, w, z):
        y = F.layer_norm(x, x.shape[2:]).transpose(1, 2)
        x = x + (F.gelu(y @ u) @ v).transpose(1, 2)
        return x + F.gelu(F.layer_norm(x, x.shape[2:]) @ w) @ z

    case("layers/mixer", [(3, 17, 33, 9, 50), (7, 101, 96, 50, 301)],
         lambda b, n, c, o, f: [(b, n, c), ((n, o), 0.1), ((o, n), 0.1), ((c, f), 0.1), ((f, c), 0.1)], mixer)
    case("layers/experts", [(19, 17, 3, 33), (301, 77, 5, 129)],
         lambda n, c, e, f: [(n, c), (c, e), ((e, c, f), 0.2), ((e, f, c), 0.2)],
         lambda x, g, w, v: torch.einsum("ne,enc->nc", (x @ g).softmax(1), (x @ w).relu() @ v))

    def chosen(x, g, w, v, ids):
        y = torch.zeros_like(x)
        for e in range(len(w)):
            at, which = torch.where(ids == e)
            y = y.index_add(0, at, g[at, which, None] * ((x[at] @ w[e]).relu() @ v[e]))
        return y

    case("layers/chosen-experts", [(19, 17, 3, 33), (301, 77, 5, 129), (501, 256, 8, 512)],
         lambda n, c, e, f: [(n, c), (n, 2), ((e, c, f), 0.2), ((e, f, c), 0.2)], chosen,
         lambda n, c, e, f: (positions(50, 2 * n, e).view(n, 2),))

    def relative(q, k, v, a, b, far):
        far = far.expand(len(q), -1, -1)
        w = ((q @ k.mT + (q @ a.T).gather(2, far)) / math.sqrt(q.shape[2])).softmax(2)
        sums = torch.zeros(*w.shape[:2], len(b)).scatter_add(2, far, w)
        return w @ v + sums @ b

    def distances(h, n, d, e):
        at = torch.arange(n)
        return ((at[None, :] - at[:, None]).clamp(-(e // 2), e // 2) + e // 2,)

    case("layers/relative-positions", [(3, 19, 9, 5), (4, 101, 33, 33), (8, 301, 64, 601)],
         lambda h, n, d, e: [(h, n, d), (h, n, d), (h, n, d), (e, d), (e, d)], relative, distances)

    def linear(q, k, v):
        a, b = F.elu(q) + 1, F.elu(k) + 1
        return (a @ (b.mT @ v)) / (a @ b.sum(1)[..., None])

    case("layers/linear-attention", [(3, 19, 9), (5, 777, 33)], lambda h, n, d: [(h, n, d)] * 3, linear)

    def bias(h, n, d):
        power = 2 ** math.floor(math.log2(h) + 1e-9)
        slopes = [2 ** (-8 * (i + 1) / power) if i < power else 2 ** (-4 * (2 * (i - power) + 1) / power)
                  for i in range(h)]
        far = torch.arange(n)[:, None] - torch.arange(n)
        return (-torch.tensor(slopes)[:, None, None] * far + torch.where(far >= 0, 0.0, -math.inf),)

    case("layers/linear-bias", [(3, 19, 9), (5, 301, 33)], lambda h, n, d: [(h, n, d)] * 3,
         lambda q, k, v, m: F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=m)[0], bias)
    case("layers/cross", [(3, 2, 5, 17, 9), (7, 4, 33, 101, 32)],
         lambda b, h, m, n, d: [(b, m, h * d), (b, n, h * d), *[((h * d, h, d), 0.1)] * 3],
         lambda x, y, q, k, v: F.scaled_dot_product_attention(heads(x, q), heads(y, k), heads(y, v)).transpose(1, 2))

    def neighbours(n, *_):
        near = positions(50, n * n, 10).view(n, n) == 0
        return ((near | torch.eye(n, dtype=torch.bool)).float(),)

    def graph_attention(x, w, a, b, near):
        h = x @ w
        scores = F.leaky_relu((h @ a)[:, None] + h @ b, 0.2).masked_fill(near == 0, -math.inf)
        return scores.softmax(0).t() @ h

    case("layers/graph-attention", [(31, 17, 9), (301, 77, 33)], lambda n, d, o: [(n, d), (d, o), (o,), (o,)],
         graph_attention, neighbours)
    case("layers/graph", [(31, 17, 9, 5), (301, 77, 33, 7)], lambda n, d, h, o: [(n, d), (d, h), (h, o)],
         lambda x, w, u, near: near.t() @ ((near.t() @ (x @ w)).relu() @ u), neighbours)

    case("layers/messages", [(31, 77, 17, 9, 5), (1001, 9009, 65, 63, 33)],
         lambda n, e, d, h, o: [(n, d), ((d, h), 0.2), ((d, h), 0.2), (h, o)],
         lambda x, w, u, v, s, t: torch.zeros(len(x), v.shape[1]).index_add(0, t, (x[s] @ w + x[t] @ u).relu() @ v),
         lambda n, e, *_: (positions(50, e, n), positions(51, e, n)))
    case("layers/nearest", [(31, 5, 17, 9), (1001, 16, 65, 63)], lambda n, k, d, o: [(n, k), (n, d), (d, o)],
         lambda a, x, w, near: (a[:, :, None] * x[near]).sum(1) @ w,
         lambda n, k, *_: (positions(50, n * k, n).view(n, k),))

    case("layers/residual", [(2, 3, 13, 5), (8, 17, 28, 33)],
         lambda b, c, h, o: [(b, c, h, h), ((o, c, 3, 3), 0.2), (o,), (o,), ((c, o, 3, 3), 0.2), (c,), (c,)],
         lambda x, w, g, s, v, d, e: (x + norm(F.conv2d(norm(F.conv2d(x, w, padding=1), g, s).relu(), v, padding=1),
                                               d, e)).relu())
    case("layers/separable", [(2, 3, 13, 5), (4, 33, 57, 65)],
         lambda b, c, h, o: [(b, c, h, h), (c, 3, 3), (c,), (c,), (c, o), (o,), (o,)],
         lambda x, w, g, s, v, d, e: norm(F.conv2d(norm(F.conv2d(x, w[:, None], padding=1, groups=len(w)), g, s).relu(),
                                                   v.t()[:, :, None, None]), d, e).relu())
    case("layers/squeeze", [(2, 7, 13, 3), (8, 33, 57, 9)], lambda b, c, h, f: [(b, c, h, h), (c, f), (f, c)],
         lambda x, w, v: x * ((x.mean((2, 3)) @ w).relu() @ v).sigmoid()[..., None, None])
    case("layers/group-norm", [(2, 8, 13, 3), (4, 20, 33, 17)],
         lambda b, c, h, o: [(b, c, h, h), (c,), (c,), ((o, c, 3, 3), 0.2), (o,)],
         lambda x, g, s, w, z: F.conv2d(F.silu(F.group_norm(x, 4, g, s)), w, z, padding=1))


def programs():
    def contrastive(x, y, t):
        s = F.normalize(x, dim=1) @ F.normalize(y, dim=1).t() * t.exp()
        which = torch.arange(len(x))
        return (F.cross_entropy(s, which) + F.cross_entropy(s.t(), which)) / 2

    case("programs/contrastive", [(31, 17), (301, 77)], lambda n, d: [(n, d), (n, d), ()], contrastive)

    def mixture(x, m, s, p):
        z = (x[:, None] - m) / s.exp()
        return torch.logsumexp(p.log_softmax(0) - (z * z / 2 + s).sum(2), 1)

    case("programs/mixture", [(101, 3, 2), (3001, 17, 5)], lambda n, k, d: [(n, d), (k, d), (k, d), (k,)], mixture)
    case("programs/ranking", [(31,), (701,)], lambda n: [(n,)],
         lambda s, y: F.softplus(-y * (s[:, None] - s)).mean(), lambda n: (fill(50, n, n),))

    def process(x, y, s):
        far = x[:, None] - x
        k = torch.exp(-(far * far).sum(2) / 2) + s.exp() * torch.eye(len(x))
        root = torch.linalg.cholesky(k)
        return -(y @ torch.cholesky_solve(y[:, None], root)[:, 0]) / 2 - root.diagonal().log().sum()

    case("programs/process", [(31, 3), (101, 3)], lambda n, d: [((n, d), 4.0), (n,), ()], process)

    def focal(z, ids):
        l = -F.cross_entropy(z, ids, reduction="none")
        return -(1 - l.exp()) ** 2 * l

    def topics(n, a, b):
        p, q = a.exp(), b.exp()
        of = n / (p @ q)
        return (p * (of @ q.t())).square().sum() + (q * (p.t() @ of)).square().sum()

    case("programs/topics", [(31, 3, 17), (201, 16, 701)], lambda m, k, n: [(m, n), (m, k), (k, n)], topics)

    case("programs/focal", [(31, 17), (3000, 100)], lambda n, v: [(n, v)], focal, lambda n, v: (positions(50, n, v),))

    def coded(x, w, m, s, v, u, noise):
        h = torch.tanh(x @ w)
        m, s = h @ m, h @ s
        y = torch.tanh((m + torch.exp(s / 2) * noise) @ v) @ u
        return (x - y).square().sum(1) + (m.square() + s.exp() - s - 1).sum(1) / 2

    case("programs/autoencoder", [(17, 33, 20, 5), (301, 196, 129, 20)],
         lambda b, i, h, o: [(b, i), ((i, h), 0.2), ((h, o), 0.2), ((h, o), 0.2), ((o, h), 0.2), ((h, i), 0.2)], coded,
         lambda b, i, h, o: (fill(50, b, o),))

    def hidden_markov(x, t):
        t, a = t.log_softmax(1), x.new_zeros(x.shape[0], x.shape[2])
        for step in x.unbind(1):
            a = torch.logsumexp(a[..., None] + t, 1) + step
        return torch.logsumexp(a, 1)

    case("programs/hidden-markov", [(1, 33, 5), (7, 101, 33)], lambda b, l, k: [(b, l, k), (k, k)], hidden_markov)

    def balanced(c):
        g = c.new_zeros(c.shape[1])
        for _ in range(10):
            f = -torch.logsumexp(g - c, 1)
            g = -torch.logsumexp(f[:, None] - c, 0)
        return g

    case("programs/balanced", [(31, 17), (301, 203)], lambda m, n: [(m, n)], balanced)

    def selective(x, d, a, u, v):
        h, out, rate, d = x.new_zeros(x.shape[0], *a.shape), [], -a.exp(), d.exp()
        decay, fresh = torch.exp(d[..., None] * rate), (d * x)[..., None] * u[:, :, None]
        for f, g, c in zip(decay.unbind(1), fresh.unbind(1), v.unbind(1)):
            h = f * h + g
            out.append((h @ c[..., None])[..., 0])
        return torch.stack(out, 1)

    case("programs/selective", [(1, 33, 17, 4), (2, 101, 65, 16)],
         lambda b, l, c, s: [(b, l, c), (b, l, c), (c, s), (b, l, s), (b, l, s)], selective)

    def power(a, x):
        for _ in range(20):
            x = x @ a
            x = x / torch.linalg.vector_norm(x)
        return x

    case("programs/power", [(31,), (301,)], lambda n: [(n, n), (n,)], power)

    def heat(u, k):
        k = k * 0.1
        for _ in range(20):
            near = u.roll(-1, 0) + u.roll(1, 0) + u.roll(-1, 1) + u.roll(1, 1)
            u = u + k * (near - 4 * u)
        return u

    case("programs/heat", [(31, 17), (301, 203)], lambda m, n: [(m, n), ()], heat)

    def gru(x, w, u, start, nothing):
        parameters = [w.flatten(0, 1), u.flatten(0, 1), nothing, nothing]
        return torch.gru(x, start, parameters, True, 1, 0.0, torch.is_grad_enabled(), False, True)[0]

    case("programs/gru", [(1, 33, 17, 29), (5, 77, 31, 45)],
         lambda b, l, i, s: [(b, l, i), ((3, s, i), 0.2), ((3, s, s), 0.2)], gru,
         lambda b, l, i, s: (torch.zeros(1, b, s), torch.zeros(3 * s)))
