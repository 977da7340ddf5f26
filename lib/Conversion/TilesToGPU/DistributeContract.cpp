//===- DistributeContract.cpp - Contractions of a thread ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync on fragments, or multiply-add on the thread's own elements where the
// types or sizes do not fit tensor cores.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::cleave;

/// Elements [start, start + 2 * count) as `count` registers of two.
static SmallVector<Value> getPairs(ImplicitLocOpBuilder &b, Value regs,
                                   int64_t start, int64_t count) {
  Type elementType = getElementTypeOrSelf(regs.getType());
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < count; ++i) {
    Value pair = sliceRegisters(b, regs, start + 2 * i, 2);
    // The op takes f16 in pairs and bf16 as bits.
    if (elementType.isBF16()) {
      pair = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()),
                                       pair);
      pair = vector::ExtractOp::create(b, pair, 0);
    }
    pairs.push_back(pair);
  }
  return pairs;
}

/// One m16n8k16 on a warp's fragments; `acc` holds four f32.
static void emitMma(ImplicitLocOpBuilder &b, ArrayRef<Value> a,
                    ArrayRef<Value> bb, MutableArrayRef<Value> acc,
                    NVVM::MMATypes type) {
  auto resultType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  auto mma = NVVM::MmaOp::create(
      b, resultType, a, bb, acc, ArrayRef<int64_t>{16, 8, 16},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (int64_t i = 0; i < 4; ++i)
    acc[i] = LLVM::ExtractValueOp::create(b, mma.getRes(), i);
}

Value Distributor::distributeToTensorCores(ImplicitLocOpBuilder &b,
                                           vector::ContractionOp op,
                                           const ContractDims &dims,
                                           const MmaWarps &split) {
  Value lhs = registersOf(op.getLhs()), rhs = registersOf(op.getRhs());
  Value acc = registersOf(op.getAcc());
  auto accType = cast<VectorType>(acc.getType());
  int64_t mCount = dims.m / (16 * split.m), nCount = dims.n / (8 * split.n);
  int64_t kCount = dims.k / (16 * split.k);
  NVVM::MMATypes type = op.getLhsType().getElementType().isF16()
                            ? NVVM::MMATypes::f16
                            : NVVM::MMATypes::bf16;
  SmallVector<Value> values;
  for (int64_t r = 0; r < accType.getNumElements(); ++r)
    values.push_back(vector::ExtractOp::create(b, acc, r));
  // Neighbouring instructions have different accumulators.
  for (int64_t k = 0; k < kCount; ++k)
    for (int64_t m = 0; m < mCount; ++m) {
      SmallVector<Value> aRegs = getPairs(b, lhs, (m * kCount + k) * 8, 4);
      for (int64_t n = 0; n < nCount; ++n) {
        SmallVector<Value> bRegs =
            getPairs(b, rhs, getFragmentOfB(k, n, kCount, nCount), 2);
        emitMma(b, aRegs, bRegs,
                MutableArrayRef<Value>(values).slice((m * nCount + n) * 4, 4),
                type);
      }
    }
  return vector::FromElementsOp::create(b, accType, values);
}

/// Coordinates of each register, as (first, second) dimension of interest.
static SmallVector<std::pair<int64_t, int64_t>>
getRegisterCoords(const LinearLayout &layout, unsigned first, unsigned second) {
  SmallVector<std::pair<int64_t, int64_t>> coords;
  for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
    LinearLayout::Vec c = layout.delinearize(layout.apply(InDim::Register, r));
    coords.push_back({c[first], c[second]});
  }
  return coords;
}

static Value extractAsF32(ImplicitLocOpBuilder &b, Value regs, int64_t reg) {
  Value value = vector::ExtractOp::create(b, regs, reg);
  if (value.getType().isF32() || value.getType().isF64())
    return value;
  return arith::ExtFOp::create(b, b.getF32Type(), value);
}

Value Distributor::distributeToFMA(ImplicitLocOpBuilder &b,
                                   vector::ContractionOp op,
                                   const ContractDims &dims,
                                   const ContractLayouts &layouts) {
  using Key = std::pair<int64_t, int64_t>;
  auto read = [&](Value tile, const LinearLayout &layout, unsigned first,
                  unsigned second) {
    DenseMap<Key, Value> values;
    Value regs = registersOf(tile);
    for (auto [r, key] :
         llvm::enumerate(getRegisterCoords(layout, first, second)))
      values[key] = extractAsF32(b, regs, r);
    return values;
  };
  DenseMap<Key, Value> lhs =
      read(op.getLhs(), layouts.lhs, dims.lhsM, dims.lhsK);
  DenseMap<Key, Value> rhs =
      read(op.getRhs(), layouts.rhs, dims.rhsK, dims.rhsN);
  Value acc = registersOf(op.getAcc());
  SmallVector<Value> values;
  for (auto [r, key] :
       llvm::enumerate(getRegisterCoords(layouts.acc, dims.accM, dims.accN))) {
    Value sum = vector::ExtractOp::create(b, acc, r);
    for (int64_t k = 0; k < dims.k; ++k)
      sum = math::FmaOp::create(b, lhs[{key.first, k}], rhs[{k, key.second}],
                                sum);
    values.push_back(sum);
  }
  return vector::FromElementsOp::create(b, acc.getType(), values);
}

LogicalResult Distributor::distributeContract(vector::ContractionOp op) {
  FailureOr<ContractDims> dims = ContractDims::get(op);
  if (failed(dims))
    return failure();
  std::optional<MmaWarps> split =
      findWarps(op, *dims, warps, layoutOf(op.getResult()));
  if (!split)
    return op.emitError("expected the result in a layout of fragments");
  ContractLayouts expected = getContractLayouts(op, *dims, *split);
  if (layoutOf(op.getLhs()) != expected.lhs ||
      layoutOf(op.getRhs()) != expected.rhs ||
      layoutOf(op.getAcc()) != expected.acc ||
      layoutOf(op.getResult()) != expected.acc)
    return op.emitError("expected operands in the layouts of the fragments");
  Type accType = getElementTypeOrSelf(op.getAccType());
  Type lhsType = op.getLhsType().getElementType();
  Type rhsType = op.getRhsType().getElementType();
  auto isNarrow = [](Type type) {
    return type.isF16() || type.isBF16() || type.isF32();
  };
  bool f64 = accType.isF64() && lhsType.isF64() && rhsType.isF64();
  if (!f64 && !(accType.isF32() && isNarrow(lhsType) && isNarrow(rhsType)))
    return op.emitError("expected f16, bf16 or f32 operands and an f32 "
                        "accumulator but got ")
           << op.getLhsType() << ", " << op.getRhsType() << " and "
           << op.getAccType();
  ImplicitLocOpBuilder b = builderAt(op);
  setRegisters(op.getResult(),
               isTensorCoreContract(op, *dims)
                   ? distributeToTensorCores(b, op, *dims, *split)
                   : distributeToFMA(b, op, *dims, expected));
  return success();
}
