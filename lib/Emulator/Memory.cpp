//===- Memory.cpp - Checked memory of emulated kernels --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Cleave/Runtime/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir::cleave;
using namespace mlir::cleave::emulator;

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

llvm::Expected<uint64_t> DeviceMemory::allocate(int64_t bytes) {
  constexpr int64_t kAlignment = 256;
  Allocation allocation;
  allocation.memory.reset(new (std::nothrow) char[bytes + kAlignment]);
  if (!allocation.memory)
    return llvm::createStringError("out of memory");
  uint64_t base = llvm::alignTo(
      reinterpret_cast<uint64_t>(allocation.memory.get()), kAlignment);
  int64_t guard = DeviceBuffer::guardBytes;
  allocation.first = base + guard;
  allocation.bytes = std::max<int64_t>(bytes - 2 * guard, 0);
  allocations[base] = std::move(allocation);
  return base;
}

void DeviceMemory::release(uint64_t pointer) {
  last = nullptr;
  allocations.erase(pointer);
}

void DeviceMemory::startLaunch() {
  released.clear();
  for (auto &[base, allocation] : allocations)
    allocation.writers.clear();
}

void DeviceMemory::startBlock(int64_t number) {
  block = static_cast<uint32_t>(number) + 1;
  acquired = fenced = touched = false;
}

void DeviceMemory::atomic(bool release, bool acquire) {
  touched = true;
  if (release || fenced)
    released.insert(block);
  acquired |= acquire;
}

void DeviceMemory::fence(bool release, bool acquire) {
  fenced |= release;
  acquired |= acquire && touched;
}

/// Whether `earlier` is known to come before `now` in a block.
static bool isBefore(Moment earlier, Moment now) {
  if (earlier.thread == now.thread || earlier.blockEpoch < now.blockEpoch)
    return true;
  return earlier.thread / kLanes == now.thread / kLanes &&
         earlier.warpEpoch < now.warpEpoch;
}

llvm::Error DeviceMemory::checkOrder(const Writer &writer,
                                     Moment moment) const {
  if (!writer.block)
    return llvm::Error::success();
  if (writer.block == block) {
    if (isBefore(writer.moment, moment))
      return llvm::Error::success();
    return llvm::createStringError("touches what thread " +
                                   llvm::Twine(writer.moment.thread) +
                                   " wrote, without a barrier between");
  }
  if (acquired && released.count(writer.block))
    return llvm::Error::success();
  return llvm::createStringError("touches what block " +
                                 llvm::Twine(writer.block - 1) +
                                 " of the launch wrote, without a release "
                                 "there and an acquire here");
}

llvm::Expected<DeviceMemory::Allocation *> DeviceMemory::find(uint64_t address,
                                                              int64_t bytes) {
  auto contains = [&](const Allocation &allocation) {
    return address >= allocation.first &&
           address + bytes <= allocation.first + allocation.bytes;
  };
  if (last && contains(*last))
    return last;
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin() || !contains(std::prev(it)->second))
    return llvm::createStringError("touches " + llvm::Twine(bytes) +
                                   " bytes outside of every buffer");
  last = &std::prev(it)->second;
  return last;
}

llvm::Expected<char *> DeviceMemory::read(uint64_t address, int64_t bytes,
                                          Moment moment) {
  llvm::Expected<Allocation *> found = find(address, bytes);
  if (!found)
    return found.takeError();
  const Allocation &allocation = **found;
  if (!allocation.writers.empty())
    for (int64_t i = 0; i < bytes; ++i)
      if (llvm::Error error = checkOrder(
              allocation.writers[address - allocation.first + i], moment))
        return error;
  return reinterpret_cast<char *>(address);
}

llvm::Expected<char *> DeviceMemory::write(uint64_t address, int64_t bytes,
                                           Moment moment) {
  llvm::Expected<Allocation *> found = find(address, bytes);
  if (!found)
    return found.takeError();
  Allocation &allocation = **found;
  if (allocation.writers.empty())
    allocation.writers.resize(allocation.bytes);
  for (int64_t i = 0; i < bytes; ++i) {
    Writer &writer = allocation.writers[address - allocation.first + i];
    if (llvm::Error error = checkOrder(writer, moment))
      return error;
    writer = {block, moment};
  }
  return reinterpret_cast<char *>(address);
}

llvm::Expected<char *> DeviceMemory::update(uint64_t address, int64_t bytes) {
  llvm::Expected<Allocation *> found = find(address, bytes);
  if (!found)
    return found.takeError();
  return reinterpret_cast<char *>(address);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Bits that are NaN in every float type.
static constexpr char kPoison = '\xff';

SharedMemory::SharedMemory(int64_t size) : data(size, kPoison), bytes(size) {}

llvm::Error SharedMemory::checkBounds(uint64_t offset, int64_t count) const {
  if (offset + count <= data.size())
    return llvm::Error::success();
  return llvm::createStringError("touches shared byte " +
                                 llvm::Twine(offset + count - 1) + " of " +
                                 llvm::Twine(data.size()));
}

static llvm::Error reportRace(uint64_t offset, const char *what, Moment other) {
  return llvm::createStringError(
      "shared byte " + llvm::Twine(offset) + " is " + what + " by thread " +
      llvm::Twine(other.thread) + " without a barrier between");
}

static llvm::Error reportPending(uint64_t offset) {
  return llvm::createStringError("shared byte " + llvm::Twine(offset) +
                                 " is touched before a copy has brought it");
}

llvm::Error SharedMemory::load(uint64_t offset, llvm::MutableArrayRef<char> to,
                               Moment moment) {
  if (llvm::Error error = checkBounds(offset, int64_t(to.size())))
    return error;
  for (size_t i = 0; i < to.size(); ++i) {
    Byte &byte = bytes[offset + i];
    if (byte.pending)
      return reportPending(offset + i);
    // Epochs count from 1, so nobody wrote in epoch 0.
    if (byte.write.blockEpoch && !isBefore(byte.write, moment))
      return reportRace(offset + i, "written", byte.write);
    bool same = byte.read.blockEpoch == moment.blockEpoch;
    if (!same) {
      byte.severalReaders = byte.severalWarps = false;
    } else {
      byte.severalReaders |= byte.read.thread != moment.thread;
      byte.severalWarps |= byte.read.thread / kLanes != moment.thread / kLanes;
    }
    byte.read = moment;
  }
  std::memcpy(to.data(), data.data() + offset, to.size());
  return llvm::Error::success();
}

/// Threads that hold copies of a value may all store it: no order of equal
/// bytes matters. `value` is null for a copy that is under way.
llvm::Error SharedMemory::checkWrite(uint64_t offset, const char *value,
                                     Moment moment) const {
  const Byte &byte = bytes[offset];
  if (byte.pending)
    return reportPending(offset);
  bool equal = value && data[offset] == *value;
  if (byte.write.blockEpoch && !isBefore(byte.write, moment) && !equal)
    return reportRace(offset, "written", byte.write);
  bool now = byte.read.blockEpoch == moment.blockEpoch;
  if (!now)
    return llvm::Error::success();
  bool ordered =
      !byte.severalWarps && isBefore(byte.read, moment) &&
      (!byte.severalReaders || byte.read.warpEpoch < moment.warpEpoch);
  if (!ordered)
    return reportRace(offset, "read", byte.read);
  return llvm::Error::success();
}

llvm::Error SharedMemory::store(uint64_t offset, llvm::ArrayRef<char> from,
                                Moment moment) {
  if (llvm::Error error = checkBounds(offset, int64_t(from.size())))
    return error;
  for (size_t i = 0; i < from.size(); ++i) {
    if (llvm::Error error = checkWrite(offset + i, &from[i], moment))
      return error;
    bytes[offset + i].write = moment;
  }
  std::memcpy(data.data() + offset, from.data(), from.size());
  return llvm::Error::success();
}

llvm::Error SharedMemory::startCopy(uint64_t offset, int64_t count,
                                    Moment moment) {
  if (llvm::Error error = checkBounds(offset, count))
    return error;
  for (int64_t i = 0; i < count; ++i) {
    if (llvm::Error error = checkWrite(offset + i, nullptr, moment))
      return error;
    bytes[offset + i].pending = true;
  }
  std::memset(data.data() + offset, kPoison, count);
  return llvm::Error::success();
}

void SharedMemory::finishCopy(uint64_t offset, llvm::ArrayRef<char> from,
                              Moment moment) {
  for (size_t i = 0; i < from.size(); ++i) {
    bytes[offset + i].pending = false;
    bytes[offset + i].write = moment;
  }
  std::memcpy(data.data() + offset, from.data(), from.size());
}
