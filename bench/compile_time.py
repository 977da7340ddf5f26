#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time and memory of the examples.

Usage: compile_time.py [--tools build/bin] [--repeat 5] [--chip sm_90a]
                       [--algebra | --cpu]
                       [--suite [--results R.json] | FILE.mlir ...]

Prints a table of the way from .mlir to cubin: the whole process with ptxas, the
fastest and the median of the repeated runs, then of the fastest run the share
of the algebra, the choice of schedules, the code generation up to PTX and
ptxas. Equal work before PTX is taken off a run with format=isa to find the
latter. --suite takes the graphs of the benchmark in the place of the examples;
with --results (of run_suite.py) the first calls of what torch.compile made stand
beside them, the quickest of a program's shapes, in a process that has compiled
others before.
With --cpu the processor seconds of the process and of ptxas, whatever else the
machine does: the least of the repeated runs, of a process that stops after each
phase, less that of the phase before; of code and ptxas two cores do half each.
With --algebra a table of --cleave-algebra alone: the times of its phases, of
which the final check stands apart, how the saturation ended, and the peak
memory of the process.
"""

import argparse
import glob
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import suite

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                     ".."))


class Run:
    """One process: its seconds, and those of its passes."""

    def __init__(self, command):
        start = time.perf_counter()
        done = subprocess.run([*command, "--mlir-timing",
                               "--mlir-timing-display=tree"],
                              capture_output=True, text=True)
        self.seconds = time.perf_counter() - start
        self.error = done.stderr.strip().split("\n")[0] if done.returncode \
            else None
        # The wall time comes last; where passes nest, the outer one first.
        self.passes = {}
        for share, name in re.findall(
                r"^ .*?([\d.]+) \( *[\d.]+%\) +([^\d\s].*)$", done.stderr,
                re.M):
            self.passes.setdefault(name, float(share))

    def phases(self, to_ptx):
        """Algebra, schedule, code generation, ptxas."""
        algebra = self.passes.get("CleaveAlgebraPass", 0.0)
        schedule = self.passes.get("CleaveSchedulePass", 0.0)
        serialize = "SerializeKernelsPass"
        ptxas = self.passes.get(serialize, 0.0) - to_ptx.passes.get(serialize,
                                                                    0.0)
        return algebra, schedule, self.seconds - algebra - schedule - ptxas, \
            max(ptxas, 0.0)


def first_calls(path):
    """Seconds of torch.compile by program and mode."""
    found = {}
    if not path:
        return found
    programs = {shape.key: shape.program for shape in suite.shapes()}
    with open(path) as file:
        records = [r for r in json.load(file)["records"] if r["key"] in programs]
    for record in records:
        for name, candidate in record["candidates"].items():
            mode = name.split("[")[0]
            if name.startswith("compile_") and "first_call_s" in candidate:
                key = programs[record["key"]], mode
                found[key] = min(candidate["first_call_s"],
                                 found.get(key, math.inf))
    return found


def print_times(args, files):
    calls = first_calls(args.results)
    modes = ["compile_default", "compile_max"] if args.results else []
    heads = ["file", "fastest s", "median s", "algebra", "schedule", "code",
             "ptxas", *modes]
    print(f"{args.chip}, {os.cpu_count()} cores, {args.repeat} runs")
    print("| " + " | ".join(heads) + " |")
    print("|---" + "|--:" * (len(heads) - 1) + "|")
    for path in files:
        command = [os.path.join(args.tools, "cleave-opt"), path, "-o",
                   os.devnull]
        option = f"--cleave-to-cubin=chip={args.chip}"
        whole = [Run([*command, option]) for _ in range(args.repeat)]
        ptx = [Run([*command, option + " format=isa"])
               for _ in range(args.repeat)]
        name = os.path.splitext(os.path.basename(path))[0]
        if whole[0].error:
            print(f"| {name} | {whole[0].error} |" + " |" * (len(heads) - 2))
            continue
        best, best_ptx = (min(runs, key=lambda run: run.seconds)
                          for runs in (whole, ptx))
        middle = statistics.median(run.seconds for run in whole)
        print(f"| {name} | {best.seconds:.2f} | {middle:.2f} | " +
              " | ".join(f"{phase:.2f}" for phase in best.phases(best_ptx)) +
              "".join(f" | {calls[name, mode]:.1f}" if (name, mode) in calls
                      else " | -" for mode in modes) + " |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of one process: {peak:.0f} MiB")


def cpu_seconds(command):
    """Of the process and those that it waits for; none if it fails."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return None if status else usage.ru_utime + usage.ru_stime


def print_cpu(args, files):
    print(f"{args.chip}, {args.repeat} runs, processor seconds")
    print("| file | algebra | schedule | code | ptxas | whole |")
    print("|---|--:|--:|--:|--:|--:|")
    cubin = f"--cleave-to-cubin=chip={args.chip}"
    stops = [["--cleave-algebra"],
             ["--cleave-algebra", f"--cleave-assign-schedule=target={args.chip}"],
             [cubin + " format=isa"], [cubin]]
    for path in files:
        command = [os.path.join(args.tools, "cleave-opt"), path, "-o",
                   os.devnull]
        runs = [[cpu_seconds([*command, *stop]) for _ in range(args.repeat)]
                for stop in stops]
        name = os.path.splitext(os.path.basename(path))[0]
        if any(None in seconds for seconds in runs):
            print(f"| {name} | failed | | | | |")
            continue
        upto = [0, *(min(seconds) for seconds in runs)]
        print(f"| {name} | " + " | ".join(
            f"{max(end - begin, 0):.2f}" for begin, end in zip(upto, upto[1:])) +
              f" | {upto[-1]:.2f} |", flush=True)


def write_suite(folder):
    """The suite's programs as files."""
    for name, shapes in suite.programs().items():
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            file.write(suite.program_text(shapes[0]))
        yield path


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
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--results")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = args.files or (
            list(write_suite(folder)) if args.suite else
            sorted(glob.glob(os.path.join(ROOT, "examples", "*.mlir"))))
        if args.algebra:
            print_algebra(os.path.join(args.tools, "cleave-opt"), files,
                          args.repeat)
        elif args.cpu:
            print_cpu(args, files)
        else:
            print_times(args, files)


if __name__ == "__main__":
    main()
