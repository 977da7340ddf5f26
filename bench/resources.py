#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suite's kernels take of a multiprocessor, by ptxas; needs no GPU.

  bench/resources.py [--tools build/bin] [--chip sm_90a] [--only REGEX]
      [--options '...'] [--occupancy] [--few-spills BYTES] [--known REGEX]

The exit code says whether every kernel has neither spills nor a stack and fits
a multiprocessor, with --occupancy as many of its blocks as the cost model took
for granted. A few bytes that are spilled matter little; faults that --known
matches do not count.
"""

import argparse
import base64
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile

import suite


@dataclasses.dataclass
class Limits:
    """Of a multiprocessor; a block may have reserved bytes less."""
    shared: int
    registers: int = 65536
    threads: int = 2048
    blocks: int = 32
    reserved: int = 1024


LIMITS = {"sm_80": Limits(164 << 10), "sm_90a": Limits(228 << 10)}
REMARK = re.compile(
    r"kernel (\d+)(?: when (.*?))?: .*?(\d+) blocks a multiprocessor")
PTXAS = re.compile(
    r"Compiling entry function '(\w+)'.*?"
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill "
    r"loads.*?Used (\d+) registers([^\n]*)", re.S)


@dataclasses.dataclass
class Kernel:
    name: str
    stack: int
    spills: int
    registers: int
    # Static and dynamic bytes of shared memory, and threads of a block.
    shared: int
    threads: int
    # Blocks that the cost model expects a multiprocessor to hold.
    expected: int

    def blocks(self, limits):
        """Blocks that a multiprocessor holds at once."""
        # Registers come in units of 8 a thread, 256 a warp.
        registers = -(-self.registers // 8) * 8 * self.threads
        shared = self.shared + limits.reserved
        return min(limits.registers // registers, limits.shared // shared,
                   limits.threads // self.threads, limits.blocks)

    def faults(self, limits, occupancy, few_spills):
        if max(self.stack, self.spills) > few_spills:
            yield f"{self.stack} bytes of stack, {self.spills} spilled"
        if self.shared > limits.shared - limits.reserved:
            yield f"{self.shared} bytes of shared memory"
        least = self.expected if occupancy else 1
        if self.blocks(limits) < least:
            yield (f"{self.blocks(limits)} blocks a multiprocessor, expected "
                   f"{least}")


class Failure(RuntimeError):
    pass


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Failure(next((l for l in lines if "error" in l), lines[0]))
    return done.stderr


def assemble(ptx, chip, folder):
    path = os.path.join(folder, "kernels.ptx")
    with open(path, "w") as file:
        file.write(ptx)
    return run("ptxas", "-v", f"-arch={chip}", path, "-o", os.devnull)


def kernels(args, shapes, folder):
    """The kernels of one program that its shapes launch."""
    source, module, plan = (os.path.join(folder, name) for name in
                            ("f.mlir", "f.ptx.mlir", "f.json"))
    with open(source, "w") as file:
        file.write(suite.program_text(shapes[0]))
    options = f"chip={args.chip} format=isa {args.options}".strip()
    remarks = run(os.path.join(args.tools, "cleave-opt"), source, "-o", module,
                  f"--cleave-to-cubin={options}",
                  "--remarks-filter=cleave-schedule")
    # By the end of a kernel's name: of the class and its number there.
    expected = {f"{re.sub(r'[^a-zA-Z0-9]', '_', when) + '_' if when else ''}"
                f"{number}": int(blocks)
                for number, when, blocks in REMARK.findall(remarks)}
    run(os.path.join(args.tools, "cleave-run"), module, "--source", source,
        "--device=cuda", "--dry-run", "--json", plan, "--bind",
        suite.bindings(shapes))
    with open(plan) as file:
        program = json.load(file)
    launches = {launch["kernel"]: launch for run in program["runs"]
                for launch in run["launches"]}
    for image in program["modules"].values():
        ptx = base64.b64decode(image).decode().rstrip("\0")
        for name, stack, stores, loads, registers, rest in PTXAS.findall(
                assemble(ptx, args.chip, folder)):
            if name not in launches:
                continue
            static = re.search(r"(\d+) bytes smem", rest)
            yield Kernel(name, int(stack), int(stores) + int(loads),
                         int(registers), int(static[1] if static else 0) +
                         launches[name]["shared"],
                         launches[name]["block"][0],
                         # Nothing is expected of kernels that share a launch.
                         expected.get(
                             name.removeprefix(program["entry"] + "_"), 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", default=suite.TOOLS)
    parser.add_argument("--chip", default="sm_90a", choices=LIMITS)
    parser.add_argument("--only", default="")
    parser.add_argument("--options", default="",
                        help="further options of --cleave-to-cubin")
    parser.add_argument("--occupancy", action="store_true")
    parser.add_argument("--few-spills", type=int, default=0, metavar="BYTES")
    parser.add_argument("--known", default="$^", metavar="REGEX")
    args = parser.parse_args()
    limits, faults = LIMITS[args.chip], []
    print("| program | kernel | threads | registers | spilled | stack "
          "| shared | blocks a multiprocessor | expected |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, shapes in suite.programs(args.only).items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = list(kernels(args, shapes, folder))
            except Failure as failure:
                faults.append(f"{name}: {failure}")
                continue
        for k in found:
            print(f"| {name} | {k.name} | {k.threads} | {k.registers} | "
                  f"{k.spills} | {k.stack} | {k.shared} | {k.blocks(limits)} | "
                  f"{k.expected} |", flush=True)
            faults += [f"{name}: {k.name}: {fault}"
                       for fault in k.faults(limits, args.occupancy,
                                             args.few_spills)]
    unknown = [fault for fault in faults if not re.match(args.known, fault)]
    print("\n".join(["", *faults, "" if unknown else "no unknown fault"]))
    sys.exit(bool(unknown))


if __name__ == "__main__":
    main()
