"""Runs PTX without a GPU: the instructions that Cleave's kernels use, thread by
thread, so that tests can compare whole kernels with naive references.

It is stricter than a GPU: an access outside of an allocation, of a misaligned
address or of shared memory that nobody has written is an error; so are shuffles
and matrix instructions without the whole warp, and two threads that touch one
byte of shared memory between the same two barriers, one of them writing.
Asynchronous copies complete as late as the waits allow; to touch their bytes
before is an error. Blocks that count each other in an atomic run in any order
asked for, and may read what another one wrote only if fences and barriers stand
between.
"""

import math
import random
import re
import struct

from ptx_memory import (bf16, bits16, bits32, bits_bf16, Error, f16, f32,
                        Global, Memory, Shared, signed, Visibility)


class Kernel:
    def __init__(self, name, params, body):
        self.name = name
        self.params = params
        self.code = []
        self.labels = {}
        for statement in body:
            label = re.match(r"(\$?\w+):\s*", statement)
            while label:
                self.labels[label[1]] = len(self.code)
                statement = statement[label.end():]
                label = re.match(r"(\$?\w+):\s*", statement)
            if not statement or statement.startswith((".reg", ".shared", ".pragma")):
                continue
            match = re.match(r"(?:@(!?)(%p\d+)\s+)?([\w.:]+)\s*(.*)$", statement, re.S)
            negated, predicate, opcode, operands = match.groups()
            self.code.append((predicate, bool(negated), opcode.split("."), _split(operands), statement))


def _split(text):
    """Splits operands at the commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "{[") - (c in "}]")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    if part.strip():
        parts.append(part.strip())
    return parts


class Module:
    def __init__(self, ptx):
        ptx = re.sub(r"//[^\n]*", "", ptx)
        self.shared = {}
        self.shared_size = 0
        for align, name, size in re.findall(r"\.shared\s+\.align\s+(\d+)\s+\.b8\s+(\w+)\[(\d+)\]", ptx):
            self.shared_size = -(-self.shared_size // int(align)) * int(align)
            self.shared[name] = self.shared_size
            self.shared_size += int(size)
        # Memory that the launch brings lies behind.
        for align, name in re.findall(r"\.extern\s+\.shared\s+\.align\s+(\d+)\s+\.b8\s+(\w+)\[\]", ptx):
            self.shared_size = -(-self.shared_size // int(align)) * int(align)
            self.shared[name] = self.shared_size
        self.kernels = {}
        for name, params, body in re.findall(r"\.entry\s+(\w+)\((.*?)\)[^{]*\{(.*?)\n\}", ptx, re.S):
            params = re.findall(r"(\w+_param_\d+)", params)
            body = re.sub(r"\$?\w+:", lambda m: ";" + m[0], body)
            statements = [" ".join(s.split()) for s in body.split(";")]
            merged, label = [], ""
            for statement in statements:
                if re.fullmatch(r"\$?\w+:", statement):
                    label += statement + " "
                elif statement:
                    merged.append(label + statement)
                    label = ""
            self.kernels[name] = Kernel(name, params, merged)

    def launch(self, name, grid, threads, params, memory, dynamic=0, order="forward"):
        """Blocks one after the other, `forward` or in `reverse`, or `together`
        in turns between what others may see."""
        kernel = self.kernels[name]
        if len(params) != len(kernel.params):
            raise Error(f"expected {len(kernel.params)} parameters of {name} but got {len(params)}")
        counts = any(op[0] == "atom" for _, _, op, _, _ in kernel.code)
        visibility = Visibility() if counts else None
        params = dict(zip(kernel.params, params))
        running = [(block, Block(self, kernel, block, grid, threads, params, Global(memory, block, visibility),
                                 dynamic).run()) for block in range(grid)]
        rnd = random.Random(grid)
        if order == "reverse":
            running.reverse()
        while running:
            place = rnd.randrange(len(running)) if order == "together" and counts else 0
            block, steps = running[place]
            try:
                if next(steps, None) is None:
                    running.pop(place)
            except Error as error:
                raise Error(f"{name}, block {block}: {error}") from None


class _Registers(dict):
    """A register that was never written is NaN in every float type: LLVM may
    move it about, but it must not reach a result."""

    def __init__(self, threads):
        super().__init__()
        self.threads = threads

    def __missing__(self, name):
        bits = {"%p": 1, "%r": 32, "%f": 32, "%h": 16}.get(name[:2], 32)
        bits = 64 if name.startswith("%rd") else 16 if name.startswith("%rs") else bits
        self[name] = [(1 << bits) - 1] * self.threads
        return self[name]


class Block:
    def __init__(self, module, kernel, block, grid, threads, params, memory, dynamic):
        self.module, self.kernel, self.params = module, kernel, params
        self.memory, self.shared = memory, Shared(module.shared_size + dynamic)
        self.visibility, self.number = memory.visibility, block
        self.threads = threads
        # Copies of each thread: the open group's, and the closed groups.
        self.open = [[] for _ in range(threads)]
        self.groups = [[] for _ in range(threads)]
        self.regs = _Registers(threads)
        self.special = {"%tid.x": lambda t: t, "%ctaid.x": lambda t: block, "%ntid.x": lambda t: threads,
                        "%nctaid.x": lambda t: grid, "%laneid": lambda t: t % 32}

    def do_cp(self, op, operands, threads):
        if op[1:] == ["async", "commit_group"]:
            for t in threads:
                self.groups[t].append(self.open[t])
                self.open[t] = []
            return
        if op[1:] == ["async", "wait_group"]:
            for t in threads:
                while len(self.groups[t]) > int(operands[0]):
                    for address, value in self.groups[t].pop(0):
                        self.shared.end_copy(address, value, t)
            return
        if op[1] != "async" or op[3:] != ["shared", "global"]:
            raise KeyError(".".join(op))
        to, source = self.address(operands[0]), self.address(operands[1])
        size = int(operands[2])
        count = self.get(operands[3]) if len(operands) > 3 else lambda t: size
        if size not in (4, 8, 16) or (op[2] == "cg" and size != 16):
            raise Error(f"a copy of {size} bytes")
        for t in threads:
            if to(t) % size or (count(t) and source(t) % size):
                raise Error(f"misaligned copy from {source(t):#x} to {to(t):#x}")
            data = self.memory.read(source(t), count(t), t) if count(t) else b""
            self.shared.start_copy(to(t), size, t)
            self.open[t].append((to(t), bytes(data) + bytes(size - count(t))))

    # Control: the threads that are furthest behind run first, so that those
    # which went separate ways meet again. Stops wherever other blocks may see
    # how far this one is.
    def run(self):
        groups = {0: list(range(self.threads))}
        waiting, exited = [], 0
        # Threads at an instruction that needs their whole warp.
        parked = {}
        while groups:
            pc = min(groups)
            active = groups.pop(pc)
            limit = min(groups) if groups else math.inf
            while active and pc < limit:
                if pc >= len(self.kernel.code):
                    exited += len(active)
                    active = []
                    break
                predicate, negated, op, operands, text = self.kernel.code[pc]
                taken = active
                if predicate:
                    values = self.regs[predicate]
                    taken = [t for t in active if bool(values[t]) != negated]
                if op[0] == "ret":
                    exited += len(taken)
                    active = [t for t in active if t not in set(taken)] if predicate else []
                elif op[0] == "bra":
                    target = self.kernel.labels[operands[0]]
                    rest = [t for t in active if t not in set(taken)] if predicate else []
                    for where, group in ((target, taken), (pc + 1, rest)):
                        if group:
                            groups.setdefault(where, []).extend(group)
                    active = []
                    break
                elif op[0] == "bar" or op[0] == "barrier":
                    waiting += [(pc + 1, active)]
                    active = []
                else:
                    if op[0] in ("atom", "fence"):
                        yield pc
                    if op[0] in ("shfl", "mma", "ldmatrix") and not predicate:
                        active = taken = self.park(parked, pc, active)
                    try:
                        self.execute(op, operands, taken)
                    except KeyError as error:
                        raise Error(f"'{text}' is not known to the emulator: {error}") from None
                    except Error as error:
                        raise Error(f"{error} in '{text}'") from None
                pc += 1
            if active:
                groups.setdefault(pc, []).extend(active)
            if not groups and parked:
                pc = min(parked)
                raise Error(f"needs all lanes of the warp: '{self.kernel.code[pc][4]}'")
            if not groups and waiting:
                if sum(len(group) for _, group in waiting) != self.threads - exited:
                    raise Error("a barrier that not all threads reach")
                if len({where for where, _ in waiting}) != 1:
                    raise Error("threads wait at different barriers")
                pc = waiting[0][0]
                groups[pc] = sorted(t for _, group in waiting for t in group)
                waiting = []
                self.shared.barrier()
                if self.visibility:
                    self.visibility.barrier(self.number)
                self.vote(self.kernel.code[pc - 1], groups[pc])
                yield pc

    def vote(self, barrier, threads):
        _, _, op, operands, _ = barrier
        if "red" not in op:
            return
        if op[op.index("red") + 1] != "or" or op[-1] != "pred":
            raise Error(f"'{barrier[4]}' is not known to the emulator")
        mine = self.get(operands[-1])
        any_of = int(any(mine(t) & 1 for t in threads))
        self.set(operands[0], threads, lambda t: any_of)

    def do_fence(self, op, operands, threads):
        if op[1:] != ["acq_rel", "gpu"]:
            raise KeyError(".".join(op))
        for t in threads:
            self.visibility.fence(self.number, t)

    def do_atom(self, op, operands, threads):
        if op[-2:] != ["inc", "u32"]:
            raise KeyError(".".join(op))
        address, limit = self.address(operands[1]), self.get(operands[2])
        for t in threads:
            place = address(t)
            if place % 4:
                raise Error(f"misaligned access at {place:#x}")
            self.visibility.atomic(self.number, t, place)
            memory = self.memory.memory
            old = int.from_bytes(memory.read(place, 4, t), "little")
            memory.write(place, (0 if old >= limit(t) else old + 1).to_bytes(4, "little"), t)
            self.set(operands[0], [t], lambda t: old)

    def park(self, parked, pc, active):
        """Keeps threads back until their warp is whole; returns the others."""
        arrived = sorted(active + parked.pop(pc, []))
        count = {}
        for t in arrived:
            count[t // 32] = count.get(t // 32, 0) + 1
        rest = [t for t in arrived if count[t // 32] < 32]
        if rest:
            parked[pc] = rest
        return [t for t in arrived if count[t // 32] == 32]

    # Operands.
    def get(self, operand):
        """A function from the thread to the operand's bits."""
        if operand.startswith("-%") or operand.startswith("!%"):
            raise Error(f"operand {operand} is not known to the emulator")
        if operand in self.special:
            return self.special[operand]
        if operand.startswith("%"):
            return self.regs[operand].__getitem__
        if operand.startswith("0f"):
            value = int(operand[2:], 16)
        elif operand.startswith("0d"):
            value = int(operand[2:], 16)
        elif operand.startswith("0x"):
            value = int(operand[2:].rstrip('U'), 16)
        elif operand in self.module.shared:
            value = self.module.shared[operand]
        else:
            value = int(operand)
        return lambda t: value

    def set(self, operand, threads, function):
        if operand == "_":
            return
        register = self.regs[operand]
        results = [function(t) for t in threads]
        for t, value in zip(threads, results):
            register[t] = value

    def address(self, operand):
        match = re.match(r"\[([%\w$.]+)(?:\+(-?\d+))?\]$", operand)
        base, offset = self.get(match[1]), int(match[2] or 0)
        return lambda t: base(t) + offset

    @staticmethod
    def elements(operand):
        return _split(operand[1:-1]) if operand.startswith("{") else [operand]

    # Instructions.
    def execute(self, op, operands, threads):
        if not threads:
            return
        getattr(self, "do_" + op[0], self.do_arithmetic)(op, operands, threads)

    def do_griddepcontrol(self, op, operands, threads):
        """Grids run one after the other here."""

    def do_ld(self, op, operands, threads):
        if op[1] == "param":
            value = self.params[operands[1].strip("[]")]
            return self.set(operands[0], threads, lambda t: value)
        space = self.shared if op[1] == "shared" else self.memory
        size = int(op[-1][1:]) // 8
        registers = self.elements(operands[0])
        address = self.address(operands[1])
        values = {}
        for t in threads:
            where = address(t)
            if where % (size * len(registers)):
                raise Error(f"misaligned access at {where:#x}")
            values[t] = space.read(where, size * len(registers), t)
        for i, register in enumerate(registers):
            self.set(register, threads,
                     lambda t, i=i: int.from_bytes(values[t][i * size:(i + 1) * size], "little"))

    def do_st(self, op, operands, threads):
        space = self.shared if op[1] == "shared" else self.memory
        width = int(op[-1][1:])
        address = self.address(operands[0])
        values = [self.get(v) for v in self.elements(operands[1])]
        for t in threads:
            where = address(t)
            if where % (width // 8 * len(values)):
                raise Error(f"misaligned access at {where:#x}")
            data = b"".join((v(t) & ((1 << width) - 1)).to_bytes(width // 8, "little") for v in values)
            space.write(where, data, t)

    def do_mov(self, op, operands, threads):
        target, source = self.elements(operands[0]), self.elements(operands[1])
        width = int(op[1][1:]) if op[1] != "pred" else 1
        if len(source) > 1:
            part = width // len(source)
            values = [self.get(s) for s in source]
            return self.set(target[0], threads, lambda t: sum(
                (v(t) & ((1 << part) - 1)) << (part * i) for i, v in enumerate(values)))
        part, value = width // len(target), self.get(source[0])
        for i, register in enumerate(target):
            self.set(register, threads, lambda t, i=i: (value(t) >> (part * i)) & ((1 << part) - 1))

    def do_cvta(self, op, operands, threads):
        self.set(operands[0], threads, self.get(operands[1]))

    def do_cvt(self, op, operands, threads):
        target, source = op[-2], op[-1]
        if target in ("f16x2", "bf16x2"):
            to = bits16 if target == "f16x2" else bits_bf16
            high, low = self.get(operands[1]), self.get(operands[2])
            return self.set(operands[0], threads, lambda t: to(f32(high(t))) << 16 | to(f32(low(t))))
        value = self.get(operands[1])
        decode = {"f32": f32, "f16": f16, "bf16": bf16}.get(source)
        if not decode:
            width = int(source[1:])
            decode = (lambda b: signed(b & ((1 << width) - 1), width)) if source[0] == "s" else (
                lambda b: b & ((1 << width) - 1))
        encode = {"f32": bits32, "f16": bits16, "bf16": bits_bf16}.get(target)
        if not encode:
            mask = (1 << int(target[1:])) - 1
            encode = lambda v: int(v) & mask
        self.set(operands[0], threads, lambda t: encode(decode(value(t))))

    def warps(self, threads):
        active = set(threads)
        for warp in sorted({t // 32 for t in threads}):
            lanes = range(warp * 32, warp * 32 + 32)
            if not active.issuperset(lanes):
                raise Error("needs all lanes of the warp")
            yield lanes

    def do_shfl(self, op, operands, threads):
        register = operands[0].split("|")[0]
        value, lane, clamp = (self.get(o) for o in operands[1:4])
        results = {}
        for lanes in self.warps(threads):
            for t in lanes:
                if clamp(t) != 31:
                    raise Error("a shuffle of parts of a warp is not known to the emulator")
                i = t % 32
                source = {"bfly": i ^ lane(t), "idx": lane(t) & 31, "down": i + lane(t)}[op[2]]
                results[t] = value(lanes[source if source < 32 else i])
        self.set(register, threads, results.__getitem__)

    def do_mma(self, op, operands, threads):
        if op[3] != "m16n8k16" or op[-4] != "f32" or op[-1] != "f32":
            raise Error("shape not known to the emulator")
        half = {"f16": f16, "bf16": bf16}[op[-3]]
        a, b, c = ([self.get(r) for r in self.elements(o)] for o in operands[1:4])
        results = {}
        for lanes in self.warps(threads):
            left = [[0.0] * 16 for _ in range(16)]
            right = [[0.0] * 16 for _ in range(8)]
            for i, t in enumerate(lanes):
                row, column = i // 4, i % 4 * 2
                for j in range(4):
                    for k in range(2):
                        left[row + j % 2 * 8][column + j // 2 * 8 + k] = half(a[j](t) >> (16 * k) & 0xFFFF)
                for j in range(2):
                    for k in range(2):
                        right[row][column + j * 8 + k] = half(b[j](t) >> (16 * k) & 0xFFFF)
            for i, t in enumerate(lanes):
                for j in range(4):
                    x, y = left[i // 4 + j // 2 * 8], right[i % 4 * 2 + j % 2]
                    results[t, j] = bits32(f32(c[j](t)) + sum(p * q for p, q in zip(x, y)))
        for j, register in enumerate(self.elements(operands[0])):
            self.set(register, threads, lambda t, j=j: results[t, j])

    def do_ldmatrix(self, op, operands, threads):
        registers, address = self.elements(operands[0]), self.address(operands[1])
        results = {}
        for lanes in self.warps(threads):
            for i in range(len(registers)):
                rows = []
                for t in lanes[8 * i:8 * i + 8]:
                    where = address(t)
                    if where % 16:
                        raise Error(f"misaligned access at {where:#x}")
                    row = self.shared.read(where, 16, t)
                    rows.append([int.from_bytes(row[2 * j:2 * j + 2], "little") for j in range(8)])
                for lane, t in enumerate(lanes):
                    row, column = lane // 4, lane % 4 * 2
                    pair = ([rows[column][row], rows[column + 1][row]] if "trans" in op
                            else rows[row][column:column + 2])
                    results[t, i] = pair[1] << 16 | pair[0]
        for i, register in enumerate(registers):
            self.set(register, threads, lambda t, i=i: results[t, i])

    def do_setp(self, op, operands, threads):
        x, y = self.get(operands[1]), self.get(operands[2])
        decode = self.decoder(op[-1])
        compare = {
            "eq": lambda p, q: p == q, "ne": lambda p, q: p != q and p == p and q == q,
            "lt": lambda p, q: p < q, "le": lambda p, q: p <= q,
            "gt": lambda p, q: p > q, "ge": lambda p, q: p >= q,
            "neu": lambda p, q: p != q, "nan": lambda p, q: p != p or q != q,
            "num": lambda p, q: p == p and q == q, "ltu": lambda p, q: not p >= q,
            "leu": lambda p, q: not p > q, "gtu": lambda p, q: not p <= q, "geu": lambda p, q: not p < q,
            "equ": lambda p, q: p == q or p != p or q != q}[op[1]]
        self.set(operands[0], threads, lambda t: int(compare(decode(x(t)), decode(y(t)))))

    def do_selp(self, op, operands, threads):
        x, y, p = (self.get(o) for o in operands[1:4])
        self.set(operands[0], threads, lambda t: x(t) if p(t) else y(t))

    def decoder(self, kind):
        if kind == "f32":
            return f32
        if kind in ("f16", "bf16"):
            return f16 if kind == "f16" else bf16
        width = 1 if kind == "pred" else int(kind[1:])
        mask = (1 << width) - 1
        if kind[0] == "s":
            return lambda b: signed(b & mask, width)
        return lambda b: b & mask

    def do_packed(self, op, operands, threads):
        """Two halves a register."""
        sources = [self.get(o) for o in operands[1:]]
        for part in range(2):
            self.regs[f"%part{part}"] = [0] * self.threads
            for i, source in enumerate(sources):
                self.set(f"%half{i}", threads, lambda t: source(t) >> (16 * part) & 0xFFFF)
            self.do_arithmetic(op[:-1] + [op[-1][:-2]],
                               [f"%part{part}"] + [f"%half{i}" for i in range(len(sources))], threads)
        low, high = self.regs["%part0"], self.regs["%part1"]
        self.set(operands[0], threads, lambda t: high[t] << 16 | low[t])

    def do_arithmetic(self, op, operands, threads):
        kind = op[-1]
        if kind in ("f16x2", "bf16x2"):
            return self.do_packed(op, operands, threads)
        decode = self.decoder(kind)
        if kind in ("f32", "f16", "bf16"):
            table, encode = _FLOAT, {"f32": bits32, "f16": bits16, "bf16": bits_bf16}[kind]
        else:
            mask = (1 << (1 if kind == "pred" else int(kind[1:]))) - 1
            table = _INT
            if "wide" in op:
                mask = (1 << 2 * int(kind[1:])) - 1
            encode = lambda v: v & mask
        if op[0] == "bfe" and kind[0] == "s":
            x, start, length = (self.get(o) for o in operands[1:])
            return self.set(operands[0], threads, lambda t: encode(
                signed(_bfe(decode(x(t)), start(t), length(t)), length(t) or 1)))
        function = table[op[0] + (".nan" if "NaN" in op else "")]
        sources = [self.get(o) for o in operands[1:]]
        if op[0] == "mad" and "wide" in op:
            raise Error("not known to the emulator")
        if "hi" in op:
            if op[0] != "mul":
                raise Error("not known to the emulator")
            function = lambda x, y: (x * y) >> int(kind[1:])
        self.set(operands[0], threads, lambda t: encode(function(*(decode(s(t)) for s in sources))))


def _divide(x, y):
    if y == 0 or x != x or y != y:
        return math.nan if x == 0 or x != x or y != y else math.copysign(math.inf, x) * math.copysign(1, y)
    return x / y


def _exp2(x):
    try:
        return 2.0 ** x
    except OverflowError:
        return math.inf


def _rsqrt(x):
    return math.nan if x != x or x < 0 else math.inf if x == 0 else 1 / math.sqrt(x)


def _log2(x):
    return math.nan if x != x or x < 0 else -math.inf if x == 0 else math.inf if x == math.inf else math.log2(x)


def _maximum(x, y):
    """The larger one, where 0 is larger than -0; the number if one is NaN."""
    if x == y:
        return x if math.copysign(1, x) > 0 else y
    return y if x != x or x < y else x


_FLOAT = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "fma": lambda x, y, z: x * y + z, "neg": lambda x: -x, "abs": abs,
    "div": _divide, "rcp": lambda x: _divide(1.0, x), "ex2": _exp2, "rsqrt": _rsqrt, "lg2": _log2,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "max": _maximum, "min": lambda x, y: -_maximum(-x, -y),
    "max.nan": lambda x, y: math.nan if x != x or y != y else _maximum(x, y),
    "min.nan": lambda x, y: math.nan if x != x or y != y else -_maximum(-x, -y),
}


def _bfe(value, start, length):
    return value >> (start & 0xFF) & ((1 << (length & 0xFF)) - 1)


def _prmt(low, high, selector):
    """Four bytes of two words; the upper bit of a choice repeats the byte's sign."""
    both = low & 0xFFFFFFFF | (high & 0xFFFFFFFF) << 32
    result = 0
    for place in range(4):
        choice = selector >> 4 * place & 0xF
        byte = both >> 8 * (choice & 7) & 0xFF
        if choice & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * place
    return result


_INT = {
    "prmt": _prmt,
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "mad": lambda x, y, z: x * y + z, "neg": lambda x: -x, "abs": abs, "min": min, "max": max,
    "div": lambda x, y: (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1),
    "rem": lambda x, y: abs(x) % abs(y) * (-1 if x < 0 else 1),
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y, "not": lambda x: ~x,
    "shl": lambda x, y: x << min(y, 64), "shr": lambda x, y: x >> min(y, 64), "bfe": _bfe,
}


class Array:
    """A row-major array in global memory."""

    FORMATS = {"f16": "e", "f32": "f", "i32": "i", "i64": "q", "i1": "?"}

    def __init__(self, memory, kind, shape, values=None):
        self.kind, self.shape, self.memory = kind, list(shape), memory
        count = math.prod(shape)
        if kind == "bf16":
            data = struct.pack(f"<{count}H", *map(bits_bf16, values)) if values else b"\xff" * (2 * count)
        elif values is not None:
            data = struct.pack(f"<{count}{self.FORMATS[kind]}", *values)
        else:
            # NaN, so that what nobody writes is seen.
            data = b"\xff" * (count * struct.calcsize(self.FORMATS[kind]))
        self.address = memory.alloc(data)
        self.bytes = len(data)

    def values(self):
        data = self.memory.read(self.address, self.bytes, None) if self.bytes else b""
        count = math.prod(self.shape)
        if self.kind == "bf16":
            return [bf16(b) for b in struct.unpack(f"<{count}H", data)]
        return list(struct.unpack(f"<{count}{self.FORMATS[self.kind]}", data))


def ptx_of(module):
    """The PTX text in a module's gpu.binary ops."""
    text = ""
    for escaped in re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', module, re.S):
        text += re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1],
                       escaped).rstrip("\0")
    return text


class Index(int):
    """An index of the host form; `@` divides upwards."""

    def __matmul__(self, other):
        return -(-self // other)


def apply_affine(text, values):
    """Of `affine_map<(d0)[s0] -> (...)>` on dimensions and symbols in order."""
    names, result = re.match(r"affine_map<(.*?) -> \((.*)\)>", text).groups()
    scope = {name: Index(value) for name, value in zip(re.findall(r"\w+", names), values)}
    for word, operator in (("ceildiv", "@"), ("floordiv", "//"), ("mod", "%")):
        result = result.replace(word, operator)
    return [int(eval(expr, {"__builtins__": {}}, scope)) for expr in result.split(", ")]


def run_host(module, function, arguments, memory, order="forward", repeat=1, edit=lambda ptx: ptx):
    """Runs a function of the host form: see docs/scheduled-form.md. Makes its
    launches `repeat` times over."""
    ptx = Module(edit(ptx_of(module)))
    launches, zeros = evaluate_host(module, function, arguments, memory)
    for _ in range(repeat):
        for name, grid, threads, params, dynamic in launches:
            ptx.launch(name, grid, threads, params, memory, dynamic, order)
        for array in zeros:
            if any(array.values()):
                raise Error(f"zeros became {array.values()}")


def evaluate_host(module, function, arguments, memory):
    """The launches, and the arrays that hold zeros between them."""
    head = re.search(r"func\.func @" + function + r"\(([^\n]*)\)(?: attributes \{[^\n]*\})? \{\n(.*?)\n  \}",
                     module, re.S)
    launches, zeros = [], []
    names = re.findall(r"(%\w+): memref", head[1].split("\n")[0])
    values = dict(zip(names, arguments))
    if len(names) != len(arguments):
        raise Error(f"expected {len(names)} arguments but got {len(arguments)}")
    arith = {"ceildivui": lambda x, y: -(-x // y), "ceildivsi": lambda x, y: -(-x // y), "addi": lambda x, y: x + y,
             "subi": lambda x, y: x - y, "muli": lambda x, y: x * y, "divsi": lambda x, y: x // y, "maxsi": max,
             "minsi": min}
    maps = dict(re.findall(r"^(#map\d*) = (affine_map<.*>)$", module, re.M))
    # Of the branches around a line, whether they are taken.
    taken = []
    for line in map(str.strip, head[2].split("\n")):
        if line == "} else {":
            taken[-1] = not taken[-1]
        elif re.match(r"\}( \{cleave\.when = .*\})?$", line):
            taken.pop()
        elif match := re.match(r"scf\.if (%\w+) \{", line):
            taken.append(bool(values.get(match[1])))
        elif not all(taken):
            continue
        elif match := re.match(r"(%\w+) = arith\.cmpi sle, (%\w+), (%\w+) : index", line):
            values[match[1]] = values[match[2]] <= values[match[3]]
        elif match := re.match(r"(%\w+) = arith\.andi (%\w+), (%\w+) : i1", line):
            values[match[1]] = values[match[2]] and values[match[3]]
        elif match := re.match(r"(%\w+) = arith\.constant (-?\d+) : (?:index|i32)", line):
            values[match[1]] = int(match[2])
        elif match := re.match(r"(%\w+) = memref\.dim (%\w+), (%\w+)", line):
            values[match[1]] = values[match[2]].shape[values[match[3]]]
        elif match := re.match(r"(%\w+) = affine\.(\w+) (#map\d*|affine_map<.*?>)(\(.*)", line):
            numbers = apply_affine(maps.get(match[3], match[3]), [values[v] for v in re.findall(r"%\w+", match[4])])
            values[match[1]] = max(numbers) if match[2] == "max" else min(numbers)
        elif match := re.match(r"(%\w+) = arith\.(\w+) (%\w+), (%\w+) : index", line):
            values[match[1]] = arith[match[2]](values[match[3]], values[match[4]])
        elif match := re.match(r"(%\w+) = memref\.alloc\((.*)\)( \{cleave\.zeros\})? : memref<(.*)>", line):
            *dims, kind = match[4].split("x")
            sizes = iter(values[v] for v in match[2].split(", ") if v)
            shape = [next(sizes) if d == "?" else int(d) for d in dims]
            values[match[1]] = Array(memory, kind, shape, [0] * math.prod(shape) if match[3] else None)
            if match[3]:
                zeros.append(values[match[1]])
        elif match := re.match(r"gpu\.launch_func +@\w+::@(\w+) blocks in \((.*?), .*threads in \((.*?), [^)]*\)"
                               r"(?: +dynamic_shared_memory_size (%\w+))? +args\((.*)\)", line):
            params = []
            for operand, kind in (a.split(" : ") for a in re.split(r", (?=%)", match[5])):
                if kind == "index":
                    params.append(values[operand] & ((1 << 64) - 1))
                    continue
                array = values[operand]
                params.append(array.address)
                params += [size for size, dim in zip(array.shape, kind[7:].split("x")) if dim == "?"]
            launches.append((match[1], values[match[2]], values[match[3]], params,
                             values[match[4]] if match[4] else 0))
        elif line and line != "return":
            raise Error(f"'{line}' is not known in the host form")
    return launches, zeros
