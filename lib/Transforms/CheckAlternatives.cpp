//===- CheckAlternatives.cpp - Alternatives against their input -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/CheckAlternatives.h"
#include "Cleave/Runtime/Compare.h"
#include "Cleave/Runtime/Random.h"
#include "Cleave/Transforms/OwnDiagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::cleave;

/// Of rounding in f64, in a computation that may lose half of the digits.
static constexpr double kTolerance = 1e-6;
/// The rounding errors of f64 next to those of f32, with room.
static constexpr double kNoise = 1e-3;
/// What one evaluation may cost: operations, and elements of one value.
static constexpr double kMaxFlops = 2e8, kMaxFullFlops = 4e9;
static constexpr double kMaxElements = 1 << 24;
/// Positions of each axis that can be sampled.
static constexpr int64_t kSamples = 3;

//===----------------------------------------------------------------------===//
// Extents out of types
//===----------------------------------------------------------------------===//

static Type freeAxes(Type type, const std::set<std::string> &axes) {
  if (!isCleaveTensor(type))
    return type;
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [name, extent] : llvm::zip_equal(getAxes(tensor).getNames(), shape))
    if (axes.count(name.getValue().str()))
      extent = ShapedType::kDynamic;
  return RankedTensorType::get(shape, tensor.getElementType(),
                               tensor.getEncoding());
}

/// A copy whose types and symbols do not fix these axes.
static OwningOpRef<FunctionOpInterface>
cloneWithFreeAxes(FunctionOpInterface function,
                  const std::set<std::string> &axes) {
  auto copy = cast<FunctionOpInterface>(function->clone());
  auto freeAll = [&](TypeRange types) {
    return llvm::map_to_vector(types,
                               [&](Type type) { return freeAxes(type, axes); });
  };
  copy.setType(copy.cloneTypeWith(freeAll(copy.getArgumentTypes()),
                                  freeAll(copy.getResultTypes())));
  copy->removeAttr(CleaveDialect::kSymbolsAttrName);
  copy->walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(freeAxes(result.getType(), axes));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(freeAxes(argument.getType(), axes));
  });
  return copy;
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

namespace {
/// Chooses extents and data.
class InstanceMaker {
public:
  InstanceMaker(FunctionOpInterface function, unsigned input)
      : function(function), input(input) {}

  /// `round` 0 has primes only, 1 also ones, 2 also axes without positions.
  std::optional<CheckInstance> makeSmall(unsigned round);
  /// At the original extents; axes that are cut are named in `notes`.
  std::optional<CheckInstance> makeFull(SmallVectorImpl<std::string> &notes);

private:
  std::set<std::string> findFreeAxes(bool withRelations) const;
  void addRenamed(const std::string &name, std::set<std::string> &axes) const;
  Bindings chooseExtents(const AxisTable &table, const AxisTable &original,
                         unsigned round);
  bool fillArguments(CheckInstance &instance, unsigned round);
  bool cutAxes(CheckInstance &instance, SmallVectorImpl<std::string> &notes);
  double countFlops(const CheckInstance &instance) const;
  double countElements(const CheckInstance &instance) const;

  FunctionOpInterface function;
  unsigned input;
  std::mt19937 random{1};
};
} // namespace

/// Evaluates to nothing without telling the user.
template <typename Fn> static auto quietly(MLIRContext *context, Fn fn) {
  OwnDiagnostics handler(context, [](Diagnostic &) {});
  return fn();
}

/// Static axes that no operation takes positions of by number and, unless
/// `withRelations`, that stand in no relation.
std::set<std::string> InstanceMaker::findFreeAxes(bool withRelations) const {
  std::set<std::string> axes, kept;
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table))
    return axes;
  function->walk([&](SliceOp slice) {
    kept.insert(slice.getAxis().str());
    if (slice.getPart())
      kept.insert(slice.getPart()->str());
  });
  // What a kept axis is made of is kept. The parts of a split may become small
  // where their number is kept, not their extent.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[name, info] : table->axes()) {
      bool related =
          !withRelations || kept.count(name) ||
          (info.kind == AxisKind::CeilDiv && kept.count(info.operands.front()));
      if (!related || info.operands.empty())
        continue;
      changed |= kept.insert(name).second;
      for (const std::string &operand : info.operands)
        changed |= kept.insert(operand).second;
    }
  }
  for (const auto &[name, info] : table->axes())
    if (!ShapedType::isDynamic(info.extent) && !kept.count(name))
      axes.insert(name);
  return axes;
}

/// Adds an axis and those that renaming makes equal to it.
void InstanceMaker::addRenamed(const std::string &name,
                               std::set<std::string> &axes) const {
  axes.insert(name);
  for (bool changed = true; changed;) {
    changed = false;
    function->walk([&](RenameOp rename) {
      for (auto [from, to] : llvm::zip_equal(rename.getFrom().getNames(),
                                             rename.getTo().getNames())) {
        std::string a = from.getValue().str(), b = to.getValue().str();
        if (axes.count(a) != axes.count(b))
          changed = axes.insert(a).second | axes.insert(b).second;
      }
    });
  }
}

Bindings InstanceMaker::chooseExtents(const AxisTable &table,
                                      const AxisTable &original,
                                      unsigned round) {
  static constexpr int64_t primes[] = {2, 3, 5, 7};
  auto choose = [&](const std::string &name) -> int64_t {
    const AxisInfo *info = original.lookup(name);
    bool mayBeEmpty = info && ShapedType::isDynamic(info->extent);
    unsigned draw = random();
    if (round == 2 && mayBeEmpty && draw % 3 == 0)
      return 0;
    if (round >= 1 && draw % 3 == 1)
      return 1;
    return primes[random() % 4];
  };
  Bindings given;
  // Where a symbol says how many parts there are, they may be short or empty.
  auto isSymbol = [&](const std::string &name) {
    const AxisInfo *info = original.lookup(name);
    return info && info->kind == AxisKind::Bound;
  };
  std::set<std::string> made;
  for (const SplitRelation &split : table.splits())
    made.insert(isSymbol(split.outer) ? split.inner : split.axis);
  for (const auto &[name, info] : table.axes()) {
    bool follows = !ShapedType::isDynamic(info.extent) || made.count(name) ||
                   (!info.operands.empty() && info.kind != AxisKind::CeilDiv);
    if (follows)
      addRenamed(name, made);
  }
  for (const auto &[name, info] : table.axes())
    if (!made.count(name)) {
      given[name] = choose(name);
      addRenamed(name, made);
    }
  // Splits of static axes leave nothing over.
  auto get = [&](const std::string &name) {
    auto it = given.find(name);
    const AxisInfo *info = table.lookup(name);
    return it != given.end() ? it->second : std::max<int64_t>(info->extent, 0);
  };
  for (const SplitRelation &split : table.splits()) {
    int64_t outer = std::max<int64_t>(get(split.outer), 1);
    given[split.outer] = outer;
    if (isSymbol(split.outer))
      continue;
    given.try_emplace(split.axis, outer * get(split.inner));
  }
  return given;
}

std::optional<CheckInstance> InstanceMaker::makeSmall(unsigned round) {
  FailureOr<AxisTable> original = AxisTable::get(function);
  if (failed(original))
    return std::nullopt;
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    CheckInstance instance;
    instance.freed = findFreeAxes(/*withRelations=*/attempt < 6);
    auto copy = cloneWithFreeAxes(function, instance.freed);
    FailureOr<Bindings> extents =
        quietly(function.getContext(), [&]() -> FailureOr<Bindings> {
          FailureOr<AxisTable> table = AxisTable::get(*copy);
          if (failed(table))
            return failure();
          return table->resolve(chooseExtents(*table, *original, round),
                                function.getLoc());
        });
    if (failed(extents))
      continue;
    instance.extents = *extents;
    if (countFlops(instance) > kMaxFlops ||
        countElements(instance) > kMaxElements)
      return std::nullopt;
    if (fillArguments(instance, round))
      return instance;
  }
  return std::nullopt;
}

bool InstanceMaker::fillArguments(CheckInstance &instance, unsigned round) {
  FailureOr<Signature> signature = Signature::get(function);
  if (failed(signature))
    return false;
  for (const Port &port : signature->arguments) {
    SmallVector<int64_t> shape = getShape(port, instance.extents);
    for (const SampledAxis &sample : instance.samples)
      for (auto [axis, extent] : llvm::zip_equal(port.axes, shape))
        if (axis == sample.name)
          extent = sample.indices.size();
    double scale = 1;
    if (port.range)
      scale = std::min(scale, *port.range / randomBound);
    instance.arguments.push_back(
        makeRandom(port.kind, shape, 11 + round, port.name, scale));
  }
  return true;
}

/// The extents that are computed.
static Bindings getWindow(const CheckInstance &instance) {
  Bindings window = instance.extents;
  for (const SampledAxis &sample : instance.samples)
    window[sample.name] = sample.indices.size();
  return window;
}

double InstanceMaker::countFlops(const CheckInstance &instance) const {
  return estimateFlops(function, getWindow(instance), input);
}

/// Of the largest value.
double InstanceMaker::countElements(const CheckInstance &instance) const {
  Bindings window = getWindow(instance);
  double largest = 0;
  auto look = [&](Type type) {
    if (!isCleaveTensor(type))
      return;
    double count = 1;
    for (StringAttr axis : getAxes(type).getNames())
      count *= double(window.at(axis.getValue().str()));
    largest = std::max(largest, count);
  };
  function->walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), look);
    llvm::for_each(op->getOperandTypes(), look);
  });
  return largest;
}

/// Halves the longest axis that stands in no relation until one evaluation is
/// affordable.
bool InstanceMaker::cutAxes(CheckInstance &instance,
                            SmallVectorImpl<std::string> &notes) {
  std::set<std::string> free = findFreeAxes(/*withRelations=*/false);
  FailureOr<AxisTable> table = AxisTable::get(function);
  for (const auto &[name, info] : table->axes())
    if (ShapedType::isDynamic(info.extent) && info.operands.empty())
      free.insert(name);
  std::map<std::string, int64_t> cut;
  while (countFlops(instance) > kMaxFullFlops ||
         countElements(instance) > kMaxElements) {
    Bindings window = getWindow(instance);
    const std::string *longest = nullptr;
    for (const std::string &name : free)
      if (!longest || window.at(name) > window.at(*longest))
        longest = &name;
    if (!longest || window.at(*longest) < 16)
      return false;
    int64_t &extent = instance.extents[*longest];
    cut.try_emplace(*longest, extent);
    extent /= 2;
  }
  for (const auto &[name, extent] : cut) {
    instance.freed.insert(name);
    notes.push_back("axis '" + name + "' is checked at an extent of " +
                    std::to_string(instance.extents[name]) + " instead of " +
                    std::to_string(extent));
  }
  auto copy = cloneWithFreeAxes(function, instance.freed);
  return quietly(function.getContext(), [&] {
    FailureOr<AxisTable> again = AxisTable::get(*copy);
    return succeeded(again) &&
           succeeded(again->resolve(instance.extents, function.getLoc()));
  });
}

std::optional<CheckInstance>
InstanceMaker::makeFull(SmallVectorImpl<std::string> &notes) {
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table))
    return std::nullopt;
  CheckInstance instance;
  instance.extents = table->representative({});
  for (const std::string &axis :
       findSampledAxes(function, instance.extents, kSamples))
    instance.samples.push_back(
        {axis, chooseSamples(instance.extents.at(axis), kSamples, 1)});
  if (!cutAxes(instance, notes) || !fillArguments(instance, 0))
    return std::nullopt;
  return instance;
}

std::vector<CheckInstance> mlir::cleave::makeInstances(
    FunctionOpInterface function, unsigned input, CheckLevel level,
    SmallVectorImpl<std::string> &notes, Numerics numerics) {
  std::vector<CheckInstance> instances;
  if (level == CheckLevel::None)
    return instances;
  InstanceMaker maker(function, input);
  for (unsigned round = 0; round < 3; ++round)
    if (auto instance = maker.makeSmall(round))
      instances.push_back(std::move(*instance));
  if (instances.empty())
    notes.push_back("no small extents were found to check at");
  if (level == CheckLevel::Full) {
    if (auto instance = maker.makeFull(notes))
      instances.push_back(std::move(*instance));
    else
      notes.push_back("the original extents are too large to check at");
  }
  for (CheckInstance &instance : instances)
    instance.numerics = numerics;
  return instances;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

std::optional<std::vector<HostArray>>
CheckInstance::run(FunctionOpInterface function, unsigned alternative,
                   std::string &note, bool rounds) const {
  // Axes that rules make follow from others.
  std::set<std::string> axes = freed;
  if (FailureOr<AxisTable> table = AxisTable::get(function); succeeded(table))
    for (const auto &[name, info] : table->axes())
      if (!extents.count(name))
        axes.insert(name);
  OwningOpRef<FunctionOpInterface> copy = cloneWithFreeAxes(function, axes);
  EvaluatorOptions options;
  options.alternative = alternative;
  options.samples = samples;
  options.samplesArguments = false;
  options.rounds = rounds;
  OwnDiagnostics handler(function.getContext(), [&](Diagnostic &diagnostic) {
    note = diagnostic.str();
  });
  auto results = evaluate(*copy, arguments, extents, options);
  if (failed(results))
    return std::nullopt;
  return std::move(*results);
}

/// `result` and `reference` without the elements that need not agree.
static std::pair<HostArray, HostArray> dropNonFinite(const HostArray &result,
                                                     const HostArray &reference,
                                                     Numerics numerics) {
  std::vector<double> a(result.size()), r(reference.size());
  result.copyTo(a);
  reference.copyTo(r);
  for (auto [x, y] : llvm::zip_equal(a, r)) {
    bool isOdd = numerics == Numerics::Real
                     ? !std::isfinite(x) || !std::isfinite(y)
                     : !std::isfinite(x) && !std::isfinite(y);
    if (isOdd)
      x = y = 0;
  }
  std::pair<HostArray, HostArray> kept{{ElementKind::F64, result.getShape()},
                                       {ElementKind::F64, result.getShape()}};
  kept.first.assign(a);
  kept.second.assign(r);
  return kept;
}

/// What a type rounds to 0, at most.
static double getNothing(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return std::ldexp(1.0, -25);
  case ElementKind::BF16:
    return std::ldexp(1.0, -134);
  case ElementKind::F32:
    return std::ldexp(1.0, -150);
  default:
    return 0;
  }
}

std::optional<std::string>
CheckInstance::compare(ArrayRef<HostArray> results,
                       ArrayRef<HostArray> reference,
                       ArrayRef<HostArray> rounded) const {
  auto compareOne = [&](const HostArray &result, unsigned index) {
    auto [a, r] = dropNonFinite(result, reference[index], numerics);
    return cleave::compare(a, r, kTolerance);
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [index, result] : llvm::enumerate(results)) {
    Comparison comparison = compareOne(result, index);
    if (comparison.isWithin(kTolerance))
      continue;
    // Rounding errors that the result's type does not hold are none of f32.
    if (!rounded.empty() && comparison.nonFiniteMismatches == 0 &&
        (comparison.maxError <= getNothing(rounded[index].getKind()) ||
         comparison.l2 <= kNoise * compareOne(rounded[index], index).l2))
      continue;
    os << "result " << index << " has ";
    if (comparison.nonFiniteMismatches > 0)
      os << comparison.nonFiniteMismatches
         << " elements that differ in being infinite or NaN";
    else
      os << (comparison.isAbsolute ? "an absolute" : "a relative")
         << " error of " << llvm::format("%.2g", comparison.l2);
    os << " at " << describe();
    return text;
  }
  return std::nullopt;
}

std::string CheckInstance::describe() const {
  std::string text;
  for (const auto &[name, extent] : extents)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(extent);
  return text;
}

SmallVector<CheckFailure> mlir::cleave::checkAlternatives(
    FunctionOpInterface function, AlternativesOp alternatives, unsigned input,
    ArrayRef<CheckInstance> instances, SmallVectorImpl<std::string> &notes) {
  SmallVector<CheckFailure> failures;
  std::set<unsigned> failed;
  for (auto [number, instance] : llvm::enumerate(instances)) {
    std::string note;
    auto reference = instance.run(function, input, note);
    if (!reference) {
      notes.push_back("the input is not evaluated at " + instance.describe() +
                      ": " + note);
      continue;
    }
    for (unsigned i = 0, e = alternatives.getAlternatives().size(); i < e;
         ++i) {
      if (i == input || failed.count(i))
        continue;
      auto results = instance.run(function, i, note);
      auto difference = results ? instance.compare(*results, *reference) : note;
      if (difference && results)
        if (auto rounded = instance.run(function, input, note, true))
          difference = instance.compare(*results, *reference, *rounded);
      if (!difference)
        continue;
      failed.insert(i);
      failures.push_back({i, unsigned(number), *difference});
    }
  }
  return failures;
}

//===----------------------------------------------------------------------===//
// Who is to blame
//===----------------------------------------------------------------------===//

OwningOpRef<FunctionOpInterface>
mlir::cleave::cloneInput(FunctionOpInterface function,
                         AlternativesOp alternatives, unsigned input) {
  IRMapping mapping;
  auto copy = cast<FunctionOpInterface>(function->clone(mapping));
  auto inner = *copy.getFunctionBody().getOps<AlternativesOp>().begin();
  Block &block = inner.getAlternatives()[input].front();
  Operation *yield = block.getTerminator();
  inner->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  inner->getBlock()->getOperations().splice(Block::iterator(inner),
                                            block.getOperations());
  inner.erase();
  return copy;
}

std::string mlir::cleave::findWrongRule(FunctionOpInterface source,
                                        const RuleSet &rules,
                                        AlgebraOptions options,
                                        const egraph::Extracted &form,
                                        const CheckInstance &instance) {
  options.explain = true;
  FailureOr<OptimizedFunction> result = optimize(source, rules, options);
  std::string note;
  auto reference = instance.run(source, 0, note);
  if (failed(result) || !reference)
    return "its rules cannot be told";
  auto same = llvm::find_if(
      result->extraction.best, [&](const egraph::Extracted &other) {
        return other.evaluation.form == form.evaluation.form;
      });
  if (same == result->extraction.best.end())
    return "its rules cannot be told";
  std::string names, wrong;
  for (const ExplanationStep &step : explainForm(*result, *same)) {
    names += (names.empty() ? "" : ", ") + step.name;
    if (!wrong.empty())
      continue;
    FunctionOpInterface terms = buildTerms(source, *result->graph, step.roots);
    auto values = instance.run(terms, 0, note);
    if (!values || instance.compare(*values, *reference))
      wrong = step.name;
    terms->erase();
  }
  if (wrong.empty())
    return "its rules are right: " + names +
           "; what was done to it after them "
           "is not";
  return "its rules: " + names + "; the first to change the numbers: " + wrong;
}
