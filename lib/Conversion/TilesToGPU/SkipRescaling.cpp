//===- SkipRescaling.cpp - References of exponentials that stay -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: vector form. A loop that adds up exp(x - y), y the maximum so far,
// multiplies its sums by exp(old y - new y) in each iteration. Any y that is
// not far below the maximum does as well, if nobody sees which it was: then the
// factor is 1 nearly always, and whoever has only such factors goes around the
// multiplications: the conditional rescaling of FlashAttention-4, for any such
// loop.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_SKIPRESCALINGPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// The maximum may be beyond the reference by this: exponentials stay below
/// 245, which 16 bits have room for.
static constexpr double kFar = 5.5;

/// From so many values of a thread on: fewer products run beside others that
/// tensor cores compute, and cost less than the branch around them.
static constexpr int64_t kManyValues = 128;

namespace {
/// How a value depends on the reference of its row. If that were less by s
/// (the old one by its own s), then
enum class Kind {
  Fixed,        ///< nothing would change,
  OldReference, ///< the value would be less by the old s,
  Reference,    ///< less by s,
  Magnitude,    ///< another, but finite as it is,
  Exponent,     ///< more by s, and still no more than kFar,
  Weight,       ///< exp(s) times as large, and still no more than exp(kFar),
  Step,         ///< more by the difference of both,
  Factor,       ///< exp of that times as large,
  OldScaled,    ///< exp(old s) times as large,
  Scaled,       ///< exp(s) times as large,
  Inverse,      ///< exp(-s) times as large,
  Logarithm,    ///< more by s.
};

/// Where the rows of the reference lie: for each of its dimensions the one of
/// the value, or -1 if there is one row only.
using Places = SmallVector<int64_t, 2>;

/// Conditions of selects.
using Masks = SmallVector<Value, 2>;

struct Dependent {
  Kind kind = Kind::Fixed;
  /// Not known of an old sum, which its factor tells.
  Places places;
  /// Of exponents and weights: what hides those elements that the maximum has
  /// not seen, and which may be beyond it. They must not reach a sum.
  Masks unseen;
};

/// Finds what depends on the reference of a loop, and how. Whatever is not
/// listed here could see which one it is.
class Dependence {
public:
  /// `maximum` makes the reference of what it reduces.
  explicit Dependence(vector::MultiDimReductionOp maximum);

  void set(Value value, Dependent dependent) { known[value] = dependent; }
  Dependent get(Value value) const { return known.lookup(value); }
  Kind getKind(Value value) const { return get(value).kind; }
  /// Follows the ops of a block from `first` on; fails at one that could see
  /// the reference.
  LogicalResult follow(Block::iterator first, Block::iterator end);

private:
  using Result = std::optional<Kind>;
  Result getKind(Operation *op) const;
  Result getSumKind(Value lhs, Value rhs) const;
  Result getChoice(arith::SelectOp op) const;
  std::optional<Masks> getUnseen(Value value, const Places &places) const;
  Masks getUnseen(Operation *op) const;
  /// Of an op with a kind.
  std::optional<Places> getPlaces(Operation *op) const;
  std::optional<Places> getCommonPlaces(Operation *op) const;

  Operation *maximum;
  /// What that reduces, and where its rows lie there.
  Value source;
  Places sourcePlaces;
  DenseMap<Value, Dependent> known;
};
} // namespace

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

static bool isReference(Kind kind) {
  return kind == Kind::Reference || kind == Kind::OldReference;
}

/// Whether another reference would multiply the value.
static bool isMultiple(Kind kind) {
  return kind == Kind::Weight || kind == Kind::OldScaled ||
         kind == Kind::Scaled || kind == Kind::Inverse;
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
  Kind kind = getKind(yes), other = getKind(no);
  if (getKind(op.getCondition()) != Kind::Fixed)
    return std::nullopt;
  auto finite = op.getCondition().getDefiningOp<arith::CmpFOp>();
  auto magnitude =
      finite ? finite.getLhs().getDefiningOp<math::AbsFOp>() : math::AbsFOp();
  if (isReference(kind) && isConstant(no) && magnitude &&
      magnitude.getOperand() == yes)
    return kind;
  if (kind == Kind::Fixed) {
    std::swap(kind, other);
    std::swap(yes, no);
  }
  if (kind == other || (isMultiple(kind) && isZero(no)))
    return kind;
  return std::nullopt;
}

/// Zeros may be sums of anything.
Dependence::Result Dependence::getSumKind(Value lhs, Value rhs) const {
  Kind first = getKind(lhs), second = getKind(rhs);
  if ((first == Kind::Reference && second == Kind::Logarithm) ||
      (first == Kind::Logarithm && second == Kind::Reference))
    return Kind::Fixed;
  for (Value value : {lhs, rhs}) {
    Kind kind = getKind(value);
    bool isSeen = kind == Kind::Weight && get(value).unseen.empty();
    if (!isSeen && kind != Kind::Scaled && !isZero(value))
      return std::nullopt;
  }
  return Kind::Scaled;
}

/// What an op makes of operands of which some are not fixed.
Dependence::Result Dependence::getKind(Operation *op) const {
  SmallVector<Kind> kinds;
  for (Value operand : op->getOperands())
    kinds.push_back(getKind(operand));
  auto takes = [&](ArrayRef<Kind> expected) {
    return ArrayRef<Kind>(kinds) == expected;
  };
  auto when = [](bool condition, Kind kind) {
    return condition ? Result(kind) : std::nullopt;
  };
  return TypeSwitch<Operation *, Result>(op)
      .Case<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp,
            arith::ExtFOp>([&](auto) { return kinds[0]; })
      .Case([&](arith::TruncFOp) {
        return when(takes({Kind::Weight}), Kind::Weight);
      })
      .Case([&](math::AbsFOp) {
        return when(isReference(kinds[0]), Kind::Magnitude);
      })
      .Case([&](math::ExpOp) {
        if (takes({Kind::Exponent}))
          return Result(Kind::Weight);
        return when(takes({Kind::Step}), Kind::Factor);
      })
      .Case([&](math::LogOp) {
        return when(takes({Kind::Scaled}), Kind::Logarithm);
      })
      .Case([&](arith::CmpFOp compare) {
        bool isFinite = compare.getPredicate() == arith::CmpFPredicate::OLT &&
                        takes({Kind::Magnitude, Kind::Fixed}) &&
                        matchPattern(compare.getRhs(), m_PosInfFloat());
        bool hasSign =
            takes({Kind::Scaled, Kind::Fixed}) && isZero(compare.getRhs());
        return when(isFinite || hasSign, Kind::Fixed);
      })
      .Case([&](arith::SelectOp choice) { return getChoice(choice); })
      .Case([&](arith::MinimumFOp) {
        return when(kinds[0] == Kind::Step && isZero(op->getOperand(1)),
                    Kind::Step);
      })
      .Case([&](arith::SubFOp) {
        if (takes({Kind::OldReference, Kind::Reference}))
          return Result(Kind::Step);
        return when(
            takes({Kind::Fixed, Kind::Reference}) &&
                getUnseen(op->getOperand(0), get(op->getOperand(1)).places),
            Kind::Exponent);
      })
      .Case([&](arith::AddFOp sum) {
        return getSumKind(sum.getLhs(), sum.getRhs());
      })
      .Case([&](arith::MulFOp) {
        llvm::sort(kinds);
        if (takes({Kind::Factor, Kind::OldScaled}))
          return Result(Kind::Scaled);
        return when(takes({Kind::Scaled, Kind::Inverse}), Kind::Fixed);
      })
      .Case([&](arith::DivFOp) {
        if (takes({Kind::Scaled, Kind::Scaled}))
          return Result(Kind::Fixed);
        return when(takes({Kind::Fixed, Kind::Scaled}) &&
                        isConstant(op->getOperand(0)),
                    Kind::Inverse);
      })
      .Case([&](vector::MultiDimReductionOp sum) {
        if (sum.getKind() != vector::CombiningKind::ADD)
          return Result();
        return getSumKind(sum.getSource(), sum.getAcc());
      })
      .Case([&](vector::ContractionOp sum) {
        bool isSum = sum.getKind() == vector::CombiningKind::ADD;
        bool first = kinds[0] != Kind::Fixed;
        if (!isSum || kinds[first ? 1 : 0] != Kind::Fixed)
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
  set(maximum.getResult(), {Kind::Reference, rows, {}});
  set(maximum.getAcc(), {Kind::OldReference, rows, {}});
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
    if (dependent.kind == Kind::Fixed || dependent.kind == Kind::OldScaled)
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
    unsigned side = getKind(contract.getLhs()) != Kind::Fixed ? 0 : 1;
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
  bool alike = getKind(acc) == Kind::Fixed || (sum && get(acc).places == *sum);
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
        depends |= getKind(operand) != Kind::Fixed;
    });
    if (!depends || &op == maximum)
      continue;
    Result kind = getKind(&op);
    std::optional<Places> places = kind ? getPlaces(&op) : std::nullopt;
    if (!places)
      return failure();
    bool isWeight = *kind == Kind::Exponent || *kind == Kind::Weight;
    set(op.getResult(0), {*kind, *places, isWeight ? getUnseen(&op) : Masks()});
  }
  return success();
}

/// What `value` repeats along other dimensions.
static Value getRepeated(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<vector::BroadcastOp, vector::TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
/// A loop that multiplies states by factors which are exponentials.
struct Rescaling {
  scf::ForOp loop;
  /// The number of the state that the factors come from.
  unsigned reference;
  vector::MultiDimReductionOp maximum;
  SmallVector<arith::MulFOp> products;

  /// What the body multiplies `state` by, if it does nothing else with it.
  static arith::MulFOp getProduct(BlockArgument state);
  static std::optional<Rescaling> get(scf::ForOp loop, unsigned reference,
                                      int64_t threads);
  LogicalResult check();
  void keepReference();
  void skipProducts();
};
} // namespace

arith::MulFOp Rescaling::getProduct(BlockArgument state) {
  if (!state.hasOneUse())
    return {};
  return dyn_cast<arith::MulFOp>(*state.getUsers().begin());
}

std::optional<Rescaling> Rescaling::get(scf::ForOp loop, unsigned reference,
                                        int64_t threads) {
  BlockArgument state = loop.getRegionIterArg(reference);
  auto maximum = loop.getYieldedValues()[reference]
                     .getDefiningOp<vector::MultiDimReductionOp>();
  if (!maximum || maximum.getKind() != vector::CombiningKind::MAXIMUMF ||
      maximum.getAcc() != state || !getElementTypeOrSelf(state).isF32())
    return std::nullopt;
  Rescaling rescaling{loop, reference, maximum, {}};
  for (BlockArgument sum : loop.getRegionIterArgs()) {
    arith::MulFOp product = getProduct(sum);
    if (!product)
      continue;
    auto type = dyn_cast<VectorType>(sum.getType());
    Value factors =
        product.getLhs() == sum ? product.getRhs() : product.getLhs();
    if (type && type.getNumElements() >= kManyValues * threads &&
        getRepeated(factors).getDefiningOp<math::ExpOp>())
      rescaling.products.push_back(product);
  }
  if (rescaling.products.empty())
    return std::nullopt;
  return rescaling;
}

/// Whether nobody would see another reference.
LogicalResult Rescaling::check() {
  Dependence dependence(maximum);
  Block *body = loop.getBody();
  auto yielded = loop.getYieldedValues();
  for (auto [i, state] : llvm::enumerate(loop.getRegionIterArgs()))
    if (i != reference && getProduct(state))
      dependence.set(state, {Kind::OldScaled, {}, {}});
  if (failed(dependence.follow(body->begin(), std::prev(body->end()))) ||
      dependence.getKind(maximum.getSource()) != Kind::Fixed)
    return failure();
  for (auto [i, state] : llvm::enumerate(loop.getRegionIterArgs())) {
    Kind kind = dependence.getKind(yielded[i]);
    Kind before = dependence.getKind(state);
    Kind expected = before == Kind::OldReference ? Kind::Reference
                    : before == Kind::OldScaled  ? Kind::Scaled
                                                 : Kind::Fixed;
    if (kind != expected)
      return failure();
    dependence.set(loop.getResult(i), dependence.get(yielded[i]));
  }
  return dependence.follow(std::next(loop->getIterator()),
                           loop->getBlock()->end());
}

void Rescaling::keepReference() {
  ImplicitLocOpBuilder b(maximum.getLoc(), maximum->getContext());
  b.setInsertionPointAfter(maximum);
  Value most = maximum.getResult(), old = maximum.getAcc();
  TypedAttr far = b.getF32FloatAttr(kFar);
  if (auto type = dyn_cast<VectorType>(most.getType()))
    far = DenseElementsAttr::get(type, Attribute(far));
  // True where one of them is no number: as without this.
  auto beyond = arith::SubFOp::create(b, most, old);
  auto isFar = arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, beyond,
                                     arith::ConstantOp::create(b, far));
  auto kept = arith::SelectOp::create(b, isFar, most, old);
  most.replaceUsesWithIf(kept, [&](OpOperand &use) {
    return use.getOwner() != beyond && use.getOwner() != kept;
  });
}

void Rescaling::skipProducts() {
  for (arith::MulFOp product : products) {
    bool first = isa<BlockArgument>(product.getLhs());
    Value sum = product->getOperand(first ? 0 : 1);
    Value factors = product->getOperand(first ? 1 : 0);
    OpBuilder b(product);
    product.replaceAllUsesWith(tile::RescaleOp::create(b, product.getLoc(),
                                                       sum.getType(), sum,
                                                       factors)
                                   .getResult());
    product.erase();
  }
}

namespace {
struct SkipRescalingPass
    : cleave::impl::SkipRescalingPassBase<SkipRescalingPass> {
  void runOnOperation() override {
    FailureOr<int64_t> warps = getKernelWarps(getOperation());
    if (failed(warps))
      return signalPassFailure();
    // Sums may be exp(kFar) times as large as they were.
    if (getOperation()->hasAttr(kWideAttrName))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
        auto rescaling = Rescaling::get(loop, i, *warps * 32);
        if (!rescaling || failed(rescaling->check()))
          continue;
        rescaling->keepReference();
        rescaling->skipProducts();
        break;
      }
  }
};
} // namespace
