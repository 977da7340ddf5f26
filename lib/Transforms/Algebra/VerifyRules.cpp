//===- VerifyRules.cpp - Testing rules on small instances -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instance is the left side of a rule over random arguments. What the facts
// say of an argument (sign, finiteness, an axis that cannot be empty) is random
// too, and its values go to the limits of that: a side condition that is
// missing shows as two sides that differ.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "TermEvaluator.h"

#include <limits>
#include <random>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

static constexpr double kInf = std::numeric_limits<double>::infinity();
/// Argument numbers from here on stand for results of inner operations.
static constexpr unsigned kFirstAlias = 1000;

/// Where the rule stands in its file; the operations are of no use to a reader.
static Location getLocation(const RulePattern &pattern) {
  return pattern.op->getLoc();
}

namespace {

/// std's distributions differ between libraries; the generator does not.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  unsigned below(unsigned n) { return engine() % n; }
  bool flip() { return below(2); }
  uint64_t bits() { return uint64_t(engine()) << 32 | engine(); }

private:
  std::mt19937 engine;
};

/// What an argument may be.
struct Kind {
  double lo, hi;
  bool finite;
};
constexpr Kind kKinds[] = {
    {-2, 2, true}, {0, 2, true},   {0.5, 2, true},
    {-2, 0, true}, {-2, -1, true}, {-kInf, kInf, false},
};

class Instance {
public:
  Instance(const RulePattern &pattern, unsigned seed)
      : pattern(pattern), random(seed), graph(pattern.op->getContext()) {
    addAxes();
  }

  /// Empty if the pattern cannot be built from what was drawn.
  std::optional<ClassId> build();
  AlgebraGraph &getGraph() { return graph; }
  /// Both sides are equal for random values; emits an error otherwise.
  LogicalResult check(ClassId left, ClassId right);

private:
  void addAxes();
  ClassId addArgument();
  ClassId addAlias(ClassId id);
  std::optional<ClassId> buildOperation(pdl::OperationOp op);
  std::optional<SmallVector<ClassId>> buildOperand(Value value);
  Attribute drawAttribute(StringRef name, Value value,
                          ArrayRef<ClassId> operands, StringRef opName);
  void drawExtents();
  double drawValue(const Kind &kind);
  template <typename Domain>
  LogicalResult
  compare(ClassId left, ClassId right,
          const std::vector<std::vector<typename Domain::Value>> &arguments);
  std::string describe(
      AxisSet axes, ArrayRef<int64_t> position,
      function_ref<std::string(unsigned argument, unsigned element)> print);

  const RulePattern &pattern;
  Random random;
  AlgebraGraph graph;
  std::vector<ClassId> argumentClasses;
  std::vector<const Kind *> argumentKinds;
  std::vector<std::pair<ClassId, ClassId>> aliases;
  llvm::DenseMap<Value, SmallVector<ClassId>> operands;
  llvm::DenseMap<Value, Attribute> attributes;
  Extents extents;
};

} // namespace

/// Static axes cannot be empty; their extents are primes that differ, so that
/// no mix-up goes unseen.
void Instance::addAxes() {
  const int64_t primes[] = {2, 3, 5};
  const char *const names[] = {"I", "J", "K"};
  for (unsigned i = 0; i < 3; ++i) {
    AxisBounds bounds;
    if (random.flip())
      bounds.min = bounds.max = bounds.type = primes[i];
    graph.addAxis(StringAttr::get(graph.getContext(), names[i]), bounds);
  }
}

ClassId Instance::addArgument() {
  const Kind &kind = kKinds[random.below(std::size(kKinds))];
  AxisSet axes = AxisSet::fromBits(random.below(8));
  MLIRContext *context = graph.getContext();
  AxesAttr names = graph.getAxesAttr(axes);
  SmallVector<int64_t> shape;
  for (StringAttr name : names.getNames())
    shape.push_back(graph.getBounds(*graph.lookupAxis(name)).type);
  auto type = RankedTensorType::get(shape, Float32Type::get(context), names);
  Facts facts;
  facts.lo = kind.lo;
  facts.hi = kind.hi;
  facts.finite = facts.notNaN = kind.finite;
  unsigned index = argumentClasses.size();
  argumentKinds.push_back(&kind);
  argumentClasses.push_back(graph.addArgument(index, type, facts));
  return argumentClasses.back();
}

/// A name for the result of an inner operation, so that normal forms do not
/// take the pattern apart. Merged with it once the pattern stands.
ClassId Instance::addAlias(ClassId id) {
  Facts unknown;
  ClassId alias = graph.addArgument(kFirstAlias + aliases.size(),
                                    graph.getType(id), unknown);
  aliases.emplace_back(alias, id);
  return alias;
}

/// Axes that the operands carry; the other attributes are the algebra's own.
Attribute Instance::drawAttribute(StringRef name, Value value,
                                  ArrayRef<ClassId> operands,
                                  StringRef opName) {
  if (Attribute known = attributes.lookup(value))
    return known;
  MLIRContext *context = graph.getContext();
  Builder builder(context);
  Attribute result = value.getDefiningOp<pdl::AttributeOp>().getValueAttr();
  if (!result && name == "axes") {
    AxisSet carried;
    for (ClassId id : operands)
      carried |= graph.getGraph().getFacts(id).axes;
    AxisSet axes = carried & AxisSet::fromBits(random.below(8));
    if (!axes.empty())
      result = graph.getAxesAttr(axes);
  } else if (!result && name == "operand_type") {
    result = opName == "cleave.reduce_sum" && random.flip()
                 ? Attribute(builder.getUnitAttr())
                 : TypeAttr::get(builder.getF32Type());
  } else if (!result && name == "value") {
    result = builder.getF64FloatAttr(int(random.below(5)) - 2);
  }
  attributes[value] = result;
  return result;
}

std::optional<SmallVector<ClassId>> Instance::buildOperand(Value value) {
  if (auto it = operands.find(value); it != operands.end())
    return it->second;
  SmallVector<ClassId> result;
  Operation *def = value.getDefiningOp();
  if (isa<pdl::OperandOp>(def)) {
    result.push_back(addArgument());
  } else if (isa<pdl::OperandsOp>(def)) {
    for (unsigned i = 0, e = random.below(4); i < e; ++i)
      result.push_back(addArgument());
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

std::optional<ClassId> Instance::buildOperation(pdl::OperationOp op) {
  SmallVector<ClassId> children;
  for (Value operand : op.getOperandValues()) {
    auto built = buildOperand(operand);
    if (!built)
      return std::nullopt;
    children.append(*built);
  }
  NamedAttrList payload;
  for (auto [name, value] :
       llvm::zip_equal(op.getAttributeValueNames(), op.getAttributeValues())) {
    auto key = cast<StringAttr>(name);
    Attribute attribute = drawAttribute(key, value, children, *op.getOpName());
    if (!attribute)
      return std::nullopt;
    payload.set(key, attribute);
  }
  DictionaryAttr dictionary = payload.getDictionary(graph.getContext());
  if (!graph.isValid(*op.getOpName(), dictionary, children))
    return std::nullopt;
  return graph.add(*op.getOpName(), dictionary, children);
}

std::optional<ClassId> Instance::build() {
  std::optional<ClassId> root = buildOperation(pattern.root);
  if (!root)
    return std::nullopt;
  for (auto [alias, id] : aliases)
    graph.getGraph().merge(alias, id, "alias");
  graph.getGraph().rebuild();
  return graph.getGraph().find(*root);
}

//===----------------------------------------------------------------------===//
// Comparing the sides
//===----------------------------------------------------------------------===//

void Instance::drawExtents() {
  const int64_t sizes[] = {0, 1, 2, 3, 5};
  extents.clear();
  for (unsigned axis = 0; axis < 3; ++axis) {
    const AxisBounds &bounds = graph.getBounds(axis);
    extents.push_back(bounds.min == bounds.max ? bounds.min
                                               : sizes[random.below(5)]);
  }
}

double Instance::drawValue(const Kind &kind) {
  if (!kind.finite) {
    const double odd[] = {
        0, 1, -1, kInf, -kInf, std::numeric_limits<double>::quiet_NaN()};
    return odd[random.below(6)];
  }
  // The ends and 0 are where signs and divisions go wrong.
  switch (random.below(4)) {
  case 0:
    return kind.lo;
  case 1:
    return kind.hi;
  case 2:
    return kind.lo <= 0 && kind.hi >= 0 ? 0 : kind.hi;
  default:
    return kind.lo + (kind.hi - kind.lo) * (random.below(1001) / 1000.0);
  }
}

std::string
Instance::describe(AxisSet axes, ArrayRef<int64_t> position,
                   function_ref<std::string(unsigned, unsigned)> print) {
  std::string text = "at (";
  axes.forEach([&](unsigned axis) {
    text += (text.size() > 4 ? ", " : "") +
            graph.getAxisName(axis).getValue().str() + " = " +
            std::to_string(position[axis]);
  });
  text += "); extents";
  for (unsigned axis = 0; axis < extents.size(); ++axis)
    text += " " + graph.getAxisName(axis).getValue().str() + " = " +
            std::to_string(extents[axis]);
  for (auto [index, id] : llvm::enumerate(argumentClasses)) {
    AxisSet own = graph.getGraph().getFacts(id).axes;
    text += "; a" + std::to_string(index) + "[";
    std::string names;
    own.forEach([&](unsigned axis) {
      names += (names.empty() ? "" : ", ") +
               graph.getAxisName(axis).getValue().str();
    });
    text += names + "] =";
    for (size_t i = 0, e = std::min<size_t>(getSize(own, extents), 8); i < e;
         ++i)
      text += " " + print(index, i);
    if (getSize(own, extents) > 8)
      text += " ...";
  }
  return text;
}

template <typename Domain>
LogicalResult Instance::compare(
    ClassId left, ClassId right,
    const std::vector<std::vector<typename Domain::Value>> &arguments) {
  // The sides are evaluated apart: they may not even have the same axes.
  TermEvaluator<Domain> evaluator(
      graph, extents,
      [&](unsigned i) -> const std::vector<typename Domain::Value> & {
        return arguments[i];
      },
      kFirstAlias);
  const auto *a = evaluator.evaluate(left);
  const auto *b = evaluator.evaluate(right);
  if (!a || !b)
    return success(Domain::isExact);
  AxisSet axes = graph.getGraph().getFacts(left).axes;
  bool isWrong = false;
  auto print = [&](unsigned argument, unsigned element) {
    return Domain::print(arguments[argument][element]);
  };
  forEachPosition(axes, extents, [&](ArrayRef<int64_t> position) {
    size_t offset = getOffset(axes, extents, position);
    if (isWrong || Domain::isEqual((*a)[offset], (*b)[offset]))
      return;
    isWrong = true;
    emitError(getLocation(pattern), "wrong rule '")
        << pattern.name << "': expected " << Domain::print((*a)[offset])
        << " but got " << Domain::print((*b)[offset]) << " "
        << describe(axes, position, print);
  });
  return failure(isWrong);
}

LogicalResult Instance::check(ClassId left, ClassId right) {
  const Facts &a = graph.getGraph().getFacts(left);
  const Facts &b = graph.getGraph().getFacts(right);
  if (a.axes != b.axes || a.elementType != b.elementType)
    return emitError(getLocation(pattern), "wrong rule '")
           << pattern.name << "': expected a value of type "
           << graph.getType(left) << " but got " << graph.getType(right);
  for (unsigned round = 0; round < 6; ++round) {
    drawExtents();
    std::vector<std::vector<double>> reals;
    std::vector<std::vector<FieldDomain::Value>> residues;
    for (auto [id, kind] : llvm::zip_equal(argumentClasses, argumentKinds)) {
      reals.emplace_back();
      residues.emplace_back();
      size_t size = getSize(graph.getGraph().getFacts(id).axes, extents);
      for (size_t i = 0; i < size; ++i) {
        reals.back().push_back(drawValue(*kind));
        residues.back().push_back({random.bits() % FieldDomain::kPrime, true});
      }
    }
    if (failed(compare<FieldDomain>(left, right, residues)) ||
        failed(compare<RealDomain>(left, right, reals)))
      return failure();
  }
  return success();
}

LogicalResult mlir::cleave::verifyRule(const RulePattern &pattern,
                                       const VerifyOptions &options) {
  unsigned found = 0;
  for (unsigned attempt = 0;
       attempt < options.attempts && found < options.instances; ++attempt) {
    Instance instance(pattern, options.seed * 100003 + attempt);
    std::optional<ClassId> left = instance.build();
    if (!left)
      continue;
    std::vector<Match> matches;
    BoundRule(pattern, instance.getGraph()).search(*left, matches);
    bool applies = false;
    for (const Match &match : matches) {
      std::optional<ClassId> right =
          match.build(instance.getGraph().getGraph());
      if (!right)
        continue;
      applies = true;
      if (failed(instance.check(*left, *right)))
        return failure();
    }
    found += applies;
  }
  if (found < options.instances)
    return emitError(getLocation(pattern), "expected rule '")
           << pattern.name << "' to apply to " << options.instances << " of "
           << options.attempts << " random instances but got " << found;
  return success();
}

FailureOr<std::shared_ptr<const RuleSet>>
mlir::cleave::loadRules(MLIRContext *context, ArrayRef<std::string> paths,
                        bool verify) {
  auto rules = std::make_shared<RuleSet>();
  if (failed(rules->addBuiltin(context)))
    return failure();
  size_t builtin = rules->getPatterns().size();
  for (const std::string &path : paths)
    if (failed(rules->addFile(context, path)))
      return failure();
  if (verify)
    for (const RulePattern &pattern : rules->getPatterns().drop_front(builtin))
      if (failed(verifyRule(pattern, {})))
        return failure();
  return std::shared_ptr<const RuleSet>(std::move(rules));
}
