# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arguments of the suite's subgraphs, and their results in f64.

`CASES[sub](maker, bind)` gives a Case. Arguments come in the order and storage
order of the example. A reference covers a sample of each result: rows where
the result is large, always with the first and the last.
"""

import dataclasses
import typing


@dataclasses.dataclass
class Case:
    # () -> list of tensors, new random numbers each time.
    arguments: typing.Callable
    # Arguments -> for each result a list of (index of a part, its values).
    reference: typing.Callable
    # The example's shape of a result that PyTorch shapes otherwise.
    result: typing.Optional[list] = None


class Maker:
    """Random tensors on the device."""

    def __init__(self, torch, device="cuda", seed=None):
        self.torch, self.device = torch, device
        self.generator = torch.Generator(device)
        self.seed = self.generator.seed() if seed is None else seed
        self.generator.manual_seed(self.seed)

    def normal(self, *shape, scale=1.0, mean=0.0):
        made = self.torch.randn(*shape, device=self.device,
                                dtype=self.torch.float16,
                                generator=self.generator)
        if scale != 1.0:
            made *= scale
        return made + mean if mean else made

    def gain(self, *shape):
        return self.normal(*shape, scale=0.1, mean=1.0)

    def bias(self, *shape):
        return self.normal(*shape, scale=0.1)

    def sample(self, extent, count=128):
        """Indices: all, or `count` with the first and last and random ones."""
        if extent <= count:
            return self.torch.arange(extent, device=self.device)
        ends = count // 4
        middle = self.torch.randint(ends, extent - ends, (count - 2 * ends,),
                                    device=self.device,
                                    generator=self.generator)
        return self.torch.cat([
            self.torch.arange(ends, device=self.device), middle,
            self.torch.arange(extent - ends, extent, device=self.device)])


def rms_norm(x, g, eps=1e-6):
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * g


def layer_norm(x, g, b, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return centred * (centred.square().mean(-1, keepdim=True) +
                      eps).rsqrt() * g + b


def silu(x):
    return x / (1 + (-x).exp())


def length_one(x):
    return x / x.square().sum(-1, keepdim=True).sqrt()


def attention_rows(q, k, v, scale, last=None):
    """Rows of one head; last[i] is the last key that row i sees."""
    logits = q @ k.mT * scale
    if last is not None:
        keys = k.new_ones(k.shape[0]).cumsum(0) - 1
        logits = logits.masked_fill(keys[None] > last[:, None], float("-inf"))
    return logits.softmax(-1) @ v


def on_rows(make, extent, compute):
    """A reference of rows of a single result: compute(rows, f64 others)."""
    def reference(arguments, row_arguments=1):
        rows = make.sample(extent)
        parts = [a[rows] for a in arguments[:row_arguments]]
        others = arguments[row_arguments:]
        return [[(rows, compute(*(t.double() for t in parts + others)))]]
    return reference


def linear_weight(make, k, n):
    return make.normal(k, n, scale=k ** -0.5)


def norm_linear(norm):
    def build(make, b):
        m, k, n = b["M"], b["K"], b["N"]
        biased = norm is layer_norm

        def arguments():
            x = make.normal(m, k, mean=0.5 if biased else 0.0)
            parameters = [make.gain(k)] + ([make.bias(k)] if biased else [])
            return [x, *parameters, linear_weight(make, k, n)]
        return Case(arguments, on_rows(
            make, m, lambda x, *rest: norm(x, *rest[:-1]) @ rest[-1]))
    return build


def gated(normed):
    def build(make, b):
        m, k, n = b["M"], b["K"], b["N"]

        def arguments():
            gain = [make.gain(k)] if normed else []
            return [make.normal(m, k), *gain, linear_weight(make, k, n),
                    linear_weight(make, k, n)]

        def compute(x, *rest):
            if normed:
                x = rms_norm(x, rest[0])
            return silu(x @ rest[-2]) * (x @ rest[-1])
        return Case(arguments, on_rows(make, m, compute))
    return build


def lora(make, b):
    m, k, n, r = b["M"], b["K"], b["N"], b["r"]
    return Case(
        lambda: [make.normal(m, k), linear_weight(make, k, n),
                 linear_weight(make, k, r), linear_weight(make, r, n)],
        on_rows(make, m, lambda x, w, a, c: x @ w + x @ a @ c))


def attention_reference(make, b, heads, causal, prepare=None):
    """For Q [B, H, S, D], and K and V with heads of their own."""
    def reference(arguments):
        q, k, v = arguments[:3]
        group, keys = heads // k.shape[1], k.shape[2]
        rows = make.sample(q.shape[2], 256)
        last = (rows + keys - q.shape[2]).double() if causal else None
        # With one query all heads, else a few of them.
        some = make.sample(q.shape[0] * heads, 4 if len(rows) > 1 else 64)
        found = []
        for at in some.tolist():
            n, h = divmod(at, heads)
            query, key = q[n, h, rows].double(), k[n, h // group].double()
            if prepare:
                query, key = prepare(query, key,
                                     [a.double() for a in arguments[3:]])
            found.append(((n, h, rows), attention_rows(
                query, key, v[n, h // group].double(), b["D"] ** -0.5, last)))
        return [found]
    return reference


def prefill(make, b):
    shape = [b["B"], b["H"], b["S"], b["D"]]
    return Case(lambda: [make.normal(*shape) for _ in range(3)],
                attention_reference(make, b, b["H"], b["causal"]))


def gqa_decode(make, b):
    groups, queries = b["Hkv"], b["Hq"] // b["Hkv"]
    cache = [b["B"], groups, b["L"], b["D"]]

    def reference(arguments):
        q, k, v = arguments
        some = [divmod(at, groups)
                for at in make.sample(b["B"] * groups, 16).tolist()]
        return [[((n, g), attention_rows(
            q[n, g].double(), k[n, g].double(), v[n, g].double(),
            b["D"] ** -0.5)) for n, g in some]]
    return Case(lambda: [make.normal(b["B"], groups, queries, b["D"]),
                         make.normal(*cache), make.normal(*cache)], reference,
                [b["B"], groups, queries, b["D"]])


def qknorm(make, b):
    layer = b["norm"] == "layer"
    cache, d = [b["B"], b["Hkv"], b["L"], b["D"]], b["D"]

    def arguments():
        biases = [make.bias(d), make.bias(d)] if layer else []
        return [make.normal(b["B"], b["Hq"], b["Sq"], d),
                make.normal(*cache), make.normal(*cache),
                make.gain(d), make.gain(d), *biases]

    def prepare(q, k, parameters):
        if layer:
            gq, gk, bq, bk = parameters
            return layer_norm(q, gq, bq), layer_norm(k, gk, bk)
        return rms_norm(q, parameters[0]), rms_norm(k, parameters[1])
    return Case(arguments, attention_reference(make, b, b["Hq"],
                                               b["causal"], prepare))


def mla_decode(make, b):
    width = b["ckv"] + b["kpe"]

    def reference(arguments):
        q, c = arguments
        return [[(n, attention_rows(q[n].double(), c[n].double(),
                                    c[n, :, :b["ckv"]].double(), 192 ** -0.5))
                 for n in make.sample(b["B"], 4).tolist()]]
    return Case(lambda: [make.normal(b["B"], b["H"], width),
                         make.normal(b["B"], b["L"], width)], reference)


def ntrans(make, b):
    m, k = b["M"], b["K"]

    def arguments():
        alpha = make.normal(k, scale=0.02, mean=0.1)
        weight = [make.normal(k, b["N"])] if b["mm"] else []
        return [make.normal(m, k, scale=k ** -0.5), make.normal(m, k), alpha,
                *weight]

    def compute(h, f, alpha, *weight):
        y = length_one(h + alpha * (length_one(f) - h))
        return y @ weight[0] if weight else y
    rows = on_rows(make, m, compute)
    return Case(arguments, lambda given: rows(given, row_arguments=2))


def softmax_matmul(make, b):
    m, k, n = b["M"], b["K"], b["N"]
    return Case(lambda: [make.normal(m, k), make.normal(k, n)],
                on_rows(make, m, lambda x, v: x.softmax(-1) @ v))


def linear_logsumexp(make, b):
    m, k, v = b["M"], b["K"], b["V"]
    return Case(lambda: [make.normal(m, k), linear_weight(make, k, v)],
                on_rows(make, m, lambda x, w: (x @ w).logsumexp(-1)))


def group_norm(make, b):
    m, groups, n = b["M"], b["G"], b["N"]
    channels = b.get("C", n)
    affine = [groups, channels // groups]
    pixels = [n // channels] if channels != n else []

    def compute(x, g, c):
        flat = x.flatten(2)
        centred = flat - flat.mean(-1, keepdim=True)
        normed = centred * (centred.square().mean(-1, keepdim=True) +
                            1e-5).rsqrt()
        g, c = (t.view(*t.shape, *(1 for _ in pixels)) for t in (g, c))
        return silu(normed.view(x.shape) * g + c)

    def arguments():
        return [make.normal(m, *affine, *pixels, mean=0.5),
                make.gain(*affine), make.bias(*affine)]
    return Case(arguments, on_rows(make, m, compute), [m, *affine, *pixels])


def rowwise(make, b):
    m, n = b["M"], b["N"]
    if b["op"] == "softmax":
        return Case(lambda: [make.normal(m, n)],
                    on_rows(make, m, lambda x: x.softmax(-1)))
    if b["op"] == "layernorm":
        return Case(lambda: [make.normal(m, n, mean=0.5), make.gain(n),
                             make.bias(n)], on_rows(make, m, layer_norm))
    return group_norm(make, b)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    turned = x.new_empty(x.shape)
    half = a.shape[-1]
    turned[..., :half] = a * cos - b * sin
    turned[..., half:] = b * cos + a * sin
    return turned


def layer_arguments(make, b):
    torch, d, width = make.torch, b["d"], b["D"]
    heads, f = b["Hq"] + 2 * b["Hkv"], b["F"]
    first = b["L"] - b["Sq"]
    position = torch.arange(first, b["L"], device=make.device).double()
    frequency = 5e5 ** (-torch.arange(0, width, 2,
                                      device=make.device).double() / width)
    angle = position[:, None] * frequency
    cache = [b["B"], b["Hkv"], b["L"], width]
    return [make.normal(b["B"], b["Sq"], d),
            make.normal(heads, width, d, scale=d ** -0.5),
            make.normal(d, b["Hq"], width, scale=(b["Hq"] * width) ** -0.5),
            make.normal(2, f, d, scale=d ** -0.5),
            make.normal(d, f, scale=f ** -0.5), make.gain(d), make.gain(d),
            angle.cos().half(), angle.sin().half(), make.normal(*cache),
            make.normal(*cache),
            torch.tensor(first, dtype=torch.int32, device=make.device)]


def layer_reference(b):
    def reference(arguments):
        position = int(arguments[-1])
        x, wqkv, wo, wgu, wd, g1, g2, cos, sin = (
            a.double() for a in arguments[:9])
        keys, values = arguments[9].double(), arguments[10].double()
        hq, hkv, rows = b["Hq"], b["Hkv"], x.shape[1]
        heads = (rms_norm(x, g1) @ wqkv.flatten(0, 1).T).view(
            *x.shape[:2], hq + 2 * hkv, b["D"]).transpose(1, 2)
        q = rotate(heads[:, :hq], cos, sin)
        keys[:, :, position:position + rows] = rotate(
            heads[:, hq:hq + hkv], cos, sin)
        values[:, :, position:position + rows] = heads[:, hq + hkv:]
        last = x.new_ones(rows).cumsum(0) + (position - 1)
        out = q.new_empty(q.shape)
        for n in range(q.shape[0]):
            for h in range(hq):
                g = h // (hq // hkv)
                out[n, h] = attention_rows(q[n, h], keys[n, g], values[n, g],
                                           b["D"] ** -0.5, last)
        hidden = x + out.transpose(1, 2).flatten(2) @ wo.flatten(1).T
        normed = rms_norm(hidden, g2)
        y = hidden + (silu(normed @ wgu[0].T) * (normed @ wgu[1].T)) @ wd.T
        return [[(..., y)], [(..., keys)], [(..., values)]]
    return reference


def transformer_layer(make, b):
    return Case(lambda: layer_arguments(make, b), layer_reference(b),
                [b["B"], b["Sq"], b["d"]])


CASES = {
    "rmsnorm_linear": norm_linear(rms_norm),
    "layernorm_linear": norm_linear(layer_norm),
    "gated_mlp": gated(normed=False),
    "rmsnorm_gated_mlp": gated(normed=True),
    "lora_linear": lora,
    "attention_prefill": prefill,
    "gqa_decode": gqa_decode,
    "qknorm_attention": qknorm,
    "mla_decode": mla_decode,
    "ntrans": ntrans,
    "softmax_matmul": softmax_matmul,
    "linear_logsumexp": linear_logsumexp,
    "rowwise": rowwise,
    "transformer_layer": transformer_layer,
}


def relative_error(expected_parts, result):
    """L2 of the difference over L2 of the reference, over all parts."""
    difference = reference = 0.0
    for index, expected in expected_parts:
        actual = result[index].double()
        difference += float((actual - expected).square().sum())
        reference += float(expected.square().sum())
    # A NaN anywhere makes the sum NaN, which is no number below a tolerance.
    return (difference / reference) ** 0.5 if reference else difference ** 0.5
