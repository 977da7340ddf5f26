"""The functions of several-axes.mlir as compiled, against loops. stdin: the
module."""

import itertools
import math
import random
import sys

from ptx_emulator import Array, Memory, run_host

MODULE = sys.stdin.read()
RANDOM = random.Random(1)


def run(name, inputs, result):
    """Runs `name` on random arguments: their values, and the result's."""
    memory = Memory()
    draw = {"i1": lambda: RANDOM.random() < 0.5}
    arrays = [Array(memory, kind, shape, [draw.get(kind, lambda: RANDOM.uniform(-1, 2))()
                                          for _ in range(math.prod(shape))]) for kind, shape in inputs]
    out = Array(memory, *result)
    run_host(MODULE, name, arrays + [out], memory)
    return [a.values() for a in arrays], out.values()


def report(name, extents, pairs):
    worst = max((abs(got - expected) if got == got else math.inf for got, expected in pairs), default=0)
    print(f"{name} {extents}: {'ok' if worst < 5e-3 else 'wrong'}, off by {worst:.2g}")


for B, M in ((2, 3), (1, 17), (0, 3)):
    (x, w), y = run("linear", [("f16", [B, M, 48]), ("f16", [48, 24])], ("f32", [B, M, 24]))
    report("linear", (B, M), [(y[i * 24 + n], sum(x[i * 48 + k] * w[k * 24 + n] for k in range(48)))
                              for i in range(B * M) for n in range(24)])
for M, K, L, N in ((3, 5, 7, 9), (17, 2, 33, 4), (2, 3, 0, 3)):
    (x, w), y = run("two_k", [("f16", [M, K, L]), ("f16", [K, L, N])], ("f32", [M, N]))
    report("two_k", (M, K, L, N), [(y[m * N + n], sum(x[m * K * L + k] * w[k * N + n] for k in range(K * L)))
                                   for m in range(M) for n in range(N)])
for B, C, H, W in ((2, 3, 5, 4), (1, 2, 33, 9), (0, 2, 3, 3)):
    (x,), y = run("channels", [("f32", [B, C, H, W])], ("f32", [C]))
    report("channels", (B, C, H, W),
           [(y[c], sum(x[(b * C + c) * H * W + i] for b in range(B) for i in range(H * W))) for c in range(C)])
for M, K in ((5, 123), (33, 4), (1, 1), (0, 5)):
    (x, mask), y = run("masked", [("f16", [M, K]), ("i1", [K])], ("i1", [K, M]))
    report("masked", (M, K), [(y[k * M + m], mask[k] and x[m * K + k] < x[m * K + k] ** 2)
                              for m, k in itertools.product(range(M), range(K))])
