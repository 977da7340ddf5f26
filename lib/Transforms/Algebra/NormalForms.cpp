//===- NormalForms.cpp - Normal forms at construction ---------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phase N of the catalogue: what holds by construction needs no rule.
//   a - b = a + (-1) * b, -a = (-1) * a
//   units dropped and constants folded where other operands carry their axes
//   reductions of reductions merged, and those over no axis dropped
//   operands not widened from f16 where the operation does it
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

static constexpr double kInf = std::numeric_limits<double>::infinity();

static double getUnit(OpKind kind) {
  switch (kind) {
  case OpKind::Add:
    return 0;
  case OpKind::Mul:
    return 1;
  case OpKind::Max:
    return -kInf;
  default:
    return kInf;
  }
}

static double combine(OpKind kind, double a, double b) {
  switch (kind) {
  case OpKind::Add:
    return a + b;
  case OpKind::Mul:
    return a * b;
  case OpKind::Max:
    return std::max(a, b);
  default:
    return std::min(a, b);
  }
}

/// A value as arithmetic yields it: f16 and bf16 become f32.
ClassId AlgebraGraph::widen(ClassId id) {
  Type type = getElementType(id);
  if (type.isF32() || type.isF64())
    return id;
  Node node;
  node.symbol = graph.getSymbol("cleave.mul");
  node.payload = intern(DictionaryAttr::get(context));
  node.children = {id};
  // A product of one factor is its own normal form.
  return graph.add(node);
}

std::optional<ClassId> AlgebraGraph::normalizeMultiset(Node &node,
                                                       OpKind kind) {
  // Axes that operands other than constants carry.
  AxisSet carried, all;
  for (ClassId child : node.children) {
    const Facts &facts = graph.getFacts(child);
    all |= facts.axes;
    if (!facts.constant)
      carried |= facts.axes;
  }
  double folded = getUnit(kind);
  SmallVector<ClassId, 4> rest;
  AxisSet lost;
  bool isDouble = false;
  for (ClassId child : node.children) {
    const Facts &facts = graph.getFacts(child);
    isDouble |= getElementType(child).isF64();
    if (!facts.constant || std::isnan(*facts.constant)) {
      rest.push_back(child);
      continue;
    }
    folded = combine(kind, folded, *facts.constant);
    lost |= facts.axes - carried;
    if (const Node *constant = findNode(child, OpKind::Constant))
      graph.see(child, *constant);
  }
  if (isDouble)
    return std::nullopt;
  // 0 * x is not 0 for an infinite x: constants fold among themselves only.
  if (folded != getUnit(kind) || rest.empty() || !lost.empty())
    rest.push_back(addConstant(folded, lost));
  bool isWidening = kind == OpKind::Mul && rest.size() == 1 &&
                    !getElementType(rest[0]).isF32();
  if (rest.size() == 1 && !isWidening)
    return widen(rest[0]);
  node.children = rest;
  return std::nullopt;
}

std::optional<ClassId> AlgebraGraph::normalizeReduction(Node &node,
                                                        OpKind kind) {
  DictionaryAttr payload = getPayload(node);
  AxisSet axes = *getAxisSet(payload.get("axes"));
  if (axes.empty())
    return widen(node.children[0]);
  NamedAttrList attributes(payload);
  attributes.set("axes", getAxesAttr(axes));
  if (kind == OpKind::ReduceSum && !payload.get("operand_type"))
    attributes.set("operand_type", UnitAttr::get(context));
  payload = attributes.getDictionary(context);
  node.payload = intern(payload);
  for (const Node &inner : graph.getClass(node.children[0]).nodes) {
    DictionaryAttr below = getPayload(inner);
    if (inner.symbol != node.symbol ||
        below.get("operand_type") != payload.get("operand_type"))
      continue;
    attributes.set("axes", getAxesAttr(axes | *getAxisSet(below.get("axes"))));
    graph.see(node.children[0], inner);
    Node merged = inner;
    merged.payload = intern(attributes.getDictionary(context));
    return graph.add(merged);
  }
  return std::nullopt;
}

/// Whether an operation takes any float type and yields f32: its operands need
/// no widening.
static bool isArithmetic(OpKind kind) {
  switch (kind) {
  case OpKind::Argument:
  case OpKind::Cast:
  case OpKind::Split:
  case OpKind::Merge:
  case OpKind::Rename:
  case OpKind::Relayout:
  case OpKind::Slice:
  case OpKind::Concat:
  case OpKind::Gather:
  case OpKind::Insert:
  case OpKind::Unknown:
    return false;
  default:
    return true;
  }
}

std::optional<ClassId> AlgebraGraph::normalize(EGraph &, Node &node) {
  OpKind kind = getKind(node);
  if (isArithmetic(kind))
    for (ClassId &child : node.children)
      for (const Node &inner : graph.getClass(child).nodes)
        if (getKind(inner) == OpKind::Mul && inner.children.size() == 1) {
          graph.see(child, inner);
          child = graph.find(inner.children[0]);
          break;
        }
  DictionaryAttr none = DictionaryAttr::get(context);
  switch (kind) {
  case OpKind::Sub: {
    ClassId minus = addMul({addConstant(-1), node.children[1]});
    return add("cleave.add", none, {node.children[0], minus});
  }
  case OpKind::Neg:
    return addMul({addConstant(-1), node.children[0]});
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Max:
  case OpKind::Min:
    return normalizeMultiset(node, kind);
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
    return normalizeReduction(node, kind);
  case OpKind::Constant:
    if (!getPayload(node).get("result_type"))
      return addConstant(
          cast<FloatAttr>(getPayload(node).get("value")).getValueAsDouble());
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

bool AlgebraGraph::isValid(StringRef name, DictionaryAttr payload,
                           ArrayRef<ClassId> children) const {
  std::optional<SymbolId> symbol = graph.findSymbol(name);
  if (!symbol)
    return false;
  OpKind kind = kinds[*symbol];
  auto isFloat = [&](ClassId child) {
    return isa<FloatType>(getElementType(child));
  };
  auto carries = [&](StringRef key) {
    AxisSet all;
    for (ClassId child : children)
      all |= graph.getFacts(child).axes;
    std::optional<AxisSet> axes = getAxisSet(payload.get(key));
    return axes && all.contains(*axes);
  };
  switch (kind) {
  case OpKind::Constant:
    return children.empty() && isa_and_nonnull<FloatAttr>(payload.get("value"));
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Max:
  case OpKind::Min:
    return llvm::all_of(children, isFloat);
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::Pow:
    return children.size() == 2 && llvm::all_of(children, isFloat);
  case OpKind::Neg:
  case OpKind::Recip:
  case OpKind::Recip0:
  case OpKind::Abs:
  case OpKind::Exp:
  case OpKind::Exp2:
  case OpKind::Log:
  case OpKind::Tanh:
  case OpKind::Erf:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Sigmoid:
  case OpKind::IsFinite:
    return children.size() == 1 && isFloat(children[0]);
  case OpKind::Cmp:
    return children.size() == 2 && llvm::all_of(children, isFloat) &&
           payload.get("predicate");
  case OpKind::Select:
    return children.size() == 3 && !isFloat(children[0]) &&
           isFloat(children[1]) && isFloat(children[2]);
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
    return children.size() == 1 && isFloat(children[0]) && carries("axes");
  case OpKind::Contract:
    return children.size() == 2 && llvm::all_of(children, isFloat) &&
           carries("axes") &&
           isa_and_nonnull<TypeAttr>(payload.get("operand_type"));
  case OpKind::Slice:
    return children.size() == 1 && isValidView(payload, children, "part");
  case OpKind::Gather:
    return children.size() == 2 && isFloat(children[0]) &&
           isa<IntegerType>(getElementType(children[1])) &&
           isValidView(payload, children[0], "") &&
           !graph.getFacts(children[1])
                .axes.contains(*lookupAxis(payload.getAs<StringAttr>("axis")));
  case OpKind::Concat:
    return isValidConcat(payload, children);
  default:
    // Casts and other views keep their place: no rule makes one.
    return false;
  }
}

/// The first operand carries `axis`, and not what it is called in the result.
bool AlgebraGraph::isValidView(DictionaryAttr payload,
                               ArrayRef<ClassId> children,
                               StringRef renamed) const {
  AxisSet carried = graph.getFacts(children[0]).axes;
  auto name = payload.getAs<StringAttr>("axis");
  std::optional<unsigned> axis;
  if (name)
    axis = lookupAxis(name);
  if (!axis || !carried.contains(*axis))
    return false;
  auto part = payload.getAs<StringAttr>(renamed);
  if (!part)
    return true;
  std::optional<unsigned> to = lookupAxis(part);
  return to && !carried.contains(*to);
}

bool AlgebraGraph::isValidConcat(DictionaryAttr payload,
                                 ArrayRef<ClassId> children) const {
  auto along = payload.getAs<ArrayAttr>("along");
  auto name = payload.getAs<StringAttr>("axis");
  if (!along || !name || along.size() != children.size() ||
      children.size() < 2 || !lookupAxis(name))
    return false;
  // Of these, each input carries its own only.
  AxisSet moved = AxisSet::of(*lookupAxis(name));
  for (Attribute attr : along)
    if (auto part = dyn_cast<StringAttr>(attr); part && lookupAxis(part))
      moved |= AxisSet::of(*lookupAxis(part));
  for (auto [child, attr] : llvm::zip_equal(children, along)) {
    auto part = dyn_cast<StringAttr>(attr);
    if (!part || !lookupAxis(part) ||
        getElementType(child) != getElementType(children[0]))
      return false;
    AxisSet own = AxisSet::of(*lookupAxis(part));
    AxisSet carried = graph.getFacts(child).axes;
    if (!carried.contains(own) || (carried - own).intersects(moved) ||
        own.contains(*lookupAxis(name)))
      return false;
  }
  return true;
}
