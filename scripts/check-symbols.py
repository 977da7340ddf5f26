#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no symbol of MLIR or LLVM is defined a second time.

Usage: check-symbols.py --nm NM --readelf READELF --libs LIB... -- FILE...

Linking one of MLIR's archives beside libMLIR.so gives two copies of MLIR: two
sets of TypeIDs, and casts that fail for no visible reason. Every function and
object that a shared library of MLIR or LLVM defines strongly must therefore be
undefined in our tools and plugin. Two things are no duplicates and are left
out: inline functions and template instantiations (weak in the library as they
are here), and variables that the linker moved into the program (R_*_COPY).
"""

import argparse
import re
import subprocess
import sys


def symbols(nm, options, path, kinds):
    """The names that nm lists for `path` under one of the letters `kinds`."""
    lines = subprocess.run([nm, "--defined-only", *options, path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    fields = (line.split() for line in lines)
    return {f[2].split("@")[0] for f in fields if len(f) == 3 and f[1] in kinds}


def copied(readelf, path):
    lines = subprocess.run([readelf, "--wide", "--relocs", path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {line.split()[4].split("@")[0] for line in lines
            if re.search(r"R_\w+_COPY\b", line)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--libs", nargs="+", required=True)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()

    strong = set()
    for lib in args.libs:
        # Only C++ names: _init, main and the like are everyone's own.
        names = symbols(args.nm, ["--dynamic"], lib, "TDBR")
        strong |= {name for name in names if name.startswith("_ZN4mlir")
                   or name.startswith("_ZNK4mlir") or "4llvm" in name}
    if not strong:
        sys.exit("error: the libraries define no symbols of MLIR or LLVM")

    found = 0
    for path in args.files:
        # Local letters too: a version script hides a second copy, no more.
        own = symbols(args.nm, [], path, "TDBRtdbr")
        if not own:
            sys.exit(f"error: {path} has no symbols to check, is it stripped?")
        twice = sorted((own & strong) - copied(args.readelf, path))
        for name in twice[:10]:
            print(f"{path}: defines {name}, as libMLIR.so or libLLVM.so does")
        found += len(twice)
        print(f"{path}: {len(twice)} symbols defined twice")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
