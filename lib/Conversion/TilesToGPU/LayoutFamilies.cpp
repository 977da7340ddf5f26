//===- LayoutFamilies.cpp - Fragments and coalesced layouts ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts that memory and tensor cores ask for. Facts about fragments are
// those of the PTX ISA, "Matrix Fragments for mma.m16n8k16".
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/LinearLayout.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace mlir::cleave;
using llvm::ArrayRef;

namespace {

/// Builds a layout bit by bit: each call takes the next step along one
/// dimension.
class LayoutBuilder {
public:
  LayoutBuilder(ArrayRef<int64_t> shape)
      : shape(shape.begin(), shape.end()), filled(shape.size(), 1) {}

  bool isFull(unsigned d) const { return filled[d] >= shape[d]; }
  /// Gives one bit of `dim` to dimension d, or replicates if that is full.
  void add(InDim dim, unsigned d) {
    if (isFull(d))
      return replicate(dim);
    int64_t offset = filled[d];
    for (size_t i = d + 1; i < shape.size(); ++i)
      offset *= shape[i];
    bases[static_cast<unsigned>(dim)].push_back(offset);
    filled[d] *= 2;
  }
  void replicate(InDim dim) { bases[static_cast<unsigned>(dim)].push_back(0); }
  LinearLayout build() const { return LinearLayout(shape, bases); }

private:
  LinearLayout::Vec shape, filled;
  std::array<LinearLayout::Vec, 3> bases;
};

} // namespace

LinearLayout mlir::cleave::getMmaAtom(Fragment fragment) {
  // A thread's pair of neighbours is the low bit, the quad of lanes follows,
  // then the eight groups; further registers step by 8.
  bool pairsAlongFirst = fragment == Fragment::B;
  unsigned pairDim = pairsAlongFirst ? 0 : 1, groupDim = 1 - pairDim;
  LinearLayout::Vec shape = fragment == Fragment::A ? LinearLayout::Vec{16, 16}
                            : fragment == Fragment::B
                                ? LinearLayout::Vec{16, 8}
                                : LinearLayout::Vec{16, 8};
  LayoutBuilder builder(shape);
  builder.add(InDim::Register, pairDim);
  builder.add(InDim::Lane, pairDim);
  builder.add(InDim::Lane, pairDim);
  for (unsigned i = 0; i < 3; ++i)
    builder.add(InDim::Lane, groupDim);
  if (fragment != Fragment::B)
    builder.add(InDim::Register, groupDim);
  if (fragment != Fragment::C)
    builder.add(InDim::Register, pairDim);
  return builder.build();
}

MmaWarps mlir::cleave::completeMmaWarps(int64_t m, int64_t n,
                                        const MmaWarps &split, int64_t warps,
                                        int64_t maxK) {
  // Partial sums of more elements a warp would take too many registers.
  constexpr int64_t kMaxPartial = 1024;
  int64_t rest = warps / (split.m * split.n);
  if ((m / split.m) * (n / split.n) > kMaxPartial)
    maxK = 1;
  int64_t k = std::min<int64_t>(
      rest, llvm::bit_floor(uint64_t(std::max<int64_t>(maxK, 1))));
  return {split.m, split.n, k, rest / k};
}

MmaWarps mlir::cleave::chooseMmaWarps(int64_t m, int64_t n, int64_t warps,
                                      bool wholeRows, int64_t maxK) {
  MmaWarps best;
  int64_t bestCost = -1;
  for (int64_t wm = 1; wm <= warps && wm * 16 <= m; wm *= 2)
    for (int64_t wn = 1; wm * wn <= warps && wn * 8 <= n; wn *= 2) {
      MmaWarps split = completeMmaWarps(m, n, {wm, wn}, warps, maxK);
      // Idle (replicated) warps cost more than any operand traffic.
      int64_t traffic = wholeRows ? wn : m / wm + n / wn;
      int64_t cost =
          split.replicas * (m * n + m + n) * warps + traffic * warps / split.k;
      if (bestCost >= 0 && cost >= bestCost)
        continue;
      bestCost = cost;
      best = split;
    }
  return best;
}

/// B's registers take so many steps along N before those along K.
static constexpr int64_t kPairedN = 2;

LinearLayout mlir::cleave::getMmaLayout(Fragment fragment,
                                        ArrayRef<int64_t> shape,
                                        const MmaWarps &warps) {
  LinearLayout layout = getMmaAtom(fragment);
  // How often the warps split each of the tile's dimensions.
  LinearLayout::Vec split = {fragment == Fragment::B ? warps.k : warps.m,
                             fragment == Fragment::A ? warps.k : warps.n};
  auto step = [&](unsigned d, int64_t most) {
    int64_t count = shape[d] / (layout.getShape()[d] * split[d]);
    assert(count >= 1 && "tile smaller than the instruction");
    layout = layout.repeat(InDim::Register, d, std::min(count, most));
  };
  // Registers step along K first (B: dimension 0), for C along N first. B takes
  // two steps along N before: 16 x 16 elements, like A, are what `ldmatrix`
  // makes of one slice of K.
  unsigned first = fragment == Fragment::B ? 0 : 1;
  if (fragment == Fragment::B)
    step(1, kPairedN);
  step(first, shape[first]);
  step(1 - first, shape[1 - first]);
  layout = fragment == Fragment::A
               ? layout.replicate(InDim::Warp, llvm::Log2_64(warps.n))
               : layout.repeat(InDim::Warp, 1, warps.n);
  layout = fragment == Fragment::B
               ? layout.replicate(InDim::Warp, llvm::Log2_64(warps.m))
               : layout.repeat(InDim::Warp, 0, warps.m);
  if (fragment == Fragment::C)
    layout = layout.replicate(InDim::Warp, llvm::Log2_64(warps.k));
  else
    layout =
        layout.repeat(InDim::Warp, fragment == Fragment::A ? 1 : 0, warps.k);
  return layout.replicate(InDim::Warp, llvm::Log2_64(warps.replicas));
}

int64_t mlir::cleave::getFragmentOfB(int64_t k, int64_t n, int64_t kCount,
                                     int64_t nCount) {
  constexpr int64_t kRegisters = 4;
  int64_t paired = std::min(kPairedN, nCount);
  return ((n / paired * kCount + k) * paired + n % paired) * kRegisters;
}

std::optional<MatrixLoad>
mlir::cleave::getMatrixLoad(const LinearLayout &layout,
                            unsigned contiguousDim) {
  ArrayRef<int64_t> regs = layout.getBases(InDim::Register);
  ArrayRef<int64_t> lanes = layout.getBases(InDim::Lane);
  if (regs.empty() || lanes.size() != kLaneBits || !layout.isPermutation())
    return std::nullopt;
  // The offset of 1, 2 and 4 elements along the run.
  LinearLayout::Vec steps;
  for (int64_t step : {1, 2, 4}) {
    LinearLayout::Vec coords(layout.getRank(), 0);
    coords[contiguousDim] = step;
    if (step >= layout.getShape()[contiguousDim])
      return std::nullopt;
    steps.push_back(layout.linearize(coords));
  }
  // A register's pair and the quad walk along the run and the groups across,
  // or the other way round.
  LinearLayout::Vec pairAndQuad = {regs[0], lanes[0], lanes[1]};
  LinearLayout::Vec groups = {lanes[2], lanes[3], lanes[4]};
  MatrixLoad load;
  load.transpose = groups == steps;
  if (!load.transpose && pairAndQuad != steps)
    return std::nullopt;
  LinearLayout::Vec rows = load.transpose ? pairAndQuad : groups;
  // A run must start at a multiple of its length.
  unsigned matrixBits = std::min<size_t>(2, regs.size() - 1);
  load.count = int64_t(1) << matrixBits;
  LinearLayout::Vec runRegs, runLanes = rows;
  for (unsigned bit = 0; bit < 2; ++bit)
    runLanes.push_back(bit < matrixBits ? regs[1 + bit] : 0);
  for (size_t bit = 1 + matrixBits; bit < regs.size(); ++bit)
    runRegs.push_back(regs[bit]);
  ArrayRef<int64_t> warps = layout.getBases(InDim::Warp);
  load.runs = LinearLayout(
      layout.getShape(),
      {runRegs, runLanes, LinearLayout::Vec(warps.begin(), warps.end())});
  return load;
}

LinearLayout mlir::cleave::getCoalescedLayout(ArrayRef<int64_t> shape,
                                              int64_t vectorElements,
                                              int64_t warps) {
  if (shape.empty())
    return LinearLayout::scalar(warps);
  LayoutBuilder builder(shape);
  unsigned d = shape.size() - 1;
  for (int64_t v = 1; v < vectorElements && !builder.isFull(d); v *= 2)
    builder.add(InDim::Register, d);
  auto next = [&](InDim dim) {
    while (d > 0 && builder.isFull(d))
      --d;
    builder.add(dim, d);
  };
  for (unsigned i = 0; i < kLaneBits; ++i)
    next(InDim::Lane);
  for (int64_t w = 1; w < warps; w *= 2)
    next(InDim::Warp);
  while (d > 0 || !builder.isFull(0)) {
    if (builder.isFull(d)) {
      --d;
      continue;
    }
    builder.add(InDim::Register, d);
  }
  return builder.build();
}
