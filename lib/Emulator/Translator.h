//===- Translator.h - From LLVM dialect to instructions ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel at a time. TranslateValues.cpp has what a thread computes alone,
// TranslateMemory.cpp what touches memory or other threads.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_EMULATOR_TRANSLATOR_H
#define CLEAVE_LIB_EMULATOR_TRANSLATOR_H

#include "Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::cleave::emulator {

/// The scalars that a value of `type` consists of, in order; empty if the
/// emulator does not know the type.
SmallVector<Type> getElements(Type type);
/// Of a scalar in memory.
unsigned getBytes(Type scalar);
unsigned getBits(Type scalar);

int64_t signExtend(Word word, unsigned bits);
Word truncate(Word word, unsigned bits);

/// Floats of all types as f64, and back with rounding.
using Decode = double (*)(Word);
using Encode = Word (*)(double);
Decode getDecode(Type type);
Encode getEncode(Type type);

class Translator {
public:
  Translator(gpu::GPUModuleOp module, const EmulatorOptions &options,
             EmulatedCounts &counts)
      : module(module), options(options), counts(counts) {}

  FailureOr<Kernel> translate(LLVM::LLVMFuncOp func);

private:
  using Integer = Word (*)(Word, Word, unsigned);
  using Real = double (*)(double, double);

  LogicalResult translate(Operation *op);
  // Each says whether it knew the operation.
  bool translateConstant(Operation *op);
  bool translateInteger(Operation *op);
  bool translateReal(Operation *op);
  bool translateCast(Operation *op);
  bool translateCompare(Operation *op);
  bool translateAggregate(Operation *op);
  bool translateIntrinsicCall(Operation *op);
  bool translateLibraryCall(Operation *op);
  bool translateControl(Operation *op);
  bool translateMemory(Operation *op);
  bool translateAtomic(Operation *op);
  bool translateId(Operation *op);
  bool translateCopy(Operation *op);
  bool translateVote(Operation *op);
  bool translateWarp(Operation *op);
  bool translateMatrix(Operation *op);

  /// Slots for a value's elements.
  unsigned slotOf(Value value);
  unsigned count(Value value) { return getElements(value.getType()).size(); }
  void setConstant(Value value, ArrayRef<Word> words);

  Instruction &add(Operation *op, Instruction::Kind kind);
  void compute(Operation *op, std::function<void(Thread &, ThreadBlock &)> run);
  void
  collective(Operation *op,
             std::function<void(MutableArrayRef<Thread>, ThreadBlock &)> run);
  /// Element by element.
  void integer(Operation *op, Integer function);
  void real(Operation *op, Real function);
  void mapWords(Operation *op, std::function<Word(Word)> function);
  void copyWords(Operation *op, unsigned from, unsigned to, unsigned words);
  std::function<void(Thread &)> makeJump(mlir::Block *to, ValueRange operands);
  void placeGlobals();

  gpu::GPUModuleOp module;
  const EmulatorOptions &options;
  EmulatedCounts &counts;
  Kernel kernel;
  llvm::DenseMap<Value, unsigned> slots;
  /// Where a block begins, filled when it is translated.
  std::map<mlir::Block *, std::shared_ptr<size_t>> starts;
  std::map<std::string, int64_t> globals;
};

} // namespace mlir::cleave::emulator

#endif // CLEAVE_LIB_EMULATOR_TRANSLATOR_H
