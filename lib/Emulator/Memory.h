//===- Memory.h - Checked memory of emulated kernels ------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory, each allocation with its bounds. Shared memory
// keeps for each byte who touched it last, and when.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_EMULATOR_MEMORY_H
#define CLEAVE_LIB_EMULATOR_MEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace mlir::cleave::emulator {

constexpr unsigned kLanes = 32;

/// Pointers to shared memory are this and an offset; all others are pointers
/// of the host.
constexpr uint64_t kSharedBase = uint64_t(1) << 62;

/// Where a thread is between barriers: what happened in an earlier epoch of the
/// block, or of the warp for threads of one warp, happened before.
struct Moment {
  uint32_t thread = 0, blockEpoch = 0, warpEpoch = 0;
};

/// The allocations of a device. Launches run one after the other, their blocks
/// too.
class DeviceMemory {
public:
  llvm::Expected<uint64_t> allocate(int64_t bytes);
  void release(uint64_t pointer);

  /// Forgets who wrote what.
  void startLaunch();
  void startBlock(int64_t block);
  /// An atomic operation or a fence of this block. What the block wrote before
  /// is seen by a block that acquires after it was released.
  void atomic(bool release, bool acquire);
  void fence(bool release, bool acquire);

  llvm::Expected<char *> read(uint64_t address, int64_t bytes, Moment moment);
  llvm::Expected<char *> write(uint64_t address, int64_t bytes, Moment moment);
  /// Memory that is only updated atomically.
  llvm::Expected<char *> update(uint64_t address, int64_t bytes);

private:
  struct Writer {
    /// Its number plus 1.
    uint32_t block = 0;
    Moment moment;
  };

  struct Allocation {
    std::unique_ptr<char[]> memory;
    /// The part that kernels may touch; guard zones lie around it.
    uint64_t first = 0;
    int64_t bytes = 0;
    /// Who wrote each byte in this launch; empty if nobody wrote any.
    std::vector<Writer> writers;
  };

  llvm::Expected<Allocation *> find(uint64_t address, int64_t bytes);

  /// By the address of the memory.
  std::map<uint64_t, Allocation> allocations;
  Allocation *last = nullptr;
  /// An error if the byte was written by someone else, and nothing says that
  /// this came before.
  llvm::Error checkOrder(const Writer &writer, Moment moment) const;

  uint32_t block = 0;
  bool acquired = false, fenced = false, touched = false;
  /// The blocks that released what they wrote.
  std::set<uint32_t> released;
};

/// A block's shared memory.
class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes);

  int64_t size() const { return int64_t(data.size()); }
  llvm::Error load(uint64_t offset, llvm::MutableArrayRef<char> to,
                   Moment moment);
  llvm::Error store(uint64_t offset, llvm::ArrayRef<char> from, Moment moment);
  /// A copy to these bytes is under way.
  llvm::Error startCopy(uint64_t offset, int64_t bytes, Moment moment);
  /// It has arrived.
  void finishCopy(uint64_t offset, llvm::ArrayRef<char> from, Moment moment);

private:
  struct Byte {
    /// The last write, by a thread plus 1.
    Moment write;
    /// The last read; several threads may have read since the last write.
    Moment read;
    bool severalReaders = false, severalWarps = false;
    bool pending = false;
  };

  llvm::Error checkBounds(uint64_t offset, int64_t bytes) const;
  llvm::Error checkWrite(uint64_t offset, const char *value,
                         Moment moment) const;

  std::vector<char> data;
  std::vector<Byte> bytes;
};

} // namespace mlir::cleave::emulator

#endif // CLEAVE_LIB_EMULATOR_MEMORY_H
