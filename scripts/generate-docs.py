#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference of dialects and passes from the .td files.

Usage: generate-docs.py --tblgen MLIR-TBLGEN --mlir-include DIR OUTPUT-FOLDER

Every Passes.td and every file that defines a dialect's operations (or a dialect
without any) is one page. The build target cleave-docs calls this for
docs/generated; a test compares that folder with what comes out now.
"""

import argparse
import os
import re
import subprocess

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                     ".."))
INCLUDE = os.path.join(ROOT, "include")


def definition_files():
    for where, folders, names in os.walk(os.path.join(INCLUDE, "Cleave")):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".td"):
                yield os.path.relpath(os.path.join(where, name), INCLUDE)


def pages():
    """(page name, .td file, generator) of each page.

    A dialect's page comes from the one file that includes all of its parts: a
    .td file with a dialect in reach that no other .td file includes.
    """
    text = {path: open(os.path.join(INCLUDE, path)).read()
            for path in definition_files()}
    included = {name for content in text.values()
                for name in re.findall(r'include "(Cleave/[^"]+)"', content)}
    for path in text:
        folder, name = os.path.split(path)
        if name == "Passes.td":
            yield os.path.basename(folder) + "Passes", path, "-gen-pass-doc"
        elif path not in included:
            yield name[:-len(".td")], path, "-gen-dialect-doc"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--mlir-include", required=True)
    parser.add_argument("output")
    args = parser.parse_args()

    os.makedirs(args.output, exist_ok=True)
    written = set()
    for page, path, generator in pages():
        command = [args.tblgen, generator, "-I", INCLUDE,
                   "-I", args.mlir_include, os.path.join(INCLUDE, path)]
        body = subprocess.run(command, check=True, capture_output=True,
                              text=True).stdout
        # mlir-tblgen names the file as it was called, and ends lines in spaces.
        body = re.sub(r"<!--.*?-->\n*", "", body, count=1, flags=re.S)
        lines = [line.rstrip() for line in body.strip().split("\n")]
        with open(os.path.join(args.output, page + ".md"), "w") as file:
            file.write(f"<!-- Generated from include/{path} by the target"
                       " cleave-docs: do not edit. -->\n\n")
            file.write("\n".join(lines) + "\n")
        written.add(page + ".md")
    for name in sorted(set(os.listdir(args.output)) - written):
        os.remove(os.path.join(args.output, name))


if __name__ == "__main__":
    main()
