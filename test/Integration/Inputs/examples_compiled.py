# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples as native code or emulated kernels against the f64 evaluator.

examples_compiled.py OPT RUN EXAMPLES TMP 'PASS ...' [DEVICE [NAME ...]]: every
example (or those named) is cut down to small extents, goes through
`OPT --PASS ...`, and runs on random arguments at extents that are odd, 1 and 0,
and on the CPU at one more than a tile. A NAME behind a minus sign is left out.
"""

import os
import subprocess
import sys

from examples import EXAMPLES, cut_down

# Extents of dynamic axes of which most tiles are full, and one is not.
LONG = dict(B=2, M=65, S=17, T=129, K=129)


def check(opt, run, source, folder, name, pipeline, device):
    static, bindings, _ = EXAMPLES[name]
    with open(source) as file:
        text = cut_down(file.read(), name, static)
    graph = os.path.join(folder, name + ".mlir")
    compiled = os.path.join(folder, name + ".compiled.mlir")
    with open(graph, "w") as file:
        file.write(text)
    if device == "cpu":
        bindings = bindings + [{axis: LONG[axis] for axis in bindings[0]}]
    passes = ["--" + name for name in pipeline.split()]
    subprocess.run([opt, graph, *passes, "-o", compiled], check=True)
    bind = ";".join(",".join(f"{axis}={extent}" for axis, extent in binding.items())
                    for binding in bindings)
    command = [*run.split(), compiled, "--source", graph, f"--device={device}", "--check", "--bind", bind]
    if name == "cross_entropy":
        # Labels are small integers, some of them outside of the vocabulary.
        command += ["--scale", "label=3"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    good = done.returncode == 0 and done.stdout.count(": ok") >= len(bindings)
    print(name, "ok" if good else "WRONG\n" + done.stdout, flush=True)
    return good


def main(opt, run, examples, folder, pipeline, device="cpu", *names):
    os.makedirs(folder, exist_ok=True)
    if all(name.startswith("-") for name in names):
        names = sorted(name for name in EXAMPLES if f"-{name}" not in names)
    wrong = [name for name in names
             if not check(opt, run, os.path.join(examples, name + ".mlir"), folder, name, pipeline,
                          device)]
    print(f"wrong: {wrong}" if wrong else "all right")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
