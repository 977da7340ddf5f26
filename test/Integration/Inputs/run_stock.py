# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs plain linalg with the stock tools and compares with the evaluator.

run_stock.py --source GRAPH.mlir --plain PLAIN.mlir --entry NAME
             --arguments 'X=3x5xf16 W=5x7xf16' --results Y [--bind S=4]
             --dir SCRATCH --libraries DIR --tool CLEAVE_RUN

PLAIN.mlir is what cleave-opt made of GRAPH.mlir. A main that calls it on random
constants goes through mlir-opt, which knows no Cleave, and mlir-runner; the
evaluator gets the same numbers as .npy files.
"""

import argparse
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys

CODES = {"f16": ("<f2", "e"), "f32": ("<f4", "f"), "i1": ("|b1", "?"),
         "i32": ("<i4", "i")}
PIPELINE = ("builtin.module(func.func(convert-elementwise-to-linalg{fuse}),"
            "one-shot-bufferize{{bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map}},"
            "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
            "func.func(convert-linalg-to-loops),convert-scf-to-cf,"
            "expand-strided-metadata,lower-affine,convert-math-to-llvm,"
            "convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)")


class Argument:
    def __init__(self, text, rng, limit):
        self.name, _, type_text = text.partition("=")
        *shape, self.element = type_text.split("x")
        self.shape = [int(extent) for extent in shape]
        count = math.prod(self.shape)
        if self.element[0] == "f":
            values = [rng.gauss(0, 1) for _ in range(count)]
        else:
            values = [rng.randrange(limit) for _ in range(count)]
        self.data = struct.pack(f"<{count}{CODES[self.element][1]}", *values)

    def type(self):
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + self.element + ">"

    def write_npy(self, path):
        shape = "(" + "".join(f"{n}," for n in self.shape) + ")"
        header = (f"{{'descr': '{CODES[self.element][0]}', "
                  f"'fortran_order': False, 'shape': {shape}, }}")
        header += " " * (-(len(header) + 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
            file.write(header.encode() + self.data)

    def constant(self, name):
        if not self.data:
            return f"  {name} = tensor.empty() : {self.type()}\n"
        if self.element == "i1":
            bits = ", ".join("true" if byte else "false" for byte in self.data)
            flat = f"tensor<{len(self.data)}xi1>"
            return (f"  {name}_flat = arith.constant dense<[{bits}]> : {flat}\n"
                    f"  {name}_shape = arith.constant dense<{self.shape}> : "
                    f"tensor<{len(self.shape)}xindex>\n"
                    f"  {name} = tensor.reshape {name}_flat({name}_shape) : "
                    f"({flat}, tensor<{len(self.shape)}xindex>) -> {self.type()}\n")
        return (f"  {name} = arith.constant dense<\"0x{self.data.hex().upper()}\">"
                f" : {self.type()}\n")


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    code = re.search(rb"'descr': '.(\w\d)'", data[10:10 + length]).group(1).decode()
    body = data[10 + length:]
    code = {"f2": "e", "f4": "f"}[code]
    return struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)


def make_main(plain, entry, arguments):
    """`plain` with a main that prints all results of `entry`."""
    signature = re.search(rf"func\.func @{entry}\((.*?)\) -> (\(?.*?\)?) \{{", plain)
    tensor = r"tensor<[^>]*>"
    parameters = re.findall(tensor, signature.group(1))
    results = re.findall(tensor, signature.group(2))
    main = "func.func @main() {\n"
    for i, (argument, parameter) in enumerate(zip(arguments, parameters)):
        main += argument.constant(f"%a{i}")
        main += f"  %p{i} = tensor.cast %a{i} : {argument.type()} to {parameter}\n"
    operands = ", ".join(f"%p{i}" for i in range(len(arguments)))
    main += (f"  %r:{len(results)} = func.call @{entry}({operands}) : "
             f"({', '.join(parameters)}) -> ({', '.join(results)})\n")
    for i, result in enumerate(results):
        wide, value = re.sub(r"f16>$", "f32>", result), f"%r#{i}"
        if wide != result:
            main += f"  %w{i} = arith.extf {value} : {result} to {wide}\n"
            value = f"%w{i}"
        main += (f"  %u{i} = tensor.cast {value} : {wide} to tensor<*xf32>\n"
                 f"  call @printMemrefF32(%u{i}) : (tensor<*xf32>) -> ()\n")
    main += ("  return\n}\n"
             "func.func private @printMemrefF32(tensor<*xf32>)\n")
    return plain.rstrip().removesuffix("}") + main + "}\n"


def run(command, text=None):
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def run_stock(module, options):
    fuse = ",linalg-fuse-elementwise-ops" if options.fuse else ""
    lowered = run(["mlir-opt", "--pass-pipeline=" + PIPELINE.format(fuse=fuse)],
                  module)
    libraries = ",".join(os.path.join(options.libraries, name) for name in (
        "libmlir_runner_utils.so", "libmlir_c_runner_utils.so"))
    printed = run(["mlir-runner", "-e", "main", "--entry-point-result=void",
                   "--shared-libs=" + libraries], lowered)
    number = r"-?(?:nan|inf|\d[\d.e+-]*)"
    return [[float(value) for value in re.findall(number, part)]
            for part in printed.split("data =")[1:]
            for part in [part.split("Unranked")[0]]]


def compare(name, values, reference, tolerance):
    if len(values) != len(reference):
        sys.exit(f"{name}: expected {len(reference)} numbers but got {len(values)}")
    error = norm = 0.0
    for value, expected in zip(values, reference):
        if math.isfinite(value) and math.isfinite(expected):
            error += (value - expected) ** 2
            norm += expected ** 2
        elif not (value == expected or
                  (math.isnan(value) and math.isnan(expected))):
            sys.exit(f"{name}: expected {expected} but got {value}")
    relative = math.sqrt(error / norm if norm else error)
    print(f"{name}: {len(values)} numbers, relative L2 {relative:.1e}: "
          f"{'ok' if relative <= tolerance else 'WRONG'}")
    return relative <= tolerance


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "plain", "entry", "arguments", "results", "dir",
                 "libraries", "tool"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--bind", default="")
    parser.add_argument("--limit", type=int, default=2, help="of integers")
    parser.add_argument("--tolerance", type=float, default=2e-3)
    parser.add_argument("--fuse", action="store_true")
    options = parser.parse_args()
    shutil.rmtree(options.dir, ignore_errors=True)
    os.makedirs(options.dir)
    rng = random.Random(options.entry + options.arguments)
    arguments = [Argument(text, rng, options.limit)
                 for text in options.arguments.split()]
    with open(options.plain) as file:
        module = make_main(file.read(), options.entry, arguments)
    results = run_stock(module, options)

    command = [options.tool, options.source, "--entry=" + options.entry,
               "--device=evaluator", "--output-dir=" + options.dir]
    if options.bind:
        command.append("--bind=" + options.bind)
    for argument in arguments:
        path = os.path.join(options.dir, argument.name + ".npy")
        argument.write_npy(path)
        command += ["--input", f"{argument.name}={path}"]
    run(command)
    names = options.results.split()
    if len(names) != len(results):
        sys.exit(f"expected {len(names)} results but got {len(results)}")
    good = [compare(name, values,
                    read_npy(os.path.join(options.dir, name + ".npy")),
                    options.tolerance)
            for name, values in zip(names, results)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
