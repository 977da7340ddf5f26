//===- AlgebraGraph.cpp - Nodes, payloads and axes of the bridge ----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"
#include "Cleave/Transforms/EGraph/Proof.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

namespace {
struct KnownOp {
  StringLiteral name;
  OpKind kind;
};
} // namespace

static constexpr KnownOp kKnownOps[] = {
    {"argument", OpKind::Argument},
    {"cleave.constant", OpKind::Constant},
    {"cleave.extent", OpKind::Extent},
    {"cleave.add", OpKind::Add},
    {"cleave.mul", OpKind::Mul},
    {"cleave.max", OpKind::Max},
    {"cleave.min", OpKind::Min},
    {"cleave.sub", OpKind::Sub},
    {"cleave.div", OpKind::Div},
    {"cleave.neg", OpKind::Neg},
    {"cleave.pow", OpKind::Pow},
    {"cleave.recip", OpKind::Recip},
    {"cleave.recip0", OpKind::Recip0},
    {"cleave.abs", OpKind::Abs},
    {"cleave.exp", OpKind::Exp},
    {"cleave.exp2", OpKind::Exp2},
    {"cleave.log", OpKind::Log},
    {"cleave.tanh", OpKind::Tanh},
    {"cleave.erf", OpKind::Erf},
    {"cleave.sqrt", OpKind::Sqrt},
    {"cleave.rsqrt", OpKind::Rsqrt},
    {"cleave.sigmoid", OpKind::Sigmoid},
    {"cleave.is_finite", OpKind::IsFinite},
    {"cleave.cmp", OpKind::Cmp},
    {"cleave.select", OpKind::Select},
    {"cleave.cast", OpKind::Cast},
    {"cleave.iota", OpKind::Iota},
    {"cleave.reduce_sum", OpKind::ReduceSum},
    {"cleave.reduce_max", OpKind::ReduceMax},
    {"cleave.reduce_min", OpKind::ReduceMin},
    {"cleave.reduce_prod", OpKind::ReduceProd},
    {"cleave.contract", OpKind::Contract},
    {"cleave.split", OpKind::Split},
    {"cleave.merge", OpKind::Merge},
    {"cleave.rename", OpKind::Rename},
    {"cleave.relayout", OpKind::Relayout},
    {"cleave.slice", OpKind::Slice},
    {"cleave.concat", OpKind::Concat},
    {"cleave.gather", OpKind::Gather},
    {"cleave.insert", OpKind::Insert},
};

static OpKind parseKind(StringRef name) {
  for (const KnownOp &op : kKnownOps)
    if (op.name == name)
      return op.kind;
  return OpKind::Unknown;
}

bool mlir::cleave::isPointwise(OpKind kind) {
  switch (kind) {
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::Neg:
  case OpKind::Pow:
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
    return true;
  default:
    return false;
  }
}

bool mlir::cleave::isReduction(OpKind kind) {
  switch (kind) {
  case OpKind::ReduceSum:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceProd:
  case OpKind::Contract:
    return true;
  default:
    return false;
  }
}

bool AlgebraGraph::isKnownOperation(StringRef name) {
  OpKind kind = parseKind(name);
  return kind != OpKind::Unknown && kind != OpKind::Argument;
}

AlgebraGraph::AlgebraGraph(MLIRContext *context, Numerics numerics)
    : context(context), numerics(numerics), graph(this, this) {
  declareOps();
}

AlgebraGraph::~AlgebraGraph() = default;

void AlgebraGraph::declareOps() {
  for (StringRef name :
       {"cleave.add", "cleave.mul", "cleave.max", "cleave.min"})
    graph.declareMultiset(name);
  graph.declareUnordered("cleave.contract");
  // An op of the dialect that this misses would be refused, so the numbers of
  // symbols that come later are those of arguments only.
  for (const KnownOp &op : kKnownOps) {
    SymbolId symbol = graph.getSymbol(op.name);
    kinds.resize(std::max<size_t>(kinds.size(), symbol + 1), OpKind::Unknown);
    kinds[symbol] = op.kind;
  }
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

std::optional<unsigned> AlgebraGraph::addAxis(StringAttr name,
                                              AxisBounds bounds) {
  auto [it, isNew] = axisIds.try_emplace(name, axisNames.size());
  if (!isNew)
    return it->second;
  if (axisNames.size() == AxisSet::kMaxAxes) {
    axisIds.erase(name);
    return std::nullopt;
  }
  axisNames.push_back(name);
  axisBounds.push_back(bounds);
  return it->second;
}

std::optional<unsigned> AlgebraGraph::lookupAxis(StringAttr name) const {
  auto it = axisIds.find(name);
  if (it == axisIds.end())
    return std::nullopt;
  return it->second;
}

std::optional<unsigned>
AlgebraGraph::addConcatenatedAxis(ArrayRef<unsigned> parts) {
  std::string name;
  AxisBounds bounds;
  bounds.min = bounds.max = bounds.representative = bounds.type = 0;
  for (unsigned part : parts) {
    const AxisBounds &below = axisBounds[part];
    name += (name.empty() ? "" : ".") + axisNames[part].str();
    bounds.min += below.min;
    bounds.max += below.max;
    bounds.representative += below.representative;
    bounds.partial |= below.partial;
    bool isDynamic =
        ShapedType::isDynamic(bounds.type) || ShapedType::isDynamic(below.type);
    bounds.type = isDynamic ? ShapedType::kDynamic : bounds.type + below.type;
    bounds.parts.push_back(part);
  }
  auto attr = StringAttr::get(context, name);
  // An axis of the input may have this name.
  if (std::optional<unsigned> axis = lookupAxis(attr))
    if (axisBounds[*axis].parts != bounds.parts)
      return std::nullopt;
  return addAxis(attr, bounds);
}

std::optional<AxisSet> AlgebraGraph::getAxisSet(Attribute axes) const {
  auto attr = dyn_cast_or_null<AxesAttr>(axes);
  if (!attr)
    return std::nullopt;
  AxisSet set;
  for (StringAttr name : attr.getNames()) {
    std::optional<unsigned> axis = lookupAxis(name);
    if (!axis)
      return std::nullopt;
    set |= AxisSet::of(*axis);
  }
  return set;
}

AxesAttr AlgebraGraph::getAxesAttr(AxisSet axes) const {
  SmallVector<StringAttr> names;
  axes.forEach([&](unsigned axis) { names.push_back(axisNames[axis]); });
  return AxesAttr::get(context, ArrayRef<StringAttr>(names)).getSorted();
}

std::pair<double, double> AlgebraGraph::getCount(AxisSet axes) const {
  double min = 1, max = 1;
  axes.forEach([&](unsigned axis) {
    min *= axisBounds[axis].min;
    max *= axisBounds[axis].max;
  });
  return {min, max};
}

double AlgebraGraph::getRepresentativeCount(AxisSet axes) const {
  double count = 1;
  axes.forEach(
      [&](unsigned axis) { count *= axisBounds[axis].representative; });
  return count;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

PayloadId AlgebraGraph::intern(DictionaryAttr payload) {
  auto [it, isNew] = payloadIds.insert({payload, payloads.size()});
  if (isNew)
    payloads.push_back(payload);
  return it->second;
}

unsigned AlgebraGraph::internElementType(Type type) {
  auto it = llvm::find(elementTypes, type);
  if (it == elementTypes.end())
    it = elementTypes.insert(it, type);
  return it - elementTypes.begin();
}

const Node *AlgebraGraph::findNode(ClassId id, OpKind kind) const {
  for (const Node &node : graph.getClass(id).nodes)
    if (getKind(node) == kind)
      return &node;
  return nullptr;
}

ClassId AlgebraGraph::add(StringRef name, DictionaryAttr payload,
                          ArrayRef<ClassId> children) {
  return graph.add(name, intern(payload), children);
}

ClassId AlgebraGraph::addArgument(unsigned index, RankedTensorType type,
                                  std::optional<double> range) {
  Facts facts;
  facts.finite = facts.notNaN = true;
  if (auto element = dyn_cast<FloatType>(type.getElementType())) {
    double largest =
        APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
    facts.hi = std::min(range.value_or(CleaveDialect::kDefaultRange), largest);
    facts.lo = -facts.hi;
    if (!range)
      undeclaredArguments.insert(index);
  }
  return addArgument(index, type, facts);
}

ClassId AlgebraGraph::addArgument(unsigned index, RankedTensorType type,
                                  Facts facts) {
  facts.axes = *getAxisSet(getAxes(type));
  facts.elementType = internElementType(type.getElementType());
  argumentFacts[index] = facts;
  Builder builder(context);
  return add("argument",
             builder.getDictionaryAttr(builder.getNamedAttr(
                 "index", builder.getI64IntegerAttr(index))),
             {});
}

bool AlgebraGraph::isDeclared(ClassId id) const {
  std::set<ClassId> seen;
  SmallVector<ClassId> stack{id};
  while (!stack.empty()) {
    ClassId next = graph.find(stack.pop_back_val());
    if (!seen.insert(next).second)
      continue;
    const Node &node = graph.getClass(next).nodes.front();
    if (getKind(node) == OpKind::Argument &&
        undeclaredArguments.count(
            cast<IntegerAttr>(getPayload(node).get("index")).getInt()))
      return false;
    llvm::append_range(stack, node.children);
  }
  return true;
}

ClassId AlgebraGraph::addConstant(double value, AxisSet axes,
                                  Type elementType) {
  Builder builder(context);
  if (!elementType)
    elementType = builder.getF32Type();
  SmallVector<int64_t> shape;
  AxesAttr names = getAxesAttr(axes);
  for (StringAttr name : names.getNames())
    shape.push_back(axisBounds[*lookupAxis(name)].type);
  auto type = RankedTensorType::get(shape, elementType, names);
  return add("cleave.constant",
             builder.getDictionaryAttr(
                 {builder.getNamedAttr("value", builder.getF64FloatAttr(value)),
                  builder.getNamedAttr("result_type", TypeAttr::get(type))}),
             {});
}

ClassId AlgebraGraph::addMul(ArrayRef<ClassId> factors) {
  return add("cleave.mul", DictionaryAttr::get(context), factors);
}

RankedTensorType AlgebraGraph::getType(ClassId id) const {
  AxesAttr names = getAxesAttr(graph.getFacts(id).axes);
  SmallVector<int64_t> shape;
  for (StringAttr name : names.getNames())
    shape.push_back(axisBounds[*lookupAxis(name)].type);
  return RankedTensorType::get(shape, getElementType(id), names);
}

Facts AlgebraGraph::make(const EGraph &, const Node &node) {
  return getKind(node) == OpKind::Argument
             ? argumentFacts[cast<IntegerAttr>(getPayload(node).get("index"))
                                 .getInt()]
             : deriveFacts(node);
}

void AlgebraGraph::modify(EGraph &, ClassId id) {
  const Facts facts = graph.getFacts(id);
  if (!facts.constant || !getElementType(id).isF32() ||
      findNode(id, OpKind::Constant))
    return;
  if (const ProofLog *proofs = graph.getProofs())
    for (ClassId child : Node(proofs->getTerm(id)).children)
      if (const Node *constant = findNode(child, OpKind::Constant))
        graph.see(child, *constant);
  graph.merge(id, addConstant(*facts.constant, facts.axes), "constant",
              kNormalForm);
}
