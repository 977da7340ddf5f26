#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what a compiler does not: rules on the text of the source tree.

Usage: check-source.py [ROOT]

Each rule is a function from (path, text) to complaints; its docstring says why
it stands.
"""

import os
import re
import sys

FOLDERS = (".ci", "bench", "cmake", "docs", "examples", "include", "lib",
           "scripts", "test", "tools")
# bad-tree is the input of this script's own test.
SKIPPED = ("__pycache__", "bad-tree", "LICENSE", ".git")
LICENSED = (".cpp", ".h", ".td", ".pdll", ".py", ".sh")


def license_header(path, text):
    """Every source file says under which licence it may be used."""
    if not path.endswith(LICENSED) or "Inputs" in path:
        return
    if path.startswith("test/") and path.endswith(".cfg.py"):
        return
    head = "\n".join(text.split("\n")[:12])
    if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in head:
        yield "expected the licence header in the first 12 lines"


def no_pass_statistics(path, text):
    """llvm::Statistic changes its layout with NDEBUG: the packaged libMLIR has
    it, a build with assertions has not."""
    if path.endswith(".td") and re.search(r"\blet statistics\b", text):
        yield "pass statistics do not work with the packaged MLIR: use a remark"
    if re.search(r"#include [\"<]llvm/ADT/Statistic\.h", text):
        yield "llvm/ADT/Statistic.h changes layout with NDEBUG: use a remark"


def no_mlir_in_link_libs(path, text):
    """LINK_LIBS takes MLIR's archives, a second copy beside libMLIR.so."""
    if not path.endswith("CMakeLists.txt"):
        return
    for call in re.findall(r"LINK_LIBS[^)]*", text):
        if re.search(r"\bMLIR\w+", call.split("DEPENDS")[0]):
            yield "MLIR library in LINK_LIBS: use mlir_target_link_libraries"


def no_static_options(path, text):
    """A cl::opt outside a tool is a global that every user of the library gets
    on the command line."""
    if path.startswith("lib/") and re.search(r"^(static )?(llvm::)?cl::opt<",
                                             text, re.M):
        yield "file-static cl::opt: make it a pass option"


def tests_check(path, text):
    """A RUN line that checks nothing cannot fail."""
    if not path.startswith("test/") or "Inputs" in path:
        return
    if not path.endswith((".mlir", ".test")):
        return
    runs = re.findall(r"RUN:(.*)", text)
    if not runs:
        yield "expected a RUN line"
    checks = r"FileCheck|-verify-diagnostics|\bnot\b|--check\b|\bcmp\b|\bdiff\b|%check"
    if runs and not any(re.search(checks, run) for run in runs):
        yield "no RUN line checks anything"


def no_local_paths(path, text):
    """What is committed must mean the same on another machine."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"(^|[\s\"'=(`])(/work/|\.\./shared/|/home/|/root/)", line):
            yield f"line {number}: path of one machine"


RULES = (license_header, no_pass_statistics, no_mlir_in_link_libs,
         no_static_options, tests_check, no_local_paths)


def files(root):
    for name in sorted(os.listdir(root)):
        if os.path.isfile(os.path.join(root, name)) and name not in SKIPPED:
            yield name
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if f not in SKIPPED)
            for name in sorted(names):
                yield os.path.relpath(os.path.join(where, name), root)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..")
    count = complaints = 0
    for path in files(root):
        if path == "scripts/check-source.py":
            continue
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except (UnicodeDecodeError, OSError):
            continue
        count += 1
        for rule in RULES:
            for complaint in rule(path, text):
                print(f"{path}: {complaint}")
                complaints += 1
    print(f"{count} files, {complaints} complaints")
    return 1 if complaints or not count else 0


if __name__ == "__main__":
    sys.exit(main())
