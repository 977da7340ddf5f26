//===- CudaDriver.h - NVIDIA's driver, loaded at run time -------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds libcuda by dlopen: nothing of CUDA is needed to build or to start.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_CUDADRIVER_H
#define CLEAVE_RUNTIME_CUDADRIVER_H

#include "Cleave/Runtime/Driver.h"

namespace mlir::cleave {

/// Opens the device of that number. `library` is the driver library's name.
llvm::Expected<std::unique_ptr<Driver>>
createCudaDriver(int device = 0, llvm::StringRef library = "libcuda.so.1");

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_CUDADRIVER_H
