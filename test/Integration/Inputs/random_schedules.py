# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random legal schedules of the examples and of small graphs.

random_schedules.py FUZZ EXAMPLES FILE TMP SEED COUNT: every example is cut down
to small extents and runs under COUNT / 40 random schedules or so, at extents
that are odd, 1 and 0; so does every function of FILE.
"""

import os
import subprocess
import sys

from examples import EXAMPLES, cut_down

# For FILE, which has one name for one kind of axis.
RUNS = ("M=17,N=17,K=67,B=3,S=5,T=37,D=7,E=9,L=3;"
        "M=1,N=1,K=1,B=1,S=1,T=1,D=1,E=1,L=1;"
        "M=3,N=3,K=0,B=2,S=2,T=0,D=3,E=2,L=0")


def main(fuzz, examples, file, scratch, seed, count):
    subjects = []
    for name, (static, bindings, _) in sorted(EXAMPLES.items()):
        with open(os.path.join(examples, name + ".mlir")) as source:
            text = cut_down(source.read(), name, static)
        path = os.path.join(scratch, name + ".mlir")
        with open(path, "w") as graph:
            graph.write(text)
        runs = ";".join(",".join(f"{axis}={extent}" for axis, extent in binding.items())
                        for binding in bindings)
        subjects.append(f"{path}:{runs}")
    subjects.append(f"{file}:{RUNS}")
    sys.exit(subprocess.run([fuzz, f"--seed={seed}", f"--count={count}", f"--scratch={scratch}",
                             *subjects]).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
