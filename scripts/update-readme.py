#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the tools' output of today into the README's worked example.

Usage: update-readme.py --tools BUILD/bin [--check]

Each block of output follows a comment `<!-- output: NAME -->`. With --check
nothing is written, and a block that is behind is an error; only blocks that
depend on no other program's version are compared.
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                     ".."))
EXAMPLE = "examples/rmsnorm_linear.mlir"


def run(command, tools):
    path = tools + os.pathsep + os.environ["PATH"]
    result = subprocess.run(command, shell=True, capture_output=True, text=True,
                            cwd=ROOT, env={**os.environ, "PATH": path})
    if result.returncode:
        sys.exit(f"error: {command}\n{result.stderr}")
    return result


def region(tools):
    """The first region of the algebra's alternatives."""
    text = run(f"cleave-opt {EXAMPLE} --cleave-algebra", tools).stdout
    body = text.split("cleave.alternatives", 1)[1].split("\n", 1)[1]
    lines = body.split("\n    }", 1)[0].split("\n")
    return "\n".join(line[4:] for line in lines)


def loop_nest(tools):
    return run(f"cleave-opt {EXAMPLE} --cleave-algebra"
               " --cleave-print-loop-nest=representative=M=16 -o /dev/null",
               tools).stderr


def ptxas(tools):
    return run(f"cleave-opt {EXAMPLE}"
               " --cleave-to-cubin='chip=sm_90a format=isa representative=M=16'"
               " | scripts/ptxas-report.py", tools).stdout


def check(tools):
    command = f"cleave-run {EXAMPLE} --bind M=3 --check"
    return f"$ {command}\n" + run(command, tools).stdout


# Name of a block: its text, and whether --check compares it.
BLOCKS = {"region": (region, True), "loop nest": (loop_nest, True),
          "ptxas": (ptxas, False), "check": (check, False)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()

    path = os.path.join(ROOT, "README.md")
    with open(path) as file:
        text = file.read()
    behind = []
    for name, (produce, compared) in BLOCKS.items():
        if args.check and not compared:
            continue
        block = re.compile(rf"(<!-- output: {name} -->\n```\w*\n)(.*?\n)(```)",
                           re.S)
        match = block.search(text)
        if not match:
            sys.exit(f"error: README.md has no block of output '{name}'")
        now = produce(os.path.abspath(args.tools)).strip("\n") + "\n"
        if now != match[2]:
            behind.append(name)
            text = text[:match.start(2)] + now + text[match.end(2):]
    if args.check:
        print(f"{len(behind)} blocks behind: {', '.join(behind) or 'none'}")
        return 1 if behind else 0
    with open(path, "w") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
