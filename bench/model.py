#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost model against measured times, each shape with its own schedule.

  bench/model.py RESULTS.json [--label own] [--tools build/bin] [--only REGEX]

RESULTS is of a run with programs of `prepare_suite.py --own`. The shapes where
the model is most optimistic come first: there the search is led astray.
"""

import argparse
import json
import math
import os
import re
import subprocess
import tempfile

import suite

CHOSEN = re.compile(r'Passed.*Remark="(region [^:]*): ([\d.]+) us')
KERNEL = re.compile(r"kernel \d+: ([\d.]+) us")


def modelled(tools, shape):
    """Region, microseconds, and those of each kernel."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(suite.program_text(shape))
        file.flush()
        done = subprocess.run(
            [os.path.join(tools, "cleave-opt"), file.name, "--cleave-algebra",
             f"--cleave-schedule=representative={suite.bindings([shape])}",
             "--remarks-filter=cleave-schedule", "-o", os.devnull],
            capture_output=True, text=True)
    chosen = CHOSEN.search(done.stderr)
    if not chosen:
        return None
    return chosen[1], float(chosen[2]), KERNEL.findall(done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--label", default="own")
    parser.add_argument("--tools", default=suite.TOOLS)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    with open(args.results) as file:
        measured = {record["key"]: record["candidates"].get(args.label, {})
                    for record in json.load(file)["records"]}
    rows = []
    for shape in suite.shapes(args.only):
        us = measured.get(shape.key, {}).get("us")
        model = us and modelled(args.tools, shape)
        if model:
            rows.append((us / model[1], us, shape.key, *model))
    print("| shape | region | modelled us | of kernels | measured us "
          "| measured / modelled |\n|---|---|--:|---|--:|--:|")
    for ratio, us, key, region, total, kernels in sorted(rows, reverse=True):
        print(f"| {key} | {region} | {total:.1f} | {' + '.join(kernels)} | "
              f"{us:.1f} | {ratio:.2f} |")
    if rows:
        logs = [math.log(row[0]) for row in rows]
        middle = sum(logs) / len(logs)
        spread = (sum((log - middle) ** 2 for log in logs) / len(logs)) ** 0.5
        print(f"\ngeometric mean {math.exp(middle):.2f}, spread "
              f"{math.exp(spread):.2f} times")


if __name__ == "__main__":
    main()
