# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples as PTX, in the emulator, against formulas on plain lists.

emulate_examples.py OPT EXAMPLES FORMULAS [NAME ...]: every example (or those
named), cut down to small extents as the evaluator's test in the folder FORMULAS
does, is compiled with OPT and runs on random arguments. It also refuses
accesses out of bounds and races in shared memory.
"""

import math
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[3])
import examples
from ptx_emulator import Array, Memory, run_host


def results_of(text):
    """(name, axes, element type) of each result."""
    return [(name, [] if alias == "scalar" else alias.split("_"), kind)
            for kind, alias, name in re.findall(
                r"tensor<(?:[\dx?]*x)?(\w+), #(\w+)> {cleave.name = \"(\w+)\"}",
                text.split("\n    -> ")[1].split("attributes")[0])]


def close(actual, expected):
    finite = [(x, y) for x, y in zip(actual, expected) if math.isfinite(y)]
    if any(x != y for x, y in zip(actual, expected) if not math.isfinite(y)):
        return False
    error = math.sqrt(math.fsum((x - y) ** 2 for x, y in finite))
    return error <= 4e-3 * math.sqrt(math.fsum(y * y for _, y in finite)) + 1e-5


def check(opt, source, name, schedule=None):
    """`schedule`: how it must run, and static extents and bindings for that."""
    static, bindings, reference = examples.EXAMPLES[name]
    if schedule:
        pinned, static, bindings = schedule
    with open(source) as file:
        text = examples.cut_down(file.read(), name, static)
    if schedule:
        text = text.replace("attributes {", f"attributes {{cleave.schedule = #cleave.schedule<{pinned}>, ", 1)
    module = subprocess.run([opt, "-", "--cleave-to-cubin=format=isa"], input=text,
                            capture_output=True, text=True)
    if module.returncode:
        print(name, "NOT COMPILED", module.stderr.splitlines()[0])
        return False
    good = True
    for number, binding in enumerate(bindings):
        random.seed(f"{name} {number}")
        extents = {**static, **binding}
        examples.WIDTH.clear()
        examples.WIDTH.update(extents)
        memory, given, arrays = Memory(), {}, []
        for argument, axes, kind, limit in examples.arguments(text):
            shape = [extents[axis] for axis in axes]
            given[argument] = examples.make(argument, shape, limit, extents)
            values = examples.flatten(given[argument]) if shape else [given[argument]]
            arrays.append(Array(memory, kind, shape, values))
        results = [(result, Array(memory, kind, [extents[axis] for axis in axes]))
                   for result, axes, kind in results_of(text)]
        run_host(module.stdout, name, [*arrays, *(array for _, array in results)], memory)
        expected = reference(given)
        if not isinstance(expected, dict):
            expected = {results[0][0]: expected}
        for result, array in results:
            same = close(array.values(), examples.flatten(expected[result]))
            good &= same
            print(name, binding, result, "ok" if same else "WRONG")
            if not same:
                print("  got     ", array.values()[:8], "\n  expected", examples.flatten(expected[result])[:8])
    return good


def main(opt, folder, _, *names):
    names = names or sorted(examples.EXAMPLES)
    wrong = []
    for name in names:
        start = time.time()
        if not check(opt, os.path.join(folder, name + ".mlir"), name):
            wrong.append(name)
        print(name, f"{time.time() - start:.1f} s", file=sys.stderr)
    print(f"wrong: {wrong}" if wrong else "all right")


if __name__ == "__main__":
    main(*sys.argv[1:])
