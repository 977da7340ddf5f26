# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples on the evaluator against formulas written down independently.

examples.py RUN EXAMPLES TMP [OPT [PARTS]]: every example is cut down to small extents,
runs with `RUN` on random arguments, and its results are compared with loops
over plain lists. A run sees extents of 1 and 0 where an axis is dynamic. With
OPT, what runs is the expanded text; with PARTS, folds are formed in it and all
is reduced in so many parts.
"""

import math
import os
import random
import re
import struct
import subprocess
import sys

FORMATS = {"f16": ("<f2", "e"), "f32": ("<f4", "f"), "i32": ("<i4", "i")}


# Arrays: nested lists outside, .npy in between.
def flatten(x):
    return [y for item in x for y in flatten(item)] if isinstance(x, list) else [x]


def build(shape, values):
    if not shape:
        return next(values)
    return [build(shape[1:], values) for _ in range(shape[0])]


def save(path, kind, shape, data):
    name, code = FORMATS[kind]
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = flatten(data)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def load(path):
    with open(path, "rb") as file:
        raw = file.read()
    length = struct.unpack("<H", raw[8:10])[0]
    header = eval(raw[10:10 + length].decode())
    code = {name: code for name, code in FORMATS.values()}[header["descr"]]
    data = raw[10 + length:]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def rounded(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


# Formulas on rows.
def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def column(matrix, j):
    return [row[j] for row in matrix]


def matmul(a, b):
    return [[dot(row, column(b, j)) for j in range(len(b[0]) if b else 0)] for row in a]


def exponentials(row):
    top = max(row, default=-math.inf)
    top = top if math.isfinite(top) else 0.0
    return [math.exp(x - top) for x in row], top


def softmax(row):
    e, _ = exponentials(row)
    total = math.fsum(e)
    return [x / total if total else 0.0 for x in e]


def logsumexp(row):
    e, top = exponentials(row)
    total = math.fsum(e)
    return math.log(total) + top if total else -math.inf


def rms_norm(row, g, eps=1e-6):
    scale = math.sqrt(dot(row, row) / len(row) + eps)
    return [x / scale * w for x, w in zip(row, g)]


def layer_norm(row, g, b, eps=1e-5):
    mean = math.fsum(row) / len(row)
    variance = math.fsum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(variance + eps) * w + v for x, w, v in zip(row, g, b)]


def silu(x):
    return x / (1 + math.exp(-x))


def length_one(row):
    length = math.sqrt(max(dot(row, row), 1e-24))
    return [x / length for x in row]


def rotate(row, cos, sin):
    half = len(row) // 2
    a, b = row[:half], row[half:]
    return ([x * c - y * s for x, y, c, s in zip(a, b, cos, sin)] +
            [y * c + x * s for x, y, c, s in zip(a, b, cos, sin)])


def heads_attention(q, k, v, scale, sees):
    """One head: rows q, k, v; sees(s, t) says what is visible."""
    out, lse = [], []
    for s, query in enumerate(q):
        z = [dot(query, key) * scale if sees(s, t) else -math.inf for t, key in enumerate(k)]
        p = softmax(z)
        out.append([dot(p, column(v, e)) for e in range(WIDTH["E"])])
        lse.append(logsumexp(z))
    return out, lse


def causal(queries, keys, window=None):
    def sees(s, t):
        last = s + keys - queries
        return t <= last and (window is None or t > last - window)
    return sees


# The examples.
WIDTH = {}
SCALE = 128 ** -0.5
MLA_SCALE = 192 ** -0.5


def norm_linear(norm):
    return lambda a: matmul([norm(a, row) for row in a["X"]], a["W"])


def gated(rows, a):
    gate, up = matmul(rows, a["W1"]), matmul(rows, a["W2"])
    return [[silu(g) * u for g, u in zip(r, t)] for r, t in zip(gate, up)]


def lora(a):
    full, low = matmul(a["X"], a["W"]), matmul(matmul(a["X"], a["A"]), a["B"])
    return [[x + y for x, y in zip(r, t)] for r, t in zip(full, low)]


def attention(a, window=None, masked=True, prepare=lambda a, b, h, q, k: (q, k)):
    """MHA over [B, H, S, D]; keys and values may have fewer heads."""
    outs, lses = [], []
    for b, q in enumerate(a["Q"]):
        group = len(q) // len(a["K"][b])
        heads = []
        for h, rows in enumerate(q):
            k, v = a["K"][b][h // group], a["V"][b][h // group]
            rows, k = prepare(a, b, h, rows, k)
            sees = causal(len(rows), len(k), window) if masked else lambda s, t: True
            heads.append(heads_attention(rows, k, v, SCALE, sees))
        outs.append([o for o, _ in heads])
        lses.append([l for _, l in heads])
    return outs, lses


def gqa(a):
    flat = {"Q": [[row for group in groups for row in group] for groups in a["Q"]]}
    flat["Q"] = [[[row] for row in rows] for rows in flat["Q"]]
    return attention({**a, **flat}, masked=False)[0]


def qknorm(norm):
    def prepare(a, b, h, q, k):
        return ([norm(row, a["gq"], a.get("bq")) for row in q],
                [norm(row, a["gk"], a.get("bk")) for row in k])
    return lambda a: attention(a, prepare=prepare)[0]


def rope(a):
    def prepare(a, b, h, q, k):
        return ([rotate(row, c, s) for row, c, s in zip(q, a["cq"], a["sq"])],
                [rotate(row, c, s) for row, c, s in zip(k, a["ck"], a["sk"])])
    return attention(a, prepare=prepare)[0]


def mla_decode(a):
    out = []
    for q, c in zip(a["Q"], a["C"]):
        rows = []
        for query in q:
            p = softmax([dot(query, key) * MLA_SCALE for key in c])
            rows.append([dot(p, column(c, l)) for l in range(WIDTH["L"])])
        out.append(rows)
    return out


def mla_attention(a):
    out = []
    for b, q in enumerate(a["Q"]):
        c, kr = a["C"][b], a["Kr"][b]
        k = [[[dot(latent, [w[h][d] for w in a["Wk"]]) for d in range(WIDTH["D"])]
              for latent in c] for h in range(WIDTH["H"])]
        v = [[[dot(latent, [w[h][e] for w in a["Wv"]]) for e in range(WIDTH["E"])]
              for latent in c] for h in range(WIDTH["H"])]
        queries = []
        for s, heads in enumerate(q):
            row = []
            for h, query in enumerate(heads):
                full = query + a["Qr"][b][s][h]
                z = [dot(full, k[h][t] + kr[t]) * MLA_SCALE
                     if t <= s + len(c) - len(q) else -math.inf for t in range(len(c))]
                p = softmax(z)
                row.append([dot(p, column(v[h], e)) for e in range(WIDTH["E"])])
            queries.append(row)
        out.append(queries)
    return out


def ntrans(a):
    rows = []
    for h, f in zip(a["h"], a["f"]):
        u = length_one(f)
        rows.append(length_one([x + w * (y - x) for x, y, w in zip(h, u, a["alpha"])]))
    return matmul(rows, a["W"]) if "W" in a else rows


def cross_entropy(a):
    logits = matmul(a["X"], a["W"])
    return [logsumexp(row) - row[label] for row, label in zip(logits, a["label"])]


def group_norm(a):
    def norm(x, g, b):
        if isinstance(x[0], list):  # channels of pixels
            pixels = len(x[0])
            flat = layer_norm(flatten(x), [w for w in g for _ in range(pixels)],
                              [w for w in b for _ in range(pixels)])
        else:
            flat = layer_norm(x, g, b)
        return [silu(y) for y in flat]
    return [[norm(*each) for each in zip(groups, a["g"], a["b"])] for groups in a["X"]]


def amax_scaled(a):
    rows = [[0.0] * WIDTH["N"] if not any(row) else [dot(row, column(a["W"], j)) for j in range(WIDTH["N"])]
            for row in a["X"]]
    return rows


def transformer_layer(a):
    group = WIDTH["H"] // WIDTH["G"]
    ys, keys, values = [], [], []
    for x, k_cache, v_cache in zip(a["X"], a["Kc"], a["Vc"]):
        k_cache = [[list(r) for r in head] for head in k_cache]
        v_cache = [[list(r) for r in head] for head in v_cache]
        rows = [rms_norm(row, a["g1"]) for row in x]
        project = lambda row, p: [dot(row, w) for w in a["Wqkv"][p]]
        for s, row in enumerate(rows):
            for g in range(WIDTH["G"]):
                at = a["pos"] + s
                if not 0 <= at < len(k_cache[g]):
                    continue
                k = rotate(project(row, WIDTH["H"] + g), a["cos"][s], a["sin"][s])
                k_cache[g][at] = [rounded(e) for e in k]
                v_cache[g][at] = [rounded(e) for e in project(row, WIDTH["H"] + WIDTH["G"] + g)]
        y = []
        for s, row in enumerate(rows):
            o = []
            for h in range(WIDTH["H"]):
                q = rotate(project(row, h), a["cos"][s], a["sin"][s])
                out, _ = heads_attention([q], k_cache[h // group], v_cache[h // group], SCALE,
                                         lambda _, t: t <= a["pos"] + s)
                o += out[0]
            hidden = [e + dot(o, flatten(w)) for e, w in zip(x[s], a["Wo"])]
            n = rms_norm(hidden, a["g2"])
            act = [silu(dot(n, g)) * dot(n, u) for g, u in zip(*a["Wgu"])]
            y.append([e + dot(act, w) for e, w in zip(hidden, a["Wd"])])
        ys.append(y)
        keys.append(k_cache)
        values.append(v_cache)
    return {"Y": ys, "Kn": keys, "Vn": values}


# Name: small static extents, bindings of dynamic axes, reference.
KN = dict(K=13, N=7)
HEADS = dict(H=6, G=3, R=2, D=10, E=7, J=2, I=5)
ROWS = [dict(M=5), dict(M=1), dict(M=0)]
BST = [dict(B=2, S=5, T=7), dict(B=1, S=5, T=3), dict(B=1, S=1, T=1), dict(B=1, S=3, T=0)]
EXAMPLES = {
    "rmsnorm_linear": (KN, ROWS, norm_linear(lambda a, row: rms_norm(row, a["g"]))),
    "layernorm_linear": (KN, ROWS, norm_linear(lambda a, row: layer_norm(row, a["g"], a["b"]))),
    "gated_mlp": (KN, ROWS, lambda a: gated(a["X"], a)),
    "rmsnorm_gated_mlp": (KN, ROWS, lambda a: gated([rms_norm(row, a["g"]) for row in a["X"]], a)),
    "lora_linear": (dict(KN, R=3), ROWS, lora),
    "attention_prefill": (HEADS, BST, lambda a: attention(a, masked=False)[0]),
    "attention_causal": (HEADS, BST, lambda a: attention(a)[0]),
    "sliding_window_attention": (HEADS, BST, lambda a: attention(a, window=3)[0]),
    "attention_lse": (HEADS, BST, lambda a: dict(zip(("O", "L"), attention(a, masked=False)))),
    "gqa_decode": (HEADS, [dict(B=2, T=7), dict(B=1, T=1), dict(B=3, T=0)], gqa),
    "qknorm_attention_rms": (HEADS, BST, qknorm(lambda row, g, b: rms_norm(row, g))),
    "qknorm_attention_layer": (HEADS, BST, qknorm(layer_norm)),
    "rope_attention": (HEADS, BST, rope),
    "mla_decode": (dict(H=3, C=11, L=7), [dict(B=2, T=5), dict(B=1, T=1)], mla_decode),
    "mla_attention": (dict(H=3, D=5, E=4, R=2, L=7), BST, mla_attention),
    "ntrans": (KN, ROWS, ntrans),
    "ntrans_linear": (KN, ROWS, ntrans),
    "softmax_matmul": (dict(N=5), [dict(M=3, K=11), dict(M=2, K=1), dict(M=2, K=0)],
                       lambda a: [[dot(softmax(row), column(a["V"], n)) for n in range(WIDTH["N"])]
                                  for row in a["X"]]),
    "linear_logsumexp": (dict(K=13, V=17), ROWS, lambda a: [logsumexp(row) for row in matmul(a["X"], a["W"])]),
    "cross_entropy": (dict(K=13, V=17), ROWS, cross_entropy),
    "softmax": (KN, ROWS, lambda a: [softmax(row) for row in a["X"]]),
    "layernorm": (KN, ROWS, lambda a: [layer_norm(row, a["g"], a["b"]) for row in a["X"]]),
    "group_norm_silu": (dict(G=3, C=5), ROWS, group_norm),
    "group_norm_silu_nchw": (dict(G=3, C=5, P=7), ROWS, group_norm),
    "amax_scaled_linear": (KN, ROWS, amax_scaled),
    "transformer_layer": (dict(HEADS, P=12, K=13, F=11, E=10),
                          [dict(B=2, S=3, T=7), dict(B=1, S=1, T=5), dict(B=1, S=3, T=3)], transformer_layer),
}
# What a cut-down text says besides its types.
TEXTS = {
    "transformer_layer": [("P at 32", "P at 6"), ("P at 40", "P at 9")],
    "sliding_window_attention": [("1024.0", "3.0")],
}


def cut_down(text, name, static):
    """The text with the static extents of `static`, by the types' aliases."""
    for old, new in TEXTS.get(name, []):
        assert old in text
        text = text.replace(old, new)

    def replace(match):
        axes = match[3].split("_")
        dims = [d if d == "?" else str(static.get(axis, d))
                for d, axis in zip(match[1].split("x"), axes)]
        return f"tensor<{'x'.join(dims)}x{match[2]}, #{match[3]}>"
    return re.sub(r"tensor<([\dx?]+)x(\w+), #(\w+)>", replace, text)


def arguments(text):
    """(name, axes, element type, range) of each argument."""
    found = []
    for kind, alias, name, limit in re.findall(
            r"%\w+: tensor<(?:[\dx?]*x)?(\w+), #(\w+)> {cleave.name = \"(\w+)\""
            r"(?:, cleave.range = ([\d.]+))?", text):
        axes = [] if alias == "scalar" else alias.split("_")
        found.append((name, axes, kind, float(limit or 4)))
    return found


def make(name, shape, limit, extents):
    if name == "pos":
        # The new tokens are the cache's last.
        return extents["T"] - extents["S"]

    def draw():
        if name == "label":
            return random.randrange(extents["V"])
        return rounded(max(-limit, min(random.gauss(0, min(1, limit / 3)), limit)))
    return build(shape, iter([draw() for _ in range(math.prod(shape))]))


def close(actual, expected):
    """Relative in L2; what is not finite agrees exactly."""
    finite = [(x, y) for x, y in zip(actual, expected) if math.isfinite(y)]
    if len(actual) != len(expected) or any(
            x != y for x, y in zip(actual, expected) if not math.isfinite(y)):
        return False
    error = math.sqrt(math.fsum((x - y) ** 2 for x, y in finite))
    return error <= 2e-3 * math.sqrt(math.fsum(y * y for _, y in finite)) + 1e-6


def check(run, source, folder, name, opt=None, parts=None):
    static, bindings, reference = EXAMPLES[name]
    with open(source) as file:
        text = cut_down(file.read(), name, static)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(text)
    module = path
    if opt:
        module = os.path.join(folder, "expanded.mlir")
        passes = ["--cleave-expand"]
        if parts:
            passes += ["--cleave-form-folds", "--cleave-split-reductions"]
        compiled = subprocess.run([opt, path, *passes], check=True, capture_output=True, text=True)
        assert not parts or "bound like 1" in compiled.stdout
        with open(module, "w") as file:
            file.write(compiled.stdout.replace("bound like 1", f"bound like {parts}"))
    wrong = 0
    for number, binding in enumerate(bindings):
        random.seed(f"{name} {number}")
        extents = {**static, **binding}
        WIDTH.clear()
        WIDTH.update(extents)
        given, command = {}, [run, module, "--device=evaluator"]
        for argument, axes, kind, limit in arguments(text):
            shape = [extents[axis] for axis in axes]
            given[argument] = make(argument, shape, limit, extents)
            file = os.path.join(folder, f"{argument}.npy")
            save(file, kind, shape, given[argument])
            command += ["--input", f"{argument}={file}"]
        command += ["--output-dir", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        expected = reference(given)
        results = re.findall(r"> {cleave.name = \"(\w+)\"", text.split("\n    -> ")[1].split("attributes")[0])
        if not isinstance(expected, dict):
            expected = {results[0]: expected}
        for result in results:
            actual = load(os.path.join(folder, result + ".npy"))
            good = close(actual, flatten(expected[result]))
            wrong += not good
            print(name, binding, result, "ok" if good else "WRONG")
            if not good:
                print("  got     ", actual[:8], "\n  expected", flatten(expected[result])[:8])
    return wrong


def main(run, examples, tmp, opt=None, parts=None):
    names = sorted(name[:-5] for name in os.listdir(examples) if name.endswith(".mlir"))
    unknown = set(names) ^ set(EXAMPLES)
    if unknown:
        sys.exit(f"no reference or no example: {sorted(unknown)}")
    wrong = sum(check(run, os.path.join(examples, name + ".mlir"), os.path.join(tmp, name), name, opt, parts)
                for name in names)
    print("all right" if not wrong else f"{wrong} results are wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
