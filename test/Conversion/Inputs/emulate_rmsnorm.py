"""RMSNorm + linear as compiled, with 128 columns and features, against naive
loops. stdin: the module; the argument is what the sum of squares is scaled by."""

import math
import sys

from ptx_emulator import Array, Memory, run_host

N = 128
SCALE = float(sys.argv[1])
module = sys.stdin.read()
for rows in (37, 16, 1, 0):
    memory = Memory()
    value = lambda i, j, seed: ((i * seed + j * 7) % 19 - 9) * 0.125
    x = Array(memory, "f16", [rows, N], [value(i, j, 3) for i in range(rows) for j in range(N)])
    g = Array(memory, "f16", [N], [value(1, j, 3) for j in range(N)])
    w = Array(memory, "f16", [N, N], [value(i, j, 11) for i in range(N) for j in range(N)])
    y = Array(memory, "f16", [rows, N])
    run_host(module, "rmsnorm_linear", [x, g, w, y], memory)
    xs, gs, ws, ys = x.values(), g.values(), w.values(), y.values()
    worst = 0.0
    for i in range(rows):
        row = xs[i * N:(i + 1) * N]
        factor = 1 / math.sqrt(sum(v * v for v in row) * SCALE + 1e-6)
        scaled = [v * s for v, s in zip(row, gs)]
        for n in range(N):
            expected = factor * sum(v * ws[k * N + n] for k, v in enumerate(scaled))
            got = ys[i * N + n]
            worst = max(worst, abs(expected - got) / max(1, abs(expected)) if got == got else math.inf)
    print(f"{rows} rows: {'ok' if worst < 1e-2 else 'wrong'}, off by {worst:.2g}")
