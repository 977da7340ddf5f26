#!/usr/bin/env python3
# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RMSNorm + linear on the GPU: Cleave's one cubin for every M against PyTorch.

  python3 bench/rmsnorm_linear.py --run build-static/bin/cleave-run \
      --module rmsnorm_linear.cubin.mlir [--out results.json] [--max-autotune]

Correctness comes first (`cleave-run --check` against the f64 evaluator: X up to
magnitude 300, which random inputs fill by default, X of deviation 1, and rows of
zeros), then ours and the peers are timed in turn: ours, peers, ours. Times are
microseconds a call, the median over replays of a CUDA graph that holds many
calls over rotating inputs, which together exceed the L2 cache several times.
Needs PyTorch and a CUDA device; it builds nothing.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

K = N = 4096
SIZES = [1, 7, 16, 128, 2048]


def cleave_run(args, extra):
    command = [args.run, args.module, "--device=cuda", "--entry=rmsnorm_linear",
               f"--source={args.source}"]
    return subprocess.run(command + extra, text=True, capture_output=True)


def check(args):
    """One process and one module for all M; returns the lines to show."""
    import numpy

    lines, good = [], True
    binds = [f"--bind=M={m}" for m in SIZES]
    zeros = tempfile.NamedTemporaryFile(suffix=".npy")
    x = numpy.random.default_rng(0).normal(size=(17, K), scale=75)
    x[3:6] = x[16] = 0
    numpy.save(zeros.name, numpy.clip(x, -300, 300).astype(numpy.float16))
    for options in (binds + ["--seed=1"], binds + ["--seed=2", "--scale=1"],
                    [f"--input=X={zeros.name}"]):
        result = cleave_run(args, options + ["--check"])
        good &= result.returncode == 0
        lines += [result.stdout.strip(), result.stderr.strip()]
    return good, "\n".join(line for line in lines if line)


def time_ours(args):
    times = {}
    for m in SIZES:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            result = cleave_run(args, [f"--bind=M={m}", "--bench",
                                       f"--json={file.name}"])
            if result.returncode:
                sys.exit(f"cleave-run failed: {result.stdout}{result.stderr}")
            record = json.load(open(file.name))
        times[m] = record
    return times


def median_us(torch, function, inputs, target_us=2500.0, rounds=15):
    """Median microseconds a call over replays of one graph of many calls."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.stream(stream):
        for item in inputs[:3]:
            function(*item)
        start.record()
        for item in inputs[:3]:
            function(*item)
        stop.record()
    torch.cuda.synchronize()
    once = max(1.0, start.elapsed_time(stop) * 1e3 / 3)
    calls = min(400, math.ceil(target_us / once / len(inputs)) * len(inputs))
    graph, kept = torch.cuda.CUDAGraph(), []
    with torch.cuda.graph(graph, stream=stream):
        for i in range(calls):
            kept.append(function(*inputs[i % len(inputs)]))
    times = []
    for _ in range(rounds + 2):
        start.record()
        graph.replay()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1e3 / calls)
    return sorted(times[2:])[rounds // 2]


def time_peers(args):
    import torch
    import torch.nn.functional as F

    torch.manual_seed(0)

    def norm(x, g):
        return F.rms_norm(x, (K,), g, 1e-6)

    def plain(x, w, g):
        return norm(x, g) @ w

    def turned(x, wt, g):
        return F.linear(norm(x, g), wt)

    def make(*shape):
        return torch.randn(*shape, device="cuda").half()

    results = {}
    for m in SIZES:
        count = max(4, math.ceil(512e6 / (2 * (m * K + K * N))))
        inputs = [(make(m, K), make(K, N) * K ** -0.5, make(K))
                  for _ in range(count)]
        transposed = [(x, w.t().contiguous(), g) for x, w, g in inputs]
        torch._dynamo.reset()
        peers = {
            "eager": (plain, inputs),
            "eager, W^T": (turned, transposed),
            "compile": (torch.compile(plain, dynamic=False), inputs),
            "compile, W^T": (torch.compile(turned, dynamic=False), transposed),
        }
        if args.max_autotune:
            peers["max-autotune"] = (torch.compile(
                turned, dynamic=False, mode="max-autotune-no-cudagraphs"),
                transposed)
        results[m] = {"cublas alone": median_us(
            torch, lambda x, w, g: x @ w, inputs)}
        for name, (function, data) in peers.items():
            results[m][name] = median_us(torch, function, data)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", required=True)
    parser.add_argument("--module", required=True)
    parser.add_argument("--source", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "examples",
        "rmsnorm_linear.mlir"))
    parser.add_argument("--out")
    parser.add_argument("--max-autotune", action="store_true")
    parser.add_argument("--check-only", action="store_true")
    args = parser.parse_args()

    good, text = check(args)
    print(text)
    if not good:
        sys.exit("wrong results: not timed")
    if args.check_only:
        return
    first = time_ours(args)
    peers = time_peers(args)
    second = time_ours(args)
    if args.out:
        with open(args.out, "w") as file:
            json.dump({"ours": [first, second], "peers": peers}, file, indent=1)

    print("\n| M | ours us (before, after) | best peer | us | peer / ours | "
          "cuBLAS alone us |\n|---|---|---|---|---|---|")
    for m in SIZES:
        ours = [run[m]["median_us"] for run in (first, second)]
        candidates = {n: t for n, t in peers[m].items() if n != "cublas alone"}
        best = min(candidates, key=candidates.get)
        print(f"| {m} | {ours[0]:.1f}, {ours[1]:.1f} | {best} | "
              f"{candidates[best]:.1f} | "
              f"{candidates[best] / min(ours):.2f} | "
              f"{peers[m]['cublas alone']:.1f} |")


if __name__ == "__main__":
    main()
