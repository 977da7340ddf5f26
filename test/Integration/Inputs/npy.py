# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an .npy file without NumPy: npy.py FILE TYPE SHAPE VALUE...

TYPE is a NumPy code without byte order (f2, f4, f8, b1, i4, ..., and bf for
bfloat16 as uint16), SHAPE like 2,3 (or - for a scalar). 7*VALUE stands for
seven values; fewer values than elements repeat.
"""

import struct
import sys

FORMATS = {"f2": "e", "f4": "f", "f8": "d", "b1": "?", "i1": "b", "i4": "i",
           "i8": "q", "u2": "H"}


def encode(code, text):
    if code == "bf":
        return struct.pack("<f", float(text))[2:]
    value = float(text) if code[0] == "f" else int(text)
    return struct.pack("<" + FORMATS[code], value)


def main(path, code, shape, *values):
    shape = () if shape == "-" else tuple(int(n) for n in shape.split(","))
    count = 1
    for extent in shape:
        count *= extent
    expanded = []
    for item in values:
        times, _, value = item.rpartition("*")
        expanded += [value] * int(times or 1)
    name = "<u2" if code == "bf" else ("|" if code[1] == "1" else "<") + code
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode())
        for i in range(count):
            file.write(encode(code, expanded[i % len(expanded)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
