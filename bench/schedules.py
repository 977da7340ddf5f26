#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the cost model chooses for every shape of the suite, and how fast it
thinks that is.

  bench/schedules.py [--tools build/bin] [--only REGEX] [--check]

Without --only, writes docs/schedules.md anew. With it, prints the
rows; with --check, compares them with the file and exits with 1 if one differs.
Each shape is scheduled as if it were the only representative.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import suite

TABLE = os.path.join(suite.FOLDER, os.pardir, "docs",
                     "schedules.md")
HEAD = """# Schedules of the suite

Written by `bench/schedules.py`: for each shape of `bench/suite.json` the form that the cost model chooses for an H200, each shape being the only
representative, its predicted time in microseconds and its kernels (tiles of the grid, tiles of the loops, warps, stages, and what they store where
that is no result).

| shape | form | us | kernels |
|---|---|--:|---|
"""


def split_list(text):
    """The parts of a list between commas, brackets counted."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "[<") - (letter in "]>")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def describe_kernel(text):
    fields = dict(re.split(r" = ", part, maxsplit=1)
                  for part in split_list(text))
    stores = [name for name in fields.pop("store", "[]")[1:-1].split(", ")
              if name and not name.startswith("result")]
    tiles = [f"{name} {fields.pop(name)[1:-1].replace(':', '')}"
             for name in ("grid", "loop") if fields.get(name, "[]") != "[]"]
    fields.pop("loop", None)
    text = ", ".join(tiles + [f"{name} {value}"
                              for name, value in fields.items()])
    return text + (f" -> {', '.join(stores)}" if stores else "")


def describe(attribute):
    """The kernels of a #cleave.schedule attribute, and its other fields."""
    own, kernels, rest = [], [], []
    for part in split_list(attribute):
        name, value = re.split(r" = ", part, maxsplit=1)
        if name == "kernels":
            kernels = [describe_kernel(kernel[1:-1])
                       for kernel in split_list(value[1:-1])]
        elif name == "split":
            counts = [count for count in value[1:-1].split(", ")
                      if not count.endswith(": 1")]
            rest += ["split " + ", ".join(counts).replace(":", "")] * bool(counts)
        elif name != "region":
            own.append(part)
    return "; ".join(rest + (kernels or [describe_kernel(", ".join(own))]))


def get_attribute(text):
    """What stands between the brackets of #cleave.schedule<...>."""
    begin = text.index("#cleave.schedule<") + len("#cleave.schedule<")
    depth, end = 1, begin
    while depth:
        depth += (text[end] == "<") - (text[end] == ">")
        end += 1
    return text[begin:end - 1]


def row(args, shape, folder):
    path = os.path.join(folder, "graph.mlir")
    with open(path, "w") as file:
        file.write(suite.program_text(shape))
    done = subprocess.run(
        [os.path.join(args.tools, "cleave-opt"), path, "--cleave-algebra",
         f"--cleave-assign-schedule=representative={suite.bindings([shape])}",
         "--remarks-filter-passed=cleave-schedule"],
        capture_output=True, text=True)
    name = shape.key.replace(",", " ")
    if done.returncode:
        return f"| {name} | {done.stderr.splitlines()[0]} | | |"
    remark = re.search(r'Remark="(?:[^"]*?)region \d+(?: \((.*?)\))?: ([\d.]+) us',
                       done.stderr)
    return (f"| {name} | {remark[1] or ''} | {remark[2]} | "
            f"{describe(get_attribute(done.stdout))} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default=suite.TOOLS)
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(args, shape, folder) for shape in suite.shapes(args.only)]
    if args.check:
        with open(TABLE) as file:
            known = file.read().splitlines()
        wrong = [line for line in rows if line not in known]
        print(*wrong, sep="\n")
        print(f"{len(rows) - len(wrong)} of {len(rows)} rows are as in "
              "docs/schedules.md")
        sys.exit(bool(wrong))
    if args.only:
        print(*rows, sep="\n")
        return
    with open(TABLE, "w") as file:
        file.write(HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
