# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's shapes, and the Cleave function that computes each.

A subgraph is an example with other static extents: `Shape.program` names the
variant, which is compiled once for all of its shapes. Needs neither torch nor
a GPU.
"""

import json
import os
import re

FOLDER = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(FOLDER, os.pardir, "examples")
TOOLS = os.path.join(FOLDER, os.pardir, "build", "bin")
GROUPS = ["M <= 128", "decode", "row ops", "prefill", "compute-bound"]


def _linear(bind, example):
    return example, pick(bind, "K", "N"), pick(bind, "M")


def pick(bind, *names, **renamed):
    """Extents by the example's axis names."""
    return {**{name: bind[name] for name in names},
            **{axis: bind[name] for axis, name in renamed.items()}}


def _rowwise(bind):
    op = bind["op"]
    if not op.startswith("group_norm"):
        return op, pick(bind, "N"), pick(bind, "M")
    channels = bind.get("C", bind["N"])
    static = {"G": bind["G"], "C": channels // bind["G"]}
    if channels != bind["N"]:
        static["P"] = bind["N"] // channels
    return op, static, pick(bind, "M")


def _prefill(bind):
    static = {"H": bind["H"], "D": bind["D"], "E": bind["D"]}
    return (("attention_causal" if bind["causal"] else "attention_prefill"),
            static, pick(bind, "B", "S", T="S"))


def _heads(bind):
    return {"G": bind["Hkv"], "R": bind["Hq"] // bind["Hkv"], "D": bind["D"],
            "E": bind["D"]}


def _layer(bind):
    static = {**_heads(bind), **pick(bind, "F", H="Hq", K="d"),
              "P": bind["Hq"] + 2 * bind["Hkv"], "I": bind["D"] // 2}
    return "transformer_layer", static, pick(bind, "B", S="Sq", T="L")


# Example, its static extents and its dynamic ones, by subgraph.
PROGRAMS = {
    "rmsnorm_linear": lambda b: _linear(b, "rmsnorm_linear"),
    "layernorm_linear": lambda b: _linear(b, "layernorm_linear"),
    "gated_mlp": lambda b: _linear(b, "gated_mlp"),
    "rmsnorm_gated_mlp": lambda b: _linear(b, "rmsnorm_gated_mlp"),
    "lora_linear": lambda b: ("lora_linear", pick(b, "K", "N", R="r"),
                              pick(b, "M")),
    "attention_prefill": _prefill,
    "gqa_decode": lambda b: ("gqa_decode", _heads(b), pick(b, "B", T="L")),
    "qknorm_attention": lambda b: (f"qknorm_attention_{b['norm']}",
                                   {**_heads(b), "H": b["Hq"]},
                                   pick(b, "B", S="Sq", T="L")),
    "mla_decode": lambda b: ("mla_decode", {"H": b["H"], "L": b["ckv"],
                                            "C": b["ckv"] + b["kpe"]},
                             pick(b, "B", T="L")),
    "ntrans": lambda b: (_linear(b, "ntrans_linear") if b["mm"] else
                         ("ntrans", pick(b, "K"), pick(b, "M"))),
    "softmax_matmul": lambda b: ("softmax_matmul", pick(b, "N"),
                                 pick(b, "M", "K")),
    "linear_logsumexp": lambda b: ("linear_logsumexp", pick(b, "K", "V"),
                                   pick(b, "M")),
    "rowwise": _rowwise,
    "transformer_layer": _layer,
}


# Further extents, for correctness only: no tile divides them, what was compiled
# for one shape runs on any, and each shape class meets some.
ROWS = [dict(M=3), dict(M=17), dict(M=200), dict(M=2051)]
KEYS = [dict(B=1, L=1), dict(B=3, L=97), dict(B=2, L=1003), dict(B=33, L=97)]
ODD = {
    "attention_prefill": [dict(B=1, S=1), dict(B=2, S=97), dict(B=1, S=203)],
    "gqa_decode": KEYS,
    "mla_decode": KEYS,
    "qknorm_attention": [dict(B=1, Sq=1, L=97, causal=0),
                         dict(B=2, Sq=3, L=77, causal=1),
                         dict(B=1, Sq=203, L=203, causal=1)],
    "softmax_matmul": [dict(M=3, K=1), dict(M=17, K=97), dict(M=200, K=1003),
                       dict(M=2051, K=97)],
    "transformer_layer": [dict(B=1, Sq=1, L=97, causal=0),
                          dict(B=2, Sq=3, L=13, causal=0)],
}


# Static extents of small programs, for tools that are slow; other axes keep
# theirs. No tile divides these either.
SMALL = {"K": 264, "N": 136, "V": 520, "H": 16, "Hq": 8, "Hkv": 2}
SMALL_OF = {
    "softmax": {"N": 1000}, "layernorm": {"N": 1000},
    "group_norm_silu": {"N": 1056},
    "group_norm_silu_nchw": {"C": 64, "N": 64 * 77},
    # The text has the numbers of heads in its slices.
    "transformer_layer": {"d": 264, "F": 136, "D": 32, "Hq": 32, "Hkv": 8},
}


class Shape:
    def __init__(self, record, bind, is_odd=False):
        self.sub, self.bind, self.is_odd = record["name"], bind, is_odd
        self.flops, self.bytes = (
            float(eval(record[name], {"__builtins__": {}}, dict(bind)))
            for name in ("flops", "bytes"))
        self.example, self.static, self.dynamic = PROGRAMS[self.sub](bind)

    @property
    def shape(self):
        return ",".join(f"{k}={v}" for k, v in self.bind.items())

    @property
    def key(self):
        return f"{self.sub} {self.shape}"

    @property
    def program(self):
        return self.example + "".join(
            f"_{axis}{extent}" for axis, extent in sorted(self.static.items()))

    @property
    def group(self):
        queries = self.bind.get("Sq", self.bind.get("S"))
        if self.sub == "rowwise" or self.example == "ntrans":
            return "row ops"
        if self.sub.endswith("decode") or queries == 1:
            return "decode"
        if "attention" in self.sub:
            return "prefill"
        return "M <= 128" if self.bind.get("M", 1 << 30) <= 128 else \
            "compute-bound"

    def floor_us(self, ceilings):
        return max(self.bytes / ceilings["copy_gbs"] / 1e3,
                   self.flops / ceilings["matmul_tflops"] / 1e6)


def load(name):
    with open(os.path.join(FOLDER, name)) as file:
        return json.load(file)


def shrink(shape):
    """The binding of a small program."""
    small = {name: extent for name, extent in SMALL.items()
             if name in shape.bind}
    return {**shape.bind, **small, **SMALL_OF.get(shape.example, {})}


def odd_shapes(record, small=False):
    """Those that only correctness is checked of."""
    first = {}
    for bind in record["bindings"]:
        shape = Shape(record, bind)
        bind = shrink(shape) if small else bind
        first.setdefault(Shape(record, bind).program, bind)
    return [Shape(record, {**bind, **extents}, is_odd=True)
            for bind in first.values()
            for extents in ODD.get(record["name"], ROWS)]


def shapes(only="", odd=False, small=False):
    """All shapes whose key matches the regular expression.

    With `odd` also those that only correctness is checked of; with `small` none
    but those of small programs.
    """
    found = []
    for record in load("suite.json")["subgraphs"]:
        if not small:
            found += [Shape(record, bind) for bind in record["bindings"]]
        if odd or small:
            found += odd_shapes(record, small)
    return [shape for shape in found if re.search(only, shape.key)]


def programs(only="", own=False, small=False):
    """The shapes that each program serves; `own`: each shape its program."""
    found = {}
    for shape in shapes(only, odd=not own, small=small):
        name = shape.program
        if own:
            name += "@" + "_".join(f"{axis}{extent}" for axis, extent in
                                   shape.dynamic.items())
        found.setdefault(name, []).append(shape)
    return found


def bindings(some):
    """Of several shapes, as cleave-run's --bind takes them."""
    return ";".join(",".join(f"{axis}={extent}"
                             for axis, extent in shape.dynamic.items())
                    for shape in some)


def earlier_peers():
    """The peers' times of earlier runs, by key."""
    subgraphs = {record["name"]: record
                 for record in load("suite.json")["subgraphs"]}
    return {Shape(subgraphs[row["sub"]], row["bind"]).key: row["peers"]
            for row in load("peers.json")["shapes"]}


def program_text(shape):
    """The example with the shape's static extents, by the types' aliases."""
    with open(os.path.join(EXAMPLES, shape.example + ".mlir")) as file:
        text = file.read()

    def replace(match):
        dims = [size if size == "?" else str(shape.static.get(axis, size))
                for size, axis in zip(match[1].split("x"), match[3].split("_"))]
        return f"tensor<{'x'.join(dims)}x{match[2]}, #{match[3]}>"
    text = re.sub(r"tensor<([\dx?]+)x(\w+), #(\w+)>", replace, text)
    width = shape.static.get("D")
    if width and width != 128:
        # The scale of the logits, 1 / sqrt(128) in the examples.
        assert repr(128 ** -0.5) in text
        text = text.replace("1 / sqrt(128)", f"1 / sqrt({width})")
        text = text.replace(repr(128 ** -0.5), repr(width ** -0.5))
    return text
