//===- OwnDiagnostics.h - Diagnostics of one thread -------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler is one of the context, so it also sees what is said of functions
// that other threads work on. That is not for it to take.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_OWNDIAGNOSTICS_H
#define CLEAVE_TRANSFORMS_OWNDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"
#include <functional>
#include <utility>

namespace mlir::cleave {

/// As long as it lives, takes the diagnostics of the thread that made it.
class OwnDiagnostics {
public:
  OwnDiagnostics(MLIRContext *context, std::function<void(Diagnostic &)> take)
      : handler(context, [thread = llvm::get_threadid(),
                          take = std::move(take)](Diagnostic &diagnostic) {
          if (llvm::get_threadid() != thread)
            return failure();
          take(diagnostic);
          return success();
        }) {}

private:
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_OWNDIAGNOSTICS_H
