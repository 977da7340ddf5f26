//===- RuleInstance.cpp - The left side of a rule, at random --------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleInstance.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

static constexpr double kInf = std::numeric_limits<double>::infinity();
/// The largest and the smallest normal f32.
static constexpr double kLargest = 3.4028234663852886e38, kSmallest = 0x1p-126;

/// Where both sides are compared in f64.
static const ArgumentKind kNarrowKinds[] = {
    {-2, 2},
    {0, 2},
    {0.5, 2},
    {-2, 0},
    {1, 2},
    {-2, -1},
    {0.5, 1},
    // With NaN.
    {-kInf, kInf, false},
    {-kInf, kInf, false},
    {0, kInf, false},
    {1, kInf, false},
    {-kInf, -1, false},
    {-2, 2, false},
};
/// Where what may be rounded, overflow or cancel is looked at.
static const ArgumentKind kWideKinds[] = {
    {-65504, 65504},
    {-kLargest, kLargest},
    {kSmallest, kLargest},
    {1, kLargest},
    {kSmallest, 1},
    {0, 1},
    {-kLargest, -1},
    {-88, 88},
    {-60, 60},
    {kSmallest, 0x1p126},
    {-0x1p126, 0x1p126},
    {0, 65504},
};

/// Axes 0 to 2 occur in arguments; the others name what slices and
/// concatenations make.
static const char *const kAxisNames[] = {"I", "J", "K", "L", "N"};
static constexpr unsigned kNumFree = 3, kPart = 3, kConcatenated = 4;

RuleInstance::RuleInstance(const RulePattern &pattern, unsigned seed, bool wide)
    : pattern(pattern), random(seed), wide(wide),
      graph(pattern.op->getContext()) {
  addAxes();
}

/// Static axes cannot be empty; their extents are primes that differ, so that
/// no mix-up goes unseen.
void RuleInstance::addAxes() {
  const int64_t primes[] = {2, 3, 5};
  for (unsigned i = 0; i < std::size(kAxisNames); ++i) {
    AxisBounds bounds;
    if (i < kNumFree && random.flip())
      bounds.min = bounds.max = bounds.type = primes[i];
    // One position of a static axis does not exist.
    bounds.partial = i < kNumFree && random.below(4) == 0;
    if (bounds.partial)
      bounds.min = 0;
    graph.addAxis(StringAttr::get(graph.getContext(), kAxisNames[i]), bounds);
  }
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

ClassId RuleInstance::addArgument(ArgumentKind kind) {
  // Some patterns need several of the same axes.
  if (!wasDrawn || random.below(3))
    lastAxes = AxisSet::fromBits(random.below(1 << kNumFree));
  wasDrawn = true;
  AxesAttr names = graph.getAxesAttr(lastAxes);
  SmallVector<int64_t> shape;
  for (StringAttr name : names.getNames())
    shape.push_back(graph.getBounds(*graph.lookupAxis(name)).type);
  auto type = RankedTensorType::get(shape, kind.elementType, names);
  Facts facts;
  facts.lo = kind.lo;
  facts.hi = kind.hi;
  facts.finite = kind.finite;
  facts.notNaN = kind.finite || kind.isConstant();
  if (kind.isConstant())
    facts.constant = kind.lo;
  argumentKinds.push_back(kind);
  argumentClasses.push_back(
      graph.addArgument(argumentClasses.size(), type, facts));
  return argumentClasses.back();
}

/// Mostly an argument; sometimes a constant, or a product of two.
ClassId RuleInstance::addFloatArgument() {
  MLIRContext *context = graph.getContext();
  switch (random.below(10)) {
  case 0: {
    const double constants[] = {0, 1, -1, 2, -kInf};
    double value = constants[random.below(std::size(constants))];
    return addArgument(
        {value, value, std::isfinite(value), Float32Type::get(context)});
  }
  case 1:
    return addAlias(graph.addMul({addFloatArgument(), addFloatArgument()}));
  default:
    break;
  }
  // Only numbers of one magnitude can cancel.
  if (lastKind && wide && random.flip())
    return addArgument(*lastKind);
  ArgumentKind kind = wide
                          ? kWideKinds[random.below(std::size(kWideKinds))]
                          : kNarrowKinds[random.below(std::size(kNarrowKinds))];
  switch (random.below(8)) {
  case 0:
    kind.elementType = Float16Type::get(context);
    break;
  case 1:
    kind.elementType = BFloat16Type::get(context);
    break;
  default:
    kind.elementType = Float32Type::get(context);
    break;
  }
  // What the type can hold.
  const llvm::fltSemantics &semantics =
      cast<FloatType>(kind.elementType).getFloatSemantics();
  double largest = APFloat::getLargest(semantics).convertToDouble();
  if (kind.finite) {
    kind.lo = std::max(kind.lo, -largest);
    kind.hi = std::min(kind.hi, largest);
  }
  lastKind = kind;
  return addArgument(kind);
}

/// A name for the result of an inner operation, so that normal forms do not
/// take the pattern apart. Merged with it once the pattern stands.
ClassId RuleInstance::addAlias(ClassId id) {
  Facts unknown;
  ClassId alias = graph.addArgument(kFirstAlias + aliases.size(),
                                    graph.getType(id), unknown);
  aliases.emplace_back(alias, id);
  return alias;
}

Attribute RuleInstance::drawAxis(AxisSet among) {
  SmallVector<unsigned> axes;
  among.forEach([&](unsigned axis) { axes.push_back(axis); });
  if (axes.empty())
    return {};
  return graph.getAxisName(axes[random.below(axes.size())]);
}

/// What suits the operands; null where nothing does.
Attribute RuleInstance::drawAttribute(StringRef name,
                                      ArrayRef<ClassId> operands,
                                      StringRef opName) {
  Builder builder(graph.getContext());
  AxisSet carried;
  for (ClassId id : operands)
    carried |= graph.getGraph().getFacts(id).axes;
  if (name == "axes") {
    AxisSet axes = carried & AxisSet::fromBits(random.bits());
    return axes.empty() ? Attribute() : graph.getAxesAttr(axes);
  }
  if (name == "operand_type")
    return opName == "cleave.reduce_sum" && random.flip()
               ? Attribute(builder.getUnitAttr())
               : TypeAttr::get(builder.getF32Type());
  if (name == "value")
    return builder.getF64FloatAttr(int(random.below(5)) - 2);
  if (name == "offset")
    return builder.getI64IntegerAttr(random.below(3));
  if (name == "part")
    return graph.getAxisName(random.flip() ? kPart : random.below(kNumFree));
  if (name == "axis" && opName == "cleave.concat")
    return graph.getAxisName(random.below(4) ? kConcatenated
                                             : random.below(kNumFree));
  if (name == "axis" && !operands.empty())
    return drawAxis(graph.getGraph().getFacts(operands[0]).axes);
  if (name == "predicate")
    return CmpPredicateAttr::get(graph.getContext(),
                                 CmpPredicate(random.below(6)));
  if (name != "along")
    return {};
  SmallVector<Attribute> along;
  for (ClassId id : operands) {
    Attribute axis = drawAxis(graph.getGraph().getFacts(id).axes);
    if (!axis)
      return {};
    along.push_back(axis);
  }
  return builder.getArrayAttr(along);
}

/// The attributes that an operation must have. A slice may do without a part.
static SmallVector<StringRef> getAttributeNames(StringRef opName, bool full) {
  if (opName == "cleave.slice")
    return full ? SmallVector<StringRef>{"axis", "offset", "part"}
                : SmallVector<StringRef>{"axis", "offset"};
  if (opName == "cleave.concat")
    return {"along", "axis"};
  if (opName == "cleave.gather")
    return {"axis"};
  if (opName == "cleave.cmp")
    return {"predicate"};
  if (opName == "cleave.contract")
    return {"axes", "operand_type"};
  if (opName.starts_with("cleave.reduce"))
    return {"axes"};
  return {};
}

/// For an operation that the pattern does not name: one of those that have as
/// many operands, often the one that was drawn before.
std::string RuleInstance::drawName(size_t numOperands) {
  if (!lastName.empty() && random.below(3))
    return lastName;
  static const char *const unary[] = {
      "abs",  "erf",   "exp",        "exp2",       "log",
      "neg",  "recip", "recip0",     "rsqrt",      "sigmoid",
      "sqrt", "tanh",  "reduce_sum", "reduce_max", "reduce_sum"};
  static const char *const binary[] = {"add", "div", "max", "min",
                                       "mul", "pow", "cmp", "contract"};
  static const char *const variadic[] = {"add", "max", "min", "mul"};
  lastName = "cleave.";
  if (numOperands == 1)
    lastName += unary[random.below(std::size(unary))];
  else if (numOperands == 2)
    lastName += binary[random.below(std::size(binary))];
  else
    lastName += variadic[random.below(std::size(variadic))];
  return lastName;
}

std::optional<SmallVector<ClassId>>
RuleInstance::buildOperand(Value value, StringRef user, unsigned position) {
  if (auto it = operands.find(value); it != operands.end())
    return it->second;
  SmallVector<ClassId> result;
  Operation *def = value.getDefiningOp();
  Builder builder(graph.getContext());
  if (isa<pdl::OperandOp>(def)) {
    if (user == "cleave.select" && position == 0)
      result.push_back(addArgument({0, 1, true, builder.getI1Type()}));
    else if (user == "cleave.gather" && position == 1)
      result.push_back(addArgument({-kInf, kInf, true, builder.getI32Type()}));
    else
      result.push_back(addFloatArgument());
  } else if (isa<pdl::OperandsOp>(def)) {
    for (unsigned i = 0, e = random.below(4); i < e; ++i) {
      // What rules look for in two multisets.
      bool again = !factors.empty() && random.below(3) == 0;
      result.push_back(again ? factors[random.below(factors.size())]
                             : addFloatArgument());
    }
    llvm::append_range(factors, result);
  } else {
    std::optional<ClassId> id =
        buildOperation(def->getOperand(0).getDefiningOp<pdl::OperationOp>());
    if (!id)
      return std::nullopt;
    result.push_back(addAlias(*id));
  }
  operands[value] = result;
  return result;
}

std::optional<ClassId> RuleInstance::buildOperation(pdl::OperationOp op) {
  SmallVector<ClassId> children;
  for (auto [position, operand] : llvm::enumerate(op.getOperandValues())) {
    auto built = buildOperand(operand, getOperationName(op), position);
    if (!built)
      return std::nullopt;
    children.append(*built);
  }
  std::string name = getOperationName(op).str();
  if (name.empty())
    name = drawName(children.size());
  NamedAttrList payload;
  for (auto [key, value] :
       llvm::zip_equal(op.getAttributeValueNames(), op.getAttributeValues())) {
    Attribute &attribute = attributes[value];
    if (!attribute)
      attribute = value.getDefiningOp<pdl::AttributeOp>().getValueAttr();
    if (!attribute)
      attribute = drawAttribute(cast<StringAttr>(key), children, name);
    if (!attribute)
      return std::nullopt;
    payload.set(cast<StringAttr>(key), attribute);
  }
  for (StringRef key : getAttributeNames(name, random.flip())) {
    if (payload.get(key))
      continue;
    Attribute attribute = drawAttribute(key, children, name);
    if (!attribute)
      return std::nullopt;
    payload.set(key, attribute);
  }
  // Constants may have axes.
  if (name == "cleave.constant")
    return graph.addConstant(
        cast<FloatAttr>(payload.get("value")).getValueAsDouble(),
        AxisSet::fromBits(random.below(4) ? 0 : random.below(1 << kNumFree)));
  DictionaryAttr dictionary = payload.getDictionary(graph.getContext());
  if (!graph.isValid(name, dictionary, children))
    return std::nullopt;
  return graph.add(name, dictionary, children);
}

std::optional<ClassId> RuleInstance::build() {
  std::optional<ClassId> root = buildOperation(pattern.root);
  if (!root)
    return std::nullopt;
  for (auto [alias, id] : aliases)
    graph.getGraph().merge(alias, id, "alias");
  graph.getGraph().rebuild();
  return graph.getGraph().find(*root);
}

//===----------------------------------------------------------------------===//
// Extents and values
//===----------------------------------------------------------------------===//

/// Gives concatenated axes and parts their extents; false where those of others
/// do not suit them.
bool RuleInstance::setDerivedExtents() {
  auto get = [&](Attribute name) -> int64_t & {
    return extents[*graph.lookupAxis(cast<StringAttr>(name))];
  };
  auto forEachNode = [&](OpKind kind, function_ref<void(DictionaryAttr)> fn) {
    for (ClassId id : graph.getGraph().getClassIds())
      for (const Node &node : graph.getGraph().getClass(id).nodes)
        if (graph.getKind(node) == kind)
          fn(graph.getPayload(node));
  };
  bool fits = true;
  forEachNode(OpKind::Concat, [&](DictionaryAttr payload) {
    int64_t sum = 0;
    for (Attribute part : cast<ArrayAttr>(payload.get("along")))
      sum += get(part);
    auto axis = payload.getAs<StringAttr>("axis");
    if (*graph.lookupAxis(axis) >= kConcatenated)
      get(axis) = sum;
    fits &= get(axis) == sum;
  });
  bool hasPart = false;
  forEachNode(OpKind::Slice, [&](DictionaryAttr payload) {
    int64_t left = get(payload.get("axis")) -
                   cast<IntegerAttr>(payload.get("offset")).getInt();
    auto part = payload.getAs<StringAttr>("part");
    if (part && *graph.lookupAxis(part) == kPart && !hasPart) {
      get(part) = std::max<int64_t>(left - int64_t(random.below(2)), 0);
      hasPart = true;
    }
    fits &= left >= (part ? get(part) : 1);
  });
  return fits;
}

bool RuleInstance::drawExtents() {
  const double bases[] = {1, 60, 65504, 1e30};
  opposite = wide && random.flip() ? bases[random.below(4)] : 0;
  const int64_t sizes[] = {0, 1, 2, 3, 5};
  for (unsigned attempt = 0; attempt < 20; ++attempt) {
    extents.assign(graph.getNumAxes(), 0);
    for (unsigned axis = 0; axis < kNumFree; ++axis) {
      const AxisBounds &bounds = graph.getBounds(axis);
      extents[axis] = ShapedType::isDynamic(bounds.type)
                          ? sizes[random.below(5)]
                          : bounds.type - bounds.partial;
    }
    if (setDerivedExtents())
      return true;
  }
  return false;
}

static double roundTo(Type type, double value) {
  APFloat rounded(value);
  bool lossy;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &lossy);
  return rounded.convertToDouble();
}

double RuleInstance::drawValue(const ArgumentKind &kind) {
  if (kind.elementType.isInteger(1))
    return random.flip();
  // Behind the end of some axes.
  if (isa<IntegerType>(kind.elementType))
    return int(random.below(5)) - int(random.below(4) == 0);
  if (kind.isConstant())
    return kind.lo;
  if (!kind.finite) {
    const double odd[] = {0, 1, -1, kInf, -kInf};
    SmallVector<double> values{std::numeric_limits<double>::quiet_NaN()};
    for (double value : odd)
      if (value >= kind.lo && value <= kind.hi)
        values.push_back(value);
    return values[random.below(values.size())];
  }
  // The ends and 0 are where signs and divisions go wrong, and the opposite of
  // another value where sums cancel.
  double value;
  switch (random.below(wide ? 6 : 4)) {
  case 0:
    value = kind.lo;
    break;
  case 1:
    value = kind.hi;
    break;
  case 2:
    value = kind.lo <= 0 && kind.hi >= 0 ? 0 : kind.hi;
    break;
  case 3:
    value = kind.lo + (kind.hi - kind.lo) * (random.below(1001) / 1000.0);
    break;
  default:
    value = -lastValue * (random.flip() ? 1 : 1 + 0x1p-20);
    break;
  }
  value =
      roundTo(kind.elementType, std::min(std::max(value, kind.lo), kind.hi));
  // Rounding must not leave the interval, nor give what is flushed to 0.
  if (value < kind.lo || value > kind.hi ||
      (value != 0 && std::abs(value) < kSmallest))
    value = kind.lo > 0 || kind.hi < 0 ? 1 : 0;
  value = std::min(std::max(value, kind.lo), kind.hi);
  return lastValue = value;
}

std::vector<double> RuleInstance::drawValues(unsigned index) {
  std::vector<double> values(getSize(getArgumentAxes(index), extents));
  const ArgumentKind &kind = argumentKinds[index];
  // All elements opposite to those of another argument: sums cancel as a whole.
  bool isUniform = opposite != 0 && random.below(4) &&
                   isa<FloatType>(kind.elementType) && kind.finite;
  double uniform = random.flip() ? opposite : -opposite * (1 + 0x1p-20);
  if (isUniform)
    uniform = roundTo(kind.elementType, uniform);
  isUniform &= uniform >= kind.lo && uniform <= kind.hi;
  for (double &value : values)
    value = isUniform ? uniform : drawValue(kind);
  return values;
}

std::vector<FieldDomain::Value> RuleInstance::drawResidues(unsigned index) {
  std::vector<FieldDomain::Value> values(
      getSize(getArgumentAxes(index), extents));
  const ArgumentKind &kind = argumentKinds[index];
  for (FieldDomain::Value &value : values) {
    if (kind.isConstant()) {
      value = FieldDomain::constant(kind.lo);
    } else if (isa<FloatType>(kind.elementType)) {
      value = {random.bits() % FieldDomain::kPrime,
               random.bits() % FieldDomain::kOrder, true};
    } else {
      value = FieldDomain::constant(std::max(drawValue(kind), 0.0));
    }
  }
  return values;
}
