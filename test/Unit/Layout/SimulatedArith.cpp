//===- SimulatedArith.cpp - Arithmetic of the thread simulator ------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element by element: the ops that kernels compute with.
//
//===----------------------------------------------------------------------===//

#include "ThreadSimulator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave::test;

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a,
                            int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return uint64_t(a) < uint64_t(b);
  case arith::CmpIPredicate::ule:
    return uint64_t(a) <= uint64_t(b);
  case arith::CmpIPredicate::ugt:
    return uint64_t(a) > uint64_t(b);
  case arith::CmpIPredicate::uge:
    return uint64_t(a) >= uint64_t(b);
  }
  return false;
}

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}

static int64_t computeInteger(Operation &op, ArrayRef<Cell> x, bool &known) {
  known = true;
  if (isa<arith::AddIOp>(op))
    return x[0].i + x[1].i;
  if (isa<arith::SubIOp>(op))
    return x[0].i - x[1].i;
  if (isa<arith::MulIOp>(op))
    return x[0].i * x[1].i;
  if (isa<arith::AndIOp>(op))
    return x[0].i & x[1].i;
  if (isa<arith::OrIOp>(op))
    return x[0].i | x[1].i;
  if (isa<arith::XOrIOp>(op))
    return x[0].i ^ x[1].i;
  if (isa<arith::ShRUIOp>(op))
    return uint64_t(x[0].i) >> x[1].i;
  if (isa<arith::ShLIOp>(op))
    return x[0].i << x[1].i;
  if (isa<arith::DivUIOp>(op))
    return uint64_t(x[0].i) / uint64_t(x[1].i);
  if (isa<arith::RemUIOp>(op))
    return uint64_t(x[0].i) % uint64_t(x[1].i);
  if (isa<arith::MinSIOp>(op))
    return std::min(x[0].i, x[1].i);
  if (isa<arith::MaxSIOp>(op))
    return std::max(x[0].i, x[1].i);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
    return x[0].i;
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return compareIntegers(cmp.getPredicate(), x[0].i, x[1].i);
  known = false;
  return 0;
}

static double computeFloat(Operation &op, ArrayRef<Cell> x, bool &known) {
  known = true;
  if (isa<arith::AddFOp>(op))
    return x[0].f + x[1].f;
  if (isa<arith::SubFOp>(op))
    return x[0].f - x[1].f;
  if (isa<arith::MulFOp>(op))
    return x[0].f * x[1].f;
  if (isa<arith::DivFOp>(op))
    return x[0].f / x[1].f;
  if (isa<arith::MaximumFOp>(op))
    return maximum(x[0].f, x[1].f);
  if (isa<arith::NegFOp>(op))
    return -x[0].f;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return x[0].f;
  if (isa<math::ExpOp>(op))
    return std::exp(x[0].f);
  if (isa<math::RsqrtOp>(op))
    return 1.0 / std::sqrt(x[0].f);
  if (isa<math::FmaOp>(op))
    return x[0].f * x[1].f + x[2].f;
  known = false;
  return 0;
}

Cell ThreadSimulator::compute(Operation &op, ArrayRef<Cell> x) {
  Cell result;
  result.i = 0;
  Type type = getElementTypeOrSelf(op.getResult(0).getType());
  if (isa<arith::SelectOp>(op))
    return x[0].i & 1 ? x[1] : x[2];
  if (isa<ub::PoisonOp>(op)) {
    // Whatever poison is, it is not what anybody wants.
    if (isa<FloatType>(type))
      result.f = NAN;
    else
      result.i = 0x5555;
    return result;
  }
  if (isa<arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp>(op)) {
    Type from = getElementTypeOrSelf(op.getOperand(0).getType());
    return decode(type, encode(from, x[0]));
  }
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    double a = x[0].f, b = x[1].f;
    bool unordered = std::isnan(a) || std::isnan(b);
    switch (cmp.getPredicate()) {
    case arith::CmpFPredicate::OEQ:
      result.i = !unordered && a == b;
      return result;
    case arith::CmpFPredicate::OLT:
      result.i = !unordered && a < b;
      return result;
    case arith::CmpFPredicate::OGT:
      result.i = !unordered && a > b;
      return result;
    case arith::CmpFPredicate::UNO:
      result.i = unordered;
      return result;
    default:
      fail(op, "no simulation of this comparison");
      return result;
    }
  }
  bool known;
  if (isa<FloatType>(type))
    result.f = roundTo(type, computeFloat(op, x, known));
  else
    result.i = computeInteger(op, x, known);
  if (!known)
    fail(op, "no simulation of this op");
  return result;
}

static Cell cellOf(Attribute attr) {
  Cell cell;
  if (auto number = dyn_cast<FloatAttr>(attr))
    cell.f = number.getValueAsDouble();
  else
    cell.i = cast<IntegerAttr>(attr).getValue().getSExtValue();
  return cell;
}

/// affine.apply, min and max, all on the same operands.
static std::optional<int64_t> computeAffine(Operation &op,
                                            ArrayRef<Cell> operands) {
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    map = max.getAffineMap();
  else
    return std::nullopt;
  SmallVector<Attribute> constants, results;
  for (Cell cell : operands)
    constants.push_back(
        IntegerAttr::get(IndexType::get(op.getContext()), cell.i));
  (void)map.constantFold(constants, results);
  std::optional<int64_t> best;
  for (Attribute result : results) {
    int64_t value = cast<IntegerAttr>(result).getInt();
    bool better =
        !best || (isa<affine::AffineMaxOp>(op) ? value > *best : value < *best);
    if (better)
      best = value;
  }
  return best;
}

bool ThreadSimulator::runElementwise(Operation &op, const Mask &active) {
  if (op.getNumResults() != 1)
    return false;
  Value result = op.getResult(0);
  auto vector = dyn_cast<VectorType>(result.getType());
  int64_t count = vector ? vector.getNumElements() : 1;
  PerThread &defined = define(result, count);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    for (Elements &elements : defined)
      for (auto [i, cell] : llvm::enumerate(elements)) {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        cell = cellOf(dense ? dense.getValues<Attribute>()[i]
                            : Attribute(constant.getValue()));
      }
    return true;
  }
  for (int t = 0; t < threads; ++t) {
    if (!active[t])
      continue;
    Elements out(count);
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Cell, 4> operands;
      for (Value operand : op.getOperands()) {
        const Elements &elements = get(operand)[t];
        operands.push_back(elements[elements.size() == 1 ? 0 : i]);
      }
      if (std::optional<int64_t> affine = computeAffine(op, operands))
        out[i].i = *affine;
      else
        out[i] = compute(op, operands);
    }
    get(result)[t] = out;
  }
  return true;
}
