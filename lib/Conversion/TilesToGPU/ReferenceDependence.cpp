//===- ReferenceDependence.cpp - Who sees a reference ---------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One case an op. What an op makes of values that depend on a reference is told
// by its kind and by where the rows lie; all other ops are assumed to see it.
//
//===----------------------------------------------------------------------===//

#include "ReferenceDependence.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cleave;

Value cleave::getRepeated(Value value, SmallVectorImpl<Operation *> *ops) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<vector::BroadcastOp, vector::TransposeOp>(op))
      break;
    if (ops)
      ops->push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

static bool isReference(Dependency kind) {
  return kind == Dependency::Reference || kind == Dependency::OldReference;
}

/// Whether another reference would multiply the value.
static bool isMultiple(Dependency kind) {
  return kind == Dependency::Weight || kind == Dependency::OldScaled ||
         kind == Dependency::Scaled || kind == Dependency::Inverse;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// What `value` is but for conversions and elements of -inf, and what has made
/// them so.
static std::pair<Value, Masks> getMasked(Value value) {
  Masks masks;
  for (;;) {
    Operation *op = value.getDefiningOp();
    auto choice = dyn_cast_or_null<arith::SelectOp>(op);
    if (choice && matchPattern(choice.getFalseValue(), m_NegInfFloat())) {
      masks.push_back(choice.getCondition());
      value = choice.getTrueValue();
    } else if (isa_and_nonnull<arith::ExtFOp>(op)) {
      value = op->getOperand(0);
    } else {
      return {value, masks};
    }
  }
}

/// What the maximum has not seen of `value` if this is what the reference is
/// the maximum of, row by row; nothing if it is something else.
std::optional<Masks> Dependence::getUnseen(Value value,
                                           const Places &places) const {
  auto [seen, masks] = getMasked(source);
  auto [whole, others] = getMasked(value);
  if (whole != seen || places != sourcePlaces)
    return std::nullopt;
  llvm::erase_if(masks, [&, &others = others](Value mask) {
    return llvm::is_contained(others, mask);
  });
  return masks;
}

/// Of a reference that is not finite the other is none either, so that a
/// constant may stand for it.
Dependence::Result Dependence::getChoice(arith::SelectOp op) const {
  Value yes = op.getTrueValue(), no = op.getFalseValue();
  Dependency kind = getKind(yes), other = getKind(no);
  if (getKind(op.getCondition()) != Dependency::Fixed)
    return std::nullopt;
  auto finite = op.getCondition().getDefiningOp<arith::CmpFOp>();
  auto magnitude =
      finite ? finite.getLhs().getDefiningOp<math::AbsFOp>() : math::AbsFOp();
  if (isReference(kind) && isConstant(no) && magnitude &&
      magnitude.getOperand() == yes)
    return kind;
  if (kind == Dependency::Fixed) {
    std::swap(kind, other);
    std::swap(yes, no);
  }
  if (kind == other || (isMultiple(kind) && isZero(no)))
    return kind;
  return std::nullopt;
}

/// Zeros may be sums of anything.
Dependence::Result Dependence::getSumKind(Value lhs, Value rhs) const {
  Dependency first = getKind(lhs), second = getKind(rhs);
  if ((first == Dependency::Reference && second == Dependency::Logarithm) ||
      (first == Dependency::Logarithm && second == Dependency::Reference))
    return Dependency::Fixed;
  for (Value value : {lhs, rhs}) {
    Dependency kind = getKind(value);
    bool isSeen = kind == Dependency::Weight && get(value).unseen.empty();
    if (!isSeen && kind != Dependency::Scaled && !isZero(value))
      return std::nullopt;
  }
  return Dependency::Scaled;
}

/// What an op makes of operands of which some are not fixed.
Dependence::Result Dependence::getKind(Operation *op) const {
  SmallVector<Dependency> kinds;
  for (Value operand : op->getOperands())
    kinds.push_back(getKind(operand));
  auto takes = [&](ArrayRef<Dependency> expected) {
    return ArrayRef<Dependency>(kinds) == expected;
  };
  auto when = [](bool condition, Dependency kind) {
    return condition ? Result(kind) : std::nullopt;
  };
  return TypeSwitch<Operation *, Result>(op)
      .Case<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp,
            arith::ExtFOp>([&](auto) { return kinds[0]; })
      .Case([&](arith::TruncFOp) {
        return when(takes({Dependency::Weight}), Dependency::Weight);
      })
      .Case([&](math::AbsFOp) {
        return when(isReference(kinds[0]), Dependency::Magnitude);
      })
      .Case([&](math::ExpOp) {
        if (takes({Dependency::Exponent}))
          return Result(Dependency::Weight);
        return when(takes({Dependency::Step}), Dependency::Factor);
      })
      .Case([&](math::LogOp) {
        return when(takes({Dependency::Scaled}), Dependency::Logarithm);
      })
      .Case([&](arith::CmpFOp compare) {
        bool isFinite = compare.getPredicate() == arith::CmpFPredicate::OLT &&
                        takes({Dependency::Magnitude, Dependency::Fixed}) &&
                        matchPattern(compare.getRhs(), m_PosInfFloat());
        bool hasSign = takes({Dependency::Scaled, Dependency::Fixed}) &&
                       isZero(compare.getRhs());
        return when(isFinite || hasSign, Dependency::Fixed);
      })
      .Case([&](arith::SelectOp choice) { return getChoice(choice); })
      .Case([&](arith::MinimumFOp) {
        return when(kinds[0] == Dependency::Step && isZero(op->getOperand(1)),
                    Dependency::Step);
      })
      .Case([&](arith::SubFOp) {
        if (takes({Dependency::OldReference, Dependency::Reference}))
          return Result(Dependency::Step);
        return when(
            takes({Dependency::Fixed, Dependency::Reference}) &&
                getUnseen(op->getOperand(0), get(op->getOperand(1)).places),
            Dependency::Exponent);
      })
      .Case([&](arith::AddFOp sum) {
        return getSumKind(sum.getLhs(), sum.getRhs());
      })
      .Case([&](arith::MulFOp) {
        llvm::sort(kinds);
        if (takes({Dependency::Factor, Dependency::OldScaled}))
          return Result(Dependency::Scaled);
        return when(takes({Dependency::Scaled, Dependency::Inverse}),
                    Dependency::Fixed);
      })
      .Case([&](arith::DivFOp) {
        if (takes({Dependency::Scaled, Dependency::Scaled}))
          return Result(Dependency::Fixed);
        return when(takes({Dependency::Fixed, Dependency::Scaled}) &&
                        isConstant(op->getOperand(0)),
                    Dependency::Inverse);
      })
      .Case([&](vector::MultiDimReductionOp sum) {
        if (sum.getKind() != vector::CombiningKind::ADD)
          return Result();
        return getSumKind(sum.getSource(), sum.getAcc());
      })
      .Case([&](vector::ContractionOp sum) {
        bool isSum = sum.getKind() == vector::CombiningKind::ADD;
        bool first = kinds[0] != Dependency::Fixed;
        if (!isSum || kinds[first ? 1 : 0] != Dependency::Fixed)
          return Result();
        return getSumKind(op->getOperand(first ? 0 : 1), sum.getAcc());
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Dependence::Dependence(vector::MultiDimReductionOp maximum)
    : maximum(maximum), source(maximum.getSource()) {
  VectorType type = maximum.getSourceVectorType();
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!maximum.isReducedDim(dim))
      sourcePlaces.push_back(size == 1 ? -1 : int64_t(dim));
  Places rows;
  if (auto type = dyn_cast<VectorType>(maximum.getType()))
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      rows.push_back(size == 1 ? -1 : int64_t(dim));
  set(maximum.getResult(), {Dependency::Reference, rows, {}});
  set(maximum.getAcc(), {Dependency::OldReference, rows, {}});
}

/// Follows dimensions to where `move` has them; nothing if it has not.
static std::optional<Places>
movePlaces(const Places &places,
           function_ref<std::optional<int64_t>(int64_t)> move) {
  Places moved;
  for (int64_t place : places) {
    std::optional<int64_t> to = place < 0 ? place : move(place);
    if (!to)
      return std::nullopt;
    moved.push_back(*to);
  }
  return moved;
}

/// Dimensions of one element aside, shapes must be the same.
static std::optional<Places> reshapePlaces(const Places &places,
                                           vector::ShapeCastOp op) {
  auto getLong = [](VectorType type) {
    SmallVector<int64_t> dims;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size != 1)
        dims.push_back(dim);
    return dims;
  };
  VectorType source = op.getSourceVectorType(),
             result = op.getResultVectorType();
  SmallVector<int64_t> from = getLong(source), to = getLong(result);
  auto getSize = [](VectorType type) {
    return [type](int64_t dim) { return type.getDimSize(dim); };
  };
  if (!llvm::equal(llvm::map_range(from, getSize(source)),
                   llvm::map_range(to, getSize(result))))
    return std::nullopt;
  return movePlaces(places, [&](int64_t dim) {
    return to[llvm::find(from, dim) - from.begin()];
  });
}

/// Of all operands that depend on a reference, if they have its rows alike.
std::optional<Places> Dependence::getCommonPlaces(Operation *op) const {
  std::optional<Places> places;
  for (Value operand : op->getOperands()) {
    Dependent dependent = get(operand);
    if (dependent.kind == Dependency::Fixed ||
        dependent.kind == Dependency::OldScaled)
      continue;
    if (places && *places != dependent.places)
      return std::nullopt;
    places = dependent.places;
  }
  return places;
}

std::optional<Places> Dependence::getPlaces(Operation *op) const {
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    auto source = dyn_cast<VectorType>(broadcast.getSourceType());
    int64_t added = broadcast.getResultVectorType().getRank() -
                    (source ? source.getRank() : 0);
    return movePlaces(get(op->getOperand(0)).places,
                      [&](int64_t dim) { return dim + added; });
  }
  if (auto transpose = dyn_cast<vector::TransposeOp>(op))
    return movePlaces(get(op->getOperand(0)).places, [&](int64_t dim) {
      return llvm::find(transpose.getPermutation(), dim) -
             transpose.getPermutation().begin();
    });
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return reshapePlaces(get(op->getOperand(0)).places, cast);
  // Sums over rows of several references have none.
  std::optional<Places> sum;
  Value acc;
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    acc = reduction.getAcc();
    sum = movePlaces(get(reduction.getSource()).places,
                     [&](int64_t dim) -> std::optional<int64_t> {
                       if (reduction.isReducedDim(dim))
                         return std::nullopt;
                       return dim - llvm::count_if(
                                        llvm::seq<int64_t>(0, dim),
                                        [&](int64_t before) {
                                          return reduction.isReducedDim(before);
                                        });
                     });
  } else if (auto contract = dyn_cast<vector::ContractionOp>(op)) {
    unsigned side = getKind(contract.getLhs()) != Dependency::Fixed ? 0 : 1;
    SmallVector<AffineMap, 4> maps = contract.getIndexingMapsArray();
    acc = contract.getAcc();
    sum = movePlaces(get(op->getOperand(side)).places,
                     [&](int64_t dim) -> std::optional<int64_t> {
                       auto to =
                           maps[2].getResultPosition(maps[side].getResult(dim));
                       return to ? std::optional<int64_t>(*to) : std::nullopt;
                     });
  } else {
    return getCommonPlaces(op);
  }
  bool alike =
      getKind(acc) == Dependency::Fixed || (sum && get(acc).places == *sum);
  return alike ? sum : std::nullopt;
}

/// Of exponents and of what is made of them.
Masks Dependence::getUnseen(Operation *op) const {
  if (isa<arith::SubFOp>(op))
    return getUnseen(op->getOperand(0), get(op->getOperand(1)).places)
        .value_or(Masks());
  Masks unseen;
  for (Value operand : op->getOperands())
    for (Value mask : get(operand).unseen)
      if (!llvm::is_contained(unseen, mask))
        unseen.push_back(mask);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    if (isZero(choice.getFalseValue()))
      llvm::erase(unseen, choice.getCondition());
  return unseen;
}

LogicalResult Dependence::follow(Block::iterator first, Block::iterator end) {
  for (Operation &op : llvm::make_range(first, end)) {
    bool depends = false;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        depends |= getKind(operand) != Dependency::Fixed;
    });
    if (!depends || &op == maximum)
      continue;
    Result kind = getKind(&op);
    std::optional<Places> places = kind ? getPlaces(&op) : std::nullopt;
    if (!places)
      return failure();
    bool isWeight =
        *kind == Dependency::Exponent || *kind == Dependency::Weight;
    set(op.getResult(0), {*kind, *places, isWeight ? getUnseen(&op) : Masks()});
  }
  return success();
}
