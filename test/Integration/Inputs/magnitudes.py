# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No alternative is less accurate than the graph as it was written.

magnitudes.py RUN OPT EXAMPLES TMP: every example, cut down, goes through the
algebra with and without its declared ranges. Each alternative runs on the
evaluator that rounds, on small values, large values, and values whose mean is a
thousand times their deviation, and is compared with the exact input.
"""

import os
import random
import re
import subprocess
import sys

from examples import EXAMPLES, arguments, build, cut_down, flatten, rounded, save

# Mean and deviation. f16 ends at 65504.
DATA = {"small": (0, 1e-3), "large": (0, 1e4), "shifted": (100, 0.1)}
# What a reassociation may lose.
SLACK, NEGLIGIBLE = 3, 1e-3


def draw(name, kind, shape, limit, extents, data):
    # A gain is around 1: products of two small values leave the normal numbers
    # of f16 (docs/numerics.md, 10).
    mean, deviation = data if len(shape) > 1 else (1, 0.1)
    if kind == "i32":
        highest = {"pos": extents.get("T", 1) - extents.get("S", 1), "label": extents.get("V", 1) - 1}[name]
        return build(shape, iter([random.randint(0, highest) if name == "label" else highest
                                  for _ in range(count(shape))]))
    return build(shape, iter([rounded(max(-limit, min(random.gauss(mean, deviation), limit)))
                              for _ in range(count(shape))]))


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def error_of(command):
    """The relative error that --check reports, and its whole text."""
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.findall(r"relative L2 ([^\s,;)]+)", done.stdout + done.stderr)
    errors = [float(x) for x in found]
    return (max(errors) if errors and done.returncode == 0 else float("inf")), done.stdout + done.stderr


def main(run, opt, examples, tmp):
    os.makedirs(tmp, exist_ok=True)
    wrong = forms = 0
    for name, (static, bindings, _) in sorted(EXAMPLES.items()):
        with open(os.path.join(examples, name + ".mlir")) as file:
            declared = cut_down(file.read(), name, static)
        ranges = {argument: limit for argument, _, _, limit in arguments(declared)}
        for text in (declared, re.sub(r", cleave.range = [\d.]+ : f32", "", declared)):
            source, module = os.path.join(tmp, "source.mlir"), os.path.join(tmp, "module.mlir")
            with open(source, "w") as file:
                file.write(text)
            compiled = subprocess.run([opt, source, "--cleave-algebra=k=8"], check=True, capture_output=True, text=True)
            with open(module, "w") as file:
                file.write(compiled.stdout)
            labels = re.findall(r'"([^"]+)"', re.search(r"cleave.alternatives \[(.*?)\] \{", compiled.stdout)[1])
            forms += len(labels)
            extents = {**static, **bindings[0]}
            for title, data in DATA.items():
                random.seed(f"{name} {title}")
                command = [run, module, f"--source={source}", "--device=evaluator", "--check", "--tolerance=1e30"]
                for argument, axes, kind, _ in arguments(text):
                    shape = [extents[axis] for axis in axes]
                    limit = ranges[argument] if text is declared else 6e4
                    path = os.path.join(tmp, f"{argument}.npy")
                    save(path, kind, shape, draw(argument, kind, shape, limit, extents, data))
                    command += ["--input", f"{argument}={path}"]
                errors = [error_of(command + [f"--alternative={i}"]) for i in range(len(labels))]
                base = errors[labels.index("input")][0]
                for label, (error, output) in zip(labels, errors):
                    if not error <= max(SLACK * base, NEGLIGIBLE) and base < 0.1:
                        wrong += 1
                        print(f"WRONG {name}, {title}, '{label}': {error:.2e}, the input {base:.2e}")
                        if "-v" in sys.argv:
                            print(output)
    print(f"{forms} forms")
    print("all right" if not wrong else f"{wrong} are wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:5])
