#!/usr/bin/env bash
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds the tools and takes RMSNorm + linear from
# .mlir to a cubin, printing each stage; runs it on the CPU and checks it.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$cleave_root/scripts/setup.sh"
. "$cleave_build/env.sh"
cleave_configure
cleave_make cleave-opt cleave-run

cd "$cleave_root"
example=examples/rmsnorm_linear.mlir
out=$cleave_build/demo
opt=$cleave_build/bin/cleave-opt
run=$cleave_build/bin/cleave-run
mkdir -p "$out"

show() {
  echo
  say "$1"
  shift
  echo "\$ $*"
}

show "The graph as written" cat $example
cat $example

show "The graph after algebra: what to compute" \
  cleave-opt $example --cleave-algebra
"$opt" $example --cleave-algebra -o "$out/algebra.mlir"
cat "$out/algebra.mlir"

show "The loop nest: how" \
  cleave-opt $example --cleave-algebra --cleave-print-loop-nest
"$opt" $example --cleave-algebra --cleave-print-loop-nest -o /dev/null
"$opt" $example --cleave-algebra --cleave-schedule -o "$out/scheduled.mlir"

for chip in sm_80 sm_90a; do
  show "The kernel for $chip, as ptxas sees it" \
    "cleave-opt $example --cleave-to-cubin='chip=$chip format=isa' | scripts/ptxas-report.py"
  "$opt" $example --cleave-to-cubin="chip=$chip format=isa" -o "$out/$chip.ptx.mlir"
  scripts/ptxas-report.py < "$out/$chip.ptx.mlir"
done

start=$(date +%s%N)
"$opt" $example --cleave-to-cubin=chip=sm_90a -o "$out/sm_90a.mlir"
echo "from .mlir to cubin: $((($(date +%s%N) - start) / 1000000)) ms"

show "Run on the CPU with M = 3 and compare with the f64 evaluator" \
  cleave-run $example --bind M=3 --check
"$run" $example --bind M=3 --check

echo
cleave_say_time demo.sh
