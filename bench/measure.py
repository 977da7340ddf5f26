# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times one shape after the other, in one process on the GPU."""

import gc
import glob
import math
import os
import time

import launcher
import peers
import references
import suite
import torch

TOLERANCE = 2e-3
# A replay lasts about this long, and is repeated so often.
REPLAY_US, MOST_CALLS, ROUNDS = 2500.0, 400, (5, 25)


class Fault(RuntimeError):
    """A result that is wrong."""


class Candidate:
    """One way to compute a shape: calls by number of the argument set."""

    def __init__(self, name, calls, error):
        self.name, self.calls, self.error = name, calls, error
        self.graph = None
        self.count = self.once = 0
        self.times = []

    def capture(self, stream):
        """A graph of enough calls, over all sets as often as each other."""
        sets = len(self.calls)
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            for i in range(min(2, sets)):
                self.calls[i]()
            start.record()
            for i in range(3):
                self.calls[i % sets]()
            stop.record()
        torch.cuda.synchronize()
        once = max(1.0, start.elapsed_time(stop) * 1e3 / 3)
        count = math.ceil(min(MOST_CALLS, REPLAY_US / once) / sets) * sets
        if once * count > 60e3:
            count = max(1, min(count, int(60e3 / once)))
        graph = torch.cuda.CUDAGraph()
        kept = []
        with torch.cuda.graph(graph, stream=stream):
            for i in range(count):
                # The results of the last round stay, those before rotate.
                kept = kept[-sets:] + [self.calls[i % sets]()]
        graph.replay()
        torch.cuda.synchronize()
        self.graph, self.count, self.once = graph, count, once

    def replay(self):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        self.graph.replay()
        stop.record()
        self.times.append((start, stop))

    def microseconds(self):
        return [start.elapsed_time(stop) * 1e3 / self.count
                for start, stop in self.times]


class Ours(Candidate):
    def __init__(self, name, call, sets, overlap):
        self.call = call
        memory = [call.allocate()]
        size = sum(r.bytes for r in memory[0] if r)
        count = min(len(sets), max(1, int(4e9 // max(size, 1))))
        memory += [call.allocate() for _ in range(count - 1)]
        self.results = [call.results_of(memory[i % count], tensors)
                        for i, tensors in enumerate(sets)]
        self.sets = sets
        super().__init__(name, [call.bind(a, r, overlap) for a, r in
                                zip(sets, self.results)], None)

    def check(self, reference, number):
        """Relative L2 of what is in the result buffers of a set."""
        torch.cuda.synchronize()
        results = self.results[number]
        if fault := self.call.fault(results):
            raise Fault(fault)
        # Also of what is not sampled below.
        if not all(torch.isfinite(r.tensor).all() for r in results):
            raise Fault("not finite")
        if reference is None:
            return 0.0
        errors = [references.relative_error(parts, result.tensor)
                  for parts, result in zip(reference, results, strict=True)]
        worst = max(errors, key=lambda e: math.inf if math.isnan(e) else e)
        if not worst < TOLERANCE:
            raise Fault(f"relative L2 {worst:.2e}")
        return worst


class Worker:
    def __init__(self, args, files):
        self.args, self.files = args, files
        self.start = time.time()
        torch.set_grad_enabled(False)
        torch.zeros(1, device="cuda")
        self.cuda = launcher.Cuda()
        self.stream = torch.cuda.Stream()
        self.done = {record["key"] for record in files.read(files.lines)}
        self.dead = {(record["key"], record["candidate"]): record["why"]
                     for record in files.read(files.dead)}
        self.earlier = suite.earlier_peers()
        self.ceilings = suite.load("peers.json")["ceilings"]
        if not (args.check_only or args.small or args.launch_only):
            warm = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
            for _ in range(200):
                warm @ warm

    def left(self):
        return self.args.budget_s - (time.time() - self.start)

    def is_done(self, shape):
        return shape.key in self.done

    def is_checked_only(self, shape):
        return (self.args.check_only or self.args.launch_only or
                shape.is_odd)

    def peer_names(self, shape):
        if self.args.peers == "none" or self.is_checked_only(shape):
            return []
        names = list(self.earlier[shape.key])
        if self.args.peers == "all":
            names = peers.names(torch, shape.sub, shape.bind)
        if self.args.compile == "none":
            names = [n for n in names if not n.startswith("compile_")]
        if self.args.compile == "default":
            names = [n.replace("compile_max", "compile_default")
                     for n in names]
        return list(dict.fromkeys(names))

    def make_sets(self, case):
        first = case.arguments()
        size = sum(a.numel() * a.element_size() for a in first)
        count = max(1, min(128, math.ceil(self.args.rotate_mb * 2**20 / size)))
        return [first] + [case.arguments() for _ in range(count - 1)]

    def find_program(self, folder, shape):
        """The call for a shape from a folder of prepare_suite.py."""
        faults = []
        for path in sorted(glob.glob(os.path.join(folder,
                                                  shape.program + "*"))):
            name = os.path.basename(path)
            stem = name.rsplit(".", 1)[0].split("@")[0]
            if stem != shape.program:
                continue
            if path.endswith(".error"):
                faults.append(open(path).readline().strip())
            if not path.endswith(".json"):
                continue
            program = launcher.Program(torch, self.cuda, path)
            if call := program.call(shape.dynamic):
                return call
        raise Fault("; ".join(faults) or f"no program in {folder}")

    def guard(self, record, name, action):
        """Runs one step of a candidate; its error becomes part of the record.

        An error that leaves the context unusable ends the process.
        """
        key = record["key"]
        if (key, name) in self.dead:
            record["candidates"][name] = {"error": self.dead[key, name]}
            return None
        self.files.set_current(key, name)
        try:
            return action()
        except Exception as error:
            text = str(error).strip().splitlines()
            why = f"{type(error).__name__}: {text[0] if text else ''}"[:300]
            if isinstance(error, Fault):
                why = str(error)[:300]
            record["candidates"].setdefault(name, {})["error"] = why
            print(f"FAIL {key} {name}: {why}", flush=True)
            try:
                torch.cuda.synchronize()
            except Exception:
                self.files.set_current(key, name, why)
                os._exit(17)
        return None

    def prepare_ours(self, record, shape, label, folder, sets, reference):
        ours = Ours(label, self.find_program(folder, shape), sets,
                    not self.args.no_overlap)
        ours.calls[0]()
        error = ours.check(reference, 0)
        record["candidates"][label] = {"ours": True, "l2": error,
                                       "launches": len(ours.call.launches)}
        if not self.is_checked_only(shape):
            ours.capture(self.stream)
        return ours

    def prepare_peer(self, record, shape, name, case, sets, reference):
        function, prepare = peers.get(torch, shape.sub, shape.bind, name)
        begun = time.time()
        prepared = [prepare(*a) for a in sets]
        result = function(*prepared[0])
        torch.cuda.synchronize()
        first = time.time() - begun
        shape_here = case.result or result.shape
        error = references.relative_error(reference[0],
                                          result.reshape(shape_here))
        record["candidates"][name] = {"l2": error, "first_call_s": first}
        # A peer that rounds more than ours is allowed to.
        if not error < 2.5 * TOLERANCE:
            raise Fault(f"relative L2 {error:.2e}")
        peer = Candidate(name, [lambda a=a: function(*a) for a in prepared],
                         error)
        peer.capture(self.stream)
        return peer

    def time_all(self, record, candidates):
        """Replays in rotating order: all see the same clocks."""
        candidates = [c for c in candidates if c.graph]
        if not candidates:
            return
        slowest = max(c.count * c.once for c in candidates) * 1e-6
        rounds = int(min(max(0.08 / slowest, ROUNDS[0]), ROUNDS[1]))
        for turn in range(rounds):
            shift = turn % len(candidates)
            for candidate in candidates[shift:] + candidates[:shift]:
                candidate.replay()
        torch.cuda.synchronize()
        for candidate in candidates:
            times = sorted(candidate.microseconds())
            record["candidates"][candidate.name].update(
                us=times[len(times) // 2], min_us=times[0], max_us=times[-1],
                calls=candidate.count)

    def check_after(self, record, case, candidates):
        """The last call of the replays, back to back with the others."""
        for ours in candidates:
            if isinstance(ours, Ours) and ours.graph:
                last = (ours.count - 1) % len(ours.sets)
                reference = case.reference(ours.sets[last])
                record["candidates"][ours.name]["l2_after"] = ours.check(
                    reference, last)

    def measure(self, shape):
        begun = time.time()
        record = {"key": shape.key, "sub": shape.sub, "shape": shape.shape,
                  "group": shape.group, "odd": shape.is_odd,
                  "floor_us": shape.floor_us(self.ceilings), "candidates": {}}
        make = references.Maker(torch)
        record["seed"] = make.seed
        candidates = []
        setup = self.guard(record, "setup", lambda: self.set_up(shape, make))
        if setup:
            case, sets, reference = setup
            candidates = self.prepare(record, shape, case, sets, reference)
            self.guard(record, "timing",
                       lambda: self.time_all(record, candidates))
            for one in candidates:
                self.guard(record, one.name,
                           lambda: self.check_after(record, case, [one]))
        record["wall_s"] = time.time() - begun
        self.files.add(self.files.lines, record)
        shown = {n: round(c["us"], 2) if "us" in c else
                 c.get("error", f"{c.get('l2', -1):.1e}")
                 for n, c in record["candidates"].items()}
        print(f"{shape.key}: floor {record['floor_us']:.1f} {shown} "
              f"[{record['wall_s']:.1f} s, {self.left():.0f} left]", flush=True)
        del candidates, setup
        gc.collect()
        torch.cuda.empty_cache()

    def set_up(self, shape, make):
        case = references.CASES[shape.sub](make, shape.bind)
        sets = [case.arguments()] if self.is_checked_only(shape) \
            else self.make_sets(case)
        if self.args.launch_only:
            return case, sets, None
        return case, sets, case.reference(sets[0])

    def prepare(self, record, shape, case, sets, reference):
        candidates = []
        # A folder after the first need not have the odd shapes.
        for text in self.args.ours[:1 if shape.is_odd else None]:
            label, _, folder = text.rpartition("=")
            label = label or "ours"
            ours = self.guard(record, label, lambda: self.prepare_ours(
                record, shape, label, folder, sets, reference))
            if ours:
                candidates.append(ours)
        for name in self.peer_names(shape):
            peer = self.guard(record, name, lambda: self.prepare_peer(
                record, shape, name, case, sets, reference))
            if peer:
                candidates.append(peer)
        return candidates
