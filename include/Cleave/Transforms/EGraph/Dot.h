//===- Dot.h - Graphviz output of an e-graph --------------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_EGRAPH_DOT_H
#define CLEAVE_TRANSFORMS_EGRAPH_DOT_H

#include "Cleave/Transforms/EGraph/EGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class raw_ostream;
}

namespace mlir::cleave::egraph {

/// Writes classes as clusters of nodes, each labelled by what describes it; a
/// node also has its symbol.
void writeDot(const EGraph &graph, llvm::raw_ostream &os,
              llvm::function_ref<std::string(ClassId)> describeClass,
              llvm::function_ref<std::string(const Node &)> describeNode);

} // namespace mlir::cleave::egraph

#endif // CLEAVE_TRANSFORMS_EGRAPH_DOT_H
