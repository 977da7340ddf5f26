#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints `N passed, N failed` for lit's results and exits 1 unless all passed.

Usage: count-results.py RESULTS.json LIT.log LIT-EXIT-CODE

Strict where lit is not: a run that died, that ran no test, or that could not
list a GoogleTest program's tests has failed.
"""

import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main():
    results, log, lit_exit = sys.argv[1:]
    try:
        with open(results) as file:
            codes = [test["code"] for test in json.load(file)["tests"]]
    except (OSError, ValueError, KeyError):
        print("lit wrote no results")
        codes = []
    with open(log, errors="replace") as file:
        lost = [line for line in file if "unable to discover google-tests" in line]

    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    failed = len(codes) - passed - skipped + len(lost)
    if failed == 0 and (passed == 0 or lit_exit != "0"):
        failed = 1
    line = f"{passed} passed, {failed} failed"
    if skipped:
        line += f", {skipped} skipped"
    print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
