# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An example under a schedule written by hand.

pin.py OPT RUN EXAMPLES TMP NAME LABEL FIELDS [COUNT]: the example, cut down, goes
through the algebra; the schedule with FIELDS is pinned to the first region with
the label LABEL, and the function must have COUNT launches (1) and be right at
extents that are odd, 1 and 0.
"""

import os
import re
import subprocess
import sys

from examples import EXAMPLES, cut_down


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(opt, tool, examples, scratch, name, label, fields, count="1"):
    static, bindings, _ = EXAMPLES[name]
    os.makedirs(scratch, exist_ok=True)
    graph = os.path.join(scratch, name + ".mlir")
    pinned = os.path.join(scratch, name + ".pinned.mlir")
    with open(os.path.join(examples, name + ".mlir")) as source:
        text = cut_down(source.read(), name, static)
    with open(graph, "w") as file:
        file.write(text)
    forms = run([opt, graph, "--cleave-algebra=split=true"])
    labels = re.findall(r'"([^"]*)"', re.search(r"cleave\.alternatives \[(.*?)\] \{", forms)[1])
    if label not in labels:
        sys.exit(f"{name} has no form '{label}', only {labels}")
    schedule = f"#cleave.schedule<region = {labels.index(label)}, {fields}>"
    forms = forms.replace("attributes {", f"attributes {{cleave.schedule = {schedule}, ", 1)
    with open(pinned, "w") as file:
        file.write(forms)
    nest = subprocess.run([opt, pinned, "--cleave-print-loop-nest", "-o", os.devnull],
                          capture_output=True, text=True)
    launches = len(re.findall(r"(?m)^kernel \d+:", nest.stderr))
    if nest.returncode or launches != int(count):
        sys.exit(f"{name}: {launches} launches\n{nest.stderr}")
    bind = ";".join(",".join(f"{axis}={extent}" for axis, extent in binding.items())
                    for binding in bindings)
    run([tool, pinned, "--source", graph, "--check", "--bind", bind])
    print(f"{name}, '{label}': {launches} launch{'es' if launches > 1 else ''}, right")


if __name__ == "__main__":
    main(*sys.argv[1:])
