//===- VerifyRules.cpp - Testing rules on small instances -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of a rule are compared on random instances: exactly in a prime
// field where they are rational; in f64; and in f32, where the other side must
// not overflow or cancel if its facts promise that it does not. The facts
// themselves are tested on all values that come up.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "RuleInstance.h"

#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

namespace {

/// Compares the sides of one application of a rule.
class Comparison {
public:
  Comparison(const RulePattern &pattern, RuleInstance &instance, ClassId left,
             ClassId right)
      : pattern(pattern), instance(instance), graph(instance.getGraph()),
        left(left), right(right) {}

  /// Both sides are equal for random values; emits an error otherwise.
  LogicalResult run(bool wide);

private:
  template <typename Domain>
  using Arguments = std::vector<std::vector<typename Domain::Value>>;

  LogicalResult checkTypes();
  template <typename Domain>
  LogicalResult compare(const Arguments<Domain> &arguments);
  template <typename Domain>
  std::string describe(AxisSet axes, ArrayRef<int64_t> position,
                       const Arguments<Domain> &arguments);
  bool isAccepted(const TermEvaluator<FloatDomain> &evaluator,
                  size_t numLeft) const;
  LogicalResult checkFacts(const TermEvaluator<FloatDomain> &evaluator,
                           const Arguments<FloatDomain> &arguments);

  const RulePattern &pattern;
  RuleInstance &instance;
  AlgebraGraph &graph;
  ClassId left, right;
};

} // namespace

static bool overflows(const FloatDomain::Value &value) {
  return value.overflow || !std::isfinite(value.value);
}
template <typename Value> static bool overflows(const Value &) { return false; }

/// At the rule in its file; its operations are of no use to a reader.
static InFlightDiagnostic emitWrong(const RulePattern &pattern) {
  return emitError(pattern.op->getLoc(), "wrong rule '")
         << pattern.name << "': ";
}

template <typename Domain>
std::string Comparison::describe(AxisSet axes, ArrayRef<int64_t> position,
                                 const Arguments<Domain> &arguments) {
  const Extents &extents = instance.getExtents();
  auto getName = [&](unsigned axis) {
    return graph.getAxisName(axis).getValue().str();
  };
  AxisSet used = axes;
  std::string text = "at (";
  axes.forEach([&](unsigned axis) {
    text += (text.size() > 4 ? ", " : "") + getName(axis) + " = " +
            std::to_string(position[axis]);
  });
  std::string values;
  for (size_t index = 0; index < arguments.size(); ++index) {
    AxisSet own = instance.getArgumentAxes(index);
    used |= own;
    std::string names;
    own.forEach([&](unsigned axis) {
      names += (names.empty() ? "" : ", ") + getName(axis);
    });
    values += "; a" + std::to_string(index) + "[" + names + "] =";
    size_t size = getSize(own, extents);
    for (size_t i = 0; i < std::min<size_t>(size, 8); ++i)
      values += " " + Domain::print(arguments[index][i]);
    if (size > 8)
      values += " ...";
  }
  text += "); extents";
  used.forEach([&](unsigned axis) {
    text += " " + getName(axis) + " = " + std::to_string(extents[axis]);
  });
  return text + values;
}

template <typename Domain>
LogicalResult Comparison::compare(const Arguments<Domain> &arguments) {
  // The sides are evaluated apart: they may not even have the same axes.
  TermEvaluator<Domain> evaluator(
      graph, instance.getExtents(),
      [&](unsigned i) -> const std::vector<typename Domain::Value> & {
        return arguments[i];
      },
      RuleInstance::kFirstAlias);
  const auto *a = evaluator.evaluate(left);
  size_t numLeft = evaluator.getValues().size();
  const auto *b = evaluator.evaluate(right);
  if (!a || !b)
    return success(Domain::isExact);
  bool mayOverflow = false;
  if constexpr (std::is_same_v<Domain, FloatDomain>) {
    if (failed(checkFacts(evaluator, arguments)))
      return failure();
    mayOverflow = !isAccepted(evaluator, numLeft);
  }
  AxisSet axes = graph.getGraph().getFacts(left).axes;
  bool isWrong = false;
  forEachPosition(axes, instance.getExtents(), [&](ArrayRef<int64_t> position) {
    size_t offset = getOffset(axes, instance.getExtents(), position);
    if (isWrong || Domain::isEqual((*a)[offset], (*b)[offset]) ||
        (mayOverflow && overflows((*b)[offset])))
      return;
    // Maxima of residues prove nothing.
    if (evaluator.hasUninterpreted())
      return;
    isWrong = true;
    emitWrong(pattern) << "expected " << Domain::print((*a)[offset])
                       << " but got " << Domain::print((*b)[offset]) << " "
                       << describe<Domain>(axes, position, arguments);
  });
  return failure(isWrong);
}

/// Whether extraction would take what only the right side has: it refuses what
/// may not be finite.
bool Comparison::isAccepted(const TermEvaluator<FloatDomain> &evaluator,
                            size_t numLeft) const {
  ArrayRef<ClassId> order = evaluator.getOrder();
  return llvm::all_of(order.drop_front(numLeft), [&](ClassId id) {
    return graph.getGraph().getFacts(id).finite;
  });
}

/// What is wrong with a value by its facts, or empty.
static StringRef findWrongFact(const Facts &facts, FloatDomain::Value x) {
  double tolerance = x.error + 0x1p-20 * std::abs(x.value);
  if (facts.notNaN && std::isnan(x.value))
    return "not NaN";
  if (facts.finite && !std::isfinite(x.value))
    return "finite";
  if (std::isnan(x.value) || std::isnan(tolerance) || std::isinf(tolerance))
    return "";
  if (facts.isNonZero() && x.value == 0)
    return "not 0";
  if (x.value < facts.lo - tolerance || x.value > facts.hi + tolerance)
    return "in its interval";
  if (facts.constant && !(std::abs(x.value - *facts.constant) <= tolerance))
    return "constant";
  return "";
}

LogicalResult
Comparison::checkFacts(const TermEvaluator<FloatDomain> &evaluator,
                       const Arguments<FloatDomain> &arguments) {
  for (auto &[id, values] : evaluator.getValues())
    for (FloatDomain::Value value : values) {
      StringRef wrong = findWrongFact(graph.getGraph().getFacts(id), value);
      if (wrong.empty())
        continue;
      const Node &node = graph.getGraph().getClass(id).nodes.front();
      SmallVector<int64_t> origin(instance.getExtents().size(), 0);
      return emitError(pattern.op->getLoc(), "wrong fact: expected the ")
             << graph.getGraph().getName(node.symbol) << " of rule '"
             << pattern.name << "' to be " << wrong << " but got "
             << FloatDomain::print(value) << " "
             << describe<FloatDomain>({}, origin, arguments);
    }
  return success();
}

LogicalResult Comparison::checkTypes() {
  const Facts &a = graph.getGraph().getFacts(left);
  const Facts &b = graph.getGraph().getFacts(right);
  if (a.axes == b.axes && a.elementType == b.elementType)
    return success();
  return emitWrong(pattern)
         << "expected a value of type " << graph.getType(left) << " but got "
         << graph.getType(right);
}

LogicalResult Comparison::run(bool wide) {
  if (failed(checkTypes()))
    return failure();
  for (unsigned round = 0; round < 6; ++round) {
    if (!instance.drawExtents())
      return success();
    Arguments<RealDomain> reals;
    Arguments<FieldDomain> residues;
    Arguments<FloatDomain> floats;
    for (unsigned i = 0; i < instance.getNumArguments(); ++i) {
      reals.push_back(instance.drawValues(i));
      residues.push_back(instance.drawResidues(i));
      floats.emplace_back();
      for (double value : reals.back())
        floats.back().push_back({value, 0});
    }
    if (failed(compare<FloatDomain>(floats)))
      return failure();
    // Large values lose the small ones in f64 too.
    if (!wide && (failed(compare<FieldDomain>(residues)) ||
                  failed(compare<RealDomain>(reals))))
      return failure();
  }
  return success();
}

LogicalResult mlir::cleave::verifyRule(const RulePattern &pattern,
                                       const VerifyOptions &options) {
  unsigned found = 0;
  for (unsigned attempt = 0;
       attempt < options.attempts && found < options.instances; ++attempt) {
    bool wide = attempt % 2;
    RuleInstance instance(pattern, options.seed * 100003 + attempt, wide);
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
      if (failed(Comparison(pattern, instance, *left, *right).run(wide)))
        return failure();
    }
    found += applies;
  }
  if (found < options.minInstances)
    return emitError(pattern.op->getLoc(), "expected rule '")
           << pattern.name << "' to apply to " << options.minInstances << " of "
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
