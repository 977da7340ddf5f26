"""Writes f32 scores of 33 x 131 about 1e6 that rise along rows, or not."""

import random
import struct
import sys

ROWS, COLUMNS = 33, 131
numbers = random.Random(1)
scores = [1e6 + row + (0.1 * column if row % 2 else 0) + numbers.gauss(0, 2)
          for row in range(ROWS) for column in range(COLUMNS)]

header = str({"descr": "<f4", "fortran_order": False,
              "shape": (ROWS, COLUMNS)}).encode()
header += b" " * (53 - len(header) % 64) + b"\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack(f"<{len(scores)}f", *scores))
