//===- DryDriver.cpp - A driver that does nothing -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --dry-run: what a program does to memory, where there is no GPU.
//
//===----------------------------------------------------------------------===//

#include "DryRun.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

llvm::Expected<Driver::Module> DryDriver::loadModule(StringRef image) {
  if (image.empty())
    return llvm::createStringError("the kernels are empty");
  return this;
}

llvm::Expected<DevicePointer> DryDriver::allocate(int64_t bytes) {
  DevicePointer pointer = next;
  next += llvm::alignTo(bytes, 256);
  return pointer;
}

llvm::Error DryDriver::fill(DevicePointer to, uint8_t byte, int64_t) {
  if (byte == 0)
    zeros.insert(to);
  return llvm::Error::success();
}
