"""The odd cases in eager PyTorch: names, sizes and inputs of those beside this file, one JSON line for each row.

    PEER_THREADS=2 python torch_odd.py > torch.jsonl          all rows; words after the name of the file choose some

Forwards runs under `no_grad`; `+grad` is the sum of the result with fixed weights, and `torch.autograd.grad` by all
inputs. Each case is written as PyTorch has it fastest without compiling. Environment: PEER_THREADS, else
NAMED_TENSOR_THREADS; ODD_BUDGET, seconds for each row. Needs torch and numpy.
"""
import torch
import torch.nn.functional as F

from torch_case import WEIGHTS, asked, case, check, fill, measure, positions
from torch_layers import layers, programs


def contractions():
    sizes = [(17, 23, 19), (201, 303, 97), (773, 333, 501)]
    case("product/plain", sizes + [(1001, 7, 773), (1001, 773, 3)], lambda m, k, n: [(m, k), (k, n)],
         lambda a, b: a @ b)
    case("product/turned", sizes + [(7, 60000, 5)], lambda m, k, n: [(k, m), (k, n)], lambda a, b: a.t() @ b)
    case("product/along", sizes + [(3, 700, 2000)], lambda m, k, n: [(m, k), (n, k)], lambda a, b: a @ b.t())
    case("product/both-turned", sizes, lambda m, k, n: [(k, m), (n, k)], lambda a, b: a.t() @ b.t())
    case("product/chain", [(10, 501, 11, 503), (301, 11, 303, 12)], lambda m, k, n, p: [(m, k), (k, n), (n, p)],
         lambda a, b, c: torch.linalg.multi_dot([a, b, c]))
    case("product/written-apart", [(31, 17, 19, 5), (301, 64, 65, 33)],
         lambda m, k, f, n: [(m, k), (k, f, n), (m, f)],
         lambda x, w, y: torch.einsum("mk,kfn,mf->mn", x, w, y))
    case("product/norm-of-chain", [(5, 17, 3, 19, 7), (9, 65, 4, 66, 11)],
         lambda p, m, s, n, q: [(p, m), (m, s, n), (n, q)],
         lambda a, b, c: torch.einsum("pm,msn,nq->psq", a, b, c).square().sum())
    case("product/fisher", [(31, 17, 5), (301, 129, 33)], lambda m, k, n: [(m, k), (m, n), (k, n)],
         lambda x, p, v: (x * ((x @ v) * p).sum(1, keepdim=True)).t() @ p / len(x))
    case("product/triples", [(31, 17, 17, 5), (501, 33, 33, 101)], lambda m, k, f, n: [(m, k), (k, f)],
         lambda e, w, i: e[i] @ w @ e.t(), lambda m, k, f, n: (positions(50, n, m),))
    case("product/rows-by-rows", [(33, 47), (301, 203)], lambda m, n: [(m, n)], lambda a: a @ a.t())
    case("product/cols-by-cols", [(301, 203), (60000, 7)], lambda m, n: [(m, n)], lambda a: a.t() @ a)

    def covariance(a):
        d = a - a.mean(0)
        return d.t() @ d / len(a)

    case("product/covariance", [(1001, 77), (60000, 7)], lambda m, n: [(m, n)], covariance)
    case("product/cosines", [(31, 17, 29), (301, 77, 203)], lambda m, k, n: [(m, k), (n, k)],
         lambda a, b: F.normalize(a, dim=1) @ F.normalize(b, dim=1).t())

    sizes = [(31, 17), (300, 401), (1001, 773), (60000, 7), (7, 60000)]
    case("vector/along", sizes, lambda m, n: [(m, n), (n,)], torch.mv)
    case("vector/across", sizes, lambda m, n: [(m, n), (m,)], lambda a, x: a.t() @ x)
    case("vector/middle", [(31, 17, 9), (512, 4, 256), (2000, 5, 64)], lambda p, m, n: [(p, m, n), (m,)],
         lambda x, a: torch.einsum("pmn,m->pn", x, a))
    case("vector/outer", [(31, 17), (1001, 773), (7, 60000)], lambda m, n: [(m,), (n,)], torch.outer)
    case("vector/inner", [(301,), (60000,), (774000,)], lambda n: [(n,), (n,)], torch.dot)
    case("vector/row-by-row", [(300, 401), (1001, 773), (60000, 7)], lambda m, n: [(m, n), (m, n)],
         lambda x, y: torch.linalg.vecdot(x, y))
    case("vector/bilinear", [(101, 33, 47), (1000, 17, 9)], lambda b, m, n: [(b, m), (m, n), (b, n)],
         lambda x, a, y: torch.linalg.vecdot(x @ a, y))

    sizes = [(500, 8, 16, 8), (30, 33, 47, 21)]
    case("batched/plain", sizes, lambda b, m, k, n: [(b, m, k), (b, k, n)], torch.bmm)
    case("batched/along", sizes, lambda b, m, k, n: [(b, m, k), (b, n, k)], lambda x, y: torch.bmm(x, y.mT))
    case("batched/turned", sizes, lambda b, m, k, n: [(b, k, m), (b, k, n)], lambda x, y: torch.bmm(x.mT, y))
    case("batched/both-turned", sizes, lambda b, m, k, n: [(b, k, m), (b, n, k)], lambda x, y: torch.bmm(x.mT, y.mT))
    case("batched/vector", [(30, 47, 33), (1000, 17, 9)], lambda b, m, k: [(b, m, k), (b, k)],
         lambda x, y: torch.bmm(x, y[:, :, None])[:, :, 0])
    case("batched/one-matrix", [(30, 33, 47, 21), (7, 101, 300, 75)],
         lambda b, m, k, n: [(b, m, k), (k, n)], torch.matmul)
    sizes = [(3, 77, 5, 19), (2, 201, 12, 33)]
    case("batched/between", sizes, lambda b, m, h, k: [(b, m, h, k), (b, m, h, k)],
         lambda x, y: x.transpose(1, 2) @ y.permute(0, 2, 3, 1))
    case("batched/back-between", sizes, lambda b, m, h, k: [(b, h, m, m), (b, m, h, k)],
         lambda x, y: (x @ y.transpose(1, 2)).transpose(1, 2))
    case("batched/two-axes", [(23, 9, 14, 31), (101, 33, 27, 55)], lambda m, k, p, n: [(m, k, p), (p, k, n)],
         lambda x, y: torch.einsum("mkp,pkn->mn", x, y))


def reductions():
    sizes = [(31, 17), (300, 401), (1001, 773), (7, 60000), (60000, 7)]
    table, third = lambda m, n: [(m, n)], lambda p, m, n: [(p, m, n)]
    case("sum/rows", sizes, table, lambda x: x.sum(1))
    case("sum/columns", sizes, table, lambda x: x.sum(0))
    case("sum/middle", [(31, 17, 9), (300, 401, 9)], third, lambda x: x.sum(1))
    case("sum/outer", [(31, 17, 9), (300, 9, 401)], third, lambda x: x.sum((0, 2)))
    case("sum/all", sizes[:3], table, lambda x: x.sum())
    case("sum/squares", sizes[:3], table, lambda x: x.square().sum())
    case("mean/rows", sizes[1:3], table, lambda x: x.mean(1))
    case("mean/columns", sizes[1:3], table, lambda x: x.mean(0))
    case("mean/weighted", [(77, 100), (1001, 773)], lambda m, n: [(m, n), (m,)], lambda x, w: (w @ x) / torch.dot(w, w))
    sizes = [(31, 17), (300, 401), (1001, 773), (60000, 7)]
    case("var/rows", sizes, table, lambda x: x.var(1, correction=0))
    case("var/columns", sizes, table, lambda x: x.var(0, correction=0))
    case("max/rows", sizes, table, lambda x: x.amax(1))
    case("max/columns", sizes, table, lambda x: x.amax(0))
    case("min/middle", [(31, 17, 9), (300, 401, 9)], third, lambda x: x.amin(1))
    case("norm/rows", sizes, table, lambda x: torch.linalg.vector_norm(x, dim=1))
    case("norm/columns", sizes, table, lambda x: torch.linalg.vector_norm(x, dim=0))
    case("norm3/rows", sizes[:2], table, lambda x: torch.linalg.vector_norm(x, 3, dim=1))
    case("prod/rows", sizes[:2], table, lambda x: (1 + x / 10).prod(1))


def elements():
    table, two = lambda m, n: [(m, n)], [(31, 17), (1001, 773)]
    tables = lambda m, n: [(m, n), (m, n)]
    for kind, of in {
        "exp": torch.exp, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "erf": torch.erf, "gelu": F.gelu,
        "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu, "relu": torch.relu,
        "wave": lambda x: torch.sin(3 * x) * torch.cos(x), "softplus": F.softplus,
        "root": lambda x: torch.sqrt(x * x + 1), "power": lambda x: (x * x + 1) ** 0.75,
        "cube": lambda x: x.relu() ** 3, "cubic": lambda x: ((x - 0.5) * x + 2) * x - 1, "clamp": lambda x: x.clamp(-0.5, 0.7),
    }.items():
        case("element/" + kind, two, table, of)
    case("elements/add", [(31, 17), (300, 401), (1001, 773)], tables, torch.add)
    case("elements/add-turned", [(31, 17), (300, 401), (1001, 773)], lambda m, n: [(m, n), (n, m)],
         lambda x, y: x + y.t())
    with_row, with_column = lambda m, n: [(m, n), (n,)], lambda m, n: [(m, n), (m,)]
    case("elements/add-row", [(31, 17), (1001, 773), (60000, 7)], with_row, torch.add)
    case("elements/add-column", [(31, 17), (1001, 773), (60000, 7)], with_column, lambda x, b: x + b[:, None])
    case("elements/times-row", [(1001, 773), (7, 60000)], with_row, torch.mul)
    case("elements/middle", [(31, 17, 9), (30, 401, 77)], lambda p, m, n: [(p, m, n), (m,), (m,)],
         lambda x, w, b: torch.addcmul(b[:, None], x, w[:, None]))
    case("elements/outer-tanh", two, lambda m, n: [(m,), (n,)], lambda x, y: torch.tanh(x[:, None] + y))
    case("elements/product-sum", two, lambda m, n: [(m, n)] * 3, lambda x, y, z: torch.addcmul(z, x, y))
    case("elements/quotient", two, tables, lambda x, y: x / (y * y + 1))
    case("elements/maximum", two, tables, torch.maximum)
    case("elements/chosen", two, tables, lambda x, y: torch.where(x > y, x * y, x - y))
    case("elements/gated", two, tables, lambda x, y: x * torch.sigmoid(y))
    case("elements/between", two, lambda m, n: [(m, n), (m, n), (n,)],
         lambda x, y, a: torch.lerp(x, y, torch.sigmoid(a)))
    case("elements/bell", two, lambda m, n: [(m, n), (n,), (n,)],
         lambda x, u, s: torch.exp(-((x - u) / (s * s + 1)).square()))


def rows():
    table, third = lambda m, n: [(m, n)], lambda p, m, n: [(p, m, n)]
    sizes = [(31, 17), (300, 401), (1001, 773), (7, 60000), (60000, 7)]
    case("softmax/rows", sizes, table, lambda x: x.softmax(1))
    case("softmax/columns", sizes, table, lambda x: x.softmax(0))
    case("softmax/middle", [(31, 17, 9), (300, 401, 9)], third, lambda x: x.softmax(1))
    case("softmax/sharpened", [(31, 17), (1001, 773)], lambda m, n: [(m, n), (m,)],
         lambda x, t: (x * (t * t + 1)[:, None]).softmax(1))
    sizes = [(31, 17), (1001, 773), (60000, 7)]
    case("log-softmax/rows", sizes, table, lambda x: x.log_softmax(1))
    case("log-softmax/columns", sizes, table, lambda x: x.log_softmax(0))
    case("logsumexp/rows", sizes, table, lambda x: x.logsumexp(1))
    case("logsumexp/columns", sizes, table, lambda x: x.logsumexp(0))
    four = [(31, 17), (300, 401), (1001, 773), (60000, 7)]
    case("layer-norm/written-out", [(31, 17), (1001, 773)], lambda m, n: [(m, n)],
         lambda x: (x - x.mean(1, keepdim=True)) / (x.var(1, correction=0, keepdim=True) + 1e-5).sqrt())
    case("layer-norm/rows", four, lambda m, n: [(m, n), (n,), (n,)], lambda x, g, b: F.layer_norm(x, g.shape, g, b))
    case("layer-norm/of-a-sum", [(31, 17), (1001, 773)], lambda m, n: [(m, n), (m, n), (n,), (n,)],
         lambda x, y, g, b: F.layer_norm(x + y, g.shape, g, b))
    case("rms-norm/rows", sizes, lambda m, n: [(m, n), (n,)], lambda x, g: F.rms_norm(x, g.shape, g, 1e-5))
    case("batch-norm", [(7, 5, 33), (16, 33, 401)], lambda b, c, l: [(b, c, l), (c,), (c,)],
         lambda x, g, s: F.batch_norm(x, None, None, g, s, training=True))
    case("standardize/rows", four, table, lambda x: F.layer_norm(x, x.shape[1:]))
    case("standardize/columns", four, table, lambda x: F.batch_norm(x, None, None, training=True))
    case("unit/rows", sizes, table, lambda x: F.normalize(x, dim=1))
    case("unit/columns", sizes, table, lambda x: F.normalize(x, dim=0))


def joining():
    table, tables = lambda m, n: [(m, n)], lambda m, n: [(m, n), (m, n)]
    sizes = [(31, 17), (300, 401), (7, 60000), (60000, 7)]
    case("concat/rows", sizes, tables, lambda x, y: torch.cat((x, y), 0))
    case("concat/columns", sizes, tables, lambda x, y: torch.cat((x, y), 1))
    case("slices/steps", [(31, 17), (1001, 773), (7, 60000)], table, lambda x: torch.diff(x, dim=1))

    def halves(x):
        a, b = x.chunk(2, 1)
        return a * b

    case("slices/halves", [(31, 18), (1001, 774)], table, halves)
    case("slices/running-mean", [(31, 17), (300, 401), (7, 60000)], table, lambda x: F.avg_pool1d(x, 5, 1))
    case("gather/rows", [(31, 17, 29), (1001, 773, 500), (60000, 7, 5000)], lambda m, n, k: [(m, n)],
         lambda x, ids: x.index_select(0, ids), lambda m, n, k: (positions(50, k, m),))
    case("gather/columns", [(31, 17, 29), (1001, 773, 500)], lambda m, n, k: [(m, n)],
         lambda x, ids: x.index_select(1, ids), lambda m, n, k: (positions(50, k, n),))
    case("gather/one-of-each", [(31, 17), (1001, 773), (60000, 7)], table,
         lambda x, ids: x.gather(1, ids)[:, 0], lambda m, n: (positions(50, m, n)[:, None],))
    case("gather/doubled", [(31, 17), (300, 401)], table,
         lambda x: F.interpolate(x[None, None], scale_factor=2, mode="nearest")[0, 0])
    # Equal numbers keep their order in ours. Sorted they are the same in any order, but their gradients are not.
    ordered = lambda x, along: x.sort(dim=along, stable=torch.is_grad_enabled()).values
    case("sort/rows", [(31, 17), (1001, 773), (7, 60000), (60000, 7)], table, lambda x: ordered(x, 1))
    case("sort/columns", [(31, 17), (300, 401)], table, lambda x: ordered(x, 0))
    case("argsort/rows", [(31, 17), (300, 401)], table, lambda x: x.argsort(dim=1, stable=True).float(), grad=False)
    case("top10/rows", [(31, 17), (1001, 773), (7, 60000)], table, lambda x: x.topk(10, 1).values)
    case("argmax/rows", [(31, 17), (1001, 773), (60000, 7)], table, lambda x: x.argmax(1).float(), grad=False)
    sizes = [(31, 17), (300, 401), (1001, 773), (7, 60000), (60000, 7)]
    case("cumsum/rows", sizes, table, lambda x: x.cumsum(1))
    case("cumsum/columns", sizes, table, lambda x: x.cumsum(0))


def convolutions():
    case("conv/line", [(5, 301, 3, 7), (64, 777, 3, 48), (16, 10000, 5, 16)], lambda c, l, k, o: [(c, l), (o, c, k)],
         lambda x, w: F.conv1d(x[None], w)[0])
    case("conv/line-of-each", [(3, 7, 101, 4), (2, 100, 1001, 4)], lambda b, c, l, k: [(b, c, l), (c, k)],
         lambda x, w: F.conv1d(x, w[:, None], groups=len(w)))
    window = lambda k: lambda b, c, h, o: [(b, c, h, h), (o, c, k, k), (o,)]
    case("conv/3x3", [(2, 3, 31, 8), (8, 16, 28, 32), (4, 33, 57, 17)], window(3), F.conv2d)
    case("conv/5x5", [(1, 29, 31, 6), (3, 200, 201, 8)], lambda c, h, w, o: [(c, h, w), (o, c, 5, 5), (o,)],
         lambda x, f, s: F.conv2d(x[None], f, s)[0])
    case("conv/1x1", [(2, 17, 9, 5), (4, 33, 57, 48)], window(1), F.conv2d)
    case("conv/padded", [(2, 3, 31, 8), (8, 16, 28, 32)], window(3), lambda x, w, s: F.conv2d(x, w, s, padding=1))
    case("conv/strided", [(2, 3, 31, 8), (8, 16, 57, 32)], lambda b, c, h, o: [(b, c, h, h), (o, c, 3, 3)],
         lambda x, w: F.conv2d(x, w, stride=2))
    case("conv/of-each", [(2, 7, 31), (4, 33, 57)], lambda b, c, h: [(b, c, h, h), (c, 3, 3)],
         lambda x, w: F.conv2d(x, w[:, None], groups=len(w)))
    case("conv/line-of-each-last", [(3, 7, 101, 4), (2, 100, 1001, 4), (1, 1536, 2048, 4)],
         lambda b, c, l, k: [(b, l, c), (c, k)],
         lambda x, w: F.conv1d(x.transpose(1, 2), w[:, None], groups=len(w)).transpose(1, 2))
    case("conv/of-each-last", [(2, 7, 31, 3), (4, 33, 57, 3), (1, 96, 62, 7)],
         lambda b, c, h, k: [(b, h, h, c), (c, k, k)],
         lambda x, w: F.conv2d(x.permute(0, 3, 1, 2), w[:, None], groups=len(w)).permute(0, 2, 3, 1))
    picture = lambda c, h, w: [(c, h, w)]
    case("pool/largest", [(3, 30, 26), (3, 502, 334), (33, 58, 58)], picture, lambda x: F.max_pool2d(x, 2))
    case("pool/means", [(3, 30, 26), (3, 502, 334)], picture, lambda x: F.avg_pool2d(x, 2))


def attention():
    one = lambda q, k, v, **more: F.scaled_dot_product_attention(q[None], k[None], v[None], **more)[0]
    same = lambda h, n, d: [(h, n, d)] * 3
    case("attention/full", [(3, 19, 9), (120, 17, 9), (5, 201, 33), (8, 777, 64)], same, one)
    case("attention/causal", [(3, 19, 9), (5, 201, 33), (8, 777, 64)], same,
         lambda q, k, v: one(q, k, v, is_causal=True))
    case("attention/few-queries", [(12, 1, 777, 64), (4, 13, 1001, 33)],
         lambda h, m, n, d: [(h, m, d), (h, n, d), (h, n, d)], one)
    case("attention/grouped", [(3, 2, 33, 17), (4, 3, 301, 32)],
         lambda g, s, n, d: [(g, s, n, d), (g, n, d), (g, n, d)],
         lambda q, k, v: one(q.flatten(0, 1), k, v, enable_gqa=True).view_as(q))
    case("attention/additive", [(13, 19, 9), (33, 77, 64)], lambda m, n, d: [(m, d), (n, d), (d,), (n, d)],
         lambda q, k, w, v: (torch.tanh(q[:, None] + k) @ w).softmax(1) @ v)

    def rotary(x, angles):
        cos, sin = angles.cos()[:, None], angles.sin()[:, None]
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)

    case("attention/rotary", [(19, 3, 10), (1001, 8, 64)], lambda n, h, d: [(n, h, d)], rotary,
         lambda n, h, d: (fill(50, n, d // 2),))


def recurrent():
    def elman(x, w, u, c, start, nothing):
        return torch.rnn_tanh(x, start, [w, u, c, nothing], True, 1, 0.0, torch.is_grad_enabled(), False, True)[0]

    def lstm(x, w, u, c, start, nothing):
        parameters = [w.flatten(0, 1), u.flatten(0, 1), c.flatten(), nothing]
        training = torch.is_grad_enabled()
        return torch.lstm(x, (start, start), parameters, True, 1, 0.0, training, False, True)[0]

    sizes = [(1, 33, 17, 29), (5, 77, 31, 45), (20, 35, 64, 100)]
    case("recurrent/elman", sizes, lambda b, l, i, s: [(b, l, i), ((s, i), 0.2), ((s, s), 0.2), (s,)], elman,
         lambda b, l, i, s: (torch.zeros(1, b, s), torch.zeros(s)))
    case("recurrent/lstm", sizes, lambda b, l, i, s: [(b, l, i), ((4, s, i), 0.2), ((4, s, s), 0.2), (4, s)], lstm,
         lambda b, l, i, s: (torch.zeros(1, b, s), torch.zeros(4 * s)))

    def smoothed(x, a):
        a = torch.sigmoid(a)
        h, all_states = torch.zeros_like(a), []
        for step in x.unbind(0):
            h = torch.lerp(h, step, a)
            all_states.append(h)
        return torch.stack(all_states)

    case("recurrent/smoothed", [(77, 31), (301, 203)], lambda l, c: [(l, c), (c,)], smoothed)


def adam(size):
    """One step of the fused optimiser, in place, from a state after ten steps."""
    if not asked("adam/step", str(size), "forwards"):
        return
    weights = torch.nn.Parameter(fill(1, size))
    weights.grad = fill(2, size)
    optimizer = torch.optim.Adam([weights], lr=0.01, fused=True)
    first, second = fill(3, size), fill(4, size).square()
    optimizer.state[weights] = {"step": torch.tensor(10.0), "exp_avg": first, "exp_avg_sq": second}
    optimizer.step()
    measure("adam/step", str(size), "forwards", [check(WEIGHTS, weights)], optimizer.step)


def networks():
    case("network/perceptron", [(7, 13, 29, 5), (301, 77, 129, 33), (1001, 100, 300, 10)],
         lambda b, i, h, o: [(b, i), (i, h), (h,), (h, o), (o,)],
         lambda x, w, c, v, d: torch.addmm(d, torch.addmm(c, x, w).relu(), v))
    case("network/linear-gelu", [(31, 17, 29), (1001, 77, 301)], lambda b, i, o: [(b, i), (o, i), (o,)],
         lambda x, w, c: F.gelu(F.linear(x, w, c)))
    case("network/gated-ffn", [(19, 33, 77), (301, 96, 257)],
         lambda n, c, f: [(n, c), ((c, f), 0.2), ((c, f), 0.2), ((f, c), 0.2)],
         lambda x, w, v, u: (F.silu(x @ w) * (x @ v)) @ u)
    words = lambda v, d, n: (positions(50, n, v),)
    table = lambda v, d, n: [(v, d)]
    case("embedding", [(97, 13, 31), (1000, 64, 5000), (30000, 256, 500)], table,
         lambda e, ids: F.embedding(ids, e), words)
    case("embedding/mean", [(97, 13, 31), (1000, 65, 301)], table,
         lambda e, ids: F.embedding_bag(ids[None], e, mode="mean")[0], words)

    case("loss/cross-entropy", [(31, 17), (3000, 100), (64, 30001)], lambda n, v: [(n, v)], F.cross_entropy,
         lambda n, v: (positions(50, n, v),))
    data = lambda n, d: (fill(50, n, d), positions(51, n, 2).float())
    line = lambda n, d: [(d,), ()]
    sizes = [(301, 17), (1001, 773), (60000, 7)]
    case("loss/logistic", sizes, line,
         lambda w, b, x, y: F.binary_cross_entropy_with_logits(torch.mv(x, w) + b, y), data)
    case("loss/least-squares", sizes, line, lambda w, b, x, y: F.mse_loss(torch.mv(x, w) + b, y), data)

    def penalty(x, w, v, u):
        with torch.enable_grad():
            x = x if x.requires_grad else x.detach().requires_grad_()
            slope, = torch.autograd.grad((((x @ w).tanh() @ v).tanh() @ u).sum(), x, create_graph=True)
        return (slope.norm(dim=1) - 1).square().mean()

    case("loss/penalty", [(31, 17, 29, 5), (64, 301, 129, 65)],
         lambda b, i, h, d: [(b, i), ((i, h), 0.2), ((h, d), 0.2), (d,)], penalty)
    for size in [301, 60_000, 774_000]:
        adam(size)

    points = lambda m, n, d: [(m, d), (n, d)]
    sizes = [(31, 17, 5), (301, 501, 40), (2000, 1000, 3)]
    case("distances/squared", sizes, points, lambda x, y: torch.cdist(x, y).square())
    case("distances/of-heads", [(3, 31, 17, 5), (8, 256, 257, 64)], lambda h, m, n, d: [(h, m, d), (h, n, d)],
         lambda x, y: torch.cdist(x, y).square())
    case("distances/plain", sizes, points, torch.cdist)
    case("distances/kernel", [(31, 17, 5), (301, 501, 7)], points,
         lambda x, y: torch.exp(torch.cdist(x, y).square() / -2))

    case("distances/weighed", [(31, 17, 5), (301, 501, 40)], lambda m, n, d: [(m, d), (n, d), (n, d)],
         lambda x, y, w: (w * w * (x[:, None] - y).square()).sum(-1))
    case("distances/residuals", [(31, 17, 5), (301, 65, 40)], lambda m, n, d: [(m, d), (n, d), (m, n)],
         lambda x, c, a: a.T @ x - a.sum(0)[:, None] * c)
    case("distances/divergence", [(31, 17, 5), (301, 501, 40)], points,
         lambda p, q: (p.exp() * p).sum(-1)[:, None] - p.exp() @ q.T)
    case("distances/joined", [(31, 17, 5, 9), (301, 201, 40, 33)], lambda m, n, d, o: [(m, d), (n, d), (2 * d, o)],
         lambda x, y, w: torch.relu((x @ w[: len(w) // 2])[:, None] + y @ w[len(w) // 2 :]).sum(1))

    def centres(c, x):
        nearest = torch.cdist(x, c).argmin(1)
        sums = torch.zeros_like(c).index_add_(0, nearest, x)
        return sums / torch.bincount(nearest, minlength=len(c))[:, None]

    case("clusters/step", [(301, 5, 3), (1001, 17, 5), (60000, 7, 3)], lambda n, k, d: [(k, d), (n, d)],
         centres, grad=False)
    more = lambda s: s + 8 * torch.eye(s.shape[-1])
    case("matrix/inverse", [(300, 7), (20, 33)], lambda b, n: [(b, n, n)], lambda s: torch.linalg.inv(more(s)).mT)
    case("matrix/log-det", [(300, 7), (20, 33)], lambda b, n: [(b, n, n)], lambda s: torch.logdet(more(s)))


if __name__ == "__main__":
    for group in (contractions, reductions, elements, rows, joining, convolutions, attention, recurrent, networks, layers,
                  programs):
        group()
