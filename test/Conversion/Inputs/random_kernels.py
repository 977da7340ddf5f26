"""Random kernels in the scheduled form, compiled and run in the PTX emulator
against loops over the same body.

usage: random_kernels.py CLEAVE_OPT SEED COUNT
A kernel is one linalg.generic over up to three parallel and two reduced axes
with tiles of any size, operands in any storage order, f16 or f32; every third
one is a matrix product on tensor cores. Prints the kernels that fail.
"""

import itertools
import math
import random
import subprocess
import sys

from ptx_emulator import Array, Error, Memory, run_host


class Axis:
    def __init__(self, number, reduced, tile, extent, static):
        self.name, self.reduced, self.tile, self.extent, self.static = f"d{number}", reduced, tile, extent, static
        self.looped = False
        self.offset = f"%i_{self.name}"

    def type(self):
        return str(self.extent) if self.static else "?"

    def tile_type(self):
        return str(self.tile) if self.static and self.extent % self.tile == 0 else "?"

    def tile_size(self):
        return self.tile_type() if self.tile_type() != "?" else f"%t_{self.name}"


def tensor(sizes, element):
    return f"tensor<{''.join(s + 'x' for s in sizes)}{element}>"


class Kernel:
    def __init__(self, rnd, product):
        self.product = product
        if product:
            tiles = [rnd.choice([1, 3, 8, 16, 32]) for _ in range(2)] + [rnd.choice([4, 12, 16, 32])]
            self.axes = [Axis(i, i == 2, t, rnd.choice([1, t, t + 1, rnd.randint(1, 2 * t + 2)]), rnd.random() < 0.3)
                         for i, t in enumerate(tiles)]
            self.axes[2].looped = True
            element = rnd.choice(["f16", "bf16", "f32"])
            m, n, k = self.axes
            self.inputs = [(rnd.sample([m, k], 2), element), (rnd.sample([n, k], 2), element)]
            self.ops, self.maximum, self.index = ["mulf"], False, None
        else:
            parallel, reduced = rnd.randint(1, 3), rnd.randint(0, 2)
            self.axes = []
            for i in range(parallel + reduced):
                tile = rnd.choice([1, 2, 3, 4, 8, 16])
                extent = rnd.choice([0, 1, tile, tile + 1, rnd.randint(1, 3 * tile)])
                self.axes.append(Axis(i, i >= parallel, tile, extent, rnd.random() < 0.5))
            for axis in self.axes[parallel + 1:]:
                axis.extent, axis.static = max(1, min(axis.extent, axis.tile)), True
                axis.tile = axis.extent
            while math.prod(a.tile for a in self.axes) > 1024:
                axis = max(self.axes[:parallel + 1], key=lambda a: a.tile)
                axis.tile //= 2
            if reduced:
                self.axes[parallel].looped = True
            self.inputs = [(rnd.sample(self.axes, len(self.axes)), rnd.choice(["f16", "f32"]))]
            for _ in range(rnd.randint(0, 2)):
                some = [a for a in self.axes if rnd.random() < 0.7]
                self.inputs.append((rnd.sample(some, len(some)), rnd.choice(["f16", "f32"])))
            self.ops = [rnd.choice(["mulf", "addf", "subf"]) for _ in self.inputs[1:]]
            self.maximum = rnd.random() < 0.5
            self.index = rnd.choice(self.axes) if rnd.random() < 0.3 else None
        self.parallel = [a for a in self.axes if not a.reduced]
        self.reduced = [a for a in self.axes if a.reduced]
        self.output = self.parallel if product else rnd.sample(self.parallel, len(self.parallel))
        self.element = rnd.choice(["f16", "f32"])
        self.warps, self.stages = rnd.choice([1, 2, 4, 8]), rnd.choice([1, 2, 3])

    # The text.
    def map(self, axes):
        return f"affine_map<({', '.join(a.name for a in self.axes)}) -> ({', '.join(a.name for a in axes)})>"

    def slice(self, axes):
        return " ".join(f"[{', '.join(f(a) for a in axes)}]"
                        for f in (lambda a: a.offset, Axis.tile_size, lambda a: "1"))

    def tile(self, axes, element):
        return tensor([a.tile_type() for a in axes], element)

    def empty(self, name, axes, element):
        sizes = ", ".join(a.tile_size() for a in axes if a.tile_type() == "?")
        return f"%{name} = tensor.empty({sizes}) : {self.tile(axes, element)}"

    def tile_bound(self, axis):
        if axis.tile_type() != "?":
            return []
        return [f"%t_{axis.name} = affine.min affine_map<(d0)[s0] -> ({axis.tile}, -d0 + s0)>({axis.offset})"
                f"[%e_{axis.name}]"]

    def body(self):
        lines, values = [], []
        for i, (_, element) in enumerate(self.inputs):
            if element != "f32":
                lines.append(f"%f{i} = arith.extf %b{i} : {element} to f32")
            values.append(f"%f{i}" if element != "f32" else f"%b{i}")
        current = values[0]
        for i, op in enumerate(self.ops):
            lines.append(f"%v{i} = arith.{op} {current}, {values[i + 1]} : f32")
            current = f"%v{i}"
        if self.index:
            lines += [f"%x0 = linalg.index {self.axes.index(self.index)} : index",
                      f"%x1 = arith.addi %x0, {self.index.offset} : index", "%x2 = arith.index_cast %x1 : index to i32",
                      "%x3 = arith.sitofp %x2 : i32 to f32", f"%x4 = arith.addf {current}, %x3 : f32"]
            current = "%x4"
        if self.reduced:
            lines.append(f"%z = arith.{'maximumf' if self.maximum else 'addf'} %acc, {current} : f32")
            current = "%z"
        return lines + [f"linalg.yield {current} : f32"]

    def text(self):
        result = tensor([a.type() for a in self.output], self.element)
        types = [tensor([a.type() for a in axes], e) for axes, e in self.inputs]
        acc = self.tile(self.output, "f32")
        lines = [f"func.func @f({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> {result} {{",
                 "%init = arith.constant " + ("0xFF800000" if self.maximum else "0.0") + " : f32",
                 "%zero = arith.constant 0 : index"]
        for axis in self.axes:
            i = next(i for i, (axes, _) in enumerate(self.inputs) if axis in axes)
            lines += [f"%c_{axis.name} = arith.constant {self.inputs[i][0].index(axis)} : index",
                      f"%s_{axis.name} = arith.constant {axis.tile} : index",
                      f"%e_{axis.name} = tensor.dim %a{i}, %c_{axis.name} : {types[i]}"]
            if axis.reduced and not axis.looped:
                axis.offset = "%zero"
        sizes = ", ".join(f"%e_{a.name}" for a in self.output if a.type() == "?")
        ivs, bounds, steps = ([f(a) for a in self.parallel] for f in (
            lambda a: a.offset, lambda a: f"%e_{a.name}", lambda a: str(a.tile)))
        lines += [f"%y0 = tensor.empty({sizes}) : {result}",
                  f"%y = scf.forall ({', '.join(ivs)}) = ({', '.join('0' for _ in ivs)}) to ({', '.join(bounds)}) "
                  f"step ({', '.join(steps)}) shared_outs(%o = %y0) -> ({result}) {{"]
        for axis in self.parallel:
            lines += self.tile_bound(axis)
        lines += [self.empty("e", self.output, "f32"),
                  f"%fill = linalg.fill ins(%init : f32) outs(%e : {acc}) -> {acc}"]
        loop = next((a for a in self.axes if a.looped), None)
        start = "%fill"
        if loop:
            lines += [f"%r = scf.for {loop.offset} = %zero to %e_{loop.name} step %s_{loop.name} "
                      f"iter_args(%state = %fill) -> ({acc}) {{"] + self.tile_bound(loop)
            start = "%state"
        for i, (axes, element) in enumerate(self.inputs):
            lines.append(f"%x_{i} = tensor.extract_slice %a{i}{self.slice(axes)} : {types[i]} to "
                         f"{self.tile(axes, element)}")
        iterators = ", ".join('"reduction"' if a.reduced else '"parallel"' for a in self.axes)
        maps = ", ".join([self.map(axes) for axes, _ in self.inputs] + [self.map(self.output)])
        lines += [f"%g = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
                  f"ins({', '.join(f'%x_{i}' for i in range(len(types)))} : "
                  f"{', '.join(self.tile(a, e) for a, e in self.inputs)}) outs({start} : {acc}) {{",
                  f"^bb0({', '.join(f'%b{i}: {e}' for i, (_, e) in enumerate(self.inputs))}, %acc: f32):",
                  *self.body(), f"}} -> {acc}"]
        value = "%g"
        if loop:
            lines += [f"scf.yield %g : {acc}", "}"]
            value = "%r"
        if self.element == "f16":
            half = self.tile(self.output, "f16")
            same = f"affine_map<({', '.join(a.name for a in self.output)}) -> ({', '.join(a.name for a in self.output)})>"
            parallel = ", ".join('"parallel"' for _ in self.output)
            lines += [self.empty("eh", self.output, "f16"),
                      f"%h = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{parallel}]}} "
                      f"ins({value} : {acc}) outs(%eh : {half}) {{", "^bb0(%p: f32, %q: f16):",
                      "%w = arith.truncf %p : f32 to f16", "linalg.yield %w : f16", f"}} -> {half}"]
            value = "%h"
        return "\n".join(lines + [
            "scf.forall.in_parallel {",
            f"tensor.parallel_insert_slice {value} into %o{self.slice(self.output)} : "
            f"{self.tile(self.output, self.element)} into {result}", "}",
            f"}} {{cleave.warps = {self.warps} : i64, cleave.stages = {self.stages} : i64}}",
            f"return %y : {result}", "}"])

    # The numbers.
    def element_of(self, values, axes, position):
        flat = 0
        for axis in axes:
            flat = flat * axis.extent + position[axis]
        return values[flat]

    def reference(self, values):
        """The expected output, by position in its storage order."""
        expected = []
        for outer in itertools.product(*(range(a.extent) for a in self.output)):
            total = -math.inf if self.maximum and self.reduced else 0.0
            for inner in itertools.product(*(range(a.extent) for a in self.reduced)):
                position = dict(zip(self.output, outer)) | dict(zip(self.reduced, inner))
                operands = [self.element_of(v, axes, position) for v, (axes, _) in zip(values, self.inputs)]
                value = operands[0]
                for op, operand in zip(self.ops, operands[1:]):
                    value = {"mulf": value * operand, "addf": value + operand, "subf": value - operand}[op]
                value += position[self.index] if self.index else 0
                if not self.reduced:
                    total = value
                else:
                    total = max(total, value) if self.maximum else total + value
            expected.append(total)
        return expected

    def check(self, cleave_opt):
        """None, or what is wrong."""
        compiled = subprocess.run([cleave_opt, "--cleave-tiles-to-cubin=chip=sm_80 format=isa"], input=self.text(),
                                  capture_output=True, text=True)
        if compiled.returncode:
            return compiled.stderr[:2000]
        memory = Memory()
        arrays = []
        for i, (axes, element) in enumerate(self.inputs):
            count = math.prod(a.extent for a in axes)
            arrays.append(Array(memory, element, [a.extent for a in axes],
                                [(((3 + i) * j + i) % 11 - 5) * 0.25 for j in range(count)]))
        output = Array(memory, self.element, [a.extent for a in self.output])
        try:
            run_host(compiled.stdout, "f", arrays + [output], memory)
        except Error as error:
            return str(error)
        tolerance = 1e-3 if self.element == "f16" else 1e-5
        for expected, got in zip(self.reference([a.values() for a in arrays]), output.values()):
            if expected != got and not abs(expected - got) <= tolerance * max(1, abs(expected)):
                return f"expected {expected} but got {got}"
        return None


def main():
    rnd = random.Random(int(sys.argv[2]))
    failed = 0
    for i in range(int(sys.argv[3])):
        kernel = Kernel(rnd, product=i % 3 == 0)
        if wrong := kernel.check(sys.argv[1]):
            failed += 1
            print(f"kernel {i}: {wrong}\n{kernel.text()}\n")
    print(f"{failed} of {sys.argv[3]} kernels fail")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
