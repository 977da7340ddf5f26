//===- Dot.cpp - Graphviz output of an e-graph ----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Dot.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::cleave::egraph;

static void writeEscaped(llvm::raw_ostream &os, llvm::StringRef text) {
  for (char c : text) {
    if (c == '\n') {
      os << "\\n";
      continue;
    }
    if (c == '"' || c == '\\')
      os << '\\';
    os << c;
  }
}

void mlir::cleave::egraph::writeDot(
    const EGraph &graph, llvm::raw_ostream &os,
    llvm::function_ref<std::string(ClassId)> describeClass,
    llvm::function_ref<std::string(const Node &)> describeNode) {
  os << "digraph egraph {\n  compound=true; node [shape=box];\n";
  for (ClassId id : graph.getClassIds()) {
    os << "  subgraph cluster_" << id << " {\n    label=\"";
    writeEscaped(os, describeClass(id));
    os << "\"; style=dotted;\n";
    for (auto [index, node] : llvm::enumerate(graph.getClass(id).nodes)) {
      os << "    n" << id << "_" << index << " [label=\"";
      writeEscaped(os, graph.getName(node.symbol));
      if (std::string text = describeNode(node); !text.empty()) {
        os << "\\n";
        writeEscaped(os, text);
      }
      os << "\"];\n";
    }
    os << "  }\n";
  }
  for (ClassId id : graph.getClassIds())
    for (auto [index, node] : llvm::enumerate(graph.getClass(id).nodes))
      for (ClassId child : node.children)
        os << "  n" << id << "_" << index << " -> n" << child
           << "_0 [lhead=cluster_" << child << "];\n";
  os << "}\n";
}
