# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masked examples with tiles smaller than their axes, in the emulator.

emulate_masks.py OPT EXAMPLES FORMULAS: tiles that lie inside of all masks, at
their border, behind them and behind the end of an axis, in kernels that pass
the first without masks and skip the third; rows without keys.
"""

import os
import sys

from emulate_examples import check

STATIC = dict(H=1, D=16, E=16)
SOFTMAX_SIZES = [dict(M=33, K=50), dict(M=5, K=1), dict(M=32, K=64)]
SIZES = [dict(B=1, S=21, T=50), dict(B=1, S=50, T=33), dict(B=1, S=1, T=32), dict(B=1, S=17, T=0)]


def main(opt, folder, _):
    good = True
    for name in ("attention_causal", "sliding_window_attention", "attention_prefill"):
        for rows, warps, stages in ((16, 1, 2), (32, 2, 3), (32, 1, 1)):
            pinned = (f"region = 0, grid = [B: 1, H: 1, S: {rows}, E: 16], loop = [D: 16, T: 16], "
                      f"warps = {warps}, stages = {stages}")
            good &= check(opt, os.path.join(folder, name + ".mlir"), name, (pinned, STATIC, SIZES))
    # Warps that make their own rows of the left side, and warps that share them.
    for rows, warps in ((32, 2), (16, 2)):
        pinned = f"region = 1, grid = [M: {rows}, N: 16], loop = [K: 32], warps = {warps}, stages = 3"
        good &= check(opt, os.path.join(folder, "softmax_matmul.mlir"), "softmax_matmul",
                      (pinned, dict(N=16), SOFTMAX_SIZES))
    print("all right" if good else "wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
