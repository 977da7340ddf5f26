# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every schedule that --tune would measure gives right numbers.

candidates.py OPT RUN EXAMPLES TMP COUNT NAME...: the examples, cut down, go
through the algebra. A file of times makes each of COUNT schedules of each shape
class the fastest in turn; compiled by the table, the function is right on the
CPU at extents that are odd, 1 and 0.
"""

import json
import os
import re
import subprocess
import sys

from examples import EXAMPLES, cut_down


def run(command, fails=False):
    done = subprocess.run(command, capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(opt, tool, source, folder, name, count):
    static, bindings, _ = EXAMPLES[name]
    graph, forms, times, table = (os.path.join(folder, name + end) for end in (
        ".mlir", ".forms.mlir", ".times.json", ".table.json"))
    with open(graph, "w") as file:
        file.write(cut_down(source, name, static))
    run([opt, graph, "--cleave-algebra=split=true", "-o", forms])

    def write(*, only):
        with open(times, "w") as file:
            json.dump({"points": [{"extents": extents, "us": [None] * only + [1]}
                                  for extents in points]}, file)

    tune = [tool, forms, f"--tune-count={count}", "--tune-times", times]
    # A class without times ends it: they are found one after the other.
    points, most = [], 1
    for _ in range(9):
        write(only=0)
        done = subprocess.run([*tune, "--tune"], capture_output=True, text=True)
        found = re.findall(r"(?m)^tune(?:\[(.*)\])?: (\d+) schedule", done.stdout)
        points = [{axis: int(extent) for axis, extent in
                   (each.split("=") for each in label.split(",") if each)}
                  for label, _ in found]
        most = min(int(number) for _, number in found)
        if done.returncode == 0:
            break
    bind = ";".join(",".join(f"{axis}={extent}" for axis, extent in binding.items())
                    for binding in bindings)
    for number in range(most):
        if os.path.exists(table):
            os.remove(table)
        write(only=number)
        run([*tune, f"--tune={table}"])
        run([tool, forms, "--source", graph, f"--tuning-table={table}", "--check",
             "--bind", bind])
    print(name, most, "right")


def main(opt, tool, examples, folder, count, *names):
    os.makedirs(folder, exist_ok=True)
    for name in names:
        with open(os.path.join(examples, name + ".mlir")) as file:
            check(opt, tool, file.read(), folder, name, int(count))


if __name__ == "__main__":
    main(*sys.argv[1:])
