"""Inputs/softmax.mlir as compiled, against a naive softmax. stdin: the module."""

import math
import sys

from ptx_emulator import Array, Memory, run_host

module = sys.stdin.read()
for rows, columns in ((5, 523), (4, 256), (1, 1), (5, 0), (0, 5), (3, 300)):
    memory = Memory()
    x = [-math.inf if i == 2 else 0.3 * ((7 * i + 5 * j) % 23) for i in range(rows) for j in range(columns)]
    source = Array(memory, "f16", [rows, columns], x)
    result = Array(memory, "f16", [rows, columns])
    run_host(module, "softmax", [source, result], memory)
    x, y = source.values(), result.values()
    worst = 0.0
    for i in range(rows):
        row = x[i * columns:(i + 1) * columns]
        top = max(row, default=0)
        weights = [math.exp(v - top) if top > -math.inf else 0.0 for v in row]
        total = sum(weights) or 1.0
        for expected, got in zip((w / total for w in weights), y[i * columns:(i + 1) * columns]):
            worst = max(worst, abs(expected - got) if got == got else math.inf)
    print(f"{rows} x {columns}: {'ok' if worst < 1e-3 else 'wrong'}, off by {worst:.2g}")
