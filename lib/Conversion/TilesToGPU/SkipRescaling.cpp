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
#include "ReferenceDependence.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_SKIPRESCALINGPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

/// From so many values of a thread on: fewer products run beside others that
/// tensor cores compute, and cost less than the branch around them.
static constexpr int64_t kManyValues = 128;

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
      dependence.set(state, {Dependency::OldScaled, {}, {}});
  if (failed(dependence.follow(body->begin(), std::prev(body->end()))) ||
      dependence.getKind(maximum.getSource()) != Dependency::Fixed)
    return failure();
  for (auto [i, state] : llvm::enumerate(loop.getRegionIterArgs())) {
    Dependency kind = dependence.getKind(yielded[i]);
    Dependency before = dependence.getKind(state);
    Dependency expected = before == Dependency::OldReference
                              ? Dependency::Reference
                          : before == Dependency::OldScaled ? Dependency::Scaled
                                                            : Dependency::Fixed;
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
