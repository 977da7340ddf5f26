//===- HostInterpreter.h - Evaluates the host form --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One run over the body of a function in host form. Private to this library.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_LIB_RUNTIME_HOSTINTERPRETER_H
#define CLEAVE_LIB_RUNTIME_HOSTINTERPRETER_H

#include "Cleave/Runtime/HostProgram.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir {
class AffineMap;
} // namespace mlir

namespace mlir::scf {
class IfOp;
} // namespace mlir::scf

namespace mlir::cleave {

class HostInterpreter {
public:
  explicit HostInterpreter(HostProgram &program) : program(program) {}

  static bool isSupported(Operation *op);

  FailureOr<LaunchPlan> run(ArrayRef<DeviceArray> arguments);

private:
  LogicalResult bind(Value argument, const DeviceArray &array);
  LogicalResult execute(Operation *op);
  LogicalResult executeArith(Operation *op);
  LogicalResult executeIf(scf::IfOp branch);
  LogicalResult executeAffine(Operation *op, AffineMap map);
  LogicalResult executeDim(Operation *op);
  LogicalResult executeAlloc(Operation *op);
  LogicalResult executeLaunch(gpu::LaunchFuncOp launch);
  /// Appends the parameters that stand for one launch operand.
  LogicalResult marshal(Operation *op, Value operand,
                        LaunchPlan::Launch &launch);

  int64_t get(Value value) const { return integers.lookup(value); }

  HostProgram &program;
  LaunchPlan result;
  llvm::DenseMap<Value, int64_t> integers;
  llvm::DenseMap<Value, DeviceArray> arrays;
};

} // namespace mlir::cleave

#endif // CLEAVE_LIB_RUNTIME_HOSTINTERPRETER_H
