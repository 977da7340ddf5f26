//===- Emulator.h - GPU kernels on the CPU ----------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver without a device: it runs the kernels that `cleave-to-gpu` makes
// (LLVM dialect with NVVM operations) thread by thread, for tests where there
// is no GPU. It is strict where a device is lenient: shared memory starts as
// NaN, asynchronous copies arrive as late as the waits allow, and it reports
// accesses out of bounds or unaligned, races between threads, and threads that
// meet at different barriers.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_EMULATOR_EMULATOR_H
#define CLEAVE_EMULATOR_EMULATOR_H

#include "Cleave/Runtime/Driver.h"
#include <optional>

namespace mlir::cleave {

/// What a test may take out of a kernel to see that the emulator notices.
/// Numbers count all of one kind in program order, over the kernels of a
/// module.
struct EmulatorOptions {
  enum class Drop { Nothing, Barrier, Wait, Branch };
  Drop drop = Drop::Nothing;
  unsigned number = 0;
  /// Blocks run in this order or the other way round.
  bool lastBlockFirst = false;
  /// Of a thread; ends loops that a changed kernel never leaves.
  uint64_t maxInstructions = 1'000'000'000;
};

/// How many of each kind the loaded kernels have.
struct EmulatedCounts {
  unsigned barriers = 0, waits = 0, branches = 0;
};

class EmulatedDriver : public Driver {
public:
  /// Takes a `gpu.module` as MLIR text or bytecode for an image. The launch
  /// itself reports what a kernel does wrong.
  static std::unique_ptr<EmulatedDriver>
  create(const EmulatorOptions &options = {});

  virtual EmulatedCounts getCounts() const = 0;
};

} // namespace mlir::cleave

#endif // CLEAVE_EMULATOR_EMULATOR_H
