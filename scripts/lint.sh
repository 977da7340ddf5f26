#!/usr/bin/env bash
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Before a commit: the rules on source text, and clang-format 22 (a package of
# its own, so that neither set-up nor the tests want it). `lint.sh --fix`
# formats in place.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)

cd "$cleave_root"
python3 scripts/check-source.py
command -v clang-format-22 > /dev/null || die "need the package clang-format-22"
find include lib tools test -name '*.cpp' -o -name '*.h' |
  grep -v /Inputs/ | xargs clang-format-22 "${mode[@]}"
say "formatted as .clang-format says"
