"""Inputs/join.mlir as compiled, with blocks in several orders and each launch
made twice, against a plain product. stdin: the module; arguments: text and
number of an instruction of the PTX to leave out (-1: the last one in front of
the first fence)."""

import re
import sys

from ptx_emulator import Array, Memory, run_host

module = sys.stdin.read()


def leave_out(ptx):
    if len(sys.argv) < 3:
        return ptx
    text, number = sys.argv[1], int(sys.argv[2])
    places = [match.start() for match in re.finditer(rf"\n[^\n;]*{re.escape(text)}", ptx)]
    if number < 0:
        places = [place for place in places if place < ptx.index("fence")]
    place = places[number]
    return ptx[:place] + ptx[ptx.index(";", place) + 1:]


for rows, depth in ((1, 1), (3, 0), (17, 67), (16, 192), (0, 5)):
    for order in ("forward", "reverse", "together"):
        memory = Memory()
        x = Array(memory, "f16", [rows, depth], [(3 * i % 11 - 5) * 0.25 for i in range(rows * depth)])
        w = Array(memory, "f16", [depth, 37], [(5 * i % 13 - 6) * 0.125 for i in range(depth * 37)])
        y = Array(memory, "f32", [rows, 37])
        run_host(module, "join", [x, w, y], memory, order=order, repeat=2, edit=leave_out)
        left, right = x.values(), w.values()
        expected = [sum(left[i * depth + k] * right[k * 37 + j] for k in range(depth))
                    for i in range(rows) for j in range(37)]
        same = all(abs(a - b) <= 1e-4 for a, b in zip(expected, y.values()))
        print(rows, depth, order, "ok" if same else "wrong")
