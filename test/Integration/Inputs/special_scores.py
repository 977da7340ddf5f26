"""Writes scores of 12 x 200 in f16, of which some are infinite or undefined."""

import random
import struct
import sys

ROWS, COLUMNS = 12, 200
numbers = random.Random(1)
scores = [[numbers.gauss(0, 9) for _ in range(COLUMNS)] for _ in range(ROWS)]
inf, nan = float("inf"), float("nan")
scores[0][7] = scores[1][150] = inf
scores[2][100] = scores[3][0] = nan
scores[4] = [-inf] * COLUMNS
scores[5][:150] = [-inf] * 150
scores[6] = [-65504] * COLUMNS
scores[7][60:] = [65504] * (COLUMNS - 60)
scores[8] = [300 * column for column in range(COLUMNS)]
scores[9] = [-300 * column for column in range(COLUMNS)]
# Each step is just not far.
scores[10] = [5.4 * (column // 32) for column in range(COLUMNS)]
# It would be the first to exceed what 16 bits hold.
scores[11] = [0 if column < 32 else 5.5 for column in range(COLUMNS)]

header = str({"descr": "<f2", "fortran_order": False,
              "shape": (ROWS, COLUMNS)}).encode()
header += b" " * (53 - len(header) % 64) + b"\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack(f"<{ROWS * COLUMNS}e", *sum(scores, [])))
