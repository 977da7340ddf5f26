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
  Exponent,     ///< more by s,
  Weight,       ///< exp(s) times as large, and still below exp(kFar),
  Step,         ///< more by the difference of both,
  Factor,       ///< exp of that times as large,
  OldScaled,    ///< exp(old s) times as large,
  Scaled,       ///< exp(s) times as large,
  Inverse,      ///< exp(-s) times as large,
  Logarithm,    ///< more by s.
};

/// Finds what depends on the reference of a loop, and how.
class Dependence {
public:
  void set(Value value, Kind kind) { kinds[value] = kind; }
  Kind get(Value value) const {
    auto it = kinds.find(value);
    return it == kinds.end() ? Kind::Fixed : it->second;
  }
  /// Follows the ops of a block from `first` on; fails at one that could see
  /// the reference.
  LogicalResult follow(Block::iterator first, Block::iterator end);

private:
  /// What an op makes of operands of which some are not fixed.
  std::optional<Kind> getResult(Operation *op) const;
  std::optional<Kind> getProduct(Kind lhs, Kind rhs) const;
  std::optional<Kind> getChoice(arith::SelectOp op) const;
  std::optional<Kind> getSum(Value lhs, Value rhs) const;
  bool isCompared(arith::CmpFOp op) const;

  DenseMap<Value, Kind> kinds;
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

std::optional<Kind> Dependence::getProduct(Kind lhs, Kind rhs) const {
  if (lhs > rhs)
    std::swap(lhs, rhs);
  if (lhs == Kind::Fixed && isMultiple(rhs))
    return rhs == Kind::Weight ? Kind::Scaled : rhs;
  if (lhs == Kind::Factor && rhs == Kind::OldScaled)
    return Kind::Scaled;
  if (lhs == Kind::Scaled && rhs == Kind::Inverse)
    return Kind::Fixed;
  return std::nullopt;
}

/// Of a reference that is not finite the old is none either, so that a constant
/// may stand for it.
std::optional<Kind> Dependence::getChoice(arith::SelectOp op) const {
  Value yes = op.getTrueValue(), no = op.getFalseValue();
  Kind kind = get(yes), other = get(no);
  if (get(op.getCondition()) != Kind::Fixed)
    return std::nullopt;
  if (kind == Kind::Fixed) {
    std::swap(kind, other);
    std::swap(yes, no);
  }
  if (kind == other || (isReference(kind) && isConstant(no)) ||
      (isMultiple(kind) && isZero(no)))
    return kind;
  return std::nullopt;
}

/// Zeros may be sums of anything.
std::optional<Kind> Dependence::getSum(Value lhs, Value rhs) const {
  Kind first = get(lhs), second = get(rhs);
  if ((first == Kind::Reference && second == Kind::Logarithm) ||
      (first == Kind::Logarithm && second == Kind::Reference))
    return Kind::Fixed;
  for (Value value : {lhs, rhs})
    if (get(value) != Kind::Weight && get(value) != Kind::Scaled &&
        !isZero(value))
      return std::nullopt;
  return Kind::Scaled;
}

/// Whether the result is the same for any reference.
bool Dependence::isCompared(arith::CmpFOp op) const {
  Kind kind = get(op.getLhs());
  return (kind == Kind::Magnitude &&
          matchPattern(op.getRhs(), m_PosInfFloat())) ||
         (kind == Kind::Scaled && isZero(op.getRhs()));
}

std::optional<Kind> Dependence::getResult(Operation *op) const {
  using Result = std::optional<Kind>;
  SmallVector<Kind> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  return TypeSwitch<Operation *, Result>(op)
      .Case<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp,
            arith::ExtFOp>([&](auto) { return operands[0]; })
      .Case([&](arith::TruncFOp) -> Result {
        if (operands[0] == Kind::Weight)
          return Kind::Weight;
        return std::nullopt;
      })
      .Case([&](math::AbsFOp) -> Result {
        if (isReference(operands[0]))
          return Kind::Magnitude;
        return std::nullopt;
      })
      .Case([&](math::ExpOp) -> Result {
        if (operands[0] == Kind::Exponent)
          return Kind::Weight;
        if (operands[0] == Kind::Step)
          return Kind::Factor;
        return std::nullopt;
      })
      .Case([&](math::LogOp) -> Result {
        if (operands[0] == Kind::Scaled)
          return Kind::Logarithm;
        return std::nullopt;
      })
      .Case([&](arith::CmpFOp compare) -> Result {
        if (isCompared(compare))
          return Kind::Fixed;
        return std::nullopt;
      })
      .Case([&](arith::SelectOp choice) { return getChoice(choice); })
      .Case([&](arith::MinimumFOp) -> Result {
        if (operands[0] == Kind::Step && isZero(op->getOperand(1)))
          return Kind::Step;
        return std::nullopt;
      })
      .Case([&](arith::SubFOp) -> Result {
        if (operands[1] != Kind::Reference)
          return std::nullopt;
        if (operands[0] == Kind::Fixed)
          return Kind::Exponent;
        if (operands[0] == Kind::OldReference)
          return Kind::Step;
        return std::nullopt;
      })
      .Case(
          [&](arith::AddFOp sum) { return getSum(sum.getLhs(), sum.getRhs()); })
      .Case([&](arith::MulFOp) { return getProduct(operands[0], operands[1]); })
      .Case([&](arith::DivFOp) -> Result {
        if (operands[0] == Kind::Fixed && operands[1] == Kind::Scaled)
          return Kind::Inverse;
        if (operands[0] == Kind::Scaled && operands[1] == Kind::Scaled)
          return Kind::Fixed;
        return std::nullopt;
      })
      .Case([&](vector::MultiDimReductionOp reduction) -> Result {
        if (reduction.getKind() != vector::CombiningKind::ADD)
          return std::nullopt;
        return getSum(reduction.getSource(), reduction.getAcc());
      })
      .Case([&](vector::ContractionOp contract) -> Result {
        if (contract.getKind() != vector::CombiningKind::ADD)
          return std::nullopt;
        bool first = operands[0] != Kind::Fixed;
        if (operands[first ? 1 : 0] != Kind::Fixed)
          return std::nullopt;
        return getSum(op->getOperand(first ? 0 : 1), contract.getAcc());
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult Dependence::follow(Block::iterator first, Block::iterator end) {
  for (Operation &op : llvm::make_range(first, end)) {
    bool depends = false;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        depends |= get(operand) != Kind::Fixed;
    });
    // What is known by now: the maximum itself.
    if (!depends ||
        (op.getNumResults() == 1 && get(op.getResult(0)) != Kind::Fixed))
      continue;
    std::optional<Kind> kind = getResult(&op);
    if (!kind)
      return failure();
    set(op.getResult(0), *kind);
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
  Dependence dependence;
  Block *body = loop.getBody();
  auto yielded = loop.getYieldedValues();
  for (auto [i, state] : llvm::enumerate(loop.getRegionIterArgs()))
    if (i != reference && getProduct(state))
      dependence.set(state, Kind::OldScaled);
  dependence.set(loop.getRegionIterArg(reference), Kind::OldReference);
  dependence.set(maximum.getResult(), Kind::Reference);
  if (failed(dependence.follow(body->begin(), std::prev(body->end()))) ||
      dependence.get(maximum.getSource()) != Kind::Fixed)
    return failure();
  for (auto [i, state] : llvm::enumerate(loop.getRegionIterArgs())) {
    Kind kind = dependence.get(yielded[i]), before = dependence.get(state);
    Kind expected = before == Kind::OldReference ? Kind::Reference
                    : before == Kind::OldScaled  ? Kind::Scaled
                                                 : Kind::Fixed;
    if (kind != expected)
      return failure();
    dependence.set(loop.getResult(i), kind);
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
