//===- PrintLoopNest.cpp - A loop nest for people -------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the spirit of Halide's print_loop_nest: what runs in parallel, what each
// loop goes over, and in each block the loads, values and reductions in order.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/LoopNest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {
class Printer {
public:
  Printer(const Problem &problem, llvm::raw_ostream &os)
      : problem(problem), os(os) {}

  void printKernel(const Schedule &schedule, const LoopNest &kernel,
                   llvm::StringRef title);

private:
  void printBlock(NestBlock &block);
  void printLoop(NestBlock &block, Loop &loop);
  std::string getBound(NestBlock &block, const DomainBound &bound);
  void printStep(NestBlock &block, const Step &step);
  std::string getExpression(NestBlock &block, NodeId id);
  std::string getOperand(NestBlock &block, NodeId id);
  std::string getReduction(NestBlock &block, NodeId id);
  std::string getValueName(NodeId id);
  std::string getAxes(llvm::ArrayRef<AxisId> axes);
  std::string getTiles(const NestBlock &block, llvm::ArrayRef<AxisId> axes);
  llvm::raw_ostream &line() { return os.indent(2 * depth); }

  const Problem &problem;
  llvm::raw_ostream &os;
  unsigned depth = 0;
  /// Values are numbered in order of appearance.
  std::map<NodeId, unsigned> numbers;
};
} // namespace

std::string Printer::getAxes(llvm::ArrayRef<AxisId> axes) {
  return "[" +
         llvm::join(
             llvm::map_range(
                 axes, [&](AxisId axis) { return problem.axes[axis].name; }),
             ", ") +
         "]";
}

std::string Printer::getTiles(const NestBlock &block,
                              llvm::ArrayRef<AxisId> axes) {
  return "[" +
         llvm::join(llvm::map_range(
                        axes,
                        [&](AxisId axis) {
                          const Binding &binding = block.bindings.at(axis);
                          int64_t size = binding.tile;
                          if (problem.axes[axis].extent != kDynamic)
                            size = std::min(size, problem.axes[axis].extent);
                          return problem.axes[axis].name + ": " +
                                 std::to_string(size);
                        }),
                    ", ") +
         "]";
}

std::string Printer::getValueName(NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument)
    return problem.argumentNames[node.argument];
  if (node.kind == NodeKind::FoldRef || node.kind == NodeKind::FoldOld) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    return getValueName(state.result) +
           (node.kind == NodeKind::FoldOld ? ".old" : "");
  }
  auto [it, inserted] = numbers.try_emplace(id, numbers.size());
  return "%" + std::to_string(it->second);
}

std::string Printer::getOperand(NestBlock &block, NodeId id) {
  NestBlock *home = getHome(problem, &block, id);
  if (home && home->available.count(id))
    return getValueName(id);
  return getExpression(block, id);
}

std::string Printer::getExpression(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  std::string text;
  llvm::raw_string_ostream stream(text);
  switch (node.kind) {
  case NodeKind::Constant:
    stream << llvm::format("%g", node.value);
    return text;
  case NodeKind::Extent:
    return "|" + problem.axes[node.reduced.front()].name + "|";
  case NodeKind::Pointwise:
    break;
  default:
    return getValueName(id);
  }
  if (node.op == Pointwise::Iota) {
    stream << "iota(" << problem.axes[node.axes.front()].name;
    if (node.value != 0)
      stream << " + " << static_cast<int64_t>(node.value);
    stream << ")";
    return text;
  }
  if (node.op == Pointwise::Cast &&
      problem[node.operands[0]].element == node.element)
    return getOperand(block, node.operands[0]);
  stream << (node.op == Pointwise::Cast ? getName(node.element)
                                        : getName(node.op))
         << "(";
  llvm::interleaveComma(node.operands, stream, [&](NodeId operand) {
    stream << getOperand(block, operand);
  });
  stream << ")";
  return text;
}

/// sum over [K] of mul(X, X)
std::string Printer::getReduction(NestBlock &block, NodeId id) {
  const Node &node = problem[id];
  llvm::SmallVector<NodeId, 2> body = node.operands;
  bool contraction = node.kind == NodeKind::Contract;
  Combiner combiner = node.combiner;
  if (node.kind == NodeKind::FoldState) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    body = state.body;
    contraction = state.contraction;
    combiner = state.combiner;
  }
  std::string text = contraction ? "contract" : getName(combiner).str();
  text += " over " + getAxes(problem.getReducedAxes(id)) + " of ";
  text += getOperand(block, body[0]);
  if (contraction)
    text += ", " + getOperand(block, body[1]);
  return text;
}

void Printer::printStep(NestBlock &block, const Step &step) {
  NodeId id = step.node;
  const Node &node = problem[id];
  if (node.kind == NodeKind::Argument) {
    line() << "load " << getValueName(id) << getTiles(block, node.storage)
           << "\n";
    return;
  }
  if (node.kind == NodeKind::Pointwise) {
    std::string value = getExpression(block, id);
    line() << getValueName(id) << getTiles(block, node.axes) << " = " << value
           << "\n";
    return;
  }
  std::string value = problem.getReducedAxes(id).empty()
                          ? getExpression(block, id)
                          : getReduction(block, id);
  line() << getValueName(id) << getTiles(block, node.axes);
  if (node.kind == NodeKind::FoldState && step.kind == Step::Accumulate) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    bool loop = block.available.count(state.old) != 0;
    if (loop && state.rebased != state.old)
      os << " = " << getValueName(state.rebased) << " + ";
    else
      os << (loop ? " += " : " = ");
    os << value << "\n";
    return;
  }
  os << (step.kind == Step::Accumulate ? " += " : " = ") << value << "\n";
}

/// T <= add(iota(S), 4)
std::string Printer::getBound(NestBlock &block, const DomainBound &bound) {
  std::string text = bound.upper ? "<" : ">";
  text += bound.strict ? " " : "= ";
  if (bound.plus.empty())
    text += "0";
  llvm::ListSeparator plus(" + ");
  for (NodeId term : bound.plus)
    text += (llvm::StringRef(plus) + getExpression(block, term)).str();
  for (NodeId term : bound.minus)
    text += " - " + getExpression(block, term);
  return text;
}

void Printer::printLoop(NestBlock &block, Loop &loop) {
  const Axis &axis = problem.axes[loop.range.axis];
  line() << "for " << axis.name << " in ";
  if (axis.extent == kDynamic)
    os << "|" << axis.name << "|";
  else
    os << axis.extent;
  os << " step " << loop.range.tile;
  for (const DomainBound &bound : loop.domain)
    os << ", " << axis.name << " " << getBound(block, bound);
  os << (isWrittenOut(problem, loop) ? ", written out:\n" : ":\n");
  ++depth;
  printBlock(loop.body);
  --depth;
}

void Printer::printBlock(NestBlock &block) {
  for (Step &step : block.steps) {
    if (step.kind == Step::Nest)
      printLoop(block, *step.loop);
    else
      printStep(block, step);
  }
}

void Printer::printKernel(const Schedule &schedule, const LoopNest &kernel,
                          llvm::StringRef title) {
  line() << title << ": parallel";
  for (const AxisTile &range : kernel.grid)
    os << " " << problem.axes[range.axis].name << " step " << range.tile << ",";
  os << " warps " << schedule.warps << ", stages " << schedule.stages << ":\n";
  ++depth;
  printBlock(*kernel.root);
  for (auto [result, name] :
       llvm::zip_equal(problem.results, problem.resultNames))
    line() << "store " << name << getTiles(*kernel.root, result.storage)
           << " = " << getOperand(*kernel.root, result.node) << "\n";
  --depth;
}

void schedule::printLoopNest(const Problem &problem, const Schedule &schedule,
                             const LoopNest &nest, llvm::StringRef title,
                             llvm::raw_ostream &os) {
  Printer(problem, os).printKernel(schedule, nest, title);
}
