# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many_norms.py COUNT: as many functions, each of which has a remark."""

import sys

FUNCTION = """func.func @norm_linear{0}(%x: tensor<?x?xf16, #M_K>, %w: tensor<?x64xf16, #K_N>)
    -> tensor<?x64xf32, #M_N> {{
  %n = cleave.rms_norm %x over [K] eps 1.0e-6
     : (tensor<?x?xf16, #M_K>) -> tensor<?x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<?x?xf32, #K_M>, tensor<?x64xf16, #K_N>) -> tensor<?x64xf32, #M_N>
  return %y : tensor<?x64xf32, #M_N>
}}
"""

for axes in ("M_K", "K_M", "K_N", "M_N"):
    print(f"#{axes} = #cleave.axes<{', '.join(axes.split('_'))}>")
for number in range(int(sys.argv[1])):
    print(FUNCTION.format(number))
