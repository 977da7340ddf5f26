"""Numbers and memory of the PTX emulator: what lies there, who has written it, and
who may see that."""

import struct

_F32, _U32, _F16, _U16 = (struct.Struct(f) for f in ("<f", "<I", "<e", "<H"))


def f32(bits):
    return _F32.unpack(_U32.pack(bits))[0]


def bits32(value):
    try:
        return _U32.unpack(_F32.pack(value))[0]
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000


def f16(bits):
    return _F16.unpack(_U16.pack(bits))[0]


def bits16(value):
    try:
        return _U16.unpack(_F16.pack(value))[0]
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def bf16(bits):
    return f32(bits << 16)


def bits_bf16(value):
    bits = bits32(value)
    if value != value:
        return 0x7FC0
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


class Error(Exception):
    pass


class Memory:
    """Global memory: allocations with gaps between them."""

    def __init__(self):
        self.blocks = []
        self.next = 1 << 32

    def alloc(self, data):
        address = self.next
        self.blocks.append((address, bytearray(data)))
        self.next += (len(data) + 0xFFFF) & ~0xFF
        return address

    def find(self, address, size, slack=0):
        for base, data in self.blocks:
            # LLVM may widen a load to 16 aligned bytes, which cannot fault.
            end = base + (len(data) + slack & ~slack)
            if base <= address and address + size <= end:
                return data, address - base
        raise Error(f"access of {size} bytes outside of all allocations at {address:#x}")

    def read(self, address, size, thread):
        data, offset = self.find(address, size, slack=15)
        value = bytes(data[offset:offset + size])
        return value + b"\xff" * (size - len(value))

    def write(self, address, value, thread):
        data, offset = self.find(address, len(value))
        data[offset:offset + len(value)] = value


class Visibility:
    """What the blocks of one launch may know of each other's writes to global
    memory. A write is known behind: a barrier of its block, a fence of one of
    its threads, that thread's atomic; an atomic of the same place by a thread of
    another block, a fence of that thread, a barrier of that block."""

    def __init__(self):
        self.writes = {}  # by word: the block, the thread, the block's epoch
        self.epoch = {}  # by block
        self.known = {}  # by block, then other block: its epochs below
        self.fenced = {}  # by thread: what its atomics tell
        self.told = {}  # by place
        self.heard = {}  # by thread: what its next fence makes known to it
        self.learned = {}  # by thread, until its block's barrier

    @staticmethod
    def merge(into, other):
        for block, epoch in other.items():
            into[block] = max(into.get(block, 0), epoch)

    def barrier(self, block):
        self.epoch[block] = self.epoch.get(block, 0) + 1
        for thread in [thread for thread in self.learned if thread[0] == block]:
            self.merge(self.known.setdefault(block, {}), self.learned.pop(thread))

    def fence(self, block, thread):
        if heard := self.heard.pop((block, thread), None):
            self.merge(self.learned.setdefault((block, thread), {}), heard)
        told = self.fenced[block, thread] = dict(self.known.get(block, {}))
        told[block] = self.epoch.get(block, 0)

    def atomic(self, block, thread, address):
        told = self.told.setdefault(address, {})
        self.merge(self.heard.setdefault((block, thread), {}), told)
        self.merge(told, self.fenced.get((block, thread), {}))

    def check(self, block, thread, address, size, what):
        for word in range(address // 4, (address + size + 3) // 4):
            if word not in self.writes:
                continue
            writer, by, epoch = self.writes[word]
            known = self.epoch.get(block, 0) if writer == block else max(
                self.known.get(block, {}).get(writer, 0), self.learned.get((block, thread), {}).get(writer, 0))
            if (writer, by) != (block, thread) and epoch >= known:
                raise Error(f"thread {thread} {what} {word * 4:#x}, which thread {by} of block {writer} wrote, without "
                            f"knowing that")

    def wrote(self, block, thread, address, size):
        for word in range(address // 4, (address + size + 3) // 4):
            self.writes[word] = (block, thread, self.epoch.get(block, 0))


class Global:
    """Global memory as one block of a launch sees it."""

    def __init__(self, memory, block, visibility):
        self.memory, self.block, self.visibility = memory, block, visibility

    def read(self, address, size, thread):
        if self.visibility:
            self.visibility.check(self.block, thread, address, size, "reads")
        return self.memory.read(address, size, thread)

    def write(self, address, value, thread):
        if self.visibility:
            # Several may write the same.
            if self.memory.read(address, len(value), thread) != value:
                self.visibility.check(self.block, thread, address, len(value), "writes")
            self.visibility.wrote(self.block, thread, address, len(value))
        self.memory.write(address, value, thread)


class Shared:
    """A block's shared memory, with who touched each byte since the barrier."""

    def __init__(self, size):
        self.data = bytearray(size)
        self.writer = [None] * size
        self.reader = [None] * size
        self.flying = [False] * size
        self.epoch = 0

    def barrier(self):
        self.epoch += 1

    def _check(self, address, size):
        if address < 0 or address + size > len(self.data):
            raise Error(f"shared memory access outside of {len(self.data)} bytes at {address}")

    def read(self, address, size, thread):
        self._check(address, size)
        for i in range(address, address + size):
            if self.flying[i]:
                raise Error(f"thread {thread} reads shared byte {i} before a copy has brought it")
            if self.writer[i] is None:
                raise Error(f"read of unwritten shared memory at {i}")
            epoch, writer = self.writer[i]
            if epoch == self.epoch and writer != thread:
                raise Error(f"thread {thread} reads shared byte {i} that thread {writer} writes")
            last = self.reader[i]
            self.reader[i] = (self.epoch, thread if not last or last[0] != self.epoch or last[1] == thread else -1)
        return self.data[address:address + size]

    def write(self, address, value, thread):
        self._check(address, len(value))
        for i, byte in zip(range(address, address + len(value)), value):
            if self.flying[i]:
                raise Error(f"thread {thread} writes shared byte {i}, to which a copy is on its way")
            for touched in (self.writer[i], self.reader[i]):
                # Several threads may write the same.
                if touched and touched[0] == self.epoch and touched[1] != thread and self.data[i] != byte:
                    raise Error(f"thread {thread} writes {byte} to shared byte {i}, which thread {touched[1]} "
                                f"touches as {self.data[i]}")
            self.writer[i] = (self.epoch, thread)
        self.data[address:address + len(value)] = value


    def start_copy(self, address, size, thread):
        self._check(address, size)
        for i in range(address, address + size):
            if self.flying[i] or any(touched and touched[0] == self.epoch for touched in (self.writer[i], self.reader[i])):
                raise Error(f"thread {thread} copies to shared byte {i}, which is in use")
            self.flying[i] = True

    def end_copy(self, address, value, thread):
        for i in range(address, address + len(value)):
            self.flying[i] = False
        self.write(address, value, thread)
