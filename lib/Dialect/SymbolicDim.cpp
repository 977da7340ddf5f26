//===- SymbolicDim.cpp - The axes of a function ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the axis table of a function and resolves extents from bindings.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/SymbolicDim.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;

using AxisMap = std::map<std::string, AxisInfo>;

static AxisInfo getInfo(SymbolAttr symbol) {
  AxisInfo info;
  info.kind = symbol.getKind();
  if (info.kind == AxisKind::Static)
    info.extent = symbol.getValues().front();
  else
    llvm::append_range(info.representatives, symbol.getValues());
  for (StringAttr operand : symbol.getOperands())
    info.operands.push_back(operand.getValue().str());
  return info;
}

/// Records the dimensions of `type`; fails if an axis has two static extents.
static LogicalResult addType(AxisMap &table, Type type, Location location) {
  if (!isCleaveTensor(type))
    return success();
  auto tensor = cast<RankedTensorType>(type);
  for (auto [name, extent] :
       llvm::zip_equal(getAxes(tensor).getNames(), tensor.getShape())) {
    AxisInfo &info = table[name.getValue().str()];
    if (ShapedType::isDynamic(extent))
      continue;
    if (!ShapedType::isDynamic(info.extent) && info.extent != extent)
      return emitError(location)
             << "expected axis '" << name.getValue() << "' to have extent "
             << info.extent << " everywhere but got " << extent;
    info.extent = extent;
    if (info.kind == AxisKind::Dynamic || info.kind == AxisKind::Bound)
      info.kind = AxisKind::Static;
  }
  return success();
}

static LogicalResult addRelation(AxisMap &table, StringRef axis, AxisKind kind,
                                 ArrayRef<StringRef> parts, Location location) {
  AxisInfo &info = table[axis.str()];
  auto operands =
      llvm::map_to_vector<2>(parts, [](StringRef part) { return part.str(); });
  if (info.operands.empty()) {
    info.kind = kind;
    info.operands = operands;
  } else if (info.kind != kind || info.operands != operands) {
    return emitError(location)
           << "expected one relation for axis '" << axis << "' but got another";
  }
  return success();
}

/// Whether `op` may be read: a function's attributes are verified before the
/// operations in its body are, which then report what is wrong with them.
static bool isWellFormed(Operation *op) {
  if (auto split = dyn_cast<SplitOp>(op))
    return split.getAxisAttr() && split.getOuterAttr() && split.getInnerAttr();
  if (auto merge = dyn_cast<MergeOp>(op))
    return merge.getAxisAttr() && merge.getOuterAttr() && merge.getInnerAttr();
  if (auto rename = dyn_cast<RenameOp>(op))
    return rename.getFromAttr() && rename.getToAttr() &&
           rename.getFrom().size() == rename.getTo().size();
  if (auto extent = dyn_cast<ExtentOp>(op))
    return extent.getAxisAttr() != nullptr;
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getAxisAttr() && op->getNumResults() == 1 &&
           isCleaveTensor(op->getResult(0).getType()) &&
           isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (auto slice = dyn_cast<SliceOp>(op))
    return slice.getAxisAttr() && slice.getOffsetAttr();
  if (auto concat = dyn_cast<ConcatOp>(op))
    return concat.getAxisAttr() && concat.getAlongAttr() &&
           concat.getAlong().size() > 1 &&
           llvm::all_of(concat.getAlong(), llvm::IsaPred<StringAttr>);
  return true;
}

FailureOr<AxisTable> AxisTable::get(FunctionOpInterface function) {
  AxisTable result;
  if (failed(result.gather(function)) ||
      failed(result.gatherProducts(function)))
    return failure();
  for (auto &[name, info] : result.table)
    for (const std::string &operand : info.operands)
      if (!result.table.count(operand))
        return function.emitError()
               << "expected axis '" << operand << "' of the relation for '"
               << name << "' to occur in the function";
  WalkResult walk = function.walk([&](ExtentOp extent) {
    if (!isWellFormed(extent) || result.table.count(extent.getAxis().str()))
      return WalkResult::advance();
    extent.emitOpError("expected axis '")
        << extent.getAxis() << "' to occur in the function";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return result;
}

/// What the symbol table, the types and single operations say.
LogicalResult AxisTable::gather(FunctionOpInterface function) {
  auto symbols =
      function->getAttrOfType<SymbolsAttr>(CleaveDialect::kSymbolsAttrName);
  if (symbols)
    for (SymbolAttr symbol : symbols.getSymbols())
      table[symbol.getName().getValue().str()] = getInfo(symbol);

  auto addTypes = [&](TypeRange types, Location location) {
    return success(llvm::all_of(types, [&](Type type) {
      return succeeded(addType(table, type, location));
    }));
  };
  if (failed(addTypes(function.getArgumentTypes(), function.getLoc())) ||
      failed(addTypes(function.getResultTypes(), function.getLoc())))
    return failure();
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    if (failed(addTypes(op->getResultTypes(), op->getLoc())))
      return WalkResult::interrupt();
    if (!isWellFormed(op))
      return WalkResult::advance();
    if (auto split = dyn_cast<SplitOp>(op))
      return addRelation(table, split.getInner(), AxisKind::CeilDiv,
                         {split.getAxis(), split.getOuter()}, op->getLoc());
    if (auto concat = dyn_cast<ConcatOp>(op))
      return addRelation(
          table, concat.getAxis(), AxisKind::Sum,
          llvm::to_vector(concat.getAlong().getAsValueRange<StringAttr>()),
          op->getLoc());
    if (auto rename = dyn_cast<RenameOp>(op))
      for (auto [from, to] : llvm::zip_equal(rename.getFrom().getNames(),
                                             rename.getTo().getNames()))
        equalities.emplace_back(from.getValue().str(), to.getValue().str());
    if (auto slice = dyn_cast<SliceOp>(op)) {
      SliceRelation relation{slice.getAxis().str(), int64_t(slice.getOffset()),
                             std::nullopt};
      if (slice.getPart())
        relation.part = slice.getPart()->str();
      slices.push_back(std::move(relation));
    }
    if (auto iota = dyn_cast<IotaOp>(op)) {
      int64_t limit = iota.getLargestExtent();
      auto [it, isNew] = limits.try_emplace(iota.getAxis().str(), limit);
      it->second = std::min(it->second, limit);
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// A merge of parts that no split relates defines a product.
LogicalResult AxisTable::gatherProducts(FunctionOpInterface function) {
  for (auto &[name, info] : table)
    if (info.kind == AxisKind::CeilDiv)
      splitRelations.push_back({info.operands[0], info.operands[1], name});
  WalkResult walk = function.walk([&](MergeOp merge) -> WalkResult {
    if (!isWellFormed(merge))
      return WalkResult::advance();
    for (const SplitRelation &split : splitRelations)
      if (split.axis == merge.getAxis() && split.outer == merge.getOuter() &&
          split.inner == merge.getInner())
        return WalkResult::advance();
    return addRelation(table, merge.getAxis(), AxisKind::Product,
                       {merge.getOuter(), merge.getInner()}, merge.getLoc());
  });
  return failure(walk.wasInterrupted());
}

const AxisInfo *AxisTable::lookup(StringRef axis) const {
  auto it = table.find(axis.str());
  return it == table.end() ? nullptr : &it->second;
}

namespace {

using Conflict = function_ref<LogicalResult(StringRef, StringRef)>;
using SetExtent = function_ref<LogicalResult(const std::string &, int64_t)>;

/// `name` is the sum of `parts`: one unknown follows from the others.
LogicalResult propagateSum(const std::string &name, ArrayRef<std::string> parts,
                           const Bindings &bindings, SetExtent set,
                           Conflict conflict) {
  const std::string *unknown = nullptr;
  int64_t known = 0, count = 0;
  for (const std::string &part : parts) {
    auto it = bindings.find(part);
    if (it != bindings.end()) {
      if (llvm::AddOverflow(known, it->second, known))
        return conflict(name, "a sum that fits in 64 bits");
      continue;
    }
    if (unknown && *unknown != part)
      return success();
    unknown = &part;
    ++count;
  }
  if (!unknown)
    return set(name, known);
  auto total = bindings.find(name);
  if (total == bindings.end())
    return success();
  int64_t rest = total->second - known;
  if (rest < 0 || rest % count != 0)
    return conflict(name, "the extent of its parts' sum but got " +
                              std::to_string(total->second));
  return set(*unknown, rest / count);
}

/// `name` is a product of two axes, or the extent of the parts of a split.
LogicalResult propagatePair(const std::string &name, const AxisInfo &info,
                            const Bindings &bindings, SetExtent set,
                            Conflict conflict) {
  auto first = bindings.find(info.operands[0]);
  auto second = bindings.find(info.operands[1]);
  if (first == bindings.end() || second == bindings.end())
    return success();
  int64_t extent;
  if (info.kind == AxisKind::CeilDiv) {
    if (second->second < 1)
      return conflict(info.operands[1], "at least one part");
    extent = llvm::divideCeil(first->second, second->second);
  } else if (llvm::MulOverflow(first->second, second->second, extent)) {
    return conflict(name, "a product that fits in 64 bits");
  }
  return set(name, extent);
}

} // namespace

/// Sets what follows from the known extents until nothing changes. Calls
/// `conflict` with an axis and a text for an extent that contradicts.
LogicalResult AxisTable::propagate(
    Bindings &bindings,
    function_ref<LogicalResult(StringRef, StringRef)> conflict) const {
  bool changed = true;
  auto set = [&](const std::string &axis, int64_t extent) {
    auto [it, inserted] = bindings.try_emplace(axis, extent);
    changed |= inserted;
    if (it->second == extent)
      return success();
    return conflict(axis, "extent " + std::to_string(extent) + " but got " +
                              std::to_string(it->second));
  };
  while (changed) {
    changed = false;
    for (const auto &[name, info] : table) {
      if (!ShapedType::isDynamic(info.extent) && failed(set(name, info.extent)))
        return failure();
      if (info.operands.empty())
        continue;
      if (failed(
              info.kind == AxisKind::Sum
                  ? propagateSum(name, info.operands, bindings, set, conflict)
                  : propagatePair(name, info, bindings, set, conflict)))
        return failure();
    }
    for (const auto &[a, b] : equalities)
      for (const auto &[from, to] : {std::pair(a, b), std::pair(b, a)})
        if (auto it = bindings.find(from); it != bindings.end())
          if (failed(set(to, it->second)))
            return failure();
  }
  return success();
}

FailureOr<Bindings> AxisTable::resolve(const Bindings &given,
                                       Location location) const {
  for (const auto &[name, extent] : given) {
    if (!table.count(name))
      return emitError(location) << "unknown axis '" << name << "'";
    if (extent < 0)
      return emitError(location)
             << "expected axis '" << name
             << "' to have an extent of at least 0 but got " << extent;
  }
  Bindings bindings = given;
  auto conflict = [&](StringRef axis, StringRef expected) -> LogicalResult {
    return emitError(location)
           << "expected axis '" << axis << "' to have " << expected;
  };
  if (failed(propagate(bindings, conflict)))
    return failure();
  for (const auto &[name, info] : table)
    if (!bindings.count(name))
      return emitError(location) << "missing extent of axis '" << name << "'";
  if (failed(checkLimits(bindings, location)))
    return failure();
  return bindings;
}

LogicalResult AxisTable::checkLimits(const Bindings &bindings,
                                     Location location) const {
  for (const SliceRelation &slice : slices) {
    int64_t extent = bindings.at(slice.axis);
    int64_t length = slice.part ? bindings.at(*slice.part) : 1;
    if (slice.offset > extent || length > extent - slice.offset)
      return emitError(location)
             << "expected positions of axis '" << slice.axis << "' below "
             << extent << " but got " << length << " from " << slice.offset;
  }
  for (const auto &[axis, limit] : limits)
    if (bindings.at(axis) > limit)
      return emitError(location)
             << "expected axis '" << axis << "' to have an extent of at most "
             << limit << ", which its positions' type counts, but got "
             << bindings.at(axis);
  return success();
}

Bindings AxisTable::representative(const Bindings &given,
                                   int64_t fallback) const {
  Bindings bindings = given;
  auto ignore = [](StringRef, StringRef) { return success(); };
  (void)propagate(bindings, ignore);
  // Axes with a value of their own first, then those without a relation, so
  // that the others follow; last what relations leave open.
  for (int round : {0, 1, 2})
    for (const auto &[name, info] : table) {
      bool open = round == 2 || (round == 1 && info.operands.empty());
      if (bindings.count(name) || (info.representatives.empty() && !open))
        continue;
      bindings[name] =
          info.representatives.empty() ? fallback : info.representatives[0];
      (void)propagate(bindings, ignore);
    }
  return bindings;
}

LogicalResult cleave::verifyCleaveFunction(FunctionOpInterface function) {
  if (failed(AxisTable::get(function)))
    return failure();
  WalkResult walk = function.walk([&](Operation *op) {
    if (op == function.getOperation() ||
        isa_and_nonnull<CleaveDialect>(op->getDialect()) ||
        op->hasTrait<OpTrait::ReturnLike>() || isa<CallOpInterface>(op))
      return WalkResult::advance();
    auto encoded = [](Type type) { return isCleaveTensor(type); };
    if (llvm::any_of(op->getOperandTypes(), encoded) ||
        llvm::any_of(op->getResultTypes(), encoded)) {
      op->emitOpError("expected no tensors with named axes outside of the "
                      "cleave dialect");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
