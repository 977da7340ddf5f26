//===- ThreadSimulator.h - Runs a distributed kernel on the host -*- C++
//-*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets what --cleave-distribute and --cleave-insert-barriers emit, all
// threads of a block at once. It checks what a GPU would not say: accesses out
// of bounds or less aligned than claimed, and shared memory that two threads
// access without a barrier between. Asynchronous copies complete as late as the
// waits allow, and nobody may touch their bytes until then.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_LAYOUT_THREADSIMULATOR_H
#define CLEAVE_TEST_UNIT_LAYOUT_THREADSIMULATOR_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <string>
#include <vector>

namespace mlir::cleave::test {

/// Bytes of one memref argument or of a block's shared memory.
struct Memory {
  std::vector<uint8_t> bytes;
  bool shared = false;
  /// Per byte: who touched it since the last barrier.
  struct Trace {
    int64_t writeEpoch = -1, readEpoch = -1;
    int writer = -1, reader = -1;
    bool manyReaders = false;
    /// A copy is on its way here.
    bool inFlight = false;
  };
  std::vector<Trace> trace;
};

/// A row-major argument of the kernel, on the host in double.
struct Argument {
  std::vector<int64_t> shape;
  std::vector<double> values;
};

/// An element as number: `f` for float types, else `i`.
union Cell {
  double f;
  int64_t i;
};

class ThreadSimulator {
public:
  ThreadSimulator(gpu::GPUFuncOp func, int64_t threads)
      : func(func), threads(threads) {}

  /// Runs all blocks; the arguments' values are updated. Empty, or what was
  /// wrong.
  std::string run(ArrayRef<int64_t> grid, MutableArrayRef<Argument> arguments);

private:
  using Elements = SmallVector<Cell, 4>;
  using PerThread = std::vector<Elements>;
  using Mask = std::vector<bool>;
  struct MemRefValue {
    Memory *memory;
    int64_t offset;
    SmallVector<int64_t> sizes;
  };

  void runBlock(Block &block, const Mask &active);
  void runOp(Operation &op, const Mask &active);
  bool runMemoryOp(Operation &op, const Mask &active);
  bool runVectorOp(Operation &op, const Mask &active);
  bool runGPUOp(Operation &op, const Mask &active);
  void runFor(Operation &op, const Mask &active);
  void runIf(Operation &op, const Mask &active);
  void runMma(Operation &op);
  void runLdMatrix(Operation &op);
  void startCopies(Operation &op, const Mask &active);
  void completeCopies(size_t groups);
  bool runElementwise(Operation &op, const Mask &active);
  Cell compute(Operation &op, ArrayRef<Cell> operands);
  Elements load(const MemRefValue &memref, int64_t address, Type elementType,
                int64_t count, int thread);
  void store(const MemRefValue &memref, int64_t address, Type elementType,
             ArrayRef<Cell> values, int thread);
  int64_t getAddress(Operation &op, const MemRefValue &memref,
                     ValueRange indices, Type elementType, int thread);
  PerThread &define(Value value, int64_t count);
  PerThread &get(Value value);
  void fail(Operation &op, const Twine &message);

  gpu::GPUFuncOp func;
  int64_t threads;
  int64_t blockIds[3] = {0, 0, 0};
  int64_t epoch = 0;
  /// An asynchronous copy of one thread.
  struct Copy {
    MemRefValue to;
    int64_t address;
    Type elementType;
    Elements cells;
    int thread;
  };
  /// The open group of copies, and the closed ones, oldest first.
  std::vector<Copy> openCopies;
  std::vector<std::vector<Copy>> copyGroups;
  DenseMap<Value, PerThread> values;
  DenseMap<Value, MemRefValue> memrefs;
  std::string error;
};

/// Bits of a number in a type of up to 64 bits, and back.
uint64_t encode(Type type, Cell value);
Cell decode(Type type, uint64_t bits);
/// Nearest number of a float type.
double roundTo(Type type, double value);

} // namespace mlir::cleave::test

#endif // CLEAVE_TEST_UNIT_LAYOUT_THREADSIMULATOR_H
