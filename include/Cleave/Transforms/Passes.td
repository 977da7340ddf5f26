//===- Passes.td - Transforms on cleave functions ----------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_PASSES_TD
#define CLEAVE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CleaveExpandPass : Pass<"cleave-expand"> {
  let summary = "Replace sugar by the operations it stands for";
  let description = [{
    Rewrites `cleave.softmax`, `cleave.rms_norm` and `cleave.silu` as their
    definitions, so that nothing after it knows them:

    ```mlir
    %y = cleave.silu %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
    // becomes
    %s = cleave.sigmoid %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
    %y = cleave.mul %x, %s
       : (tensor<?xf16, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
    ```
  }];
  let dependentDialects = ["::mlir::cleave::CleaveDialect"];
}

#endif // CLEAVE_TRANSFORMS_PASSES_TD
