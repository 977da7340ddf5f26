//===- Contract.cpp - Contractions of two arrays --------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts the axes into batch, row, column and depth, and runs one matrix
// product a batch position on whatever strides the operands have.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include "Cleave/Evaluator/NamedArray.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cleave;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// The offsets of every position of a product of axes in one array.
std::vector<int64_t> getOffsets(const NamedArray &array, ArrayRef<Axis> axes) {
  std::vector<int64_t> offsets(1, 0);
  for (const Axis &axis : axes) {
    int64_t stride = array.strideOf(axis.name);
    std::vector<int64_t> next;
    next.reserve(offsets.size() * axis.extent);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < axis.extent; ++i)
        next.push_back(offset + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

struct AxisRoles {
  SmallVector<Axis> batch, rows, columns, depth;
};

AxisRoles classify(const NamedArray &lhs, const NamedArray &rhs,
                   ArrayRef<std::string> reduced) {
  AxisRoles roles;
  for (const Axis &axis : unionOf({lhs, rhs})) {
    if (llvm::is_contained(reduced, axis.name))
      roles.depth.push_back(axis);
    else if (lhs.find(axis.name) && rhs.find(axis.name))
      roles.batch.push_back(axis);
    else
      (lhs.find(axis.name) ? roles.rows : roles.columns).push_back(axis);
  }
  return roles;
}

/// A domain that a reduced axis takes part in says which products exist: where
/// it is not full, both operands get its axes and zeros.
NamedArray restrict(const NamedArray &array, const NamedArray &other,
                    ArrayRef<std::string> axes, ArrayRef<Domain> domains) {
  NamedArray result = array;
  SmallVector<Domain> relevant;
  for (const Domain &domain : domains) {
    if (!llvm::is_contained(axes, domain.outer) &&
        !llvm::is_contained(axes, domain.inner))
      continue;
    bool applies = true;
    for (const std::string *name : {&domain.outer, &domain.inner})
      applies &= array.find(*name) || other.find(*name);
    if (!applies)
      continue;
    relevant.push_back(domain);
    for (const std::string *name : {&domain.outer, &domain.inner})
      if (!result.find(*name))
        result = result.broadcast(*name, other.find(*name)->extent);
  }
  return maskDomains(result, relevant, 0);
}

} // namespace

NamedArray mlir::cleave::contract(const NamedArray &lhsIn,
                                  const NamedArray &rhsIn,
                                  ArrayRef<std::string> axes,
                                  ArrayRef<Domain> domains, ElementKind kind) {
  NamedArray lhs = restrict(lhsIn, rhsIn, axes, domains);
  NamedArray rhs = restrict(rhsIn, lhsIn, axes, domains);
  AxisRoles roles = classify(lhs, rhs, axes);
  std::vector<int64_t> rows = getOffsets(lhs, roles.rows);
  std::vector<int64_t> columns = getOffsets(rhs, roles.columns);
  // The kernel wants many columns: the longer side stands there.
  if (rows.size() > columns.size()) {
    std::swap(lhs, rhs);
    std::swap(rows, columns);
    std::swap(roles.rows, roles.columns);
  }
  std::vector<int64_t> lhsDepth = getOffsets(lhs, roles.depth);
  std::vector<int64_t> rhsDepth = getOffsets(rhs, roles.depth);
  std::vector<int64_t> lhsBatch = getOffsets(lhs, roles.batch);
  std::vector<int64_t> rhsBatch = getOffsets(rhs, roles.batch);

  SmallVector<Axis> resultAxes(roles.batch);
  llvm::append_range(resultAxes, roles.rows);
  llvm::append_range(resultAxes, roles.columns);
  NamedArray result(kind, resultAxes);
  std::fill_n(result.data(), result.size(), 0.0);
  int64_t matrixSize = rows.size() * columns.size();
  if (matrixSize == 0 || lhsDepth.empty())
    return result;
  for (size_t b = 0; b < lhsBatch.size(); ++b)
    multiplyAdd({lhs.data() + lhsBatch[b], rows, lhsDepth},
                {rhs.data() + rhsBatch[b], rhsDepth, columns},
                result.data() + b * matrixSize);
  return result;
}
