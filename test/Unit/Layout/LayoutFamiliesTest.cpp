//===- LayoutFamiliesTest.cpp - Fragments and coalesced layouts -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments against the formulas of the PTX ISA, tiled ones by running a
// matrix multiplication warp by warp on the host.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/LinearLayout.h"
#include "gtest/gtest.h"
#include <vector>

using namespace mlir::cleave;
using Vec = LinearLayout::Vec;

namespace {

TEST(Fragments, MatchThePtxIsa) {
  LinearLayout a = getMmaAtom(Fragment::A), b = getMmaAtom(Fragment::B),
               c = getMmaAtom(Fragment::C);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      int64_t row = (i % 4) < 2 ? group : group + 8;
      int64_t col = inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8);
      EXPECT_EQ(a.delinearize(a.apply({i, lane, 0})), (Vec{row, col}));
    }
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(b.delinearize(b.apply({i, lane, 0})),
                (Vec{inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8), group}));
      EXPECT_EQ(c.delinearize(c.apply({i, lane, 0})),
                (Vec{i < 2 ? group : group + 8, inGroup * 2 + (i & 1)}));
    }
  }
}

struct Shape {
  int64_t m, n, k, warps;
};

class TiledFragments : public testing::TestWithParam<Shape> {};

/// What the lanes of one warp do in one instruction, through the atoms.
void runMma(std::vector<std::vector<int64_t>> &a,
            std::vector<std::vector<int64_t>> &b,
            std::vector<std::vector<int64_t>> &c, int64_t aBase, int64_t bBase,
            int64_t cBase) {
  LinearLayout aAtom = getMmaAtom(Fragment::A), bAtom = getMmaAtom(Fragment::B),
               cAtom = getMmaAtom(Fragment::C);
  int64_t ma[16][16], mb[16][8];
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t i = 0; i < 8; ++i) {
      Vec at = aAtom.delinearize(aAtom.apply({i, lane, 0}));
      ma[at[0]][at[1]] = a[lane][aBase + i];
    }
    for (int64_t i = 0; i < 4; ++i) {
      Vec at = bAtom.delinearize(bAtom.apply({i, lane, 0}));
      mb[at[0]][at[1]] = b[lane][bBase + i];
    }
  }
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      Vec at = cAtom.delinearize(cAtom.apply({i, lane, 0}));
      for (int64_t k = 0; k < 16; ++k)
        c[lane][cBase + i] += ma[at[0]][k] * mb[k][at[1]];
    }
}

/// The elements of a tile as warp `warp` holds them.
std::vector<std::vector<int64_t>> load(const LinearLayout &layout, int64_t warp,
                                       int64_t (*element)(Vec)) {
  std::vector<std::vector<int64_t>> regs(32);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
      regs[lane].push_back(
          element(layout.delinearize(layout.apply({r, lane, warp}))));
  return regs;
}

TEST_P(TiledFragments, MultiplyMatrices) {
  Shape s = GetParam();
  MmaWarps split = chooseMmaWarps(s.m, s.n, s.warps);
  ASSERT_EQ(split.m * split.n * split.replicas, s.warps);
  LinearLayout a = getMmaLayout(Fragment::A, {s.m, s.k}, split);
  LinearLayout b = getMmaLayout(Fragment::B, {s.k, s.n}, split);
  LinearLayout c = getMmaLayout(Fragment::C, {s.m, s.n}, split);
  for (const LinearLayout *layout : {&a, &b, &c}) {
    EXPECT_TRUE(layout->isSurjective() && layout->isPermutation());
    EXPECT_EQ(layout->getSize(InDim::Warp), s.warps);
    EXPECT_EQ(layout->getSize(InDim::Lane), 32);
  }
  auto lhs = [](Vec at) { return at[0] * 7 + at[1] * 3 + 1; };
  auto rhs = [](Vec at) { return at[0] * 5 - at[1] * 2 + 4; };
  int64_t mCount = s.m / (16 * split.m), nCount = s.n / (8 * split.n),
          kCount = s.k / 16;
  for (int64_t warp = 0; warp < s.warps; ++warp) {
    auto aRegs = load(a, warp, lhs), bRegs = load(b, warp, rhs);
    auto cRegs = load(c, warp, [](Vec) -> int64_t { return 0; });
    // The order of fragments that --cleave-distribute relies on.
    for (int64_t k = 0; k < kCount; ++k)
      for (int64_t m = 0; m < mCount; ++m)
        for (int64_t n = 0; n < nCount; ++n)
          runMma(aRegs, bRegs, cRegs, (m * kCount + k) * 8,
                 getFragmentOfB(k, n, kCount, nCount), (m * nCount + n) * 4);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < c.getNumRegisters(); ++r) {
        Vec at = c.delinearize(c.apply({r, lane, warp}));
        int64_t sum = 0;
        for (int64_t k = 0; k < s.k; ++k)
          sum += lhs({at[0], k}) * rhs({k, at[1]});
        ASSERT_EQ(cRegs[lane][r], sum) << at[0] << "," << at[1];
      }
  }
}

/// Warps that split K have partial sums, which add up to the product.
TEST_P(TiledFragments, AddUpOverSplitsOfK) {
  Shape s = GetParam();
  MmaWarps split = chooseMmaWarps(s.m, s.n, s.warps, false, s.k / 16);
  ASSERT_EQ(split.m * split.n * split.k * split.replicas, s.warps);
  LinearLayout a = getMmaLayout(Fragment::A, {s.m, s.k}, split);
  LinearLayout b = getMmaLayout(Fragment::B, {s.k, s.n}, split);
  LinearLayout c = getMmaLayout(Fragment::C, {s.m, s.n}, split);
  auto lhs = [](Vec at) { return at[0] * 7 + at[1] * 3 + 1; };
  auto rhs = [](Vec at) { return at[0] * 5 - at[1] * 2 + 4; };
  int64_t mCount = s.m / (16 * split.m), nCount = s.n / (8 * split.n),
          kCount = s.k / (16 * split.k);
  std::vector<int64_t> sums(s.m * s.n);
  for (int64_t warp = 0; warp < s.warps / split.replicas; ++warp) {
    auto aRegs = load(a, warp, lhs), bRegs = load(b, warp, rhs);
    auto cRegs = load(c, warp, [](Vec) -> int64_t { return 0; });
    for (int64_t k = 0; k < kCount; ++k)
      for (int64_t m = 0; m < mCount; ++m)
        for (int64_t n = 0; n < nCount; ++n)
          runMma(aRegs, bRegs, cRegs, (m * kCount + k) * 8,
                 getFragmentOfB(k, n, kCount, nCount), (m * nCount + n) * 4);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < c.getNumRegisters(); ++r)
        sums[c.apply({r, lane, warp})] += cRegs[lane][r];
  }
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      int64_t sum = 0;
      for (int64_t k = 0; k < s.k; ++k)
        sum += lhs({i, k}) * rhs({k, j});
      ASSERT_EQ(sums[i * s.n + j], sum) << i << "," << j;
    }
}

TEST(Fragments, SmallResultsSplitK) {
  // Fewer fragments to read than along n, and no idle warps.
  EXPECT_EQ(chooseMmaWarps(16, 32, 4, false, 8).k, 4);
  EXPECT_EQ(chooseMmaWarps(16, 32, 8, false, 4).k, 4);
  EXPECT_EQ(chooseMmaWarps(16, 32, 8, false, 4).replicas, 1);
  // Too many sums a warp, and not allowed.
  EXPECT_EQ(chooseMmaWarps(128, 128, 8, false, 4).k, 1);
  EXPECT_EQ(chooseMmaWarps(16, 32, 4).k, 1);
}

INSTANTIATE_TEST_SUITE_P(Tiles, TiledFragments,
                         testing::Values(Shape{16, 64, 64, 4},
                                         Shape{64, 128, 32, 4},
                                         Shape{16, 8, 16, 1},
                                         Shape{16, 8, 16, 8},
                                         Shape{128, 16, 16, 2}));

TEST(Fragments, AccumulatorOfOneIsTheOperandOfTheNext) {
  // Warps along M only: P = Q K^T is the A operand of P V without a move.
  MmaWarps split{4, 1, 1};
  LinearLayout c = getMmaLayout(Fragment::C, {64, 64}, split);
  LinearLayout a = getMmaLayout(Fragment::A, {64, 64}, split);
  EXPECT_TRUE(c.getRegisterPermutation(a));
}

TEST(MatrixLoad, GivesEachLaneItsElements) {
  MmaWarps split = chooseMmaWarps(32, 64, 4);
  LinearLayout a = getMmaLayout(Fragment::A, {32, 32}, split);
  LinearLayout b = getMmaLayout(Fragment::B, {32, 64}, split);
  for (const LinearLayout &layout : {a, b})
    for (unsigned dim : {0u, 1u}) {
      auto load = getMatrixLoad(layout, dim);
      ASSERT_TRUE(load);
      EXPECT_EQ(load->count, 4);
      // Pairs of A lie along k (dimension 1), those of B too (dimension 0).
      EXPECT_EQ(load->transpose, (layout == a) == (dim == 0));
      for (int64_t warp = 0; warp < 4; ++warp)
        for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
          for (int64_t lane = 0; lane < 32; ++lane) {
            int64_t matrix = reg / 2 % 4, along = lane % 4 * 2 + reg % 2,
                    across = lane / 4;
            if (load->transpose)
              std::swap(along, across);
            LayoutPoint named{reg / 8, matrix * 8 + across, warp};
            Vec run = load->runs.delinearize(load->runs.apply(named));
            EXPECT_EQ(run[dim] % 8, 0);
            run[dim] += along;
            ASSERT_EQ(run, layout.delinearize(layout.apply({reg, lane, warp})));
          }
    }
  EXPECT_FALSE(getMatrixLoad(getCoalescedLayout({16, 64}, 8, 4), 1));
}

TEST(Coalesced, NeighbourLanesReadNeighbourChunks) {
  LinearLayout layout = getCoalescedLayout({16, 64}, 8, 4);
  EXPECT_TRUE(layout.isSurjective() && layout.isInjective());
  EXPECT_EQ(layout.getContiguity(1), 8);
  EXPECT_EQ(layout.delinearize(layout.apply({0, 1, 0})), (Vec{0, 8}));
  EXPECT_EQ(layout.delinearize(layout.apply({0, 8, 0})), (Vec{1, 0}));
  EXPECT_EQ(layout.delinearize(layout.apply({0, 0, 1})), (Vec{4, 0}));
  // More than the threads hold at once: registers step over the rest.
  LinearLayout large = getCoalescedLayout({64, 128}, 8, 4);
  EXPECT_TRUE(large.isSurjective() && large.isInjective());
  EXPECT_EQ(large.getNumRegisters(), 64);
  // Fewer elements than threads: they are replicated.
  LinearLayout small = getCoalescedLayout({4, 2}, 8, 2);
  EXPECT_TRUE(small.isSurjective());
  EXPECT_EQ(small.getFreeMask(InDim::Warp), 1);
  EXPECT_EQ(getCoalescedLayout({}, 8, 2), LinearLayout::scalar(2));
}

} // namespace
