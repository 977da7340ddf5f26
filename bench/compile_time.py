#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time and memory of the examples.

Usage: compile_time.py [--tools build/bin] [--repeat 5] [--chip sm_90a]
                       [--algebra] [FILE.mlir ...]

Prints a table of the way from .mlir to cubin, the whole process with ptxas: the
fastest and the median of the repeated runs, and the share of it that is spent
before PTX (the same pipeline with format=isa). With --algebra a table of
--cleave-algebra alone: the times of its phases, of which the final check stands
apart, how the saturation ended, and the peak memory of the process.
"""

import argparse
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                     ".."))


def seconds(command, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = subprocess.run(command, capture_output=True, text=True)
        times.append(time.perf_counter() - start)
        if result.returncode:
            sys.exit(f"error: {' '.join(command)}\n{result.stderr}")
    return times


def algebra(tool, path):
    """The report of each function, and the peak memory in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        child = subprocess.Popen([tool, path, "-o", os.devnull,
                                  f"--cleave-algebra=k=8 report={report}"],
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            return {}, 0
        with open(report) as file:
            return json.load(file), usage.ru_maxrss / 1024


def print_algebra(tool, files, repeat):
    print("| file | algebra s | check s | nodes | classes | end | extraction "
          "| forms | peak MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in files:
        runs = [algebra(tool, path) for _ in range(repeat)]
        name = os.path.basename(path)
        if not runs[0][0]:
            print(f"| {name} | failed | | | | | | | |")
            continue
        for function, report in runs[0][0].items():
            times = [run[function]["milliseconds"] for run, _ in runs]
            check = min(time["check"] for time in times) / 1000
            own = min(sum(time.values()) - time["check"]
                      for time in times) / 1000
            print(f"| {name} | {own:.3f} | {check:.3f} | {report['nodes']} "
                  f"| {report['classes']} | {report['stop']} "
                  f"| {report['extraction']} | {len(report['alternatives'])} "
                  f"| {max(peak for _, peak in runs):.0f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--algebra", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files = args.files or sorted(glob.glob(os.path.join(ROOT, "examples",
                                                        "*.mlir")))

    if args.algebra:
        print_algebra(os.path.join(args.tools, "cleave-opt"), files,
                      args.repeat)
        return
    print(f"{args.chip}, {os.cpu_count()} cores, {args.repeat} runs")
    print("| file | fastest s | median s | median s to PTX |")
    print("|---|---|---|---|")
    for path in files:
        command = [os.path.join(args.tools, "cleave-opt"), path, "-o",
                   os.devnull]
        option = f"--cleave-to-cubin=chip={args.chip}"
        whole = seconds(command + [option], args.repeat)
        ptx = seconds(command + [option + " format=isa"], args.repeat)
        print(f"| {os.path.basename(path)} | {min(whole):.2f} "
              f"| {statistics.median(whole):.2f} "
              f"| {statistics.median(ptx):.2f} |")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of one process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
