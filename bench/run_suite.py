#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite on a GPU: correctness of every shape, then ours against the peers.

  bench/run_suite.py --ours DIR [--ours LABEL=DIR ...] --out results.json
      [--only REGEX] [--peers none|known|all] [--compile none|default|max]
      [--no-odd] [--budget-s 560] [--table table.md]

DIR is what prepare_suite.py wrote. Needs torch and a GPU, and neither compiler
nor build. Each shape: new random arguments, poisoned results between guard
zones, comparison with f64; then CUDA graphs of many calls over rotating
arguments, which together exceed the L2 cache, of ours and of the peers,
replayed in turn. What fails is a line of the table: it runs in a process that
is started again. An interrupted run goes on where it stopped, with the same
--out.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import report
import suite

HERE = os.path.abspath(__file__)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", action="append", default=[],
                        metavar="[LABEL=]DIR")
    parser.add_argument("--out", default="results.json")
    parser.add_argument("--table", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", choices=["none", "known", "all"],
                        default="known", help="known: those that were fastest "
                        "in earlier runs")
    parser.add_argument("--compile", choices=["none", "default", "max"],
                        default="max", help="leave compiled peers out, or "
                        "compile without max-autotune")
    parser.add_argument("--check-only", action="store_true")
    parser.add_argument("--launch-only", action="store_true",
                        help="no reference, whose library calls racecheck does "
                        "not survive")
    parser.add_argument("--no-overlap", action="store_true",
                        help="no kernel starts before the one in front ends")
    parser.add_argument("--small", action="store_true",
                        help="the programs of prepare_suite.py --small")
    parser.add_argument("--no-odd", action="store_true",
                        help="leave out shapes that are checked only")
    parser.add_argument("--budget-s", type=float, default=560)
    parser.add_argument("--rotate-mb", type=float, default=512)
    parser.add_argument("--patience-s", type=float, default=0,
                        help="kill a shape that takes longer (default: 40, "
                        "with peers 200)")
    parser.add_argument("--worker", action="store_true",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


class Files:
    """What worker and parent leave each other."""

    def __init__(self, out):
        self.lines, self.current = out + "l", out + ".current"
        self.dead = out + ".dead"

    def read(self, path):
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return [json.loads(line) for line in file if line.strip()]

    def add(self, path, record):
        with open(path, "a") as file:
            file.write(json.dumps(record) + "\n")

    def set_current(self, key, candidate, why=""):
        with open(self.current, "w") as file:
            file.write(json.dumps({"key": key, "candidate": candidate,
                                   "why": why}) + "\n")

    def bury(self, why):
        """Notes the candidate at which a worker died."""
        for record in self.read(self.current):
            record["why"] = record["why"] or why
            self.add(self.dead, record)
            print(f"DEAD {record['key']} {record['candidate']}: "
                  f"{record['why']}", flush=True)
        if os.path.exists(self.current):
            os.remove(self.current)


def work(args):
    from measure import Worker
    worker = Worker(args, Files(args.out))
    for shape in suite.shapes(args.only, odd=not args.no_odd,
                              small=args.small):
        if worker.is_done(shape):
            continue
        if worker.left() < 0:
            break
        worker.measure(shape)


def progress(files):
    return max((os.path.getmtime(path) for path in
                (files.lines, files.current) if os.path.exists(path)),
               default=0)


def supervise(args, files):
    """Runs workers until all shapes are done or time is over."""
    start = time.time()
    patience = args.patience_s or (40 if args.peers == "none" else 200)
    crashes = 0
    while True:
        left = args.budget_s - (time.time() - start)
        if left < 5 or crashes > 60:
            return
        command = [sys.executable, HERE, *sys.argv[1:], "--worker",
                   f"--budget-s={left}"]
        worker, begun = subprocess.Popen(command), time.time()
        why = None
        while worker.poll() is None:
            time.sleep(0.2)
            idle = time.time() - max(progress(files), begun)
            if idle > patience or time.time() - start > args.budget_s + 20:
                why = f"no result within {idle:.0f} s"
                worker.kill()
                worker.wait()
        if worker.returncode == 0:
            return
        crashes += 1
        files.bury(why or f"process ended with {worker.returncode}")


def main():
    args = parse()
    if args.worker:
        work(args)
        return
    files = Files(args.out)
    supervise(args, files)
    result = {"records": files.read(files.lines)}
    with open(args.out, "w") as file:
        json.dump(result, file, indent=0)
    print(report.text(result["records"]))
    if args.table:
        with open(args.table, "w") as file:
            file.write(report.markdown(result["records"]))


if __name__ == "__main__":
    main()
