# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark's parts that need neither torch nor a GPU.

bench.py BENCH OPT RUN TMP: every program of the suite is one that OPT takes,
each shape has peers and a floor, results become tables, and times of schedules
a tuning table.
"""

import json
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


def check_tune(suite, folder, bench):
    """From times of candidates to a table, beside what was in it."""
    shapes = suite.shapes("^rmsnorm_linear M=(1|8|16),K=4096")
    tuned = os.path.join(folder, "tuned")
    os.makedirs(tuned, exist_ok=True)
    points = [{"shape": shape.key, "extents": shape.dynamic,
               "schedules": ["a", "b", "c"]} for shape in shapes]
    with open(os.path.join(tuned, shapes[0].program + ".keys.json"), "w") as file:
        json.dump({"function": "f", "graph": "1234", "chip": "sm_90a",
                   "points": points}, file)
    times = os.path.join(folder, "times.json")
    with open(times, "w") as file:
        json.dump({"records": [
            record(shapes[0], **{"0": {"us": 10.0}, "1": {"us": 8.0},
                                 "2": {"error": "wrong"}}),
            # Within the noise.
            record(shapes[1], **{"0": {"us": 10.0}, "1": {"us": 9.95}}),
            record(shapes[2], **{"0": {"error": "no program"}})]}, file)
    table = os.path.join(folder, "table.json")
    old = {"function": "f", "graph": "1234", "chip": "sm_90a",
           "extents": {"M": 16}, "schedule": "kept", "us": 7}
    with open(table, "w") as file:
        json.dump({"entries": [old, {**old, "extents": {"M": 1}}]}, file)
    subprocess.run([sys.executable, os.path.join(bench, "tune.py"), "write",
                    tuned, times, "--table", table], check=True)
    with open(table) as file:
        print("table", *((entry["extents"]["M"], entry["schedule"], entry["us"])
                         for entry in json.load(file)["entries"]))


def check_prepare(suite, folder, bench, tool):
    """The cubins of each candidate, by numbers of folders."""
    tuned = os.path.join(folder, "prepared")
    tune = os.path.join(bench, "tune.py")
    subprocess.run([sys.executable, tune, "prepare", "--out", tuned, "--count",
                    "2", "--tools", os.path.dirname(tool), "--only",
                    "^rmsnorm_linear M=16,K=8192"], check=True)
    shape, = suite.shapes("^rmsnorm_linear M=16,K=8192")
    for number in ("0", "1"):
        with open(os.path.join(tuned, number,
                               f"{shape.program}@M16.json")) as file:
            run, = json.load(file)["runs"]
        assert run["bind"]["M"] == 16 and run["launches"]
    with open(os.path.join(tuned, shape.program + ".keys.json")) as file:
        keys = json.load(file)
    point, = keys["points"]
    print("prepared", keys["function"], point["extents"],
          len(set(point["schedules"])))
    done = subprocess.run([sys.executable, tune, "folders", tuned],
                          capture_output=True, text=True, check=True)
    print(done.stdout.replace(tuned, "TUNED").strip())


def main(bench, opt, tool, folder):
    sys.path.insert(0, bench)
    sys.dont_write_bytecode = True
    # Scripts that are run here print in between.
    sys.stdout.reconfigure(line_buffering=True)
    import report
    import suite
    check_programs(suite, opt, folder)
    check_peers(suite)
    check_report(suite, report)
    check_tune(suite, folder, bench)
    check_prepare(suite, folder, bench, tool)


if __name__ == "__main__":
    main(*sys.argv[1:])
