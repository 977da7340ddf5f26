# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the scripts beside it: paths, messages, configure and build. The
# caller runs under `set -euo pipefail`.

cleave_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cleave_build=${CLEAVE_BUILD_DIR:-$cleave_root/build}
cleave_llvm_bin=/usr/lib/llvm-22/bin

say() { printf '== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints how long this script has been running.
cleave_say_time() {
  say "$1 took $((SECONDS / 60)) min $((SECONDS % 60)) s"
}

# One configuration serves demo.sh and test.sh, so that neither rebuilds what
# the other has built: optimised, with assertions in Cleave's own code.
cleave_configure() {
  [ -f "$cleave_build/build.ninja" ] && return 0
  say "configuring $cleave_build"
  cmake -G Ninja -S "$cleave_root" -B "$cleave_build" -DCLEAVE_ASSERTIONS=ON "$@"
}

# cleave_make [targets...]: a shared ccache, where there is one, also hits in
# another clone.
cleave_make() {
  CCACHE_BASEDIR=${CCACHE_BASEDIR:-$cleave_root} \
    cmake --build "$cleave_build" ${1:+--target "$@"}
}
