#!/usr/bin/env bash
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds stripped tools that need nothing but glibc 2.36, libm and libz, and
# packs them into .carry/cleave-static.tar.xz: for a machine with a GPU and
# without LLVM. They have no CPU JIT.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$cleave_root/scripts/setup.sh" lld-22 zlib1g-dev libzstd-dev xz-utils
cleave_build=$cleave_root/build-static
carry=$cleave_root/.carry

if [ ! -f "$cleave_build/build.ninja" ]; then
  cmake -G Ninja -S "$cleave_root" -B "$cleave_build" -DCLEAVE_STATIC=ON
fi
cleave_make cleave-opt cleave-run

mkdir -p "$carry"
# Preset 9 would save a tenth of 37 MB and take six times as long.
tar -C "$cleave_build/bin" -c cleave-opt cleave-run |
  xz -T0 -3 > "$carry/cleave-static.tar.xz"
ls -lh "$cleave_build"/bin/cleave-{opt,run} "$carry/cleave-static.tar.xz"
cleave_say_time build-static.sh
