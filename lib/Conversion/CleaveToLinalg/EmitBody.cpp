//===- EmitBody.cpp - Bodies of tile operations ---------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduling. What each operation means on one element
// (docs/numerics.md): arithmetic in f32, or f64 where an operand is.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/EmitBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::schedule;

Type cleave::getElementType(MLIRContext *context, Element element) {
  switch (element) {
  case Element::I1:
    return IntegerType::get(context, 1);
  case Element::I8:
  case Element::I16:
  case Element::I32:
  case Element::I64:
    return IntegerType::get(context, getBits(element));
  case Element::F16:
    return Float16Type::get(context);
  case Element::BF16:
    return BFloat16Type::get(context);
  case Element::F32:
    return Float32Type::get(context);
  case Element::F64:
    return Float64Type::get(context);
  }
  llvm_unreachable("unknown element");
}

std::optional<Element> cleave::getElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  for (Element known :
       {Element::I1, Element::I8, Element::I16, Element::I32, Element::I64,
        Element::F16, Element::BF16, Element::F32, Element::F64})
    if (element == getElementType(type.getContext(), known))
      return known;
  return std::nullopt;
}

std::optional<Pointwise> cleave::getPointwise(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Pointwise>>(op)
      .Case([](AddOp) { return Pointwise::Add; })
      .Case([](MulOp) { return Pointwise::Mul; })
      .Case([](MaxOp) { return Pointwise::Max; })
      .Case([](MinOp) { return Pointwise::Min; })
      .Case([](SubOp) { return Pointwise::Sub; })
      .Case([](DivOp) { return Pointwise::Div; })
      .Case([](PowOp) { return Pointwise::Pow; })
      .Case([](NegOp) { return Pointwise::Neg; })
      .Case([](RecipOp) { return Pointwise::Recip; })
      .Case([](Recip0Op) { return Pointwise::Recip0; })
      .Case([](AbsOp) { return Pointwise::Abs; })
      .Case([](ExpOp) { return Pointwise::Exp; })
      .Case([](Exp2Op) { return Pointwise::Exp2; })
      .Case([](LogOp) { return Pointwise::Log; })
      .Case([](TanhOp) { return Pointwise::Tanh; })
      .Case([](ErfOp) { return Pointwise::Erf; })
      .Case([](SqrtOp) { return Pointwise::Sqrt; })
      .Case([](RsqrtOp) { return Pointwise::Rsqrt; })
      .Case([](SigmoidOp) { return Pointwise::Sigmoid; })
      .Case([](IsFiniteOp) { return Pointwise::IsFinite; })
      .Case([](SelectOp) { return Pointwise::Select; })
      .Case([](CastOp) { return Pointwise::Cast; })
      .Case([](CmpOp cmp) {
        switch (cmp.getPredicate()) {
        case CmpPredicate::eq:
          return Pointwise::CmpEq;
        case CmpPredicate::ne:
          return Pointwise::CmpNe;
        case CmpPredicate::lt:
          return Pointwise::CmpLt;
        case CmpPredicate::le:
          return Pointwise::CmpLe;
        case CmpPredicate::gt:
          return Pointwise::CmpGt;
        case CmpPredicate::ge:
          return Pointwise::CmpGe;
        }
        llvm_unreachable("unknown predicate");
      })
      .Default([](Operation *) { return std::nullopt; });
}

Combiner cleave::getCombiner(Operation *reduction) {
  return TypeSwitch<Operation *, Combiner>(reduction)
      .Case([](ReduceMaxOp) { return Combiner::Max; })
      .Case([](ReduceMinOp) { return Combiner::Min; })
      .Case([](ReduceProdOp) { return Combiner::Prod; })
      .Default([](Operation *) { return Combiner::Sum; });
}

Combiner cleave::getCombiner(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::ReduceMax:
    return Combiner::Max;
  case ReductionKind::ReduceMin:
    return Combiner::Min;
  case ReductionKind::ReduceSum:
  case ReductionKind::Contract:
    return Combiner::Sum;
  }
  llvm_unreachable("unknown kind of reduction");
}

Value cleave::createConstant(OpBuilder &b, Location loc, Element element,
                             double value) {
  Type type = getElementType(b.getContext(), element);
  TypedAttr attr;
  if (auto floating = dyn_cast<FloatType>(type)) {
    bool losesInfo;
    APFloat number(value);
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    attr = FloatAttr::get(type, number);
  } else {
    attr = IntegerAttr::get(type, static_cast<int64_t>(value));
  }
  return arith::ConstantOp::create(b, loc, attr);
}

/// Truncates towards zero; what is too large becomes the nearest integer of
/// the type, NaN becomes 0.
static Value convertToInteger(OpBuilder &b, Location loc, Value value,
                              IntegerType type) {
  // f16 does not hold the limits.
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  auto compare = [&](arith::CmpFPredicate predicate, Value other) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, value, other);
  };
  auto integer = [&](const APInt &number) -> Value {
    return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, number));
  };
  unsigned bits = type.getWidth();
  double limit = std::ldexp(1.0, bits - 1);
  auto number = [&](double constant) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     FloatAttr::get(value.getType(), constant));
  };
  Value result = arith::FPToSIOp::create(b, loc, type, value);
  Value low = compare(arith::CmpFPredicate::OLT, number(-limit));
  result = arith::SelectOp::create(
      b, loc, low, integer(APInt::getSignedMinValue(bits)), result);
  Value high = compare(arith::CmpFPredicate::OGE, number(limit));
  result = arith::SelectOp::create(
      b, loc, high, integer(APInt::getSignedMaxValue(bits)), result);
  Value ordered = compare(arith::CmpFPredicate::ORD, value);
  return arith::SelectOp::create(b, loc, ordered, result,
                                 integer(APInt::getZero(bits)));
}

/// To fewer bits: what does not fit becomes the nearest integer that does.
static Value narrowInteger(OpBuilder &b, Location loc, Value value,
                           IntegerType type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  auto limit = [&](const APInt &number) -> Value {
    return arith::ConstantOp::create(
        b, loc, IntegerAttr::get(value.getType(), number.sext(from)));
  };
  unsigned bits = type.getWidth();
  value = arith::MaxSIOp::create(b, loc, value,
                                 limit(APInt::getSignedMinValue(bits)));
  value = arith::MinSIOp::create(b, loc, value,
                                 limit(APInt::getSignedMaxValue(bits)));
  return arith::TruncIOp::create(b, loc, type, value);
}

/// NaN is not zero.
static Value isNotZero(OpBuilder &b, Location loc, Value value) {
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  if (isa<FloatType>(value.getType()))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value cleave::convertElement(OpBuilder &b, Location loc, Value value,
                             Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(type);
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = type.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (fromBits < toBits)
      return arith::ExtFOp::create(b, loc, type, value);
    if (fromBits > toBits)
      return arith::TruncFOp::create(b, loc, type, value);
    // f16 and bf16: neither holds the other.
    value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    return arith::TruncFOp::create(b, loc, type, value);
  }
  if (toBits == 1)
    return isNotZero(b, loc, value);
  if (fromFloat)
    return convertToInteger(b, loc, value, cast<IntegerType>(type));
  if (toFloat)
    return fromBits == 1 ? Value(arith::UIToFPOp::create(b, loc, type, value))
                         : Value(arith::SIToFPOp::create(b, loc, type, value));
  if (fromBits > toBits)
    return narrowInteger(b, loc, value, cast<IntegerType>(type));
  return fromBits == 1 ? Value(arith::ExtUIOp::create(b, loc, type, value))
                       : Value(arith::ExtSIOp::create(b, loc, type, value));
}

static arith::CmpFPredicate getPredicate(Pointwise op) {
  switch (op) {
  case Pointwise::CmpNe:
    return arith::CmpFPredicate::UNE;
  case Pointwise::CmpLt:
    return arith::CmpFPredicate::OLT;
  case Pointwise::CmpLe:
    return arith::CmpFPredicate::OLE;
  case Pointwise::CmpGt:
    return arith::CmpFPredicate::OGT;
  case Pointwise::CmpGe:
    return arith::CmpFPredicate::OGE;
  default:
    return arith::CmpFPredicate::OEQ;
  }
}

template <typename Op>
static Value createChain(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  Value result = values.front();
  for (Value value : values.drop_front())
    result = Op::create(b, loc, result, value);
  return result;
}

/// Operations from floats to a truth value.
static Value createPredicate(OpBuilder &b, Location loc, Pointwise op,
                             ArrayRef<Value> v) {
  if (op != Pointwise::IsFinite)
    return arith::CmpFOp::create(b, loc, getPredicate(op), v[0], v[1]);
  Value magnitude = math::AbsFOp::create(b, loc, v[0]);
  Value infinity = arith::ConstantOp::create(
      b, loc,
      FloatAttr::get(v[0].getType(), std::numeric_limits<double>::infinity()));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                               infinity);
}

static Value createUnary(OpBuilder &b, Location loc, Pointwise op, Value v) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     FloatAttr::get(v.getType(), value));
  };
  switch (op) {
  case Pointwise::Neg:
    return arith::NegFOp::create(b, loc, v);
  case Pointwise::Recip:
    return arith::DivFOp::create(b, loc, constant(1), v);
  case Pointwise::Recip0: {
    Value zero = constant(0);
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, v, zero);
    Value inverse = arith::DivFOp::create(b, loc, constant(1), v);
    return arith::SelectOp::create(b, loc, isZero, zero, inverse);
  }
  case Pointwise::Abs:
    return math::AbsFOp::create(b, loc, v);
  case Pointwise::Exp:
    return math::ExpOp::create(b, loc, v);
  case Pointwise::Exp2:
    return math::Exp2Op::create(b, loc, v);
  case Pointwise::Log:
    return math::LogOp::create(b, loc, v);
  case Pointwise::Tanh:
    return math::TanhOp::create(b, loc, v);
  case Pointwise::Erf:
    return math::ErfOp::create(b, loc, v);
  case Pointwise::Sqrt:
    return math::SqrtOp::create(b, loc, v);
  case Pointwise::Rsqrt:
    return math::RsqrtOp::create(b, loc, v);
  case Pointwise::Sigmoid: {
    Value exp = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, v));
    Value one = constant(1);
    Value sum = arith::AddFOp::create(b, loc, one, exp);
    return arith::DivFOp::create(b, loc, one, sum);
  }
  default:
    return v;
  }
}

Value cleave::createPointwise(OpBuilder &b, Location loc, Pointwise op,
                              Element element, ValueRange operands) {
  Type type = getElementType(b.getContext(), element);
  // A comparison is made in the type that arithmetic on its operands has.
  Type arithmetic = type;
  if (element == Element::I1)
    arithmetic =
        llvm::any_of(operands, [](Value v) { return v.getType().isF64(); })
            ? Type(b.getF64Type())
            : Type(b.getF32Type());
  if (op == Pointwise::Cast)
    return convertElement(b, loc, operands[0], type);
  SmallVector<Value> v;
  for (Value operand : operands)
    v.push_back(operand.getType().isInteger(1)
                    ? operand
                    : convertElement(b, loc, operand, arithmetic));
  switch (op) {
  case Pointwise::Add:
    return createChain<arith::AddFOp>(b, loc, v);
  case Pointwise::Mul:
    return createChain<arith::MulFOp>(b, loc, v);
  case Pointwise::Max:
    return createChain<arith::MaximumFOp>(b, loc, v);
  case Pointwise::Min:
    return createChain<arith::MinimumFOp>(b, loc, v);
  case Pointwise::Sub:
    return createChain<arith::SubFOp>(b, loc, v);
  case Pointwise::Div:
    return createChain<arith::DivFOp>(b, loc, v);
  case Pointwise::Pow:
    return createChain<math::PowFOp>(b, loc, v);
  case Pointwise::Select:
    return arith::SelectOp::create(b, loc, v[0], v[1], v[2]);
  case Pointwise::IsFinite:
  case Pointwise::CmpEq:
  case Pointwise::CmpNe:
  case Pointwise::CmpLt:
  case Pointwise::CmpLe:
  case Pointwise::CmpGt:
  case Pointwise::CmpGe:
    return createPredicate(b, loc, op, v);
  default:
    return createUnary(b, loc, op, v[0]);
  }
}

Value cleave::createCombiner(OpBuilder &b, Location loc, Combiner combiner,
                             Value accumulator, Value value) {
  value = convertElement(b, loc, value, accumulator.getType());
  switch (combiner) {
  case Combiner::Sum:
    return arith::AddFOp::create(b, loc, accumulator, value);
  case Combiner::Max:
    return arith::MaximumFOp::create(b, loc, accumulator, value);
  case Combiner::Min:
    return arith::MinimumFOp::create(b, loc, accumulator, value);
  case Combiner::Prod:
    return arith::MulFOp::create(b, loc, accumulator, value);
  }
  llvm_unreachable("unknown combiner");
}
