//===- Domain.cpp - Which positions of a loop can count -------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assume a comparison false, and evaluate what each reduction and fold state
// gets: constants go through arithmetic as far as they are exact whatever the
// data are. No node knows softmax; -inf becomes 0 because exp does that.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Schedule/Domain.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

//===----------------------------------------------------------------------===//
// What a loop's states get where a comparison is false
//===----------------------------------------------------------------------===//

namespace {
/// Values of nodes where one comparison is false.
class Assumption {
public:
  Assumption(const Problem &problem, NodeId assumed)
      : problem(problem), assumed(assumed) {}

  bool leavesUnit(NodeId reduction);

private:
  std::optional<double> get(NodeId id);
  std::optional<double> compute(const Node &node);
  std::optional<double> computeProduct(const Node &node);
  bool isUnit(NodeId body, Combiner combiner);

  const Problem &problem;
  NodeId assumed;
  std::map<NodeId, std::optional<double>> known;
};
} // namespace

static bool isComparison(Pointwise op) {
  return op >= Pointwise::CmpEq && op <= Pointwise::CmpGe;
}

/// Whether the value is a number, neither infinite nor NaN, whatever the data.
static bool isFiniteNumber(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Constant)
    return std::isfinite(node.value);
  if (node.kind == NodeKind::Extent || node.op == Pointwise::Iota)
    return node.kind != NodeKind::Argument;
  if (node.kind != NodeKind::Pointwise || node.op != Pointwise::Select)
    return false;
  const Node &condition = problem[node.operands[0]];
  bool guarded = condition.kind == NodeKind::Pointwise &&
                 condition.op == Pointwise::IsFinite &&
                 condition.operands[0] == node.operands[1];
  return (guarded || isFiniteNumber(problem, node.operands[1])) &&
         isFiniteNumber(problem, node.operands[2]);
}

/// Whether the value can be infinite or NaN only if something in memory is, or
/// if sums and products of it leave f32 (docs/numerics.md, 18).
static bool comesFromMemory(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  auto all = [&] {
    return llvm::all_of(node.operands, [&](NodeId operand) {
      return problem[operand].element == Element::I1 ||
             comesFromMemory(problem, operand);
    });
  };
  switch (node.kind) {
  case NodeKind::Argument:
  case NodeKind::Extent:
    return true;
  case NodeKind::Constant:
    return std::isfinite(node.value);
  case NodeKind::Contract:
    return all();
  case NodeKind::Reduce:
    return node.combiner == Combiner::Sum && all();
  case NodeKind::Pointwise:
    break;
  default:
    return false;
  }
  switch (node.op) {
  case Pointwise::Add:
  case Pointwise::Sub:
  case Pointwise::Mul:
  case Pointwise::Max:
  case Pointwise::Min:
  case Pointwise::Neg:
  case Pointwise::Abs:
  case Pointwise::Select:
  case Pointwise::Iota:
  case Pointwise::Cast:
    return all();
  default:
    return false;
  }
}

std::optional<double> Assumption::get(NodeId id) {
  auto it = known.find(id);
  if (it != known.end())
    return it->second;
  std::optional<double> value;
  const Node &node = problem[id];
  if (id == assumed)
    value = 0;
  else if (node.kind == NodeKind::Constant)
    value = node.value;
  else if (node.kind == NodeKind::Pointwise)
    value = compute(node);
  return known[id] = value;
}

/// 0 times what memory holds is 0, where positions alone tell that it is 0.
std::optional<double> Assumption::computeProduct(const Node &node) {
  double product = 1;
  bool zero = false, all = true;
  for (NodeId operand : node.operands) {
    std::optional<double> factor = get(operand);
    zero |= factor == 0.0;
    all &= factor.has_value();
    product *= factor.value_or(1);
  }
  if (all)
    return product;
  bool harmless = llvm::all_of(node.operands, [&](NodeId operand) {
    return get(operand) || comesFromMemory(problem, operand);
  });
  return zero && harmless && product == 0 ? std::optional<double>(0.0)
                                          : std::nullopt;
}

std::optional<double> Assumption::compute(const Node &node) {
  llvm::ArrayRef<NodeId> operands = node.operands;
  switch (node.op) {
  case Pointwise::Select:
    if (std::optional<double> condition = get(operands[0]))
      return get(operands[*condition != 0 ? 1 : 2]);
    // Equal constants on both sides.
    if (get(operands[1]) == get(operands[2]))
      return get(operands[1]);
    return std::nullopt;
  case Pointwise::Mul:
    return computeProduct(node);
  case Pointwise::Add:
  case Pointwise::Sub: {
    double sum = 0;
    bool rest = true;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      double sign = node.op == Pointwise::Sub && i > 0 ? -1 : 1;
      std::optional<double> term = get(operand);
      sum += sign * term.value_or(0);
      rest &= term || isFiniteNumber(problem, operand);
    }
    bool all =
        llvm::all_of(operands, [&](NodeId id) { return get(id).has_value(); });
    // An infinity swallows every finite number.
    if (all || (rest && std::isinf(sum)))
      return sum;
    return std::nullopt;
  }
  case Pointwise::Neg:
    if (std::optional<double> value = get(operands[0]))
      return -*value;
    return std::nullopt;
  case Pointwise::Exp:
  case Pointwise::Exp2:
    if (get(operands[0]) == -INFINITY)
      return 0.0;
    return std::nullopt;
  case Pointwise::Cast: {
    std::optional<double> value = get(operands[0]);
    bool exact =
        value && (*value == 0 || (std::isinf(*value) && isFloat(node.element)));
    return exact ? value : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

bool Assumption::isUnit(NodeId body, Combiner combiner) {
  return get(body) == getUnit(combiner);
}

bool Assumption::leavesUnit(NodeId reduction) {
  const Node &node = problem[reduction];
  llvm::ArrayRef<NodeId> body = node.operands;
  bool contraction = node.kind == NodeKind::Contract;
  Combiner combiner = node.combiner;
  if (node.kind == NodeKind::FoldState) {
    const FoldState &state = problem.folds[node.fold].states[node.state];
    body = state.body;
    contraction = state.contraction;
    combiner = state.combiner;
  }
  if (!contraction)
    return isUnit(body[0], combiner);
  Node product;
  product.operands.assign(body.begin(), body.end());
  return computeProduct(product) == 0.0;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Whether the value is a whole number that f32 holds: sums of such are exact,
/// so that terms may change sides.
static bool isWholeNumber(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Extent)
    return true;
  if (node.kind == NodeKind::Constant)
    return node.value == std::floor(node.value) &&
           std::abs(node.value) < (1 << 24);
  if (node.kind != NodeKind::Pointwise)
    return false;
  switch (node.op) {
  case Pointwise::Iota:
    return true;
  case Pointwise::Add:
  case Pointwise::Sub:
  case Pointwise::Mul:
  case Pointwise::Neg:
  case Pointwise::Max:
  case Pointwise::Min:
    return llvm::all_of(node.operands, [&](NodeId operand) {
      return isWholeNumber(problem, operand);
    });
  default:
    return false;
  }
}

static bool isNotNegative(const Problem &problem, NodeId id) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Constant)
    return node.value >= 0;
  return node.kind == NodeKind::Extent ||
         (node.kind == NodeKind::Pointwise && node.op == Pointwise::Iota &&
          node.value >= 0);
}

namespace {
/// Takes a comparison apart.
struct TermFinder {
  const Problem &problem;
  AxisId axis;
  IsOpen isOpen, isSingle;

  bool isTerm(NodeId id) const;
  /// Adds `id`, negated if `negative`, to terms that do not have the axis, and
  /// counts the axis' own position; false if it is something else.
  bool split(NodeId id, bool negative, DomainBound &bound, int &count) const;
  std::optional<DomainBound> getBound(const Node &compare) const;
};
} // namespace

bool TermFinder::isTerm(NodeId id) const {
  const Node &node = problem[id];
  if (contains(node.axes, axis))
    return false;
  switch (node.kind) {
  case NodeKind::Constant:
  case NodeKind::Extent:
    return true;
  case NodeKind::Argument:
    return node.element != Element::I1 && llvm::all_of(node.axes, isSingle);
  case NodeKind::Pointwise:
    break;
  default:
    return false;
  }
  auto all = [&](llvm::function_ref<bool(NodeId)> is) {
    return llvm::all_of(node.operands, is);
  };
  switch (node.op) {
  case Pointwise::Iota:
    return isOpen(node.axes.front());
  case Pointwise::Cast:
    return isFloat(node.element) && isTerm(node.operands[0]);
  case Pointwise::Add:
  case Pointwise::Sub:
  case Pointwise::Neg:
  case Pointwise::Max:
  case Pointwise::Min:
    return all([&](NodeId operand) { return isTerm(operand); });
  case Pointwise::Mul:
    return all([&](NodeId operand) {
      return isTerm(operand) && isWholeNumber(problem, operand) &&
             isNotNegative(problem, operand);
    });
  default:
    return false;
  }
}

bool TermFinder::split(NodeId id, bool negative, DomainBound &bound,
                       int &count) const {
  const Node &node = problem[id];
  if (!contains(node.axes, axis)) {
    (negative ? bound.plus : bound.minus).push_back(id);
    return isTerm(id);
  }
  if (node.kind != NodeKind::Pointwise)
    return false;
  switch (node.op) {
  case Pointwise::Iota:
    count += negative ? -1 : 1;
    return node.value == 0;
  case Pointwise::Cast:
    return isFloat(node.element) &&
           problem[node.operands[0]].element == node.element &&
           split(node.operands[0], negative, bound, count);
  case Pointwise::Add:
  case Pointwise::Sub:
    for (auto [i, operand] : llvm::enumerate(node.operands))
      if (!split(operand, negative != (node.op == Pointwise::Sub && i > 0),
                 bound, count))
        return false;
    return true;
  default:
    return false;
  }
}

/// `compare` as a bound of the axis: left - right <= 0 and so on.
std::optional<DomainBound> TermFinder::getBound(const Node &compare) const {
  DomainBound bound;
  int count = 0;
  if (!split(compare.operands[0], /*negative=*/false, bound, count) ||
      !split(compare.operands[1], /*negative=*/true, bound, count) ||
      std::abs(count) != 1)
    return std::nullopt;
  // Sums of several terms, or of the position and a term, are regrouped.
  bool alone =
      problem[compare.operands[count > 0 ? 0 : 1]].op == Pointwise::Iota;
  auto isWhole = [&](NodeId id) { return isWholeNumber(problem, id); };
  if (!alone && !(llvm::all_of(bound.plus, isWhole) &&
                  llvm::all_of(bound.minus, isWhole)))
    return std::nullopt;
  bool less = compare.op == Pointwise::CmpLt || compare.op == Pointwise::CmpLe;
  bound.strict =
      compare.op == Pointwise::CmpLt || compare.op == Pointwise::CmpGt;
  bound.upper = less == (count > 0);
  if (count < 0)
    std::swap(bound.plus, bound.minus);
  return bound;
}

std::vector<DomainBound> schedule::findDomain(const Problem &problem,
                                              AxisId axis,
                                              llvm::ArrayRef<NodeId> carried,
                                              IsOpen isOpen, IsOpen isSingle) {
  std::vector<DomainBound> domain;
  TermFinder finder{problem, axis, isOpen, isSingle};
  for (NodeId id = 0; id < problem.size(); ++id) {
    const Node &node = problem[id];
    if (node.kind != NodeKind::Pointwise || !isComparison(node.op) ||
        node.op == Pointwise::CmpNe || !contains(node.axes, axis))
      continue;
    std::optional<DomainBound> bound = finder.getBound(node);
    if (!bound)
      continue;
    Assumption assumption(problem, id);
    if (!llvm::all_of(carried, [&](NodeId reduction) {
          return assumption.leavesUnit(reduction);
        }))
      continue;
    // Equal is both.
    if (node.op == Pointwise::CmpEq) {
      bound->upper = true;
      domain.push_back(*bound);
      bound->upper = false;
    }
    domain.push_back(*bound);
  }
  return domain;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

static void collectArguments(const Problem &problem, NodeId id,
                             std::vector<NodeId> &arguments) {
  if (problem[id].kind == NodeKind::Argument &&
      !llvm::is_contained(arguments, id))
    arguments.push_back(id);
  for (NodeId operand : problem[id].operands)
    collectArguments(problem, operand, arguments);
}

void schedule::collectArguments(const Problem &problem,
                                const DomainBound &bound,
                                std::vector<NodeId> &arguments) {
  for (const auto &terms : {bound.plus, bound.minus})
    for (NodeId term : terms)
      ::collectArguments(problem, term, arguments);
}

AxisSet schedule::getComparedAxes(const Problem &problem) {
  std::vector<NodeId> arguments;
  for (NodeId id = 0; id < problem.size(); ++id)
    if (problem[id].kind == NodeKind::Pointwise && isComparison(problem[id].op))
      ::collectArguments(problem, id, arguments);
  AxisSet axes;
  for (NodeId argument : arguments)
    axes = unite(axes, problem[argument].axes);
  return axes;
}

static void collectAxes(const Problem &problem, NodeId id, AxisSet &positions,
                        AxisSet &extents) {
  const Node &node = problem[id];
  if (node.kind == NodeKind::Extent)
    extents = unite(extents, node.reduced);
  if (node.kind == NodeKind::Pointwise && node.op == Pointwise::Iota)
    positions = unite(positions, node.axes);
  for (NodeId operand : node.operands)
    collectAxes(problem, operand, positions, extents);
}

void schedule::collectAxes(const Problem &problem, const DomainBound &bound,
                           AxisSet &positions, AxisSet &extents) {
  for (const auto &terms : {bound.plus, bound.minus})
    for (NodeId term : terms)
      ::collectAxes(problem, term, positions, extents);
}

std::optional<double> schedule::evaluateExtreme(
    const Problem &problem, NodeId term, bool largest,
    llvm::function_ref<std::pair<double, double>(AxisId)> getRange) {
  const Node &node = problem[term];
  switch (node.kind) {
  case NodeKind::Constant:
    return node.value;
  case NodeKind::Extent:
    return problem.axes[node.reduced.front()].representative;
  case NodeKind::Pointwise:
    break;
  default:
    return std::nullopt;
  }
  if (node.op == Pointwise::Iota) {
    auto [first, last] = getRange(node.axes.front());
    return node.value + (largest ? last : first);
  }
  std::optional<double> result;
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    bool negative =
        node.op == Pointwise::Neg || (node.op == Pointwise::Sub && i > 0);
    std::optional<double> value =
        evaluateExtreme(problem, operand, largest != negative, getRange);
    if (!value)
      return std::nullopt;
    double next = negative ? -*value : *value;
    if (!result)
      result = next;
    else if (node.op == Pointwise::Mul)
      *result *= next;
    else if (node.op == Pointwise::Max)
      *result = std::max(*result, next);
    else if (node.op == Pointwise::Min)
      *result = std::min(*result, next);
    else
      *result += next;
  }
  return result;
}
