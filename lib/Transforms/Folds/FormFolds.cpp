//===- FormFolds.cpp - Reductions that run in one pass --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts the reductions over each set of axes into sweeps, and lets those of a
// sweep that use each other become folds.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/FormFolds.h"
#include "FoldRewriter.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::folds;

static remark::RemarkOpts getRemark(StringRef name) {
  return remark::RemarkOpts::name(name).category("cleave-form-folds");
}

/// What the remark on an accepted reduction says.
static std::string describe(const BodyShape &shape) {
  SmallVector<std::string> parts;
  if (!shape.exponentShift.empty())
    parts.push_back("a factor corrects for its references");
  if (!shape.baseShift.empty())
    parts.push_back("moments 0 to " + std::to_string(shape.power) +
                    " follow its references");
  if (shape.hasScale())
    parts.push_back("a scale is applied behind it");
  return llvm::join(parts, ", ");
}

namespace {

/// The reductions over one set of axes, sorted into sweeps.
class SweepFinder {
public:
  SweepFinder(FoldScope &scope, Numerics numerics)
      : scope(scope), reader(scope, numerics),
        sweepOf(scope.getReductions().size()),
        shapes(scope.getReductions().size()) {}

  void find() {
    for (size_t i = 0, e = sweepOf.size(); i < e; ++i)
      place(i);
  }

  /// Whether a reduction is in the sweep of one that it uses.
  bool sharesPass() const { return accepted; }
  size_t getNumSweeps() const { return sweeps.size(); }
  const ReductionSet &getSweep(size_t sweep) const { return sweeps[sweep]; }
  const BodyShape &getShape(size_t index) const { return shapes[index]; }

private:
  FoldScope &scope;
  VerdictReader reader;
  SmallVector<size_t> sweepOf;
  std::vector<BodyShape> shapes;
  std::vector<ReductionSet> sweeps;
  bool accepted = false;

  void place(size_t index) {
    Operation *reduction = scope.getReductions()[index];
    ReductionSet earlier = scope.getReductions(reduction->getResult(0));
    earlier.reset(index);
    size_t sweep = 0;
    for (size_t other : earlier.set_bits())
      sweep = std::max(sweep, sweepOf[other]);
    if (sweep >= sweeps.size())
      sweeps.resize(sweep + 1, ReductionSet(sweepOf.size()));
    std::string reason;
    if (earlier.anyCommon(sweeps[sweep])) {
      std::optional<BodyShape> shape =
          reader.read(index, sweeps[sweep], reason);
      report(reduction, shape, reason);
      accepted |= shape.has_value();
      if (shape)
        shapes[index] = *shape;
      else
        ++sweep;
    }
    if (sweep >= sweeps.size())
      sweeps.resize(sweep + 1, ReductionSet(sweepOf.size()));
    sweepOf[index] = sweep;
    sweeps[sweep].set(index);
  }

  void report(Operation *reduction, const std::optional<BodyShape> &shape,
              StringRef reason) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << (shape ? "one pass over [" : "not one pass over [");
    llvm::interleaveComma(scope.getAxes().getNames(), os,
                          [&](StringAttr name) { os << name.getValue(); });
    os << "]: " << (shape ? describe(*shape) : reason.str());
    if (shape)
      remark::passed(reduction->getLoc(), getRemark("one-pass")) << text;
    else
      remark::missed(reduction->getLoc(), getRemark("not-one-pass")) << text;
  }
};

} // namespace

/// The sets of axes that the block reduces over, in order of their first use.
static SmallVector<AxesAttr> getReducedAxesSets(Block &block) {
  llvm::SetVector<AxesAttr> sets;
  for (Operation &op : block)
    if (AxesAttr axes = getReducedAxes(&op))
      sets.insert(axes);
  return sets.takeVector();
}

static bool hasSplitParts(AxesAttr axes, const AxisTable &axisTable) {
  return llvm::any_of(axes.getNames(), [&](StringAttr axis) {
    return llvm::any_of(axisTable.splits(), [&](const SplitRelation &split) {
      return split.outer == axis.getValue() || split.inner == axis.getValue();
    });
  });
}

static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Only what leaves the block has a storage order: a relayout on the way to an
/// operation that infers its type is nothing.
static void skipRelayouts(Block &block) {
  for (auto relayout : block.getOps<RelayoutOp>())
    relayout.getResult().replaceUsesWithIf(
        relayout.getInput(), [](OpOperand &use) {
          return isPointwise(use.getOwner()) || getReducedAxes(use.getOwner());
        });
  eraseUnused(block);
}

/// Replaces values by earlier ones that are equal, so that a reference to equal
/// reductions is a reference to one.
static void uniteEqual(Block &block, AxesAttr axes) {
  FoldScope scope(block, axes, /*hasCounts=*/false);
  llvm::DenseMap<unsigned, Value> first;
  for (Operation &op : block) {
    if (op.getNumResults() != 1 || !isMemoryEffectFree(&op))
      continue;
    Value result = op.getResult(0);
    auto [it, inserted] = first.try_emplace(scope.getNumber(result), result);
    if (!inserted)
      result.replaceAllUsesWith(it->second);
  }
  eraseUnused(block);
}

FailureOr<bool> cleave::formFolds(FunctionOpInterface function, Block &block,
                                  Numerics numerics) {
  bool sharesPass = false;
  FailureOr<AxisTable> axisTable = AxisTable::get(function);
  if (failed(axisTable))
    return failure();
  skipRelayouts(block);
  for (AxesAttr axes : getReducedAxesSets(block)) {
    uniteEqual(block, axes);
    FoldScope scope(block, axes, !hasSplitParts(axes, *axisTable));
    SweepFinder finder(scope, numerics);
    finder.find();
    sharesPass |= finder.sharesPass();
    for (size_t sweep = 0; sweep < finder.getNumSweeps(); ++sweep) {
      const ReductionSet &members = finder.getSweep(sweep);
      FoldRewriter rewriter(scope, *axisTable, members);
      for (size_t index : members.set_bits())
        rewriter.rewrite(index, finder.getShape(index));
      rewriter.formFolds();
    }
    sortTopologically(&block);
    eraseUnused(block);
  }
  return sharesPass;
}

LogicalResult cleave::formFolds(FunctionOpInterface function,
                                Numerics numerics) {
  if (function.isExternal())
    return success();
  SmallVector<Block *> blocks{&function.getFunctionBody().front()};
  function.walk([&](AlternativesOp alternatives) {
    for (Region &region : alternatives.getAlternatives())
      blocks.push_back(&region.front());
  });
  for (Block *block : blocks)
    if (failed(formFolds(function, *block, numerics)))
      return failure();
  return success();
}
