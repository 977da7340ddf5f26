//===- Gemm.cpp - A blocked matrix product in double ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both operands are packed into panels, so that the inner kernel reads memory
// in order and keeps a 4 x 8 tile in registers. The order of summation depends
// on the sizes alone: a result never depends on threads. Compiled at -O3.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>
#include <vector>

using namespace mlir::cleave;

namespace {

constexpr int64_t tileRows = 4;
constexpr int64_t tileColumns = 8;
/// Packed blocks: rhs of blockDepth x blockColumns (1 MB), lhs of blockRows x
/// blockDepth (128 KB).
constexpr int64_t blockDepth = 256;
constexpr int64_t blockColumns = 512;
constexpr int64_t blockRows = 64;

typedef double Vector __attribute__((vector_size(32), aligned(8)));

/// out[4][8] = panel of lhs (depth x 4) times panel of rhs (depth x 8).
__attribute__((always_inline)) inline void multiplyPanels(const double *lhs,
                                                          const double *rhs,
                                                          int64_t depth,
                                                          double *out) {
  Vector sum[tileRows][2] = {};
  for (int64_t k = 0; k < depth; ++k) {
    const Vector *row = reinterpret_cast<const Vector *>(rhs + tileColumns * k);
    Vector low = row[0], high = row[1];
    for (int64_t i = 0; i < tileRows; ++i) {
      double factor = lhs[tileRows * k + i];
      sum[i][0] += factor * low;
      sum[i][1] += factor * high;
    }
  }
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t j = 0; j < tileColumns; ++j)
      out[i * tileColumns + j] = sum[i][j / 4][j % 4];
}

using Kernel = void (*)(const double *, const double *, int64_t, double *);

void multiplyPanelsPlain(const double *lhs, const double *rhs, int64_t depth,
                         double *out) {
  multiplyPanels(lhs, rhs, depth, out);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiplyPanelsAvx2(const double *lhs,
                                                            const double *rhs,
                                                            int64_t depth,
                                                            double *out) {
  multiplyPanels(lhs, rhs, depth, out);
}
#endif

Kernel chooseKernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiplyPanelsAvx2;
#endif
  return multiplyPanelsPlain;
}

/// Panels of `width` rows or columns, each depth-major, the last padded by 0.
void packPanels(const GatheredMatrix &matrix, bool isLhs, int64_t first,
                int64_t count, int64_t firstDepth, int64_t depth, int64_t width,
                double *to) {
  for (int64_t base = 0; base < count; base += width) {
    int64_t used = std::min(width, count - base);
    for (int64_t k = 0; k < depth; ++k, to += width) {
      for (int64_t i = 0; i < used; ++i) {
        int64_t along = first + base + i, deep = firstDepth + k;
        to[i] = isLhs ? matrix.data[matrix.rows[along] + matrix.columns[deep]]
                      : matrix.data[matrix.rows[deep] + matrix.columns[along]];
      }
      std::fill(to + used, to + width, 0.0);
    }
  }
}

/// All rows of the columns [first, first + count).
class ColumnBlock {
public:
  ColumnBlock(const GatheredMatrix &lhs, const GatheredMatrix &rhs, double *out,
              int64_t first)
      : lhs(lhs), rhs(rhs), out(out), rows(lhs.rows.size()),
        columns(rhs.columns.size()), depth(rhs.rows.size()), first(first),
        count(std::min(blockColumns, columns - first)),
        packedLhs(blockRows * blockDepth),
        packedRhs(blockDepth * llvm::alignTo(count, tileColumns)) {}

  void run() {
    for (int64_t k = 0; k < depth; k += blockDepth) {
      int64_t size = std::min(blockDepth, depth - k);
      packPanels(rhs, /*isLhs=*/false, first, count, k, size, tileColumns,
                 packedRhs.data());
      for (int64_t i = 0; i < rows; i += blockRows) {
        int64_t height = std::min(blockRows, rows - i);
        packPanels(lhs, /*isLhs=*/true, i, height, k, size, tileRows,
                   packedLhs.data());
        multiplyBlock(i, height, size);
      }
    }
  }

private:
  void multiplyBlock(int64_t row, int64_t height, int64_t size) {
    static const Kernel kernel = chooseKernel();
    double tile[tileRows * tileColumns];
    for (int64_t j = 0; j < count; j += tileColumns)
      for (int64_t i = 0; i < height; i += tileRows) {
        kernel(packedLhs.data() + i * size, packedRhs.data() + j * size, size,
               tile);
        int64_t usedRows = std::min(tileRows, height - i);
        int64_t usedColumns = std::min(tileColumns, count - j);
        for (int64_t a = 0; a < usedRows; ++a)
          for (int64_t b = 0; b < usedColumns; ++b)
            out[(row + i + a) * columns + first + j + b] +=
                tile[a * tileColumns + b];
      }
  }

  const GatheredMatrix &lhs;
  const GatheredMatrix &rhs;
  double *out;
  int64_t rows, columns, depth, first, count;
  std::vector<double> packedLhs, packedRhs;
};

} // namespace

void mlir::cleave::multiplyAdd(const GatheredMatrix &lhs,
                               const GatheredMatrix &rhs, double *out) {
  int64_t columns = rhs.columns.size();
  auto runBlock = [&](size_t block) {
    ColumnBlock(lhs, rhs, out, block * blockColumns).run();
  };
  size_t blocks = llvm::divideCeil(columns, blockColumns);
  int64_t work = columns * lhs.rows.size() * rhs.rows.size();
  if (blocks > 1 && work > 1 << 22)
    return llvm::parallelFor(0, blocks, runBlock);
  for (size_t block = 0; block < blocks; ++block)
    runBlock(block);
}
