//===- LinearLayout.h - Tile layouts as maps over bits ----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a tile live: a GF(2)-linear map from the bits of
// (register, lane, warp) to the coordinates of the tile. Plain data and
// algorithms without IR; the GPU passes print it as #cleave_tile.layout.
//
// All sizes are powers of two, so the coordinates of a tile are exactly the
// bits of its row-major offset. A bit of the input is described by its *basis*:
// the offset it contributes. The offset of an element is the XOR of the bases
// of the set bits. A basis of zero (or one that depends on earlier bits) only
// replicates elements.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_LINEARLAYOUT_H
#define CLEAVE_CONVERSION_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::cleave {

/// The inputs of a layout, innermost first.
enum class InDim : unsigned { Register = 0, Lane = 1, Warp = 2 };
inline constexpr std::array<InDim, 3> kInDims = {InDim::Register, InDim::Lane,
                                                 InDim::Warp};
inline constexpr unsigned kLaneBits = 5;

/// One element's place: which register of which thread.
struct LayoutPoint {
  int64_t reg = 0;
  int64_t lane = 0;
  int64_t warp = 0;
  bool operator==(const LayoutPoint &o) const {
    return reg == o.reg && lane == o.lane && warp == o.warp;
  }
};

class LinearLayout {
public:
  using Vec = llvm::SmallVector<int64_t, 8>;

  LinearLayout() = default;
  /// `bases[i]` are the row-major offsets of the bits of input i.
  LinearLayout(llvm::ArrayRef<int64_t> shape, std::array<Vec, 3> bases);

  /// The layout in which every thread holds the one element of a rank-0 tile.
  static LinearLayout scalar(int64_t warps);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  unsigned getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  llvm::ArrayRef<int64_t> getBases(InDim dim) const {
    return bases[static_cast<unsigned>(dim)];
  }
  unsigned getNumBits(InDim dim) const { return getBases(dim).size(); }
  int64_t getSize(InDim dim) const { return int64_t(1) << getNumBits(dim); }
  int64_t getNumRegisters() const { return getSize(InDim::Register); }

  /// Row-major offset of the element at `point`.
  int64_t apply(const LayoutPoint &point) const;
  /// The part of the offset that the bits `index` of one input contribute.
  int64_t apply(InDim dim, int64_t index) const;
  Vec delinearize(int64_t offset) const;
  int64_t linearize(llvm::ArrayRef<int64_t> coords) const;
  /// Component `d` of the basis of bit `bit` of `dim`.
  int64_t getCoord(InDim dim, unsigned bit, unsigned d) const;

  /// Each element has a place.
  bool isSurjective() const;
  /// No element has two places.
  bool isInjective() const;
  /// Every basis is zero or one bit, and no bit stands twice. Adding
  /// coordinates then is the same as XOR.
  bool isPermutation() const;
  /// Bits of `dim` that replicate what earlier bits (register, then lane, then
  /// warp) already reach.
  int64_t getFreeMask(InDim dim) const;
  /// A place for each offset bit (a right inverse): the free bits are zero.
  /// None unless surjective.
  std::optional<llvm::SmallVector<LayoutPoint, 8>> invert() const;
  /// The place of `offset` under invert().
  static LayoutPoint applyInverse(llvm::ArrayRef<LayoutPoint> inverse,
                                  int64_t offset);

  /// The layout of a value without `dims`, reduced or taken at one position.
  /// Registers that fall together are dropped, lanes and warps replicate.
  LinearLayout slice(llvm::ArrayRef<int64_t> dims) const;
  /// For each register of slice(dims): which register bits of this one remain.
  llvm::SmallVector<unsigned, 8>
  getKeptRegisterBits(llvm::ArrayRef<int64_t> dims) const;
  /// Dimension i of the result is dimension perm[i] of this layout.
  LinearLayout transpose(llvm::ArrayRef<int64_t> perm) const;
  /// Same row-major order, another shape.
  LinearLayout reshape(llvm::ArrayRef<int64_t> newShape) const;
  /// New dimensions at positions `dims` of `newShape`, held in registers.
  LinearLayout expand(llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<int64_t> newShape) const;
  /// This layout repeated: bits of `dim` are added that step over the tile
  /// `count` times along dimension `d`.
  LinearLayout repeat(InDim dim, unsigned d, int64_t count) const;
  /// Adds bits to `dim` that replicate.
  LinearLayout replicate(InDim dim, unsigned bits) const;
  /// `outer` places copies of this tile: dimension sizes multiply.
  LinearLayout product(const LinearLayout &outer) const;

  /// How many elements that follow each other along `d` one thread holds in
  /// consecutive registers, starting at a multiple of that count.
  int64_t getContiguity(unsigned d) const;
  /// The same of what lanes of a warp hold together.
  int64_t getLaneContiguity(unsigned d) const;

  /// If `to` holds in every thread a subset (or permutation) of the elements
  /// the same thread holds here: the source register of each of its registers.
  std::optional<llvm::SmallVector<int64_t, 16>>
  getRegisterPermutation(const LinearLayout &to) const;

  bool operator==(const LinearLayout &o) const {
    return shape == o.shape && bases == o.bases;
  }
  bool operator!=(const LinearLayout &o) const { return !(*this == o); }
  /// One readable line: `[16, 64] reg = [(0,1)] lane = [...] warp = [...]`.
  std::string str() const;

private:
  Vec shape;
  std::array<Vec, 3> bases;
};

//===----------------------------------------------------------------------===//
// Families of layouts
//===----------------------------------------------------------------------===//

/// The three fragments of one matrix multiplication C[m,n] += A[m,k] B[k,n].
enum class Fragment { A, B, C };

/// How the warps of a block share an M x N x K product. Those that split K each
/// have a partial sum.
struct MmaWarps {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  int64_t replicas = 1;
};

/// The fragments of the m16n8k16 instructions (16-bit operands) of one warp.
LinearLayout getMmaAtom(Fragment fragment);
/// Splits the warps such that a warp reads the fewest operand elements; with
/// `wholeRows` along m as far as possible. K is split at most `maxK` times, and
/// only where a warp's part of the result is small.
MmaWarps chooseMmaWarps(int64_t m, int64_t n, int64_t warps,
                        bool wholeRows = false, int64_t maxK = 1);
/// The split with `m` and `n`; all that it leaves goes to k, as far as allowed.
MmaWarps completeMmaWarps(int64_t m, int64_t n, const MmaWarps &split,
                          int64_t warps, int64_t maxK);
/// `shape` is [M, K], [K, N] or [M, N] by `fragment`; dimensions are multiples
/// of the instruction's and of the warps'.
LinearLayout getMmaLayout(Fragment fragment, llvm::ArrayRef<int64_t> shape,
                          const MmaWarps &warps);

/// The first register of fragment (k, n) of B, of `kCount` by `nCount`.
int64_t getFragmentOfB(int64_t k, int64_t n, int64_t kCount, int64_t nCount);

/// How `ldmatrix` brings 16-bit elements into a layout: each lane names a run
/// of 8 elements along `contiguousDim`, of which it gets others.
struct MatrixLoad {
  /// 8x8 matrices an instruction: 1, 2 or 4.
  int64_t count = 1;
  /// Neighbours of a register lie across the runs instead of along them.
  bool transpose = false;
  /// The first element of the run that a lane names; register r stands for
  /// instruction r, whose results are registers [2 * count * r, ...) of the
  /// layout.
  LinearLayout runs;
};
/// None if `layout` is not made of such matrices.
std::optional<MatrixLoad> getMatrixLoad(const LinearLayout &layout,
                                        unsigned contiguousDim);

/// For global memory: `vectorElements` consecutive elements a thread along the
/// last dimension, then lanes, then warps, then registers, inner dimension
/// first.
LinearLayout getCoalescedLayout(llvm::ArrayRef<int64_t> shape,
                                int64_t vectorElements, int64_t warps);

} // namespace mlir::cleave

#endif // CLEAVE_CONVERSION_LINEARLAYOUT_H
