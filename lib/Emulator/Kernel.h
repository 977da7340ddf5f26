//===- Kernel.h - A kernel as instructions for threads ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel in the LLVM dialect becomes a list of instructions on the *frame* of
// a thread: a word of eight bytes for each element of each value, with the bits
// of the element's type and zeros above. Vectors and structs are consecutive
// words.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_EMULATOR_KERNEL_H
#define CLEAVE_LIB_EMULATOR_KERNEL_H

#include "Cleave/Emulator/Emulator.h"
#include "Memory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"
#include <deque>
#include <functional>

namespace mlir::LLVM {
class LLVMFuncOp;
} // namespace mlir::LLVM

namespace mlir::cleave::emulator {

using Word = uint64_t;

class ThreadBlock;

/// A copy to shared memory that was asked for.
struct AsyncCopy {
  uint64_t to = 0, from = 0;
  unsigned bytes = 0;
  /// As many bytes come from memory, zeros follow.
  unsigned taken = 0;
};

struct Thread {
  std::vector<Word> frame;
  /// The instruction that is next.
  size_t next = 0;
  bool done = false;
  uint64_t instructions = 0;
  Moment moment;
  /// Committed groups of copies, oldest first, and the one being filled.
  std::deque<std::vector<AsyncCopy>> groups;
  std::vector<AsyncCopy> open;
};

struct Instruction {
  enum class Kind {
    Compute,    // one thread alone
    Branch,     // sets `next`
    Barrier,    // all threads of the block
    Collective, // all threads of a warp
    Return
  };
  Kind kind = Kind::Compute;
  Operation *op = nullptr;
  std::function<void(Thread &, ThreadBlock &)> run;
  /// What the threads that meet do together.
  std::function<void(MutableArrayRef<Thread>, ThreadBlock &)> runTogether;
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  /// A frame with the constants in it.
  std::vector<Word> frame;
  SmallVector<unsigned> arguments;
  /// Bytes of shared memory of a fixed size. Dynamic memory follows.
  int64_t sharedBytes = 0;
};

/// The kernels of a module; emits an error at an operation that the emulator
/// does not know.
FailureOr<std::vector<Kernel>> translateKernels(gpu::GPUModuleOp module,
                                                const EmulatorOptions &options,
                                                EmulatedCounts &counts);

/// Runs one block.
class ThreadBlock {
public:
  ThreadBlock(const Kernel &kernel, DeviceMemory &device,
              std::array<int64_t, 3> gridSize, std::array<int64_t, 3> blockSize,
              int64_t dynamicSharedBytes, uint64_t maxInstructions);

  llvm::Error run(std::array<int64_t, 3> number, ArrayRef<uint64_t> params);

  // What instructions do.
  void fail(const Thread &thread, const Twine &what);
  void load(const Thread &thread, uint64_t address, MutableArrayRef<char> to);
  void store(const Thread &thread, uint64_t address, ArrayRef<char> from);
  /// Gives the old value and stores what `update` makes of it.
  Word updateAtomically(const Thread &thread, uint64_t address, unsigned bytes,
                        llvm::function_ref<Word(Word)> update);
  void startCopy(Thread &thread, AsyncCopy copy);
  /// Until at most `left` committed groups are under way.
  void waitForCopies(Thread &thread, size_t left);

  DeviceMemory &getDevice() { return device; }
  int64_t getBlockId(unsigned dim) const { return number[dim]; }
  int64_t getGridSize(unsigned dim) const { return gridSize[dim]; }
  int64_t getBlockSize(unsigned dim) const { return blockSize[dim]; }

private:
  void runThread(Thread &thread);
  void runWarp(MutableArrayRef<Thread> warp);
  bool meet(MutableArrayRef<Thread> group, Instruction::Kind kind);
  const Instruction &at(const Thread &thread) const {
    return kernel.code[thread.next];
  }

  const Kernel &kernel;
  DeviceMemory &device;
  std::array<int64_t, 3> gridSize, blockSize, number = {0, 0, 0};
  int64_t sharedBytes;
  uint64_t maxInstructions;
  std::unique_ptr<SharedMemory> shared;
  std::vector<Thread> threads;
  std::string error;
};

} // namespace mlir::cleave::emulator

#endif // CLEAVE_LIB_EMULATOR_KERNEL_H
