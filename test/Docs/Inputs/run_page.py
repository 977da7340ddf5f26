# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of documentation pages.

run_page.py --dir SCRATCH --path FOLDER[:FOLDER] PAGE.md...

A code block after `<!-- file: NAME -->` is that file. Indented lines that begin
with a tool's name, with what belongs to them, are commands, run in order in
SCRATCH; the first that fails is an error. `tool-22` of the packages is `tool`
in the first folder of PATH that has it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.M | re.S)
BLOCK = re.compile(r"(?:^    .*\n)+", re.M)
COMMAND = re.compile(r"    (?:cleave-|mlir-|sed |\(sed|libraries=|echo )")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    shutil.rmtree(options.dir, ignore_errors=True)
    os.makedirs(options.dir)
    script = ""
    for page in options.pages:
        with open(page) as file:
            text = file.read()
        for name, content in FILE.findall(text):
            with open(os.path.join(options.dir, name), "w") as file:
                file.write(content)
        text = FILE.sub("", text)
        for block in BLOCK.findall(text):
            if COMMAND.match(block):
                script += re.sub(r"^    ", "", block, flags=re.M)
    script = re.sub(r"\b(mlir-\w+|llvm-config)-22\b", r"\1", script)
    path = options.path + os.pathsep + os.environ["PATH"]
    done = subprocess.run(["bash", "-exc", script], cwd=options.dir,
                          env={**os.environ, "PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
