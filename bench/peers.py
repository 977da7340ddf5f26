# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user of PyTorch would run: eager forms, SDPA, torch.compile.

`forms(torch, sub, bind)` maps a peer's name to a Form. Forms take the arguments
of the example in its order; `prepare` changes storage or joins weights ahead of
time. A name compile_MODE[TAG] is the form TAG under torch.compile.
"""

import dataclasses
import re
import typing

MODES = {"default": None, "max": "max-autotune-no-cudagraphs"}


@dataclasses.dataclass
class Form:
    function: typing.Callable
    prepare: typing.Callable = None
    # Makes the function when it is first needed.
    is_factory: bool = False


def turned(weight):
    """[K, N] stored as [N, K], as torch.nn.Linear does."""
    return weight.t().contiguous()


class Torch:
    """Shorthands that the forms share."""

    def __init__(self, torch):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        self.torch, self.F = torch, torch.nn.functional
        self.sdpa_kernel = sdpa_kernel
        self.backends = {"FLASH": SDPBackend.FLASH_ATTENTION,
                         "CUDNN": SDPBackend.CUDNN_ATTENTION,
                         "EFFICIENT": SDPBackend.EFFICIENT_ATTENTION,
                         "MATH": SDPBackend.MATH}

    def sdpa(self, backend, **options):
        def attend(q, k, v):
            with self.sdpa_kernel(self.backends[backend]):
                return self.F.scaled_dot_product_attention(q, k, v, **options)
        return attend

    def flex(self, queries, keys, causal=False, gqa=False, scale=None):
        from torch.nn.attention import flex_attention as flex
        mask = None
        if causal:
            mask = flex.create_block_mask(
                lambda b, h, i, j: i >= j, None, None, queries, keys,
                device="cuda")
        return lambda q, k, v: flex.flex_attention(
            q, k, v, block_mask=mask, enable_gqa=gqa, scale=scale)


def norm_linear(t, b, layer=False):
    k, F = b["K"], t.F
    if layer:
        norm = lambda x, p: F.layer_norm(x, (k,), p[0], p[1], 1e-5)
    else:
        norm = lambda x, p: F.rms_norm(x, (k,), p[0], 1e-6)
    plain = Form(lambda x, *p: norm(x, p) @ p[-1])
    linear = Form(lambda x, *p: F.linear(norm(x, p), p[-1]),
                  lambda *a: (*a[:-1], turned(a[-1])))
    return {"eager_nn": plain, "eager_tn": linear}, \
        {"fn": linear, "fn_nn": plain}


def gated(t, b, normed=False):
    k, n, F, torch = b["K"], b["N"], t.F, t.torch

    def norm(x, p):
        return F.rms_norm(x, (k,), p[0], 1e-6) if normed else x

    def plain(x, *p):
        h = norm(x, p)
        return F.silu(h @ p[-2]) * (h @ p[-1])

    def linear(x, *p):
        h = norm(x, p)
        return F.silu(F.linear(h, p[-2])) * F.linear(h, p[-1])

    def packed(x, *p):
        y = F.linear(norm(x, p), p[-1])
        return F.silu(y[..., :n]) * y[..., n:]
    separate = Form(linear, lambda *a: (*a[:-2], turned(a[-2]), turned(a[-1])))
    joined = Form(packed, lambda *a: (
        *a[:-2], torch.cat([turned(a[-2]), turned(a[-1])])))
    return {"eager_sep_nn": Form(plain), "eager_sep_tn": separate,
            "eager_packed_tn": joined}, {"packed": joined, "sep": separate}


def lora(t, b):
    n, F, torch = b["N"], t.F, t.torch

    def joined(x, wa, bt):
        y = F.linear(x, wa)
        return torch.addmm(y[:, :n], y[:, n:], bt.t())

    def prepare(x, w, a, c):
        return x, turned(w), turned(a), turned(c)
    cat = Form(joined, lambda x, w, a, c: (
        x, torch.cat([turned(w), turned(a)]), turned(c)))
    plain = Form(lambda x, wt, at, ct: F.linear(x, wt) +
                 F.linear(F.linear(x, at), ct), prepare)
    return {
        "eager_nn": Form(lambda x, w, a, c: torch.addmm(x @ w, x @ a, c)),
        "eager_tn": Form(lambda x, wt, at, ct: torch.addmm(
            F.linear(x, wt), F.linear(x, at), ct.t()), prepare),
        "eager_plain_tn": plain, "eager_cat_tn": cat,
    }, {"fn": plain, "cat": cat}


def prefill(t, b):
    causal, length = bool(b["causal"]), b["S"]
    eager = {f"sdpa_{name}": Form(t.sdpa(name, is_causal=causal))
             for name in ("FLASH", "CUDNN", "EFFICIENT")}
    flex = Form(lambda: t.flex(length, length, causal), is_factory=True)
    return eager, {"flex": flex}


def naive_attention(t, scale):
    def attend(q, k, v):
        weights = t.torch.matmul(q * scale, k.transpose(-1, -2))
        return t.torch.matmul(t.torch.softmax(weights, -1), v)
    return attend


def gqa_decode(t, b):
    heads = (b["B"], b["Hq"], 1, b["D"])
    flat = lambda f: lambda q, k, v: f(q.view(heads), k, v)
    naive = Form(naive_attention(t, b["D"] ** -0.5))
    eager = {"eager_packed": naive}
    for name in ("FLASH", "CUDNN", "EFFICIENT"):
        if name != "EFFICIENT":
            eager[f"sdpa_{name}_gqa"] = Form(
                flat(t.sdpa(name, enable_gqa=True)))
        eager[f"sdpa_{name}_packed"] = Form(t.sdpa(name))
    flex = Form(lambda: flat(t.flex(1, b["L"], gqa=True)), is_factory=True)
    return eager, {"naive": naive, "flex": flex}


def qknorm(t, b):
    d, group, causal = b["D"], b["Hq"] // b["Hkv"], bool(b["causal"])

    def norm(x, p):
        if b["norm"] == "rms":
            return t.F.rms_norm(x, (d,), p[0], 1e-6)
        return t.F.layer_norm(x, (d,), p[0], p[1], 1e-5)

    def around(attend):
        return lambda q, k, v, *p: attend(norm(q, p[::2]), norm(k, p[1::2]), v)

    def packed(attend):
        return lambda q, k, v: attend(
            q.view(b["B"], b["Hkv"], group, d), k, v).reshape(q.shape)
    eager, compiled = {}, {}
    for name in ("FLASH", "CUDNN"):
        direct = Form(around(t.sdpa(name, enable_gqa=True, is_causal=causal)))
        eager[f"norm+sdpa_{name}_gqa"] = direct
        compiled["sdpa" if name == "FLASH" else "cudnn"] = direct
        if b["Sq"] == 1:
            eager[f"norm+sdpa_{name}_packed"] = Form(
                around(packed(t.sdpa(name))))
    compiled["flex"] = Form(lambda: around(
        t.flex(b["Sq"], b["L"], causal, gqa=True)), is_factory=True)
    if not causal:
        naive = Form(around(packed(naive_attention(t, d ** -0.5))))
        eager["eager_packed"] = compiled["naive"] = naive
    return eager, compiled


def mla_decode(t, b):
    width, value, scale = b["ckv"] + b["kpe"], b["ckv"], 192 ** -0.5
    naive = naive_attention(t, scale)
    plain = Form(lambda q, c: naive(q, c, c[..., :value]))

    def rows(attend):
        """Heads as the query rows of one attention head."""
        return lambda q, c: attend(
            q.view(b["B"], 1, b["H"], width), c.unsqueeze(1),
            c[..., :value].unsqueeze(1)).reshape(b["B"], b["H"], value)
    eager = {"eager": plain, "sdpa_EFFICIENT_rows": Form(
        rows(t.sdpa("EFFICIENT", scale=scale)))}
    return eager, {"naive": plain, "flexq": Form(lambda: rows(
        t.flex(b["H"], b["L"], scale=scale)), is_factory=True)}


def ntrans(t, b):
    F = t.F

    def half(h, f, alpha):
        return F.normalize(h + alpha * (F.normalize(f, dim=-1) - h), dim=-1)

    def single(h, f, alpha):
        h, f, alpha = h.float(), f.float(), alpha.float()
        f = f * (f * f).sum(-1, keepdim=True).rsqrt()
        y = h + alpha * (f - h)
        return (y * (y * y).sum(-1, keepdim=True).rsqrt()).half()
    if not b["mm"]:
        return {"eager": Form(half)}, {"fn": Form(single), "fp16": Form(half)}

    def linear(core):
        return Form(lambda h, f, alpha, wt: F.linear(core(h, f, alpha), wt),
                    lambda h, f, alpha, w: (h, f, alpha, turned(w)))
    plain = Form(lambda h, f, alpha, w: half(h, f, alpha) @ w)
    return {"eager_tn": linear(half), "eager_nn": plain}, \
        {"fn": linear(single), "fp16": linear(half)}


def softmax_matmul(t, b):
    torch = t.torch

    def late(x, v):
        e = torch.exp((x - x.amax(-1, keepdim=True)).float())
        return ((e.half() @ v).float() / e.sum(-1, keepdim=True)).half()
    plain = Form(lambda x, v: torch.softmax(x, -1) @ v)
    linear = Form(lambda x, vt: t.F.linear(torch.softmax(x, -1), vt),
                  lambda x, v: (x, turned(v)))
    return {"eager_nn": plain, "eager_tn": linear}, \
        {"fn": plain, "late": Form(late)}


def linear_logsumexp(t, b):
    torch, linear = t.torch, t.F.linear

    def chunks(x, wt):
        parts = [torch.logsumexp(linear(x, c).float(), -1, keepdim=True)
                 for c in wt.chunk(8)]
        return torch.cat(parts, -1).logsumexp(-1)
    prepare = lambda x, w: (x, turned(w))
    plain = Form(lambda x, wt: torch.logsumexp(linear(x, wt).float(), -1),
                 prepare)
    return {
        "eager_tn": plain,
        "eager_nn": Form(lambda x, w: torch.logsumexp((x @ w).float(), -1)),
        "eager_chunk8_tn": Form(chunks, prepare),
    }, {"fn": plain, "chunk": Form(chunks, prepare)}


def rowwise(t, b):
    op, n, F = b["op"], b["N"], t.F
    if op == "softmax":
        form = Form(lambda x: t.torch.softmax(x, -1))
    elif op == "layernorm":
        form = Form(lambda x, g, c: F.layer_norm(x, (n,), g, c, 1e-5))
    else:
        channels = b.get("C", n)
        view = (b["M"], channels) + (() if channels == n else (n // channels,))
        form = Form(lambda x, g, c: F.silu(F.group_norm(
            x, b["G"], g, c, 1e-5)), lambda x, g, c: (
                x.view(view), g.view(channels), c.view(channels)))
    return {"eager": form}, {"fn": form}


def transformer_layer(t, b):
    torch, F = t.torch, t.F
    hq, hkv, d, width, f = b["Hq"], b["Hkv"], b["d"], b["D"], b["F"]
    queries, keys, causal = b["Sq"], b["L"], bool(b["causal"])

    def rope(x, cos, sin):
        half = width // 2
        return torch.cat([x[..., :half] * cos - x[..., half:] * sin,
                          x[..., half:] * cos + x[..., :half] * sin], -1)

    def layer(attend):
        def run(x, wqkv, wo, wgu, wd, g1, g2, cos, sin, kc=None, vc=None):
            heads = F.linear(F.rms_norm(x, (d,), g1, 1e-6), wqkv).view(
                b["B"], queries, hq + 2 * hkv, width).transpose(1, 2)
            q, k = (rope(part, cos, sin)
                    for part in (heads[:, :hq], heads[:, hq:hq + hkv]))
            v = heads[:, hq + hkv:]
            if kc is not None:
                kc[:, :, keys - queries:].copy_(k)
                vc[:, :, keys - queries:].copy_(v)
                k, v = kc, vc
            o = attend(q, k, v).transpose(1, 2).reshape(x.shape[0], hq * width)
            x = x + F.linear(o, wo)
            gu = F.linear(F.rms_norm(x, (d,), g2, 1e-6), wgu)
            return x + F.linear(F.silu(gu[:, :f]) * gu[:, f:], wd)
        return run

    def prepare(x, wqkv, wo, wgu, wd, g1, g2, cos, sin, kc, vc, position):
        # The peers write the cache in place: a copy of it leaves ours alone.
        cache = () if causal else (kc.clone(), vc.clone())
        return (x.view(-1, d), wqkv.view(-1, d), wo.view(d, -1),
                wgu.view(-1, d), wd, g1, g2, cos, sin, *cache)
    options = {"enable_gqa": True, "is_causal": causal}
    eager = {f"eager+{name}": Form(layer(t.sdpa(name, **options)), prepare)
             for name in ("FLASH", "CUDNN")}

    def dispatched(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, **options)
    return eager, {"fn": Form(layer(dispatched), prepare),
                   "cudnn": eager["eager+CUDNN"],
                   "flex": Form(lambda: layer(t.flex(
                       queries, keys, causal, gqa=True)), prepare,
                       is_factory=True)}


SUBGRAPHS = {
    "rmsnorm_linear": norm_linear,
    "layernorm_linear": lambda t, b: norm_linear(t, b, layer=True),
    "gated_mlp": gated,
    "rmsnorm_gated_mlp": lambda t, b: gated(t, b, normed=True),
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


def names(torch, sub, bind):
    """All peers of a shape."""
    eager, compiled = SUBGRAPHS[sub](Torch(torch), bind)
    return list(eager) + [f"compile_{mode}[{tag}]" for tag in compiled
                          for mode in MODES]


def get(torch, sub, bind, name):
    """(function, prepare) of a peer, compiled on its first call."""
    eager, compiled = SUBGRAPHS[sub](Torch(torch), bind)
    match = re.fullmatch(r"compile_(\w+)\[(\w+)\]", name)
    form = compiled[match[2]] if match else eager[name]
    function = form.function() if form.is_factory else form.function
    if match:
        torch._dynamo.reset()
        function = torch.compile(function, dynamic=False,
                                 mode=MODES[match[1]])
    return function, form.prepare or (lambda *a: a)
