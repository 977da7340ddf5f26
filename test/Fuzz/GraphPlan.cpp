//===- GraphPlan.cpp - A random graph as plain data -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a plan to IR, and smaller plans.
//
//===----------------------------------------------------------------------===//

#include "GraphPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::cleave;

static RankedTensorType makeType(const GraphPlan &plan, const NodePlan &node) {
  SmallVector<int64_t> shape;
  SmallVector<StringRef> names;
  for (const std::string &name : node.axes) {
    const AxisPlan &axis = plan.axes.at(name);
    shape.push_back(axis.isDynamic ? ShapedType::kDynamic
                                   : axis.extents.front());
    names.push_back(name);
  }
  MLIRContext *context = node.element.getContext();
  return RankedTensorType::get(shape, node.element,
                               AxesAttr::get(context, names));
}

OwningOpRef<ModuleOp> GraphPlan::build(MLIRContext &context) const {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(module->getBodyRegion());
  SmallVector<Type> inputs, outputs;
  for (const NodePlan &node : nodes)
    if (node.op == "argument")
      inputs.push_back(makeType(*this, node));
  for (unsigned result : results)
    outputs.push_back(makeType(*this, nodes[result]));
  auto function = func::FuncOp::create(
      builder, loc, "f", builder.getFunctionType(inputs, outputs));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> values;
  unsigned argument = 0;
  for (const NodePlan &node : nodes) {
    if (node.op == "argument") {
      for (NamedAttribute attribute : node.attributes)
        function.setArgAttr(argument, attribute.getName(),
                            attribute.getValue());
      values.push_back(body->getArgument(argument++));
      continue;
    }
    OperationState state(loc, "cleave." + node.op);
    for (unsigned operand : node.operands)
      state.operands.push_back(values[operand]);
    state.addAttributes(node.attributes);
    state.addTypes(makeType(*this, node));
    values.push_back(builder.create(state)->getResult(0));
  }
  SmallVector<Value> returned;
  for (unsigned result : results)
    returned.push_back(values[result]);
  func::ReturnOp::create(builder, loc, returned);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

Bindings GraphPlan::getExtents(size_t number) const {
  Bindings extents;
  for (const auto &[name, axis] : axes)
    extents[name] = axis.extents[number];
  return extents;
}

size_t GraphPlan::countRuns() const {
  return axes.begin()->second.extents.size();
}

size_t GraphPlan::countOps() const {
  return llvm::count_if(
      nodes, [](const NodePlan &node) { return node.op != "argument"; });
}

void GraphPlan::prune() {
  std::vector<bool> needed(nodes.size());
  for (unsigned result : results)
    needed[result] = true;
  for (size_t i = nodes.size(); i-- > 0;)
    if (needed[i])
      for (unsigned operand : nodes[i].operands)
        needed[operand] = true;
  std::vector<NodePlan> kept;
  std::vector<unsigned> numbers(nodes.size());
  for (auto [i, node] : llvm::enumerate(nodes))
    if (needed[i]) {
      numbers[i] = kept.size();
      for (unsigned &operand : node.operands)
        operand = numbers[operand];
      kept.push_back(node);
    }
  nodes = std::move(kept);
  for (unsigned &result : results)
    result = numbers[result];
  // Axes of `extent` and `rename` belong to operands or arguments as well.
  std::set<std::string> used;
  for (const NodePlan &node : nodes)
    used.insert(node.axes.begin(), node.axes.end());
  for (auto it = axes.begin(); it != axes.end() && axes.size() > 1;)
    it = used.count(it->first) ? std::next(it) : axes.erase(it);
}

//===----------------------------------------------------------------------===//
// Shrinking
//===----------------------------------------------------------------------===//

/// Plans with one result less or with a result of an earlier value.
static void addFewerResults(const GraphPlan &plan,
                            std::vector<GraphPlan> &smaller) {
  for (size_t i = 0; i < plan.results.size(); ++i) {
    if (plan.results.size() > 1) {
      GraphPlan &less = smaller.emplace_back(plan);
      less.results.erase(less.results.begin() + i);
    }
    for (unsigned operand : plan.nodes[plan.results[i]].operands)
      if (plan.nodes[operand].op != "argument")
        smaller.emplace_back(plan).results[i] = operand;
  }
}

/// Plans where what used a node uses one of its operands, or an argument.
static void addFewerNodes(const GraphPlan &plan,
                          std::vector<GraphPlan> &smaller) {
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const NodePlan &node = plan.nodes[i];
    if (node.op == "argument")
      continue;
    auto replaceBy = [&](const NodePlan &other) {
      GraphPlan &less = smaller.emplace_back(plan);
      less.nodes[i] = other;
    };
    for (unsigned operand : node.operands) {
      const NodePlan &other = plan.nodes[operand];
      auto sorted = [](AxisNames axes) {
        llvm::sort(axes);
        return axes;
      };
      if (sorted(other.axes) != sorted(node.axes) ||
          other.element != node.element)
        continue;
      GraphPlan &less = smaller.emplace_back(plan);
      for (NodePlan &user : less.nodes)
        llvm::replace(user.operands, unsigned(i), operand);
      llvm::replace(less.results, unsigned(i), operand);
    }
    if (!llvm::is_contained(plan.results, i))
      replaceBy({"argument", {}, node.axes, node.element, {}});
    if (node.operands.size() > 2 && node.op != "select") {
      NodePlan less = node;
      less.operands.pop_back();
      replaceBy(less);
    }
  }
}

static void addSimplerAxes(const GraphPlan &plan,
                           std::vector<GraphPlan> &smaller) {
  for (size_t run = 0; plan.countRuns() > 1 && run < plan.countRuns(); ++run) {
    GraphPlan &less = smaller.emplace_back(plan);
    for (auto &[name, kept] : less.axes)
      kept.extents.assign({plan.axes.at(name).extents[run]});
  }
  for (const auto &[name, axis] : plan.axes) {
    if (axis.isDynamic && plan.countRuns() == 1)
      smaller.emplace_back(plan).axes[name].isDynamic = false;
    for (int64_t extent : {1, 2, 3, 5})
      if (extent < axis.extents.front()) {
        GraphPlan &less = smaller.emplace_back(plan);
        for (int64_t &old : less.axes[name].extents)
          old = extent;
      }
  }
}

GraphPlan
mlir::cleave::shrink(GraphPlan plan,
                     const std::function<bool(const GraphPlan &)> &fails) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<GraphPlan> smaller;
    addFewerResults(plan, smaller);
    addFewerNodes(plan, smaller);
    addSimplerAxes(plan, smaller);
    for (GraphPlan &candidate : smaller) {
      candidate.prune();
      if (!fails(candidate))
        continue;
      plan = std::move(candidate);
      changed = true;
      break;
    }
  }
  return plan;
}
