#!/usr/bin/env bash
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds everything and runs every test that needs no
# GPU. The last line is `N passed, N failed`; exits non-zero unless all passed.
# Further arguments go to lit (e.g. --filter=Dialect).

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A step before the tests that fails is one failed test to who counts them.
on_exit() {
  local code=$?
  if [ "$code" != 0 ] && [ -z "${counted:-}" ]; then
    echo "0 passed, 1 failed"
  fi
}
trap on_exit EXIT

"$cleave_root/scripts/setup.sh"
. "$cleave_build/env.sh"
cleave_configure
cleave_make all CleaveUnitTests

results=$cleave_build/test/results.json
log=$cleave_build/test/lit.log
rm -f "$results" "$log"
lit_exit=0
timeout 4500 "$cleave_llvm_bin/lit" -v --order=lexical --output "$results" "$@" \
  "$cleave_build/test" "$cleave_build/test/Unit" 2>&1 | tee "$log" || lit_exit=$?

# What became of the random graphs and schedules.
tail -n +1 "$cleave_build"/test/Integration/Output/random-*/report.txt || true
cleave_say_time test.sh
counted=yes
python3 "$cleave_root/scripts/count-results.py" "$results" "$log" "$lit_exit"
