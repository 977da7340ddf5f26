"""Inputs/functions.mlir as compiled, against Python's functions: one column of
special values, then longer rows. stdin: the module."""

import math
import sys

from ptx_emulator import Array, Memory, run_host

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.25, -0.7, 3.0, -9.0, 80.0, -80.0, 1e30, -1e30, 1e-30, 1.0001,
           math.inf, -math.inf, math.nan]


def exp2(x):
    return math.inf if x > 1000 else 2.0 ** x


def log(x):
    return -math.inf if x == 0 else math.log(x)


REFERENCE = [
    lambda row: min(row) if all(v == v for v in row) else math.nan,
    lambda row: math.prod(map(abs, row)),
    lambda row: sum(map(exp2, row)),
    lambda row: sum(log(abs(v)) for v in row),
    lambda row: sum(map(math.tanh, row)),
    lambda row: sum(map(math.erf, row)),
]


def is_close(expected, got):
    if math.isnan(expected) or math.isinf(expected):
        return got == expected or (got != got and expected != expected)
    return abs(expected - got) <= 2e-5 * abs(expected) + 2e-6


module = sys.stdin.read()
for rows in ([[v] for v in SPECIAL], [[((7 * i + 5 * j) % 23 - 11) * 0.16 + 0.01 for j in range(73)] for i in range(3)]):
    memory = Memory()
    source = Array(memory, "f32", [len(rows), len(rows[0])], [v for row in rows for v in row])
    results = [Array(memory, "f32", [len(rows)]) for _ in REFERENCE]
    run_host(module, "functions", [source, *results], memory)
    columns = len(rows[0])
    values = source.values()
    for number, (function, result) in enumerate(zip(REFERENCE, results)):
        bad = [(row, got) for i, got in enumerate(result.values())
               for row in [values[i * columns:(i + 1) * columns]] if not is_close(function(row), got)]
        print(f"{columns} columns, result {number}: {f'wrong {bad[0]}' if bad else 'ok'}")
