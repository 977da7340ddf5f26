//===- SplitReductions.cpp - Reductions in parts that merge ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts what a block reduces over an axis into sweeps. The reductions of a
// sweep share one symbol, the number of parts; each becomes a reduction over
// the inner part of the axis, and one over the outer part.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/SplitReductions.h"
#include "Cleave/Dialect/SymbolicDim.h"
#include "SplitFold.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::split;

/// The axes that `op` reduces over, null if it does not reduce.
static AxesAttr getReducedAxes(Operation *op) {
  if (isa<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ContractOp,
          FoldOp>(op))
    return op->getAttrOfType<AxesAttr>("axes");
  return {};
}

namespace {

/// Names for the parts of a function's axes, the same in all of its blocks.
class PartNames {
public:
  explicit PartNames(const AxisTable &table) {
    for (const auto &[name, info] : table.axes()) {
      used.insert(name);
      if (info.extent == 0 || info.extent == 1)
        isWhole.insert(name);
    }
    for (const SplitRelation &relation : table.splits())
      for (const std::string &part : {relation.outer, relation.inner})
        isWhole.insert(part);
  }

  /// Parts are not split again, nor what is known to have nothing to split.
  bool canSplit(StringAttr axis) const {
    return !isWhole.count(axis.getValue().str());
  }

  /// The parts of `axis` in one of its sweeps.
  const Parts &get(StringAttr axis, size_t sweep) {
    std::vector<Parts> &all = partsOf[axis.getValue().str()];
    while (all.size() <= sweep)
      all.push_back(make(axis));
    return all[sweep];
  }

  /// The function's symbols with those of the parts.
  SymbolsAttr addTo(MLIRContext *context, SymbolsAttr symbols) const;

private:
  std::set<std::string> used, isWhole;
  std::map<std::string, std::vector<Parts>> partsOf;

  Parts make(StringAttr axis) {
    for (unsigned number = 0;; ++number) {
      std::string suffix = number == 0 ? "" : std::to_string(number);
      std::string outer = axis.getValue().str() + ".s" + suffix;
      std::string inner = axis.getValue().str() + ".i" + suffix;
      if (used.count(outer) || used.count(inner))
        continue;
      for (const std::string &part : {outer, inner}) {
        used.insert(part);
        isWhole.insert(part);
      }
      MLIRContext *context = axis.getContext();
      return {axis, StringAttr::get(context, outer),
              StringAttr::get(context, inner)};
    }
  }
};

} // namespace

SymbolsAttr PartNames::addTo(MLIRContext *context, SymbolsAttr symbols) const {
  SmallVector<SymbolAttr> all;
  if (symbols)
    llvm::append_range(all, symbols.getSymbols());
  for (const auto &[name, sweeps] : partsOf)
    for (const Parts &parts : sweeps) {
      all.push_back(SymbolAttr::get(context, parts.outer, AxisKind::Bound,
                                    ArrayRef<int64_t>(1), {}));
      all.push_back(
          SymbolAttr::get(context, parts.inner, AxisKind::CeilDiv, {},
                          ArrayRef<StringAttr>{parts.axis, parts.outer}));
    }
  return SymbolsAttr::get(context, all);
}

namespace {

/// Splits what one block reduces over one axis.
class BlockSplitter {
public:
  BlockSplitter(Block &block, StringAttr axis, PartNames &names)
      : block(block), axis(axis), names(names),
        builder(block.getParent()->getContext()) {}

  /// Whether there was something to split.
  bool split() {
    sortIntoSweeps();
    bool changed = false;
    for (auto &[op, sweep] : reductions) {
      // A symbol is made only where it is used.
      if (!isSplittable(op))
        continue;
      split(op, names.get(axis, sweep), sweep);
      changed = true;
    }
    return changed;
  }

private:
  Block &block;
  StringAttr axis;
  PartNames &names;
  OpBuilder builder;
  /// The reductions over the axis in order, and how many follow one another up
  /// to each.
  SmallVector<std::pair<Operation *, size_t>> reductions;
  /// Views of the parts, which the reductions of a sweep share.
  std::map<size_t, llvm::DenseMap<Value, Value>> views;

  bool reducesAxis(Operation *op) {
    AxesAttr axes = getReducedAxes(op);
    return axes && axes.contains(axis);
  }

  void sortIntoSweeps() {
    llvm::DenseMap<Operation *, size_t> sweepsUpTo;
    for (Operation &op : block) {
      llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
      getUsedValuesDefinedAbove(op.getRegions(), used);
      size_t sweep = 0;
      for (Value value : used)
        if (Operation *producer = value.getDefiningOp())
          sweep = std::max(sweep, sweepsUpTo.lookup(producer));
      bool reduces = reducesAxis(&op);
      if (reduces)
        reductions.emplace_back(&op, sweep);
      sweepsUpTo[&op] = sweep + reduces;
    }
  }

  bool isSplittable(Operation *op) {
    auto fold = dyn_cast<FoldOp>(op);
    std::string reason = fold ? getRefusal(fold, axis) : "";
    if (reason.empty())
      return true;
    std::string text =
        "not split over " + axis.getValue().str() + ": " + reason;
    remark::missed(op->getLoc(), remark::RemarkOpts::name("not-split")
                                     .category("cleave-split-reductions"))
        << StringRef(text);
    return false;
  }

  /// `operand` as its parts, if it carries the axis.
  Value view(Value operand, const Parts &parts, size_t sweep) {
    if (!getAxes(operand).contains(axis))
      return operand;
    Value &result = views[sweep][operand];
    if (!result)
      result = SplitOp::create(builder, operand.getLoc(),
                               splitAxis(operand.getType(), parts), operand,
                               axis, parts.outer, parts.inner);
    return result;
  }

  void split(Operation *op, const Parts &parts, size_t sweep) {
    builder.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(view(operand, parts, sweep));
    if (auto fold = dyn_cast<FoldOp>(op)) {
      FoldOp partial = createPartialFold(builder, fold, operands, parts);
      FoldOp merge =
          createMergeFold(builder, fold, partial.getResults(), parts);
      op->replaceAllUsesWith(merge);
    } else {
      op->replaceAllUsesWith(reduceTwice(op, operands, parts));
    }
    op->erase();
  }

  /// The reduction `op` over the parts of views, then over what that gives.
  Operation *reduceTwice(Operation *op, ArrayRef<Value> operands,
                         const Parts &parts) {
    Operation *partial = builder.clone(*op);
    partial->setOperands(operands);
    partial->setAttr("axes", reduceInner(getReducedAxes(op), parts));
    Type type = op->getResult(0).getType();
    partial->getResult(0).setType(addOuter(type, parts));
    Value states = partial->getResult(0);
    if (isa<ContractOp>(op))
      return ReduceSumOp::create(builder, op->getLoc(), type, states,
                                 getOuter(parts));
    Operation *merge = builder.clone(*op);
    merge->setOperands(states);
    merge->setAttr("axes", getOuter(parts));
    return merge;
  }
};

/// Splits what the blocks of one function reduce.
class FunctionSplitter {
public:
  FunctionSplitter(FunctionOpInterface function, const AxisTable &table,
                   ArrayRef<std::string> chosen)
      : function(function), names(table), chosen(chosen) {}

  bool split(Block &block) {
    llvm::SetVector<StringAttr> axes;
    for (Operation &op : block)
      if (AxesAttr reduced = getReducedAxes(&op))
        axes.insert(reduced.getNames().begin(), reduced.getNames().end());
    bool changed = false;
    for (StringAttr axis : axes)
      if (isChosen(axis) && names.canSplit(axis))
        changed |= BlockSplitter(block, axis, names).split();
    return changed;
  }

  /// Declares the symbols that were made.
  void declareSymbols() {
    auto symbols =
        function->getAttrOfType<SymbolsAttr>(CleaveDialect::kSymbolsAttrName);
    symbols = names.addTo(function.getContext(), symbols);
    if (!symbols.getSymbols().empty())
      function->setAttr(CleaveDialect::kSymbolsAttrName, symbols);
  }

private:
  FunctionOpInterface function;
  PartNames names;
  ArrayRef<std::string> chosen;

  bool isChosen(StringAttr axis) const {
    return chosen.empty() || llvm::is_contained(chosen, axis.getValue());
  }
};

} // namespace

static SmallVector<AlternativesOp>
getAlternatives(FunctionOpInterface function) {
  SmallVector<AlternativesOp> all;
  function.walk(
      [&](AlternativesOp alternatives) { all.push_back(alternatives); });
  return all;
}

LogicalResult cleave::splitReductions(FunctionOpInterface function,
                                      ArrayRef<std::string> axes) {
  if (function.isExternal())
    return success();
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table))
    return failure();
  FunctionSplitter splitter(function, *table, axes);
  splitter.split(function.getFunctionBody().front());
  for (AlternativesOp alternatives : getAlternatives(function))
    for (Region &region : alternatives.getAlternatives())
      splitter.split(region.front());
  splitter.declareSymbols();
  return success();
}

/// Replaces `op` by one that has `copies` as regions too.
static void addRegions(AlternativesOp op,
                       MutableArrayRef<std::unique_ptr<Region>> copies,
                       ArrayRef<std::string> labels) {
  OpBuilder builder(op);
  unsigned count = op.getAlternatives().size();
  auto result = AlternativesOp::create(
      builder, op.getLoc(), op.getResultTypes(), count + copies.size());
  for (unsigned i = 0; i < count; ++i)
    result.getAlternatives()[i].takeBody(op.getAlternatives()[i]);
  for (auto [i, copy] : llvm::enumerate(copies))
    result.getAlternatives()[count + i].takeBody(*copy);
  if (!labels.empty()) {
    SmallVector<StringRef> refs(labels.begin(), labels.end());
    result.setLabelsAttr(builder.getStrArrayAttr(refs));
  }
  op->replaceAllUsesWith(result);
  op->erase();
}

LogicalResult cleave::addSplitAlternatives(FunctionOpInterface function,
                                           unsigned maxRegions) {
  if (function.isExternal())
    return success();
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table))
    return failure();
  FunctionSplitter splitter(function, *table, {});
  for (AlternativesOp alternatives : getAlternatives(function)) {
    SmallVector<std::unique_ptr<Region>> copies;
    SmallVector<std::string> labels;
    // The loop would not keep an optional alive that is not named.
    if (std::optional<ArrayAttr> known = alternatives.getLabels())
      for (Attribute label : *known)
        labels.push_back(cast<StringAttr>(label).str());
    size_t count = alternatives.getAlternatives().size();
    for (size_t i = 0; i < count && count + copies.size() < maxRegions; ++i) {
      // Remarks on what cannot be split are emitted from inside of the
      // function, and region bodies find it through their parent.
      auto copy = std::make_unique<Region>(alternatives);
      IRMapping mapping;
      alternatives.getAlternatives()[i].cloneInto(copy.get(), mapping);
      if (!splitter.split(copy->front()))
        continue;
      copies.push_back(std::move(copy));
      if (!labels.empty())
        labels.push_back(labels[i] + ", split");
    }
    if (!copies.empty())
      addRegions(alternatives, copies, labels);
  }
  splitter.declareSymbols();
  return success();
}
