# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark's parts that need neither torch nor a GPU.

bench.py BENCH OPT TMP: every program of the suite is one that OPT takes, each
shape has peers and a floor, and results become tables.
"""

import os
import subprocess
import sys


def check_programs(suite, opt, folder):
    os.makedirs(folder, exist_ok=True)
    for name, shapes in suite.programs().items():
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            file.write(suite.program_text(shapes[0]))
        # Every shape of a program is the same text.
        assert all(suite.program_text(shape) == suite.program_text(shapes[0])
                   for shape in shapes), name
        subprocess.run([opt, path, "-o", os.devnull], check=True)
    print("programs", len(suite.programs()))


def check_peers(suite):
    earlier = suite.load("peers.json")
    floors = [row["floor_us"] for row in earlier["shapes"]]
    shapes = suite.shapes()
    assert len(floors) == len(shapes)
    for shape, floor in zip(shapes, floors):
        assert suite.earlier_peers()[shape.key]
        assert shape.group in suite.GROUPS
        assert abs(shape.floor_us(earlier["ceilings"]) - floor) < 0.01
    print("shapes", len(shapes), "odd",
          sum(shape.is_odd for shape in suite.shapes(odd=True)))


def record(shape, **candidates):
    return {"key": shape.key, "sub": shape.sub, "shape": shape.shape,
            "group": shape.group, "odd": shape.is_odd, "floor_us": 4.0,
            "candidates": candidates}


def check_report(suite, report):
    shapes = suite.shapes("^rmsnorm_linear M=(1|8|16),K=4096")
    good = {"ours": True, "us": 10.0, "l2": 3e-4}
    wrong = {"ours": True, "error": "relative L2 | 1"}
    odd = suite.shapes("^rmsnorm_linear M=(3|17),K=4096", odd=True)
    records = [
        record(shapes[0], ours=good, other=good, eager={"us": 20.0}),
        # Faster than the eager form was the compiled one, in an earlier run.
        record(shapes[1], ours=good, eager={"us": 20.0}),
        record(shapes[2], ours=wrong, eager={"us": 5.0, "error": "wrong"}),
        record(odd[0], ours={"ours": True, "l2": 1e-4}),
        record(odd[1], ours=wrong)]
    print(report.markdown(records))
    assert "rmsnorm_linear" in report.text(records)


def main(bench, opt, folder):
    sys.path.insert(0, bench)
    sys.dont_write_bytecode = True
    import report
    import suite
    check_programs(suite, opt, folder)
    check_peers(suite)
    check_report(suite, report)


if __name__ == "__main__":
    main(*sys.argv[1:])
