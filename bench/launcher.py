# Part of the Cleave project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches what `cleave-run --dry-run --json` wrote, on torch's stream.

A program is cubins and, for each binding, the launches of a call. All memory
for results and temporaries lies between guard zones and is poisoned once.
"""

import base64
import ctypes
import json

GUARD = 4096
GUARD_BYTE = 0xA5
# A NaN of any float type that no instruction makes.
POISON_BYTE = 0xFF
MAX_DYNAMIC_SHARED_SIZE = 8
TYPES = {"f16": "float16", "f32": "float32", "bf16": "bfloat16", "i32": "int32"}


class CudaError(RuntimeError):
    pass


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute; all that is used of its values is a number."""
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4),
                ("number", ctypes.c_int), ("rest", ctypes.c_char * 60)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(LaunchAttribute)),
                ("count", ctypes.c_uint)]


# The kernel waits for the grids before it by itself.
OVERLAPS = LaunchAttribute(id=6, number=1)


class Cuda:
    """The driver, in the context that torch has made current."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise CudaError(f"{name}: {(text.value or b'?').decode()}")

    def load(self, image):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def function(self, module, name, shared):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module,
                  name.encode())
        if shared:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE,
                      ctypes.c_int(shared))
        return function


class Buffer:
    """Device memory between guard zones, full of poison or of zeros."""

    def __init__(self, torch, bytes, zeros=False):
        self.bytes = bytes
        # Keeps what follows the guard aligned, whatever the size.
        self.memory = torch.empty(bytes + 2 * GUARD, dtype=torch.uint8,
                                  device="cuda")
        self.memory[:GUARD].fill_(GUARD_BYTE)
        self.memory[GUARD + bytes:].fill_(GUARD_BYTE)
        self.inside = self.memory[GUARD:GUARD + bytes]
        self.inside.fill_(0 if zeros else POISON_BYTE)

    @property
    def pointer(self):
        return self.memory.data_ptr() + GUARD

    def is_guarded(self):
        return bool((self.memory[:GUARD] == GUARD_BYTE).all() and
                    (self.memory[GUARD + self.bytes:] == GUARD_BYTE).all())


class Result(Buffer):
    def __init__(self, torch, port):
        kind = getattr(torch, TYPES[port["type"]])
        size = kind.itemsize
        for extent in port["shape"]:
            size *= extent
        super().__init__(torch, size)
        self.tensor = self.inside.view(kind).view(port["shape"])
        word = torch.int16 if kind.itemsize == 2 else torch.int32
        self.words = self.inside.view(word)
        self.poison = int.from_bytes(bytes([POISON_BYTE] * kind.itemsize),
                                     "little", signed=True)

    def unwritten(self):
        return int((self.words == self.poison).sum())


class InPlace:
    """A result that has an argument's memory."""
    bytes = 0

    def __init__(self, tensor):
        self.tensor, self.pointer = tensor, tensor.data_ptr()

    def is_guarded(self):
        return True

    def unwritten(self):
        return 0


class Program:
    """One compiled function: any number of bindings."""

    def __init__(self, torch, cuda, path):
        with open(path) as file:
            self.json = json.load(file)
        self.torch, self.cuda = torch, cuda
        self.modules = {}

    def module(self, name):
        if name not in self.modules:
            image = base64.b64decode(self.json["modules"][name])
            self.modules[name] = self.cuda.load(image)
        return self.modules[name]

    def call(self, extents):
        """The call for these extents of its axes, or None."""
        for run in self.json["runs"]:
            if all(run["bind"].get(axis) == extent
                   for axis, extent in extents.items()):
                return Call(self, run)
        return None


class Call:
    """The launches of one binding, for any arguments and results."""

    def __init__(self, program, run):
        self.torch, self.cuda = program.torch, program.cuda
        self.arguments, self.results = run["arguments"], run["results"]
        self.launches = run["launches"]
        self.temporaries = [Buffer(self.torch, each["bytes"], each["zeros"])
                            for each in run["temporaries"]]
        self.functions = [
            self.cuda.function(program.module(launch["module"]),
                               launch["kernel"], launch["shared"])
            for launch in self.launches]

    def allocate(self):
        """Memory for the results that have memory of their own."""
        return [None if "alias" in port else Result(self.torch, port)
                for port in self.results]

    def results_of(self, memory, tensors):
        """All results, of which some lie in arguments."""
        return [result or InPlace(tensors[port["alias"]])
                for result, port in zip(memory, self.results)]

    def check_arguments(self, tensors):
        for port, tensor in zip(self.arguments, tensors, strict=True):
            kind = getattr(self.torch, TYPES[port["type"]])
            if (list(tensor.shape) != port["shape"] or tensor.dtype != kind or
                    not tensor.is_contiguous() or tensor.data_ptr() % 16):
                raise ValueError(f"argument {port['name']}: expected a row-"
                                 f"major {port['type']} {port['shape']} but "
                                 f"got {tensor.dtype} {list(tensor.shape)}")

    def bind(self, tensors, results, overlap=True):
        """A function that enqueues the call on torch's current stream."""
        self.check_arguments(tensors)
        pointers = {"argument": [t.data_ptr() for t in tensors],
                    "result": [r.pointer for r in results],
                    "temporary": [t.pointer for t in self.temporaries]}
        prepared = []
        for launch, function in zip(self.launches, self.functions):
            values = [p if isinstance(p, int) else
                      next(pointers[role][i] for role, i in p.items())
                      for p in launch["params"]]
            holders = [ctypes.c_uint64(v & (1 << 64) - 1) for v in values]
            params = (ctypes.c_void_p * len(holders))(
                *(ctypes.addressof(holder) for holder in holders))
            config = LaunchConfig(
                (ctypes.c_uint * 3)(*launch["grid"]),
                (ctypes.c_uint * 3)(*launch["block"]), launch["shared"], None,
                ctypes.pointer(OVERLAPS), int(overlap and launch["overlaps"]))
            prepared.append((function, config, params, holders))

        def enqueue():
            stream = self.torch.cuda.current_stream().cuda_stream
            for function, config, params, _ in prepared:
                config.stream = stream
                self.cuda.call("cuLaunchKernelEx", ctypes.byref(config),
                               function, params, None)
        return enqueue

    def fault(self, results):
        """What is wrong with memory after a call, or None."""
        for port, result in zip(self.results, results):
            if not result.is_guarded():
                return f"wrote beside {port['name']}"
            if count := result.unwritten():
                return f"{count} elements of {port['name']} not written"
        for number, temporary in enumerate(self.temporaries):
            if not temporary.is_guarded():
                return f"wrote beside temporary {number}"
        return None
