#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what ptxas says of each kernel: registers, spills, shared memory.

Usage: cleave-opt FILE --cleave-to-cubin="chip=sm_90a format=isa" | ptxas-report.py

gpu-module-to-binary keeps ptxas' statistics to itself, so the PTX text of the
printed gpu.binary is assembled once more here.
"""

import os
import re
import subprocess
import sys
import tempfile


def unescape(text):
    """A string attribute as MLIR prints it: \\XX in hex, and \\\\ ."""
    return re.sub(r"\\([0-9A-Fa-f]{2}|\\)",
                  lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)), text)


def report(ptx):
    target = re.search(r"^\.target (\w+)", ptx, re.M)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.ptx")
        with open(path, "w") as file:
            file.write(ptx)
        result = subprocess.run(["ptxas", "-v", "-arch", target, path, "-o",
                                 os.path.join(folder, "kernel.cubin")],
                                capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"ptxas failed: {result.stderr}")
        size = os.path.getsize(os.path.join(folder, "kernel.cubin"))
    print(f"{target} cubin, {size} bytes")
    for line in result.stderr.splitlines():
        text = re.sub(r"^ptxas info\s*: ", "", line)
        if re.search(r"Compiling entry|Used \d+|spill|warning", text):
            print("  " + text.strip())


def main():
    binaries = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', sys.stdin.read())
    if not binaries:
        sys.exit("error: expected a gpu.binary with PTX text (format=isa)")
    for ptx in binaries:
        report(unescape(ptx).rstrip("\0"))


if __name__ == "__main__":
    main()
