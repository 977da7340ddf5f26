"""The functions of split-join.mlir as compiled, with blocks in several orders,
against plain formulas. stdin: the module."""

import math
import sys

from ptx_emulator import Array, Memory, run_host

module = sys.stdin.read()


def numbers(count, step):
    return [(step * i % 11 - 5) * 0.25 for i in range(count)]


def linear(rows, depth):
    x, w = numbers(rows * depth, 3), numbers(depth * 37, 5)
    return [([rows, depth], x), ([depth, 37], w)], [rows, 37], [
        sum(x[i * depth + k] * w[k * 37 + j] for k in range(depth)) for i in range(rows) for j in range(37)]


def attention(rows, length):
    q, k, v = numbers(rows * 16, 3), numbers(length * 16, 5), numbers(length * 16, 7)
    result = [0.0] * (16 * rows)
    for i in range(rows):
        scores = [sum(q[i * 16 + d] * k[t * 16 + d] for d in range(16)) for t in range(length)]
        weights = [math.exp(score - max(scores)) for score in scores]
        for e in range(16):
            total = sum(weight * v[t * 16 + e] for t, weight in enumerate(weights))
            result[e * rows + i] = total / sum(weights) if weights else 0.0
    return [([rows, 16], q), ([length, 16], k), ([length, 16], v)], [16, rows], result


for name, function, cases in (("linear", linear, ((3, 0), (2, 70), (17, 33))),
                              ("attention", attention, ((1, 0), (3, 67), (1, 131)))):
    for extents in cases:
        arguments, shape, expected = function(*extents)
        for order in ("reverse", "together"):
            memory = Memory()
            arrays = [Array(memory, "f16", sizes, values) for sizes, values in arguments]
            result = Array(memory, "f32", shape)
            run_host(module, name, [*arrays, result], memory, order=order, repeat=2)
            close = all(abs(a - b) <= 4e-3 * max(1, abs(a)) for a, b in zip(expected, result.values()))
            print(name, *extents, order, "ok" if close else "wrong")
