#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions on the CPU under random legal schedules and checks them.

Usage: random_schedules.py --tools BUILD/bin --scratch DIR --seed N --count N
       FILE.mlir

Every field but the region varies: the order and tiles of the grid and of the
loops, warps, stages. So do the extents of axes that are not static.
"""

import argparse
import os
import random
import re
import subprocess
import sys

EXTENTS = [0, 1, 2, 3, 5, 7, 13, 16, 17, 31, 33, 64, 67]
TILES = [1, 2, 4, 8, 16, 32, 64, 128]


def randomize(match, rng):
    """A schedule over the axes of the one that the search chose."""
    def tiles(text):
        axes = re.findall(r"(\w+): \d+", text)
        rng.shuffle(axes)
        return ", ".join(f"{axis}: {rng.choice(TILES)}" for axis in axes)
    return (f"#cleave.schedule<region = {match.group(1)}, "
            f"grid = [{tiles(match.group(2))}], "
            f"loop = [{tiles(match.group(3))}], "
            f"warps = {rng.choice([1, 2, 4, 8])}, "
            f"stages = {rng.choice([1, 2, 3, 4])}>")


SCHEDULE = re.compile(r"#cleave\.schedule<region = (\d+), grid = \[(.*?)\], "
                      r"loop = \[(.*?)\], warps = \d+, stages = \d+>")


def get_bindings(function, rng):
    """Random extents of the dynamic axes of the arguments."""
    signature = function.split(") -> ", 1)[0]
    axes = set()
    for shape, names in re.findall(r"tensor<((?:(?:\?|\d+)x)+)\w+, #(\w+)>",
                                   signature):
        dims = zip(shape.rstrip("x").split("x"), names.split("_"))
        axes |= {name for dim, name in dims if dim == "?"}
    return {axis: rng.choice(EXTENTS) for axis in sorted(axes)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("file")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    scheduled = subprocess.run(
        [os.path.join(args.tools, "cleave-opt"), args.file, "--cleave-algebra",
         "--cleave-assign-schedule"], capture_output=True, text=True,
        check=True).stdout
    head, body = scheduled.split("module {\n", 1)
    functions = [f for f in re.split(r"(?m)^(?=  func\.func )",
                                     body.rstrip()[:-1]) if f.strip()]
    names = [re.search(r"@(\w+)", f).group(1) for f in functions]
    pairs = [p for p in zip(names, functions) if p[0] not in args.skip]
    for number in range(args.count):
        name, function = pairs[number % len(pairs)]
        text = SCHEDULE.sub(lambda m: randomize(m, rng), function, count=1)
        bind = ",".join(f"{axis}={extent}" for axis, extent
                        in get_bindings(function, rng).items())
        path = os.path.join(args.scratch, f"{number}.mlir")
        with open(path, "w") as file:
            file.write(f"{head}module {{\n{text}}}\n")
        command = [os.path.join(args.tools, "cleave-run"), path,
                   f"--source={args.file}", f"--entry={name}", "--check"]
        if bind:
            command.append(f"--bind={bind}")
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    print(f"{args.count} schedules are right")


if __name__ == "__main__":
    main()
