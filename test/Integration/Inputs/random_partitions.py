#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions on the CPU as random kernels and checks them.

Usage: random_partitions.py --tools BUILD/bin --scratch DIR --seed N --count N
       FILE.mlir

A random subset of the operations' values is stored, each by a kernel of its
own. What else a schedule must say is learned from what the compiler refuses,
so every refusal is tried as well. Tiles, warps, stages, the numbers of parts
and the extents of axes that are not static are random.
"""

import argparse
import os
import random
import re
import subprocess
import sys

from random_schedules import TILES, get_bindings

SCHEDULE = re.compile(r"#cleave\.schedule<.*?>(?=, cleave\.|\})")
PARTS = [1, 2, 3, 7, "fill 5 by 1", "fill 16 by 16", "fill 64 by 3"]


def get_names(function, region):
    """v0, v1, ... of the operations of the region."""
    texts = re.split(r"(?m)^    (?:cleave\.alternatives|\}, \{|\})", function)
    body = texts[region + 1] if len(texts) > region + 1 else function
    indent = 6 if body is not function else 4
    ops = re.findall(rf"(?m)^ {{{indent}}}%(\w+)(:\d+)? = ", body)
    names = []
    for number, (_, results) in enumerate(ops):
        count = int(results[1:]) if results else 1
        names += ([f"v{number}"] if count == 1 else
                  [f"v{number}.{i}" for i in range(count)])
    return names


class Schedule:
    def __init__(self, region, splits, stores, rng):
        self.region, self.splits, self.rng = region, splits, rng
        self.kernels = [{"store": store, "grid": [], "loop": [],
                         "warps": rng.choice([1, 2, 4, 8]),
                         "stages": rng.choice([1, 2, 3, 4]),
                         "join": rng.random() < 0.5}
                        for store in stores]

    def __str__(self):
        def tiles(pairs):
            return ", ".join(f"{axis}: {tile}" for axis, tile in pairs)
        # Never two in a row.
        for front, kernel in zip([{"join": True}] + self.kernels,
                                 self.kernels):
            kernel["join"] &= not front["join"]
        kernels = ", ".join(
            f"<store = [{k['store']}], {'join, ' * k['join']}"
            f"grid = [{tiles(k['grid'])}], "
            f"loop = [{tiles(k['loop'])}], warps = {k['warps']}, "
            f"stages = {k['stages']}>" for k in self.kernels)
        split = f"split = [{tiles(self.splits)}], " if self.splits else ""
        return (f"#cleave.schedule<region = {self.region}, {split}"
                f"kernels = [{kernels}]>")

    def repair(self, message):
        """Changes what `message` refuses; false if it says something else."""
        if match := re.search(r"can be stored but got '(\S+)'", message):
            self.kernels = [k for k in self.kernels
                            if k["store"] != match.group(1)]
            return True
        if "is neither in the grid nor reduced around it" in message:
            # Some state of a fold that is stored alone has more axes.
            cuts = [k for k in self.kernels if "result" not in k["store"]]
            self.kernels.remove(self.rng.choice(cuts))
            return True
        if match := re.search(r"a number of parts in 'split' for '(\S+)'",
                              message):
            self.splits = [(axis, 3 if axis == match.group(1) else parts)
                           for axis, parts in self.splits]
            return True
        if not (match := re.search(r"kernel (\d+): (.*)", message)):
            return False
        kernel, reason = self.kernels[int(match.group(1))], match.group(2)
        if match := re.search(r"cannot join: expected a tile of (\d+) for axis "
                              r"'(\S+)'", reason):
            kernel["grid"] = [
                (axis, int(match.group(1)) if axis == match.group(2) else tile)
                for axis, tile in kernel["grid"]]
            return True
        if match := re.search(r"cannot join: expected (\d+) warps", reason):
            kernel["warps"] = int(match.group(1))
            return True
        if "cannot join" in reason:
            kernel["join"] = False
            return True
        if match := re.search(r"tile for (?:reduced )?axis '(\S+)'.* in "
                              r"'(grid|loop)'", reason):
            tiles = kernel[match.group(2)]
            tiles.insert(self.rng.randint(0, len(tiles)),
                         (match.group(1), self.rng.choice(TILES)))
            return True
        if match := re.search(r"a tile of 1 for axis '(\S+)'", reason):
            for field in ("grid", "loop"):
                kernel[field] = [(axis, 1 if axis == match.group(1) else tile)
                                 for axis, tile in kernel[field]]
            return True
        if match := re.search(r"axis '(\S+)' before its parts", reason):
            parts = match.group(1)
            kernel["loop"] = [(parts, 1)] + [
                pair for pair in kernel["loop"] if pair[0] != parts]
            return True
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--algebra", default="split=true")
    parser.add_argument("file")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    tool = os.path.join(args.tools, "cleave-opt")
    graph = subprocess.run(
        [tool, args.file, f"--cleave-algebra={args.algebra}",
         "--cleave-assign-schedule"], capture_output=True, text=True,
        check=True).stdout
    head, body = graph.split("module {\n", 1)
    functions = [f for f in re.split(r"(?m)^(?=  func\.func )",
                                     body.rstrip()[:-1]) if f.strip()]
    pairs = [(re.search(r"@(\w+)", f).group(1), f) for f in functions]
    pairs = [p for p in pairs if p[0] not in args.skip]
    kernels = joins = 0
    for number in range(args.count):
        name, function = pairs[number % len(pairs)]
        labels = re.search(r"cleave\.alternatives \[(.*)\]", function)
        regions = labels.group(1).count('"') // 2 if labels else 1
        region = rng.randrange(regions)
        results = function.split(") -> ", 1)[1].split(" attributes", 1)[0]
        stores = [v for v in get_names(function, region) if rng.random() < 0.4]
        stores += [f"result{i}" for i in range(results.count("tensor<"))]
        symbols = re.findall(r"([\w.]+): bound like", function)
        schedule = Schedule(region, [(s, rng.choice(PARTS)) for s in symbols],
                            stores, rng)
        bind = ",".join(f"{axis}={extent}" for axis, extent
                        in get_bindings(function, rng).items())
        path = os.path.join(args.scratch, f"{number}.mlir")
        while True:
            text = SCHEDULE.sub(str(schedule), function, count=1)
            with open(path, "w") as file:
                file.write(f"{head}module {{\n{text}}}\n")
            checked = subprocess.run(
                [tool, path, "--cleave-apply-schedule", "-o", os.devnull],
                capture_output=True, text=True)
            if not checked.returncode:
                break
            if not schedule.repair(checked.stderr):
                sys.exit(f"{path}\n{checked.stderr}")
        kernels += len(schedule.kernels)
        joins += sum(kernel["join"] for kernel in schedule.kernels)
        command = [os.path.join(args.tools, "cleave-run"), path,
                   f"--source={args.file}", f"--entry={name}", "--check"]
        if bind:
            command.append(f"--bind={bind}")
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    print(f"{args.count} partitions into {kernels} kernels are right, {joins} "
          "of them in the launch in front")


if __name__ == "__main__":
    main()
