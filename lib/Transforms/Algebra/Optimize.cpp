//===- Optimize.cpp - Equality saturation of one function -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Optimize.h"
#include "Cleave/Transforms/EGraph/Explain.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

static void extractForms(OptimizedFunction &result, unsigned k) {
  PhaseTimer timer(result.times.extraction);
  const EGraph &graph = result.graph->getGraph();
  AlgebraCostModel model(*result.graph);
  result.inputSelection =
      getInputSelection(*result.graph, result.imported.roots);
  ExtractOptions options;
  options.k = k;
  options.maxLocal = std::min(options.maxLocal, 3000 * k);
  result.extraction = extract(graph, result.imported.roots, model, options,
                              result.inputSelection);
  CostTable table(graph, model);
  result.input =
      evaluate(graph, result.imported.roots, result.inputSelection, table);
}

FailureOr<OptimizedFunction>
mlir::cleave::optimize(FunctionOpInterface function, const RuleSet &rules,
                       const AlgebraOptions &options) {
  OptimizedFunction result;
  result.graph =
      std::make_unique<AlgebraGraph>(function.getContext(), options.numerics);
  if (options.explain)
    result.graph->getGraph().recordProofs();
  FailureOr<ImportedFunction> imported =
      importFunction(function, *result.graph, options.minExtent);
  if (failed(imported))
    return failure();
  result.imported = std::move(*imported);
  EGraph &graph = result.graph->getGraph();

  FlattenRule flatten;
  std::vector<std::unique_ptr<BoundRule>> bound;
  std::vector<Rule *> all{&flatten};
  for (const RulePattern &pattern : rules.getPatterns()) {
    bound.push_back(std::make_unique<BoundRule>(pattern, *result.graph));
    all.push_back(bound.back().get());
  }
  {
    PhaseTimer timer(result.times.saturation);
    result.report = saturate(graph, all, options.limits);
  }
  for (Rule *rule : all)
    result.ruleNames.push_back(rule->getName().str());
  if (!graph.getErrors().empty()) {
    const MergeError &error = graph.getErrors().front();
    return function.emitError()
           << "wrong rule: '" << error.reason
           << "' makes unequal values equal, " << error.message;
  }

  extractForms(result, options.k);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

/// Labels of the graph as it was written, and of that with folds.
static constexpr StringLiteral kInputLabel = "input",
                               kFoldedLabel = "input, folded";

bool RegionOrigin::isInput() const { return label == kInputLabel; }

/// The number of nodes decides nothing here.
static bool isCheaper(const Evaluation &a, const Evaluation &b) {
  return a.weight < b.weight;
}

/// The rules that made the nodes of a selection.
static std::string getLabel(const OptimizedFunction &result,
                            const Selection &selection) {
  std::set<std::string> names;
  for (auto [id, index] : selection) {
    Origin origin = result.graph->getGraph().getClass(id).nodes[index].origin;
    // Flattening is a normal form, no step of its own.
    if (origin > 1)
      names.insert(result.ruleNames[origin - 1]);
  }
  return names.empty() ? "normal form" : llvm::join(names, " ");
}

/// The forms to try, best first. The input stands for its skeleton unless
/// another graph of that skeleton does less work.
static std::vector<RegionOrigin> chooseForms(const OptimizedFunction &result) {
  std::vector<RegionOrigin> forms;
  bool hasInput = false;
  auto addInput = [&] {
    if (hasInput)
      return;
    forms.push_back({nullptr, kFoldedLabel.str()});
    forms.push_back({nullptr, kInputLabel.str()});
    hasInput = true;
  };
  for (const Extracted &form : result.extraction.best) {
    if (result.input && !isCheaper(form.evaluation, *result.input))
      addInput();
    if (result.input && form.evaluation.skeleton == result.input->skeleton &&
        !isCheaper(form.evaluation, *result.input))
      continue;
    forms.push_back({&form, getLabel(result, form.selection)});
  }
  addInput();
  return forms;
}

/// Fills a region's block; false where the form does not have the result types.
static bool fillForm(FunctionOpInterface function,
                     const OptimizedFunction &result, const RegionOrigin &form,
                     Block &block) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&block);
  Block &body = function.getFunctionBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> values;
  if (!form.extracted) {
    IRMapping mapping;
    for (Operation &op : body.without_terminator())
      if (!isa<AlternativesOp>(op))
        builder.clone(op, mapping);
    for (Value value : terminator->getOperands())
      values.push_back(mapping.lookupOrDefault(value));
  } else {
    auto exported = exportSelection(*result.graph, result.imported.roots,
                                    form.extracted->selection, builder,
                                    function.getLoc(), function.getArguments());
    if (!exported || TypeRange(ValueRange(*exported)) !=
                         TypeRange(terminator->getOperandTypes()))
      return false;
    values = *exported;
  }
  YieldOp::create(builder, function.getLoc(), values);
  return true;
}

static bool hasFold(Region &region) { return !region.getOps<FoldOp>().empty(); }

/// Moves the regions of `tried` that stay to a new op: folds were looked for in
/// a copy of the input too, which is of use only if there are some, or with
/// `keepFolded`. Drops the origins of the others.
static void keepRegions(AlternativesOp tried,
                        SmallVectorImpl<RegionOrigin> &origins, bool keepFolded,
                        unsigned k) {
  SmallVector<unsigned> kept;
  for (auto [index, region] : llvm::enumerate(tried.getAlternatives()))
    if (origins[index].label != kFoldedLabel || hasFold(region) || keepFolded)
      kept.push_back(index);
  for (unsigned i = kept.size(); i-- > 0 && kept.size() > k;)
    if (origins[kept[i]].label != kInputLabel)
      kept.erase(kept.begin() + i);
  SmallVector<RegionOrigin> keptOrigins;
  for (unsigned index : kept)
    keptOrigins.push_back(origins[index]);
  origins = std::move(keptOrigins);
  keepAlternatives(tried, kept);
}

void mlir::cleave::keepAlternatives(AlternativesOp op,
                                    ArrayRef<unsigned> kept) {
  OpBuilder builder(op);
  auto result = AlternativesOp::create(builder, op.getLoc(),
                                       op.getResultTypes(), kept.size());
  SmallVector<Attribute> labels;
  for (auto [region, index] : llvm::zip_equal(result.getAlternatives(), kept)) {
    region.takeBody(op.getAlternatives()[index]);
    labels.push_back((*op.getLabels())[index]);
  }
  result.setLabelsAttr(builder.getArrayAttr(labels));
  op->replaceAllUsesWith(result.getResults());
  op.erase();
}

FailureOr<SmallVector<RegionOrigin>>
mlir::cleave::emitAlternatives(FunctionOpInterface function,
                               const OptimizedFunction &result, unsigned k,
                               bool keepShared, FormFolds formFolds) {
  Block &body = function.getFunctionBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<RegionOrigin> origins;
  if (terminator->getNumOperands() == 0)
    return origins;
  // Forms are tried in blocks of their own, since one may turn out not to fit.
  std::vector<std::unique_ptr<Block>> blocks;
  for (const RegionOrigin &form : chooseForms(result)) {
    // The input always stays: no folds, and no remarks on them, beside it.
    if (k == 1 && form.label != kInputLabel)
      continue;
    auto block = std::make_unique<Block>();
    if (!fillForm(function, result, form, *block))
      continue;
    blocks.push_back(std::move(block));
    origins.push_back(form);
  }
  OpBuilder builder(terminator);
  auto alternatives = AlternativesOp::create(
      builder, function.getLoc(), terminator->getOperandTypes(), blocks.size());
  for (auto [region, block] :
       llvm::zip_equal(alternatives.getAlternatives(), blocks))
    region.front().getOperations().splice(region.front().end(),
                                          block->getOperations());
  alternatives.setLabelsAttr(builder.getStrArrayAttr(
      llvm::map_to_vector(origins, [](const RegionOrigin &origin) {
        return StringRef(origin.label);
      })));
  terminator->setOperands(alternatives.getResults());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (&op != terminator && &op != alternatives)
      op.erase();
  bool keepFolded = false;
  for (auto [region, origin] :
       llvm::zip_equal(alternatives.getAlternatives(), origins)) {
    if (origin.label == kInputLabel)
      continue;
    FailureOr<bool> shares = formFolds(region.front());
    if (failed(shares))
      return failure();
    keepFolded |= keepShared && origin.label == kFoldedLabel && *shares;
  }
  keepRegions(alternatives, origins, keepFolded, k);
  return origins;
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

std::vector<ExplanationStep>
mlir::cleave::explainForm(OptimizedFunction &result, const Extracted &form) {
  std::vector<ExplanationStep> steps;
  for (ExplainedStep &step :
       explain(result.graph->getGraph(), result.imported.roots, form.selection))
    steps.push_back({step.origin == kNormalForm
                         ? "Normal_Form"
                         : result.ruleNames[step.origin - 1],
                     step.isReversed, std::move(step.roots)});
  return steps;
}

FunctionOpInterface mlir::cleave::buildTerms(FunctionOpInterface function,
                                             const AlgebraGraph &graph,
                                             ArrayRef<ClassId> roots) {
  auto copy = cast<FunctionOpInterface>(function->cloneWithoutRegions());
  Block &block = copy.getFunctionBody().emplaceBlock();
  for (BlockArgument argument : function.getArguments())
    block.addArgument(argument.getType(), argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  SmallVector<Value> values = exportTerms(
      graph, roots, builder, function.getLoc(), copy.getArguments());
  Operation *terminator =
      builder.clone(*function.getFunctionBody().front().getTerminator());
  terminator->setOperands(values);
  return copy;
}

//===----------------------------------------------------------------------===//
// What strict numerics cost
//===----------------------------------------------------------------------===//

/// The arguments below a class in a selection.
static void collectArguments(const AlgebraGraph &graph,
                             const Selection &selection, ClassId root,
                             std::set<unsigned> &arguments) {
  std::set<ClassId> seen;
  SmallVector<ClassId> stack{graph.getGraph().find(root)};
  while (!stack.empty()) {
    ClassId id = stack.pop_back_val();
    auto chosen = selection.find(id);
    if (!seen.insert(id).second || chosen == selection.end())
      continue;
    const Node &node = graph.getGraph().getClass(id).nodes[chosen->second];
    if (graph.getKind(node) == OpKind::Argument)
      arguments.insert(
          cast<IntegerAttr>(graph.getPayload(node).get("index")).getInt());
    llvm::append_range(stack, node.children);
  }
}

static std::string getArgumentName(FunctionOpInterface function,
                                   unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(
          index, CleaveDialect::kNameAttrName))
    return name.getValue().str();
  return "arg" + std::to_string(index);
}

/// Worth a remark: fewer sweeps or bytes, or a tenth less work.
static bool isMuchCheaper(const Evaluation &a, const Evaluation &b) {
  auto head = [](const Cost &cost) {
    return ArrayRef<double>(cost).take_front(2).vec();
  };
  if (head(a.cost) != head(b.cost))
    return head(a.cost) < head(b.cost);
  return a.cost[2] < 0.9 * b.cost[2];
}

/// Whether something is divided by what is computed from these extents alone.
static bool dividesBy(FunctionOpInterface function,
                      llvm::DenseSet<Value> counts) {
  WalkResult walk = function.walk([&](Operation *op) {
    bool fromCounts = llvm::any_of(
        op->getOperands(), [&](Value value) { return counts.contains(value); });
    if (fromCounts && isa<DivOp, RecipOp, RsqrtOp, PowOp>(op))
      return WalkResult::interrupt();
    bool isCount = llvm::all_of(op->getOperands(), [&](Value value) {
      return counts.contains(value) ||
             value.getDefiningOp<ConstantOp>() != nullptr ||
             value.getDefiningOp<ExtentOp>() != nullptr;
    });
    if (fromCounts && isCount)
      counts.insert(op->result_begin(), op->result_end());
    return WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// What would be if more were known is asked for a remark alone. The examples
/// take 250 nodes at most, while a graph without guards may take all.
static void limitQuestion(AlgebraOptions &options) {
  constexpr size_t kMostNodes = 2000;
  options.limits.maxNodes = std::min(options.limits.maxNodes, kMostNodes);
}

SmallVector<std::string>
mlir::cleave::findAxesNotToBeEmpty(FunctionOpInterface function,
                                   const RuleSet &rules, AlgebraOptions options,
                                   const OptimizedFunction &strict) {
  std::set<std::string> axes;
  llvm::DenseSet<Value> extents;
  function.walk([&](ExtentOp extent) {
    unsigned axis = *strict.graph->lookupAxis(extent.getAxisAttr());
    if (!ShapedType::isDynamic(strict.graph->getBounds(axis).type))
      return;
    axes.insert("'" + extent.getAxis().str() + "'");
    extents.insert(extent.getResult());
  });
  if (!dividesBy(function, std::move(extents)))
    return {};
  options.minExtent = 1;
  options.k = 1;
  limitQuestion(options);
  FailureOr<OptimizedFunction> best = optimize(function, rules, options);
  if (failed(best) || best->extraction.best.empty() ||
      (!strict.extraction.best.empty() &&
       !isMuchCheaper(best->extraction.best[0].evaluation,
                      strict.extraction.best[0].evaluation)))
    return {};
  return SmallVector<std::string>(axes.begin(), axes.end());
}

std::optional<std::string>
mlir::cleave::explainRefusal(FunctionOpInterface function, const RuleSet &rules,
                             const AlgebraOptions &options,
                             const OptimizedFunction &strict) {
  AlgebraOptions real = options;
  real.numerics = Numerics::Real;
  real.k = 1;
  limitQuestion(real);
  FailureOr<OptimizedFunction> best = optimize(function, rules, real);
  if (failed(best) || best->extraction.best.empty())
    return std::nullopt;
  const Extracted &wanted = best->extraction.best.front();
  if (!strict.extraction.best.empty() &&
      !isMuchCheaper(wanted.evaluation, strict.extraction.best[0].evaluation))
    return std::nullopt;

  AlgebraCostModel model(*best->graph);
  std::string reason = "a factor that leaves a sum may not be finite for all "
                       "extents and arguments";
  std::set<unsigned> arguments;
  for (auto [id, index] : wanted.selection) {
    const Node &node = best->graph->getGraph().getClass(id).nodes[index];
    std::optional<Refusal> refusal = model.getRefusal(id, node);
    if (!refusal)
      continue;
    if (arguments.empty())
      reason = refusal->reason;
    collectArguments(*best->graph, wanted.selection, refusal->culprit,
                     arguments);
  }
  if (arguments.empty())
    for (ClassId root : best->imported.roots)
      collectArguments(*best->graph, wanted.selection, root, arguments);
  std::string text = "a form with fewer sweeps or less work is refused: ";
  SmallVector<std::string> empty =
      findAxesNotToBeEmpty(function, rules, options, strict);
  if (!empty.empty())
    return text + "axis " + llvm::join(empty, ", ") +
           " may be empty, and what is divided by its extent is then not "
           "finite; a static extent rules that out";
  SmallVector<std::string> missing;
  for (unsigned index : arguments)
    if (!function.getArgAttr(index, CleaveDialect::kRangeAttrName))
      missing.push_back("'" + getArgumentName(function, index) + "'");
  text += reason + "; ";
  if (missing.empty())
    return text + "the declared ranges are too wide";
  return text + "declare cleave.range for " + llvm::join(missing, ", ");
}
