#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables from what run_suite.py wrote.

  bench/report.py RESULTS.json [MORE.json ...] [--markdown] [--label ours]

Several files are runs of parts of the suite; the last one that has a shape
counts. A peer's time that is followed by * was not measured in this run but in
an earlier one (peers.json).
"""

import argparse
import json
import math

import suite

SMALLEST = 0.8
NOT_RUN = "not run"


def merge(records):
    """One record a shape, in the suite's order."""
    found = {record["key"]: record for record in records}
    return [found.get(shape.key, {
        "key": shape.key, "sub": shape.sub, "shape": shape.shape,
        "group": shape.group, "candidates": {}, "floor_us": shape.floor_us(
            suite.load("peers.json")["ceilings"])})
        for shape in suite.shapes()]


class Row:
    """One line: ours under one label, against the best peer."""

    def __init__(self, record, label, earlier):
        self.record = record
        ours = record["candidates"].get(label, {})
        self.us, self.l2 = ours.get("us"), ours.get("l2")
        self.error = ours.get("error") or (None if ours else NOT_RUN)
        timed = {name: c["us"] for name, c in record["candidates"].items()
                 if not c.get("ours") and c.get("us") and not c.get("error")}
        self.peers = {**earlier[record["key"]], **timed}
        self.peer = min(self.peers, key=self.peers.get)
        self.is_earlier = self.peer not in timed
        self.peer_us = self.peers[self.peer]
        if self.error or not self.us:
            self.us = None
        self.ratio = self.peer_us / self.us if self.us else None
        flash = [us for name, us in self.peers.items() if "FLASH" in name]
        self.flash = flash[0] / self.us if flash and self.us else None


def rows(records, label):
    earlier = suite.earlier_peers()
    return [Row(record, label, earlier) for record in merge(records)]


def number(value, form="{:.1f}"):
    return "-" if value is None else form.format(value)


HEAD = ["subgraph", "shape", "ours µs", "best peer", "its µs", "peer / ours",
        "floor µs", "floor / ours", "relative L2"]


def cells(row):
    record = row.record
    floor = record["floor_us"]
    return [record["sub"], record["shape"], number(row.us), row.peer,
            number(row.peer_us) + ("*" if row.is_earlier else ""),
            number(row.ratio, "{:.2f}"), number(floor),
            number(floor / row.us if row.us else None, "{:.2f}"),
            row.error or number(row.l2, "{:.1e}")]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(all_rows):
    """(group, shapes, measured, mean, smallest) by group."""
    found = []
    for group in [*suite.GROUPS, "all"]:
        some = [r for r in all_rows if group in ("all", r.record["group"])]
        ratios = [r.ratio for r in some if r.ratio]
        found.append((group, len(some), len(ratios),
                      mean(ratios) if ratios else None,
                      min(ratios, default=None)))
    return found


def losses(all_rows):
    """Shapes that fail, or stay below what is wanted."""
    found = []
    for row in all_rows:
        group = row.record["group"]
        least = {"prefill": 1.0, "compute-bound": 0.6}.get(group, SMALLEST)
        ratio = row.flash if group == "prefill" and row.flash else row.ratio
        if row.error != NOT_RUN and (row.error or (ratio and ratio < least)):
            found.append((group, row, least, ratio))
    return found


def table(all_rows):
    lines = ["| " + " | ".join(HEAD) + " |",
             "|---|---|" + "--:|---|" + "--:|" * 5]
    return lines + ["| " + " | ".join(cell.replace("|", "/") for cell in
                                      cells(row)) + " |" for row in all_rows]


def tail(all_rows):
    lines = ["", "| group | shapes | measured | geometric mean of peer / ours "
             "| smallest |", "|---|--:|--:|--:|--:|"]
    lines += [f"| {group} | {count} | {timed} | {number(middle, '{:.2f}')} | "
              f"{number(least, '{:.2f}')} |"
              for group, count, timed, middle, least in summary(all_rows)]
    lines += ["", "Below the group's aim (prefill: against FLASH):", ""]
    lines += [f"- {group}: {row.record['key']}: " +
              (row.error or f"{ratio:.2f} of {least}")
              for group, row, least, ratio in losses(all_rows)]
    return lines


def odd(records, label):
    """One line for what only correctness was checked of, and the faults."""
    checked = [(r["key"], r["candidates"].get(label, {})) for r in
               {r["key"]: r for r in records if r.get("odd")}.values()]
    faults = [f"- {key}: {c.get('error', NOT_RUN)}" for key, c in checked
              if c.get("error") or "l2" not in c]
    if not checked:
        return []
    worst = max((c["l2"] for _, c in checked if "l2" in c), default=0)
    return ["", f"Extents that no tile divides: {len(checked) - len(faults)} "
            f"of {len(checked)} right, relative L2 up to {worst:.1e}.", "",
            *faults]


def labels(records):
    return list(dict.fromkeys(
        name for record in records for name, c in record["candidates"].items()
        if c.get("ours"))) or ["ours"]


def comparison(records, first, second):
    """What another set of schedules or passes changes."""
    pairs = [(a, b) for a, b in zip(rows(records, first), rows(records, second))
             if a.us and b.us]
    lines = ["", f"| subgraph | shape | {first} µs | {second} µs | "
             f"{first} / {second} |", "|---|---|--:|--:|--:|"]
    lines += [f"| {a.record['sub']} | {a.record['shape']} | {a.us:.1f} | "
              f"{b.us:.1f} | {a.us / b.us:.2f} |" for a, b in pairs]
    if pairs:
        lines += ["", "geometric mean "
                  f"{mean([a.us / b.us for a, b in pairs]):.2f}"]
    return lines


def markdown(records, label=None):
    names = labels(records)
    all_rows = rows(records, label or names[0])
    lines = table(all_rows) + tail(all_rows) + odd(records, label or names[0])
    if label is None:
        for other in names[1:]:
            lines += comparison(records, names[0], other)
    return "\n".join(lines) + "\n"


def text(records):
    """The markdown, in columns."""
    lines = [line.strip("| ").split(" | ") if line.startswith("|") else line
             for line in markdown(records).splitlines()
             if not line.startswith("|--")]
    shown, block = [], []
    for line in [*lines, ""]:
        if isinstance(line, list):
            block.append(line)
            continue
        if block:
            widths = [max(len(r[i]) for r in block)
                      for i in range(len(block[0]))]
            shown += ["  ".join(cell.ljust(width) for cell, width in
                                zip(r, widths)).rstrip() for r in block]
            block = []
        shown.append(line)
    return "\n".join(shown)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--label")
    args = parser.parse_args()
    records = []
    for path in args.files:
        with open(path) as file:
            records += json.load(file)["records"]
    print(markdown(records, args.label) if args.markdown else text(records))


if __name__ == "__main__":
    main()
