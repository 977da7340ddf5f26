"""Assembles the PTX of a module's gpu.binary ops and prints what ptxas uses.

usage: ptxas.py < MODULE (the output of cleave-tiles-to-cubin format=isa)
Prints a line a kernel: NAME: R registers, S bytes spilled, B barriers, M bytes shared
"""

import re
import subprocess
import sys
import tempfile

text = sys.stdin.read()
objects = re.findall(r'chip = "(\w+)".*?assembly = "((?:[^"\\]|\\.)*)"', text, re.S)
if not objects:
    sys.exit("no PTX in the input")
for chip, ptx in objects:
    ptx = re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], ptx)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx.rstrip("\0"))
        file.flush()
        result = subprocess.run(
            ["ptxas", "-v", "-O3", "-arch=" + chip, file.name, "-o", "/dev/null"],
            capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    pattern = (r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads"
               r".*?Used (\d+) registers(?:, used (\d+) barriers)?([^\n]*)")
    for name, stores, loads, registers, barriers, rest in re.findall(pattern, result.stderr, re.S):
        shared = re.search(r"(\d+) bytes smem", rest)
        print(f"{name}: {registers} registers, {int(stores) + int(loads)} bytes spilled, "
              f"{barriers or 0} barriers, {shared[1] if shared else 0} bytes shared")
