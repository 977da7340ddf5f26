#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the cost model chooses for the suite, and how fast it thinks that is.

  bench/schedules.py [--tools build/bin] [--only REGEX] [--check]

Without --only, writes docs/schedules.md anew. With it, prints the programs that
have such shapes; with --check, compares with the file instead and exits with 1
if a line differs. Needs no GPU.
"""

import argparse
import concurrent.futures
import difflib
import os
import re
import subprocess
import sys
import tempfile

import suite

TABLE = os.path.join(suite.FOLDER, os.pardir, "docs", "schedules.md")
HEAD = """# Schedules of the suite

Written by `bench/schedules.py`: the programs of `bench/suite.json`, compiled for an H200 (sm_90a). Each has a list of schedules, of which the extents of a run
choose the first whose condition holds ([shape classes](scheduling.md#shape-classes)): the form that the algebra made, then the kernels in order, with the tiles
of the grid, the tiles of the loops, warps, stages, and what they store where that is no result; `beside`: in the launch of the one before (`join`: by its
last blocks). Below, for each shape
the schedule's number, its predicted time in microseconds, and that of each kernel with what bounds it by the [cost model](scheduling.md).
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


def fields_of(text):
    """The fields of an attribute; a keyword alone is true."""
    pairs = (part.partition(" = ") for part in split_list(text))
    return {name: value or True for name, _, value in pairs}


def describe_kernel(fields):
    tiles = [f"{name} {fields[name][1:-1].replace(':', '')}"
             for name in ("grid", "loop") if fields.get(name, "[]") != "[]"]
    text = ", ".join(tiles + [f"{name} {fields[name]}"
                              for name in ("warps", "stages")])
    stores = [name for name in fields.get("store", "[]")[1:-1].split(", ")
              if name and not name.startswith("result")]
    launch = next((f"{name}: " for name in ("beside", "join") if name in fields), "")
    return (launch + text +
            " -> " * bool(stores) + ", ".join(stores))


class Schedule:
    """One #cleave.schedule attribute, as what stands between its brackets."""

    def __init__(self, text):
        fields = fields_of(text)
        self.bounds = {}
        for bound in split_list(fields.pop("when", "[]")[1:-1]):
            axis, extent = bound.split(" upto ")
            self.bounds[axis] = int(extent)
        self.parts = [count.replace(":", "") for count in
                      split_list(fields.pop("split", "[]")[1:-1])
                      if not count.endswith(": 1")]
        kernels = split_list(fields["kernels"][1:-1]) if "kernels" in fields else []
        self.kernels = [describe_kernel(fields_of(kernel[1:-1]))
                        for kernel in kernels] or [describe_kernel(fields)]

    def serves(self, extents):
        return all(extents[axis] <= bound for axis, bound in self.bounds.items())

    def describe(self, number, form):
        when = " and ".join(f"{axis} upto {extent}"
                            for axis, extent in self.bounds.items())
        lines = [f"{number}. {when or 'otherwise'}: {form or 'input'}"
                 + "".join(f", {part}" for part in self.parts)]
        return lines + [f"   - {kernel}" for kernel in self.kernels]


def schedules_of(module):
    """The schedules of the only function of a module."""
    found = re.search(r"#cleave\.schedules?<", module)
    depth, end = 1, found.end()
    while depth:
        depth += (module[end] == "<") - (module[end] == ">")
        end += 1
    text = module[found.end():end - 1]
    if found[0] == "#cleave.schedule<":
        return [Schedule(text)]
    return [Schedule(part[1:-1]) for part in split_list(text[1:-1])]


def explain(text):
    """By schedule: the form, the time in all, and those of the kernels."""
    found = []
    for part in re.split(r"(?m)^@", text)[1:]:
        region = re.search(r"region \d+(?: \((.*?)\))?: ([\d.]+) us", part)
        kernels = re.findall(r"(?m)^  kernel \d+: ([\d.]+) us, bound by (.*?)"
                             r"(?:, in the launch.*)?$", part)
        found.append((region[1], region[2],
                      " + ".join(f"{time} ({bound})" for time, bound in kernels)))
    return found


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return done


def section(tool, name, shapes):
    """The lines of one program."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "graph.mlir")
        module = os.path.join(folder, "scheduled.mlir")
        with open(source, "w") as file:
            file.write(suite.program_text(shapes[0]))
        run([tool, source, "--cleave-algebra", "--cleave-assign-schedule",
             "-o", module])
        with open(module) as file:
            schedules = schedules_of(file.read())
        rows = []
        for shape in shapes:
            number = next(i for i, schedule in enumerate(schedules)
                          if schedule.serves(shape.dynamic))
            point = ",".join(f"{axis}={extent}"
                             for axis, extent in shape.dynamic.items())
            explained = explain(run([
                tool, module, f"--cleave-explain=representative={point}",
                "-o", os.devnull]).stderr)
            _, time, kernels = explained[number]
            rows.append(f"| {shape.key.replace(',', ' ')} | {number + 1} "
                        f"| {time} | {kernels} |")
    lines = ["", f"## {name}"]
    for number, schedule in enumerate(schedules):
        lines += schedule.describe(number + 1, explained[number][0])
    return lines + ["", "| shape | schedule | us | kernels |", "|---|--:|--:|---|",
                    *rows]


def choose(only):
    """By program, all of its shapes, if one of them matches."""
    programs = {}
    for shape in suite.shapes():
        programs.setdefault(shape.program, []).append(shape)
    return {name: shapes for name, shapes in programs.items()
            if any(re.search(only, shape.key) for shape in shapes)}


def known_lines(programs):
    """The file's lines on these programs."""
    lines, keeps = [], False
    with open(TABLE) as file:
        for line in file.read().splitlines():
            if line.startswith("## "):
                keeps = line[3:] in programs
            if keeps:
                lines.append(line)
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default=suite.TOOLS)
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    programs = choose(args.only)
    tool = os.path.join(args.tools, "cleave-opt")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sections = list(pool.map(lambda name: section(tool, name, programs[name]),
                                 programs))
    lines = [line for lines in sections for line in lines]
    if args.check:
        wrong = list(difflib.unified_diff(
            list(filter(None, known_lines(programs))),
            list(filter(None, lines)), "docs/schedules.md", "now",
            lineterm="", n=0))
        print(*wrong, sep="\n")
        sys.exit(bool(wrong))
    if args.only:
        print(*lines, sep="\n")
        return
    with open(TABLE, "w") as file:
        file.write(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
