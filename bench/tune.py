#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures schedules of the suite on a GPU, for a tuning table (docs/tuning.md).

  bench/tune.py prepare --out DIR [--tools build/bin] [--chip sm_90a]
      [--count 8] [--only REGEX] [--jobs 2]
  bench/run_suite.py --peers none --no-odd --out times.json $(bench/tune.py folders DIR)
  bench/tune.py write DIR times.json --table table.json

`prepare` compiles the model's best schedules of every shape, where the compiler
is: DIR/0 has the programs of the model's choices, DIR/1 those that come next,
..., as prepare_suite.py writes them, and DIR/NAME.keys.json has what the table
calls them. The second step needs a GPU and torch, and no compiler: what fails or
is wrong there has no time. `write` adds the fastest of each shape to the table.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

import suite

# Slower by less than this is the clock's noise: the model's choice stays.
NOISE = 1.01


def points(shapes):
    """The extents of all shapes, as --representative takes them."""
    return ",".join(f"{axis}={'|'.join(str(s.dynamic[axis]) for s in shapes)}"
                    for axis in shapes[0].dynamic)


def find_point(prepared, shape):
    for point in prepared["points"]:
        if all(point["extents"].get(axis) == extent
               for axis, extent in shape.dynamic.items()):
            return point
    return None


def prepare_program(args, name, shapes):
    """Compiles the schedules of one program; returns what went wrong."""
    base = os.path.join(args.out, name)
    source, programs = base + ".mlir", base + ".programs.json"
    with open(source, "w") as file:
        file.write(suite.program_text(shapes[0]))
    command = [os.path.join(args.tools, "cleave-run"), source, "--device=cuda",
               f"--chip={args.chip}", "--tune", f"--tune-count={args.count}",
               "--dry-run", "--json", programs]
    if shapes[0].dynamic:
        command.append("--representative=" + points(shapes))
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return (done.stderr or f"exit code {done.returncode}").strip()
    with open(programs) as file:
        prepared = json.load(file)
    os.remove(programs)
    keys = []
    for shape in shapes:
        point = find_point(prepared, shape)
        if not point:
            return f"no schedules at {shape.shape}"
        keys.append({"shape": shape.key, "extents": point["extents"],
                     "schedules": [write_candidate(args.out, number, candidate,
                                                   shape)
                                   for number, candidate
                                   in enumerate(point["candidates"])]})
    with open(base + ".keys.json", "w") as file:
        json.dump({**{field: prepared[field]
                      for field in ("function", "graph", "chip")},
                   "points": keys}, file, indent=1)
    return None


def write_candidate(out, number, candidate, shape):
    """The program's file; returns the schedule."""
    folder = os.path.join(out, str(number))
    os.makedirs(folder, exist_ok=True)
    extents = "_".join(f"{axis}{extent}"
                       for axis, extent in shape.dynamic.items())
    base = os.path.join(folder, f"{shape.program}@{extents}")
    for stale in (base + ".json", base + ".error"):
        if os.path.exists(stale):
            os.remove(stale)
    if "program" in candidate:
        with open(base + ".json", "w") as file:
            json.dump(candidate["program"], file)
    else:
        with open(base + ".error", "w") as file:
            file.write(candidate["error"] + "\n")
    return candidate["schedule"]


def prepare(args):
    os.makedirs(args.out, exist_ok=True)
    programs = {}
    for name, shapes in suite.programs(args.only).items():
        shapes = [shape for shape in shapes if not shape.is_odd]
        if shapes:
            programs[name] = shapes
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        faults = pool.map(lambda name: prepare_program(args, name,
                                                       programs[name]),
                          programs)
        for name, fault in zip(programs, faults):
            failed += fault is not None
            print(f"{name}: {fault.splitlines()[0] if fault else 'ok'}",
                  flush=True)
    sys.exit(bool(failed))


def folders(args):
    """Arguments for run_suite.py."""
    numbers = sorted(int(name) for name in os.listdir(args.folder)
                     if name.isdigit())
    print(" ".join(f"--ours {number}={os.path.join(args.folder, str(number))}"
                   for number in numbers))


def choose(times):
    """The number of the fastest, or None."""
    measured = {number: time for number, time in enumerate(times) if time}
    if not measured:
        return None
    best = min(measured, key=measured.get)
    if 0 in measured and measured[0] <= measured[best] * NOISE:
        return 0
    return best


def write(args):
    with open(args.times) as file:
        records = {record["key"]: record["candidates"]
                   for record in json.load(file)["records"]}
    entries = []
    if os.path.exists(args.table):
        with open(args.table) as file:
            entries = json.load(file)["entries"]
    known = {key_of(entry): entry for entry in entries}
    print("| shape | of | model's choice us | fastest us | number |\n"
          "|---|--:|--:|--:|--:|")
    for path in sorted(glob.glob(os.path.join(args.folder, "*.keys.json"))):
        with open(path) as file:
            keys = json.load(file)
        for point in keys["points"]:
            candidates = records.get(point["shape"], {})
            times = [candidates.get(str(number), {}).get("us")
                     for number in range(len(point["schedules"]))]
            best = choose(times)
            if best is None:
                continue
            first = f"{times[0]:.2f}" if times[0] else "-"
            print(f"| {point['shape']} | {len(times)} | {first} | "
                  f"{times[best]:.2f} | {best} |")
            entry = {"function": keys["function"], "graph": keys["graph"],
                     "chip": keys["chip"], "extents": point["extents"],
                     "schedule": point["schedules"][best], "us": times[best]}
            known[key_of(entry)] = entry
    with open(args.table, "w") as file:
        json.dump({"entries": list(known.values())}, file, indent=1)
        file.write("\n")


def key_of(entry):
    return (entry["graph"], entry["chip"],
            tuple(sorted(entry["extents"].items())))


def main():
    parser = argparse.ArgumentParser()
    actions = parser.add_subparsers(required=True)
    first = actions.add_parser("prepare")
    first.add_argument("--out", required=True)
    first.add_argument("--tools", default=suite.TOOLS)
    first.add_argument("--chip", default="sm_90a")
    first.add_argument("--count", type=int, default=8)
    first.add_argument("--only", default="")
    first.add_argument("--jobs", type=int, default=2)
    first.set_defaults(action=prepare)
    second = actions.add_parser("folders")
    second.add_argument("folder")
    second.set_defaults(action=folders)
    third = actions.add_parser("write")
    third.add_argument("folder")
    third.add_argument("times")
    third.add_argument("--table", required=True)
    third.set_defaults(action=write)
    args = parser.parse_args()
    args.action(args)


if __name__ == "__main__":
    main()
