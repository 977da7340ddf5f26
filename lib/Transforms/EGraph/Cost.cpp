//===- Cost.cpp - The cost of a selection ---------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/EGraph/Cost.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave::egraph;

uint64_t mlir::cleave::egraph::mixHash(uint64_t seed, uint64_t value) {
  uint64_t x = seed * 0x9e3779b97f4a7c15ull + value + 0x632be59bd9b4e019ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

CostTable::CostTable(const EGraph &graph, CostModel &model) : model(model) {
  for (ClassId id : graph.getClassIds())
    for (const Node &node : graph.getClass(id).nodes)
      costs[id].push_back(model.getCost(graph, id, node));
}

std::optional<std::vector<ClassId>>
mlir::cleave::egraph::sortSelection(const EGraph &graph,
                                    llvm::ArrayRef<ClassId> roots,
                                    const Selection &selection) {
  enum State { Open, Done };
  std::map<ClassId, State> states;
  std::vector<ClassId> order;
  // A class is pushed once to be opened and stays until it is closed.
  std::vector<ClassId> stack;
  for (ClassId root : llvm::reverse(roots))
    stack.push_back(graph.find(root));
  while (!stack.empty()) {
    ClassId id = stack.back();
    auto [it, isNew] = states.try_emplace(id, Open);
    if (!isNew) {
      stack.pop_back();
      if (it->second == Open) {
        it->second = Done;
        order.push_back(id);
      }
      continue;
    }
    auto chosen = selection.find(id);
    if (chosen == selection.end())
      return std::nullopt;
    const Node &node = graph.getClass(id).nodes[chosen->second];
    for (ClassId operand : llvm::reverse(node.children)) {
      ClassId child = graph.find(operand);
      auto state = states.find(child);
      if (state == states.end())
        stack.push_back(child);
      else if (state->second == Open)
        return std::nullopt;
    }
  }
  return order;
}
