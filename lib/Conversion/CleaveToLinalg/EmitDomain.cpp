//===- EmitDomain.cpp - The range of a loop with a domain -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. A bound is computed by the arithmetic of the mask at the
// corner of the block's tile where it reaches furthest: rounding is monotone,
// so no element of the mask reaches further.
//
//===----------------------------------------------------------------------===//

#include "EmitDomain.h"
#include "Cleave/Conversion/EmitBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

namespace {
class DomainEmitter {
public:
  DomainEmitter(OpBuilder &b, Location loc, const Problem &problem,
                const DomainLeaves &leaves)
      : b(b), loc(loc), problem(problem), leaves(leaves) {}

  /// The first position behind those that `bound` allows, or their first one.
  Value emitEnd(const DomainBound &bound);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

private:
  Value emitTerm(NodeId term, bool largest);
  Value emitPosition(const Node &iota, bool largest);
  Value emitLimit(const DomainBound &bound);
  Value toPosition(Value limit, bool next);

  OpBuilder &b;
  Location loc;
  const Problem &problem;
  const DomainLeaves &leaves;
};
} // namespace

Value DomainEmitter::emitPosition(const Node &iota, bool largest) {
  auto [begin, size] = leaves.getRange(iota.axes.front());
  Value position = getValueOrCreateConstantIndexOp(b, loc, begin);
  if (largest)
    position = arith::AddIOp::create(
        b, loc, position,
        arith::SubIOp::create(b, loc,
                              getValueOrCreateConstantIndexOp(b, loc, size),
                              constant(1)));
  position = arith::AddIOp::create(b, loc, position,
                                   constant(static_cast<int64_t>(iota.value)));
  position = arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
  return arith::SIToFPOp::create(
      b, loc, getElementType(b.getContext(), iota.element), position);
}

Value DomainEmitter::emitTerm(NodeId term, bool largest) {
  const Node &node = problem[term];
  if (node.kind == NodeKind::Constant)
    return createConstant(b, loc, node.element, node.value);
  if (node.kind != NodeKind::Pointwise)
    return leaves.getNumber(term);
  if (node.op == Pointwise::Iota)
    return emitPosition(node, largest);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    bool negative =
        node.op == Pointwise::Neg || (node.op == Pointwise::Sub && i > 0);
    operands.push_back(emitTerm(operand, largest != negative));
  }
  return createPointwise(b, loc, node.op, node.element, operands);
}

Value DomainEmitter::emitLimit(const DomainBound &bound) {
  Value limit;
  auto widen = [&](Value value) {
    Type type = value.getType();
    return type.isF64() ? value : convertElement(b, loc, value, b.getF64Type());
  };
  if (bound.plus.size() == 1 && bound.minus.empty())
    return emitTerm(bound.plus.front(), bound.upper);
  // Whole numbers: exact.
  limit = createConstant(b, loc, Element::F64, 0);
  for (NodeId term : bound.plus)
    limit = arith::AddFOp::create(b, loc, limit,
                                  widen(emitTerm(term, bound.upper)));
  for (NodeId term : bound.minus)
    limit = arith::SubFOp::create(b, loc, limit,
                                  widen(emitTerm(term, !bound.upper)));
  return limit;
}

/// The first whole number that is not below `limit`, or (`next`) above it.
Value DomainEmitter::toPosition(Value limit, bool next) {
  Type type = limit.getType();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  // No axis is as long. NaN, with which comparisons are false, becomes the
  // lower one.
  constexpr double kFar = int64_t(1) << 60;
  auto clamp = [&](arith::CmpFPredicate within, double end) {
    Value last = number(end);
    Value inside = arith::CmpFOp::create(b, loc, within, limit, last);
    limit = arith::SelectOp::create(b, loc, inside, limit, last);
  };
  clamp(arith::CmpFPredicate::OGT, -kFar);
  clamp(arith::CmpFPredicate::OLT, kFar);
  Value whole = arith::FPToSIOp::create(b, loc, b.getI64Type(), limit);
  Value back = arith::SIToFPOp::create(b, loc, type, whole);
  auto predicate = next ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT;
  // Conversion cuts off towards 0: one more where that fell short.
  Value more = arith::CmpFOp::create(b, loc, predicate, back, limit);
  more = arith::ExtUIOp::create(b, loc, b.getI64Type(), more);
  whole = arith::AddIOp::create(b, loc, whole, more);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), whole);
}

Value DomainEmitter::emitEnd(const DomainBound &bound) {
  Value limit = emitLimit(bound);
  if (!isa<FloatType>(limit.getType()) ||
      limit.getType().getIntOrFloatBitWidth() < 32)
    limit = convertElement(b, loc, limit, b.getF64Type());
  return toPosition(limit, bound.upper != bound.strict);
}

std::pair<Value, Value> cleave::emitLoopRange(OpBuilder &b, Location loc,
                                              const Problem &problem,
                                              const Loop &loop, Value extent,
                                              const DomainLeaves &leaves) {
  DomainEmitter emitter(b, loc, problem, leaves);
  Value zero = emitter.constant(0), begin = zero, end = extent;
  for (const DomainBound &bound : loop.domain) {
    Value position = emitter.emitEnd(bound);
    if (bound.upper)
      end = arith::MinSIOp::create(b, loc, end, position);
    else
      begin = arith::MaxSIOp::create(b, loc, begin, position);
  }
  if (end != extent)
    end = arith::MaxSIOp::create(b, loc, end, zero);
  if (begin != zero) {
    Value tile = emitter.constant(loop.range.tile);
    begin = arith::DivSIOp::create(b, loc, begin, tile);
    begin = arith::MulIOp::create(b, loc, begin, tile);
  }
  return {begin, end};
}
