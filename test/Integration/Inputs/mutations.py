# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the emulator says to kernels from which something is missing.

mutations.py OPT RUN EXAMPLES TMP KIND NAME ...: the examples named, cut down to
small extents, become kernels; then each barrier, wait or branch (KIND; a branch
loses its condition) is left out in turn. NAME:M=70 runs with extents of its own. Every time a run has to fail: by a
race, an access out of bounds, a copy that has not arrived, a wrong number.
Lists those that nobody noticed and that are not known to be redundant.

Redundant are: the condition that a ring has one more tile to fetch, as each copy
has a predicate of its own; it is there to save the predicates. The wait behind a
ring's loop, where the groups under way are empty: it says when the ring's bytes
may serve others. The barrier between that wait and who is served.
"""

import os
import re
import subprocess
import sys

from examples import EXAMPLES, cut_down


def prepare(opt, examples, folder, name):
    """The graph and its kernels as files."""
    with open(os.path.join(examples, name + ".mlir")) as file:
        text = cut_down(file.read(), name, EXAMPLES[name][0])
    # One shape class: what does not run cannot be missed.
    text = re.sub(r"like (?:\d+ \| )+(\d+)", r"like \1", text)
    graph, kernels = (os.path.join(folder, name + end) for end in (".mlir", ".gpu.mlir"))
    with open(graph, "w") as file:
        file.write(text)
    subprocess.run([opt, graph, "--cleave-to-gpu=chip=sm_80", "-o", kernels], check=True)
    return graph, kernels


def find_redundant(kernels, kind):
    """The numbers of those that the text shows to be redundant."""
    with open(kernels) as file:
        lines = [line.strip() for line in file]
    if kind == "wait":
        waits = [line for line in lines if line.startswith("nvvm.cp.async.wait.group")]
        return {number for number, line in enumerate(waits) if line.endswith(" 0")}
    if kind == "barrier":
        number, redundant, behind_ring = 0, set(), False
        for i, line in enumerate(lines):
            if line.startswith("nvvm.cp.async.wait.group"):
                behind_ring = lines[i + 1] != "nvvm.barrier0"
            elif line == "nvvm.barrier0":
                if behind_ring:
                    redundant.add(number)
                behind_ring, number = False, number + 1
        return redundant
    first = {line.split(":")[0].split("(")[0]: lines[i + 1]
             for i, line in enumerate(lines) if line.startswith("^bb")}
    branches = [re.findall(r"\^bb\d+", line) for line in lines if line.startswith("llvm.cond_br")]
    return {number for number, (_, other) in enumerate(branches)
            if first[other] == "nvvm.cp.async.commit.group"}


def main(opt, run, examples, folder, kind, *names):
    os.makedirs(folder, exist_ok=True)
    count, missed = 0, []
    for name, _, bind in (name.partition(":") for name in names):
        graph, kernels = prepare(opt, examples, folder, name)
        bind = bind or ";".join(",".join(f"{axis}={extent}" for axis, extent in binding.items())
                                for binding in EXAMPLES[name][1])
        command = [run, kernels, "--source", graph, "--device=emulator", "--check", "--bind", bind]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        redundant = find_redundant(kernels, kind)
        number = 0
        while True:
            done = subprocess.run([*command, f"--emulator-drop={kind}:{number}"], text=True,
                                  capture_output=True)
            if "in --emulator-drop" in done.stderr:
                break
            if done.returncode == 0 and number not in redundant:
                missed.append(f"{name} {kind} {number}")
            number += 1
        count += number
    print(f"{count} dropped, {len(missed)} not noticed", *missed, sep="\n  ")


if __name__ == "__main__":
    main(*sys.argv[1:])
