#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the suite, for a machine that has a GPU and no compiler.

  bench/prepare_suite.py --out DIR [--tools build/bin] [--chip sm_90a]
      [--only REGEX] [--own | --small] [--options 'no-algebra ...'] [--jobs 2]

Writes DIR/PROGRAM.json for each subgraph and set of static extents: cubins, and
the launches of every shape. With --own every shape has a schedule of its own
(DIR/PROGRAM@SHAPE.json): not what a user gets, but what shape classes could
bring. A shape that does not compile is a line, and a DIR/*.error file.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys

import suite


def run(command):
    """What went wrong, or None."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    return (done.stderr or done.stdout or f"exit code {done.returncode}").strip()


def prepare(args, name, shapes):
    """Compiles one program; returns what went wrong, or None."""
    base = os.path.join(args.out, name)
    source, module = base + ".mlir", base + ".cubin.mlir"
    for stale in (base + ".json", base + ".error"):
        if os.path.exists(stale):
            os.remove(stale)
    with open(source, "w") as file:
        file.write(suite.program_text(shapes[0]))
    options = f"chip={args.chip} {args.options}"
    if args.own:
        options += " representative=" + suite.bindings(shapes)
    fault = run([os.path.join(args.tools, "cleave-opt"), source, "-o", module,
                 f"--cleave-to-cubin={options.strip()}"])
    fault = fault or run([os.path.join(args.tools, "cleave-run"), module,
                          "--source", source, "--device=cuda", "--dry-run",
                          "--json", base + ".json", "--bind", suite.bindings(shapes)])
    if os.path.exists(module):
        os.remove(module)
    if fault:
        with open(base + ".error", "w") as file:
            file.write(fault + "\n")
    return fault


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--tools", default=suite.TOOLS)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--small", action="store_true",
                        help="small static extents, to be checked only")
    parser.add_argument("--options", default="",
                        help="further options of --cleave-to-cubin")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    programs = suite.programs(args.only, args.own, args.small)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        faults = pool.map(lambda name: prepare(args, name, programs[name]),
                          programs)
        for name, fault in zip(programs, faults):
            failed += fault is not None
            print(f"{name}: {fault.splitlines()[0] if fault else 'ok'}",
                  flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
