//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes arrays as .npy, versions 1 to 3, little endian. Fortran
// order is converted. bf16 has no NumPy type: it travels as uint16.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_NPY_H
#define CLEAVE_RUNTIME_NPY_H

#include "Cleave/Runtime/HostArray.h"
#include "llvm/Support/Error.h"

namespace mlir::cleave {

/// Reads a file; every fault is one line that names it.
llvm::Expected<HostArray> readNpy(llvm::StringRef path);

/// Parses the contents of a file.
llvm::Expected<HostArray> parseNpy(llvm::StringRef contents);

/// Writes version 1.0, C order.
llvm::Error writeNpy(llvm::StringRef path, const HostArray &array);

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_NPY_H
