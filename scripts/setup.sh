#!/usr/bin/env bash
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Brings a Debian 12 machine to where Cleave builds: packages, and a ptxas.
# Does nothing where everything is there. Writes env.sh into the build folder;
# sourcing it puts that ptxas on PATH. Arguments are further packages.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(g++ cmake ninja-build libmlir-22-dev mlir-22-tools llvm-22-dev
  libgtest-dev)
# The toolkit that ptxas comes from where the machine has none. nvidia-nvvm
# holds libdevice, which MLIR wants in every folder that calls itself a toolkit.
wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88)
wheel_toolkit=$cleave_build/cuda/nvidia/cu13
# Written to a list of its own, so that it is easy to find and to remove.
security_list=/etc/apt/sources.list.d/cleave-bookworm-security.list

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    die "need root or sudo to run: $*"
  fi
}

missing_packages() {
  local package
  for package in "$@"; do
    case $(dpkg-query -W -f='${Status}' "$package" 2> /dev/null || true) in
      *" installed") ;;
      *) echo "$package" ;;
    esac
  done
}

# No pipe into grep -q: apt-cache fails once its reader has gone.
has_candidate() {
  grep -qE '^ +Candidate: [^(]' <<< "$(LC_ALL=C apt-cache policy "$1")"
}

# Debian's security archive beside the archive that this machine uses.
security_source() {
  sed -nE 's#^ *[0-9]+ (https?://[^ ]*/debian)/? bookworm/main .*#deb \1-security bookworm-security main#; T; p; q' \
    <<< "$(LC_ALL=C apt-cache policy)"
}

apt_update() {
  apt_is_fresh=yes
  say "apt-get update"
  # One third-party list that does not answer is no reason to stop: apt-get
  # install says what is missing.
  as_root apt-get update -q < /dev/null || say "apt-get update failed, going on"
}

# apt_install packages...: only those that are missing.
apt_install() {
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  command -v apt-get > /dev/null || die "need Debian's apt-get to install:" $missing
  [ -n "${apt_is_fresh:-}" ] || apt_update
  if [[ $missing == *-22* ]] && ! has_candidate libmlir-22-dev; then
    local security_source
    security_source=$(security_source)
    say "no package source offers LLVM 22: adding '$security_source' to $security_list"
    echo "$security_source" | as_root tee "$security_list" > /dev/null
    apt_update
    has_candidate libmlir-22-dev ||
      die "no package source offers libmlir-22-dev: Cleave's packages are" \
        "those of Debian 12 with bookworm-security"
  fi
  say "apt-get install:" $missing
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends $missing < /dev/null
}

# The PTX that Cleave emits (8.0) needs ptxas 12.0 or newer.
usable_ptxas() {
  local release
  [ -x "$1" ] || return 1
  release=$("$1" --version 2> /dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  [ "${release:-0}" -ge 12 ]
}

find_ptxas() {
  local candidate
  for candidate in "$(command -v ptxas || true)" \
    "${CUDA_HOME:-/nonexistent}/bin/ptxas" \
    "${CUDA_PATH:-/nonexistent}/bin/ptxas" \
    "${CUDA_ROOT:-/nonexistent}/bin/ptxas" \
    /usr/local/cuda/bin/ptxas "$wheel_toolkit/bin/ptxas"; do
    if usable_ptxas "$candidate"; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

fetch_ptxas() {
  local folder=$cleave_build/cuda python=python3 wheel
  if ! python3 -m pip --version > /dev/null 2>&1; then
    apt_install python3-pip
    python=/usr/bin/python3
  fi
  say "no ptxas 12.0 or newer found: fetching ${wheels[*]} from PyPI into $folder"
  rm -rf "$folder"
  mkdir -p "$folder/wheels"
  "$python" -m pip download --quiet --no-deps --only-binary=:all: \
    --dest "$folder/wheels" "${wheels[@]}" < /dev/null || return 1
  for wheel in "$folder"/wheels/*.whl; do
    "$python" -m zipfile -e "$wheel" "$folder"
  done
  rm -rf "$folder/wheels"
  chmod +x "$wheel_toolkit"/bin/*
  usable_ptxas "$wheel_toolkit/bin/ptxas"
}

# MLIR takes ptxas from PATH, but libdevice from CUDA_ROOT, CUDA_HOME or
# CUDA_PATH, and refuses a folder without libdevice: name none in that case.
write_env() {
  local ptxas=$1 toolkit
  toolkit=$(dirname "$(dirname "$(readlink -f "$ptxas")")")
  {
    echo "# Written by scripts/setup.sh: source it to use Cleave's ptxas."
    echo "unset CUDA_ROOT CUDA_HOME CUDA_PATH"
    echo "export PATH=$(printf %q "$(dirname "$ptxas")"):\$PATH"
    if [ -f "$toolkit/nvvm/libdevice/libdevice.10.bc" ]; then
      echo "export CUDA_HOME=$(printf %q "$toolkit")"
    fi
  } > "$cleave_build/env.sh"
}

apt_install "${packages[@]}" "$@"
mkdir -p "$cleave_build"
if ptxas=$(find_ptxas) || { fetch_ptxas && ptxas=$wheel_toolkit/bin/ptxas; }; then
  say "ptxas: $ptxas"
  write_env "$ptxas"
else
  say "no ptxas: everything that makes a cubin will fail"
  echo "# No ptxas was found." > "$cleave_build/env.sh"
fi
