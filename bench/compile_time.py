#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wall time and memory from .mlir to cubin: the whole process, ptxas included.

Usage: compile_time.py [--tools build/bin] [--repeat 5] [--chip sm_90a]
                       [FILE.mlir ...]

Prints a table: the fastest and the median of the repeated runs, and the share
of it that is spent before PTX (the same pipeline with format=isa).
"""

import argparse
import glob
import os
import resource
import statistics
import subprocess
import sys
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files = args.files or sorted(glob.glob(os.path.join(ROOT, "examples",
                                                        "*.mlir")))

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
