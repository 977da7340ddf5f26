//===- BuildProblem.cpp - A cleave function as a scheduling problem -------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. Walks the graph from the results. `rename` disappears: the
// graph below it is built again under the new names, so that a view costs
// nothing. `relayout` disappears too: only arguments and results have an order.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/CleaveToLinalg.h"
#include "Cleave/Conversion/EmitBody.h"
#include "ProblemBuilder.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

//===----------------------------------------------------------------------===//
// Axes and elements
//===----------------------------------------------------------------------===//

/// The extents that are known: static ones, the chosen value of bound symbols,
/// and what follows from these.
static Bindings getKnownExtents(const AxisTable &axes,
                                const Bindings &representative) {
  Bindings known;
  for (const auto &[name, info] : axes.axes())
    if (!ShapedType::isDynamic(info.extent))
      known[name] = info.extent;
    else if (info.kind == AxisKind::Bound)
      known[name] = representative.at(name);
  for (size_t before = 0; before != known.size();) {
    before = known.size();
    for (const auto &[name, info] : axes.axes())
      if (!info.operands.empty() &&
          llvm::all_of(info.operands, [&](const std::string &operand) {
            return known.count(operand) != 0;
          }))
        known.try_emplace(name, representative.at(name));
  }
  return known;
}

LogicalResult ProblemBuilder::addAxes(const AxisTable &axes,
                                      const Bindings &representative) {
  Bindings known = getKnownExtents(axes, representative);
  for (const auto &[name, info] : axes.axes()) {
    auto extentOf = known.find(name);
    int64_t extent = extentOf == known.end() ? kDynamic : extentOf->second;
    auto it = representative.find(name);
    problem.addAxis(name, extent, it == representative.end() ? 1 : it->second);
  }
  for (const auto &[name, info] : axes.axes())
    if (info.kind == AxisKind::Sum)
      for (const std::string &part : info.operands)
        sums[problem.findAxis(name)].push_back(problem.findAxis(part));
  for (const auto &[from, to] : axes.renamings())
    problem.equalAxes.emplace_back(problem.findAxis(from),
                                   problem.findAxis(to));
  for (const SplitRelation &split : axes.splits()) {
    auto get = [&](StringRef name) -> AxisId { return problem.findAxis(name); };
    AxisId whole = get(split.axis), outer = get(split.outer);
    Axis &inner = problem.axes[get(split.inner)];
    bool full =
        problem.axes[whole].extent != kDynamic &&
        problem.axes[outer].extent * inner.extent == problem.axes[whole].extent;
    if (problem.axes[outer].extent == 1)
      problem.equalAxes.emplace_back(get(split.inner), whole);
    else if (!full)
      inner.part = PartOf{whole, outer};
  }
  return success();
}

FailureOr<Element> ProblemBuilder::getElement(Type type, Location loc) {
  if (std::optional<Element> element = cleave::getElement(type))
    return *element;
  return emitError(loc) << "scheduling does not support element type "
                        << getElementTypeOrSelf(type);
}

/// The axes of the problem that `axes` are.
AxisSet ProblemBuilder::getFreeAxes(AxesAttr axes, const Renaming &renaming) {
  AxisSet free;
  for (StringAttr name : axes.getNames()) {
    View view = viewOf(renaming, getAxis(name));
    for (std::optional<AxisId> axis : {view.axis, view.outer})
      if (axis)
        free.push_back(*axis);
  }
  llvm::sort(free);
  return free;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void ProblemBuilder::numberOps() {
  auto number = [&](Block &block, auto &self) -> void {
    for (Operation &op : block.without_terminator()) {
      if (&op == alternatives.getOperation())
        self(alternatives.getAlternatives()[region].front(), self);
      else
        numbers.try_emplace(&op, numbers.size());
    }
  };
  number(function.front(), number);
}

/// An operation under several names of its axes is several nodes.
void ProblemBuilder::addName(NodeId id, const std::string &name) {
  if (problem.nodeNames.count(id))
    return;
  std::string unique = name;
  for (unsigned view = 1; !names.insert(unique).second; ++view)
    unique = name + ".r" + std::to_string(view);
  problem.nodeNames[id] = unique;
}

void ProblemBuilder::addName(NodeId id, Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto it = numbers.find(value.getDefiningOp());
  if (!result || it == numbers.end())
    return;
  std::string name = "v" + std::to_string(it->second);
  if (result.getOwner()->getNumResults() > 1)
    name += "." + std::to_string(result.getResultNumber());
  addName(id, name);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<NodeId> ProblemBuilder::build(Value value, const Renaming &renaming) {
  if (auto it = scopes.back().arguments.find(value);
      it != scopes.back().arguments.end())
    return buildRegionArgument(value, it->second, renaming);
  std::vector<std::pair<AxisId, View>> restricted;
  for (StringAttr name : getAxes(value).getNames())
    if (AxisId axis = getAxis(name); !(viewOf(renaming, axis) == View{axis}))
      restricted.push_back({axis, viewOf(renaming, axis)});
  llvm::sort(restricted);
  auto key = std::make_pair(value.getAsOpaquePointer(), restricted);
  if (auto it = scopes.back().nodes.find(key); it != scopes.back().nodes.end())
    return it->second;
  FailureOr<NodeId> node =
      buildNew(value, Renaming(restricted.begin(), restricted.end()));
  if (failed(node))
    return failure();
  scopes.back().nodes[key] = *node;
  addName(*node, value);
  return node;
}

/// The argument of a fold's region, which the region may view under other axes
/// than it has there.
FailureOr<NodeId>
ProblemBuilder::buildRegionArgument(Value argument, NodeId node,
                                    const Renaming &renaming) {
  Scope &scope = scopes.back();
  if (llvm::all_of(getAxes(argument).getNames(), [&](StringAttr name) {
        AxisId axis = getAxis(name);
        return viewOf(renaming, axis) == viewOf(scope.renaming, axis);
      }))
    return node;
  if (Value outside = scope.outside.lookup(argument))
    return build(outside, renaming);
  return emitError(argument.getLoc())
         << "scheduling does not support a view of a fold's state in a body";
}

FailureOr<NodeId> ProblemBuilder::buildNew(Value value,
                                           const Renaming &renaming) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return buildArgument(argument, renaming);
  Operation *op = value.getDefiningOp();
  if (auto fold = dyn_cast<FoldOp>(op))
    return buildFold(fold, cast<OpResult>(value).getResultNumber(), renaming);
  if (op == alternatives.getOperation()) {
    Operation *yield =
        alternatives.getAlternatives()[region].front().getTerminator();
    return build(yield->getOperand(cast<OpResult>(value).getResultNumber()),
                 renaming);
  }
  return buildOp(op, renaming);
}

FailureOr<NodeId> ProblemBuilder::buildArgument(BlockArgument argument,
                                                const Renaming &renaming) {
  FailureOr<Element> element =
      getElement(argument.getType(), argument.getLoc());
  if (failed(element))
    return failure();
  SmallVector<AxisId> storage;
  SmallVector<Cut> cuts;
  for (StringAttr name : getAxes(argument).getNames()) {
    View view = viewOf(renaming, getAxis(name));
    cuts.push_back(getCut(name, view));
    if (view.axis)
      storage.push_back(*view.axis);
  }
  return problem.addArgument(argument.getArgNumber(), *element, storage, cuts);
}

/// The axes of a reduction or contraction, or null.
static AxesAttr getReducedAxes(Operation *op) {
  return TypeSwitch<Operation *, AxesAttr>(op)
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ContractOp>(
          [](auto reduction) { return reduction.getAxes(); })
      .Default([](Operation *) { return AxesAttr(); });
}

FailureOr<NodeId> ProblemBuilder::buildOp(Operation *op,
                                          const Renaming &renaming) {
  if (std::optional<Pointwise> kind = getPointwise(op))
    return buildPointwise(op, *kind, renaming);
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    FailureOr<Element> element = getElement(constant.getType(), op->getLoc());
    if (failed(element))
      return failure();
    Node node;
    node.element = *element;
    node.value = constant.getValue().convertToDouble();
    node.axes = getFreeAxes(getAxes(constant.getResult()), renaming);
    return problem.add(node);
  }
  if (auto extent = dyn_cast<ExtentOp>(op)) {
    int axis = problem.findAxis(extent.getAxis());
    if (axis < 0)
      return op->emitOpError("expected axis '")
             << extent.getAxis() << "' to occur in the function";
    return addExtent(axis, *cleave::getElement(extent.getType()));
  }
  if (AxesAttr axes = getReducedAxes(op))
    return buildReduction(op, axes, renaming);
  if (auto relayout = dyn_cast<RelayoutOp>(op))
    return build(relayout.getInput(), renaming);
  if (auto rename = dyn_cast<RenameOp>(op)) {
    Renaming below = renaming;
    for (auto [from, to] : llvm::zip_equal(rename.getFrom().getNames(),
                                           rename.getTo().getNames())) {
      below[getAxis(from)] = viewOf(renaming, getAxis(to));
    }
    return build(rename.getInput(), below);
  }
  if (auto iota = dyn_cast<IotaOp>(op))
    return addIota(viewOf(renaming, getAxis(iota.getAxisAttr())),
                   *cleave::getElement(iota.getType()));
  if (auto slice = dyn_cast<SliceOp>(op))
    return buildSlice(slice, renaming);
  if (auto split = dyn_cast<SplitOp>(op))
    return buildSplit(split, renaming);
  if (auto merge = dyn_cast<MergeOp>(op))
    return buildMerge(merge, renaming);
  if (auto concat = dyn_cast<ConcatOp>(op))
    return buildConcat(concat, renaming);
  if (auto gather = dyn_cast<GatherOp>(op))
    return buildGather(gather, renaming);
  if (auto insert = dyn_cast<InsertOp>(op))
    return buildInsert(insert, renaming);
  return op->emitOpError("is not supported by scheduling");
}

FailureOr<NodeId> ProblemBuilder::buildPointwise(Operation *op, Pointwise kind,
                                                 const Renaming &renaming) {
  SmallVector<NodeId> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<NodeId> node = build(operand, renaming);
    if (failed(node))
      return failure();
    operands.push_back(*node);
  }
  FailureOr<Element> element =
      getElement(op->getResult(0).getType(), op->getLoc());
  if (failed(element))
    return failure();
  return foldConstants(problem.addPointwise(kind, operands, *element));
}

/// Arithmetic on f32 constants, so that 1 / |K| of a static axis is a number.
NodeId ProblemBuilder::foldConstants(NodeId id) {
  const Node &node = problem[id];
  SmallVector<float> values;
  for (NodeId operand : node.operands) {
    const Node &constant = problem[operand];
    if (constant.kind != NodeKind::Constant || !constant.axes.empty() ||
        constant.element != Element::F32)
      return id;
    values.push_back(constant.value);
  }
  if (node.element != Element::F32 || values.empty())
    return id;
  float result = values[0];
  switch (node.op) {
  case Pointwise::Add:
    for (float value : ArrayRef(values).drop_front())
      result += value;
    break;
  case Pointwise::Mul:
    for (float value : ArrayRef(values).drop_front())
      result *= value;
    break;
  case Pointwise::Neg:
    result = -result;
    break;
  case Pointwise::Recip:
    result = 1.0f / result;
    break;
  case Pointwise::Sqrt:
    result = std::sqrt(result);
    break;
  default:
    return id;
  }
  return problem.addConstant(result);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `operands` (two are multiplied) combined over `reduced`. Over no axis at all
/// that is the one value there is.
NodeId ProblemBuilder::addReduction(Combiner combiner,
                                    ArrayRef<NodeId> operands,
                                    const AxisSet &reduced, Element element) {
  if (operands.size() == 2)
    return reduced.empty()
               ? problem.addPointwise(Pointwise::Mul, operands, element)
               : problem.addContract(operands[0], operands[1], reduced,
                                     element);
  return reduced.empty()
             ? problem.addCast(operands[0], element)
             : problem.addReduce(combiner, operands[0], reduced, element);
}

/// `axis`, or another one as long that is not among `taken`.
AxisId ProblemBuilder::getUntaken(AxisId axis, const AxisSet &taken) {
  AxisId fresh = axis;
  while (contains(taken, fresh)) {
    std::string candidate = problem.axes[fresh].name + ".r";
    int known = problem.findAxis(candidate);
    Axis old = problem.axes[axis];
    fresh = known >= 0
                ? known
                : problem.addAxis(candidate, old.extent, old.representative);
    problem.axes[fresh].part = old.part;
  }
  return fresh;
}

/// The renaming inside a reduction over `axes`. A reduced axis gets a new name
/// where an outer axis takes its own there; one that is 1 long disappears.
Renaming ProblemBuilder::enterReduction(AxesAttr axes, const Renaming &renaming,
                                        AxesAttr resultAxes, AxisSet &reduced,
                                        const Renaming &chosen) {
  Renaming inside = renaming;
  for (StringAttr name : axes.getNames())
    inside.erase(getAxis(name));
  AxisSet taken = getFreeAxes(resultAxes, renaming);
  for (StringAttr name : axes.getNames()) {
    AxisId axis = getAxis(name);
    if (problem.axes[axis].extent == 1) {
      inside[axis] = View{};
      continue;
    }
    auto part = chosen.find(axis);
    View view = part == chosen.end() ? viewOf(inside, axis) : part->second;
    for (std::optional<AxisId> *component : {&view.outer, &view.axis}) {
      if (!*component)
        continue;
      *component = getUntaken(**component, taken);
      reduced.push_back(**component);
      taken.push_back(**component);
    }
    if (!(view == viewOf(inside, axis)))
      inside[axis] = view;
  }
  llvm::sort(reduced);
  return inside;
}

/// Whether a reduction over `reduced` is known to see no position.
bool ProblemBuilder::isEmpty(const AxisSet &reduced) {
  return llvm::any_of(
      reduced, [&](AxisId axis) { return problem.axes[axis].extent == 0; });
}

/// What such a reduction gives: its unit, over the axes of `result`.
NodeId ProblemBuilder::addUnit(Combiner combiner, Element element, Value result,
                               const Renaming &renaming) {
  Node node;
  node.element = element;
  node.value = getUnit(combiner);
  node.axes = getFreeAxes(getAxes(result), renaming);
  return problem.add(node);
}

/// The operands of reduction `op`, once for each part of the concatenated axes
/// among `axes`, of which `chosen` has those for which a part is chosen.
LogicalResult ProblemBuilder::addParts(Operation *op, AxesAttr axes,
                                       const Renaming &renaming,
                                       Renaming chosen,
                                       std::vector<ReducedPart> &parts) {
  for (StringAttr name : axes.getNames()) {
    AxisId axis = getAxis(name);
    auto sum = sums.find(axis);
    if (sum == sums.end() || chosen.count(axis))
      continue;
    int64_t begin = 0;
    for (AxisId part : sum->second) {
      if (begin == kDynamic)
        return op->emitOpError("is not supported by scheduling: expected "
                               "static extents of all but the last part of "
                               "axis '")
               << name.getValue() << "'";
      int64_t extent = problem.axes[part].extent;
      chosen[axis] = View{part, begin};
      chosen[axis].whole = false;
      if (extent == 1)
        chosen[axis].axis = std::nullopt;
      if (failed(addParts(op, axes, renaming, chosen, parts)))
        return failure();
      begin = extent == kDynamic ? kDynamic : begin + extent;
    }
    return success();
  }
  ReducedPart part;
  Renaming inside = enterReduction(axes, renaming, getAxes(op->getResult(0)),
                                   part.reduced, chosen);
  if (isEmpty(part.reduced))
    return success();
  for (Value operand : op->getOperands()) {
    FailureOr<NodeId> node = build(operand, inside);
    if (failed(node))
      return failure();
    part.operands.push_back(*node);
  }
  parts.push_back(std::move(part));
  return success();
}

static Pointwise getOperation(Combiner combiner) {
  switch (combiner) {
  case Combiner::Sum:
    return Pointwise::Add;
  case Combiner::Max:
    return Pointwise::Max;
  case Combiner::Min:
    return Pointwise::Min;
  case Combiner::Prod:
    return Pointwise::Mul;
  }
  llvm_unreachable("unknown combiner");
}

FailureOr<NodeId> ProblemBuilder::buildReduction(Operation *op, AxesAttr axes,
                                                 const Renaming &renaming) {
  FailureOr<Element> element =
      getElement(op->getResult(0).getType(), op->getLoc());
  std::vector<ReducedPart> parts;
  if (failed(element) || failed(addParts(op, axes, renaming, {}, parts)))
    return failure();
  Combiner combiner = getCombiner(op);
  if (parts.empty())
    return addUnit(combiner, *element, op->getResult(0), renaming);
  if (auto contract = dyn_cast<ContractOp>(op)) {
    SmallVector<NodeId> all;
    for (const ReducedPart &part : parts)
      llvm::append_range(all, part.operands);
    if (failed(roundOperands(all, contract.getOperandType())))
      return failure();
    for (auto [number, part] : llvm::enumerate(parts))
      part.operands = {all[2 * number], all[2 * number + 1]};
  }
  SmallVector<NodeId> results;
  for (const ReducedPart &part : parts)
    results.push_back(
        addReduction(combiner, part.operands, part.reduced, *element));
  if (results.size() == 1)
    return results.front();
  return problem.addPointwise(getOperation(combiner), results, *element);
}

/// Rounds a contraction's operands to the type that it declares, if any, or to
/// the narrowest of the arguments that feed them.
LogicalResult ProblemBuilder::roundOperands(MutableArrayRef<NodeId> operands,
                                            std::optional<Type> declared) {
  FailureOr<Element> element = declared
                                   ? getElement(*declared, function.getLoc())
                                   : getNarrowestArgument(operands);
  if (failed(element))
    return failure();
  for (NodeId &operand : operands) {
    NodeId rounded = problem.addCast(operand, *element);
    if (auto it = problem.nodeNames.find(operand);
        it != problem.nodeNames.end())
      addName(rounded, it->second + "." + schedule::getName(*element).str());
    operand = rounded;
  }
  return success();
}

/// The narrowest floating type of the arguments that feed `roots`, f32 if none
/// does.
Element ProblemBuilder::getNarrowestArgument(ArrayRef<NodeId> roots) {
  std::set<NodeId> seen;
  std::vector<NodeId> stack(roots.begin(), roots.end());
  std::optional<std::pair<unsigned, Element>> best;
  std::optional<unsigned> bestArgument;
  while (!stack.empty()) {
    NodeId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second)
      continue;
    const Node &node = problem[id];
    for (NodeId dependency : problem.getDependencies(id))
      stack.push_back(dependency);
    if (node.kind != NodeKind::Argument || !isFloat(node.element))
      continue;
    auto candidate = std::make_pair(getBits(node.element), node.element);
    if (!best || candidate.first < best->first ||
        (candidate.first == best->first && node.argument < *bestArgument)) {
      best = candidate;
      bestArgument = node.argument;
    }
  }
  return best ? best->second : Element::F32;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult ProblemBuilder::addResults() {
  auto getName = [](DictionaryAttr attrs, const Twine &fallback) {
    auto name = attrs ? attrs.getAs<StringAttr>(CleaveDialect::kNameAttrName)
                      : StringAttr();
    return name ? name.getValue().str() : fallback.str();
  };
  for (BlockArgument argument : function.getArguments()) {
    if (!isCleaveTensor(argument.getType()))
      return function.emitOpError("expected argument ")
             << argument.getArgNumber()
             << " to be a tensor with named axes but got "
             << argument.getType();
    problem.argumentNames.push_back(
        getName(function.getArgAttrDict(argument.getArgNumber()),
                "arg" + Twine(argument.getArgNumber())));
  }
  Operation *ret = function.front().getTerminator();
  for (OpOperand &operand : ret->getOpOperands()) {
    if (!isCleaveTensor(operand.get().getType()))
      return ret->emitOpError("expected tensors with named axes but got ")
             << operand.get().getType();
    FailureOr<NodeId> node = build(operand.get(), {});
    if (failed(node))
      return failure();
    Result result;
    for (StringAttr name : getAxes(operand.get()).getNames()) {
      View view = viewOf({}, getAxis(name));
      if (problem.axes[*view.axis].part)
        return ret->emitOpError("scheduling does not support axis '")
               << name.getValue() << "' of a result, whose parts may be short";
      result.cuts.push_back(getCut(name, view));
      result.storage.push_back(*view.axis);
    }
    // A copy of its own, written in the result's storage order.
    Node copy;
    copy.kind = NodeKind::Pointwise;
    copy.op = Pointwise::Cast;
    copy.element = problem[*node].element;
    copy.axes = problem[*node].axes;
    copy.operands = {*node};
    copy.storage = result.storage;
    result.node = problem.add(copy);
    problem.results.push_back(result);
    if (failed(addUpdate(operand.getOperandNumber(), *node, result)))
      return failure();
    problem.resultNames.push_back(
        getName(function.getResultAttrDict(operand.getOperandNumber()),
                "result" + Twine(operand.getOperandNumber())));
  }
  return success();
}

FailureOr<AlternativesOp> cleave::getAlternatives(func::FuncOp function) {
  AlternativesOp found;
  WalkResult walk = function.walk([&](AlternativesOp op) {
    if (found) {
      op.emitOpError("expected at most one of them in a function");
      return WalkResult::interrupt();
    }
    found = op;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return found;
}

FailureOr<Problem> cleave::buildProblem(func::FuncOp function, unsigned region,
                                        const AxisTable &axes,
                                        const Bindings &representative) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected a body of one block");
  FailureOr<AlternativesOp> alternatives = getAlternatives(function);
  if (failed(alternatives))
    return failure();
  size_t regions = *alternatives ? alternatives->getAlternatives().size() : 1;
  if (region >= regions)
    return function.emitOpError("expected a region below ")
           << regions << " but got " << region;
  ProblemBuilder builder(function, *alternatives, region);
  builder.numberOps();
  if (failed(builder.addAxes(axes, representative)))
    return failure();
  builder.addPairs();
  builder.findViewedAxes();
  if (failed(builder.addResults()))
    return failure();
  return std::move(builder.problem);
}
