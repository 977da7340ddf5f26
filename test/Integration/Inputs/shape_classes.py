# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every shape class of examples on the CPU, at both sides of each bound.

shape_classes.py OPT RUN EXAMPLES TMP: schedules are chosen for the example as it
is, and run on the same graph with small static extents.
"""

import os
import re
import subprocess
import sys

import examples

# Name: small static extents, extents beside those in conditions, and what
# replaces the representative extents.
SMALL = {
    # Some schedules need equal parts, as K = 4096 has them.
    "rmsnorm_linear": (dict(K=40, N=29), {}, ""),
    # K.R is how one region concatenates.
    "lora_linear": (dict(K=37, N=29, R=3, K2ER=40), {}, "M=16|8192"),
    "rmsnorm_gated_mlp": (dict(K=40, N=29), {}, ""),
    "softmax_matmul": (dict(N=29), dict(K=41), ""),
    "layernorm": (dict(K=40, N=64), {}, "M=64|8192"),
    "gqa_decode": (dict(H=6, G=3, R=2, D=10, E=7), dict(B=1, T=37), ""),
    "mla_decode": (dict(H=3, C=16, L=7), dict(B=1, T=37), ""),
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def runs(conditions, others):
    """Bindings at each bound, behind it, and at 0 and 1."""
    axes = sorted({axis for axis, _ in conditions})
    base = {**{axis: 1 for axis in axes}, **others}
    found = []
    for axis in axes:
        bounds = {int(bound) for name, bound in conditions if name == axis}
        extents = {0, 1} | bounds | {bound + 1 for bound in bounds}
        found += [{**base, axis: extent} for extent in sorted(extents)]
    return ";".join(",".join(f"{a}={e}" for a, e in one.items()) for one in found)


def check(opt, tool, source, folder, name):
    static, others, representative = SMALL[name]
    os.makedirs(folder, exist_ok=True)
    small, loops = (os.path.join(folder, end) for end in ("small.mlir", "loops.mlir"))
    with open(source) as file, open(small, "w") as out:
        out.write(examples.cut_down(file.read(), name, static))
    chosen = run(opt, source, "--cleave-algebra",
                 f"--cleave-assign-schedule=representative={representative}")
    classes = re.search(r"#cleave.schedules<\[.*\]>", chosen)
    if not classes:
        sys.exit(f"{name} has one class")
    whens = re.findall(r"<when = \[(.*?)\], region = (\d+)", classes[0])
    rest = re.findall(r"<region = (\d+)", classes[0])
    with open(loops + ".in", "w") as out:
        out.write(examples.cut_down(chosen, name, static))
    run(opt, loops + ".in", "--cleave-to-loops", "-o", loops)
    conditions = [c for when, _ in whens for c in re.findall(r"(\w+) upto (\d+)", when)]
    regions = {region for _, region in whens} | set(rest)
    done = run(tool, loops, "--source", small, "--check", "--bind",
               runs(conditions, others))
    print(f"{name}: {len(whens) + 1} classes, {len(regions)} regions, "
          f"{len(done.splitlines())} runs")


def main(opt, tool, folder, tmp):
    for name in SMALL:
        check(opt, tool, os.path.join(folder, name + ".mlir"), os.path.join(tmp, name), name)


if __name__ == "__main__":
    main(*sys.argv[1:])
