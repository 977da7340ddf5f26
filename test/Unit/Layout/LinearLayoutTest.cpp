//===- LinearLayoutTest.cpp - The algebra of layouts ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation against its definition, element by element.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/LinearLayout.h"
#include "gtest/gtest.h"
#include <functional>
#include <set>

using namespace mlir::cleave;
using Vec = LinearLayout::Vec;

namespace {

void forEachPoint(const LinearLayout &layout,
                  std::function<void(const LayoutPoint &)> fn) {
  for (int64_t w = 0; w < layout.getSize(InDim::Warp); ++w)
    for (int64_t l = 0; l < layout.getSize(InDim::Lane); ++l)
      for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
        fn({r, l, w});
}

/// A permutation with replicas in lanes and warps.
LinearLayout example() {
  return LinearLayout({16, 8}, {Vec{1, 64}, Vec{2, 4, 8, 0, 16}, Vec{32, 0}});
}

/// Offsets are XORs, not sums: a swizzle.
LinearLayout swizzled() {
  return LinearLayout({8, 8},
                      {Vec{1, 2, 4}, Vec{8 ^ 1, 16 ^ 2, 32 ^ 4}, Vec{}});
}

TEST(LinearLayout, ApplyIsXorOfBases) {
  LinearLayout layout = example();
  EXPECT_EQ(layout.apply({0, 0, 0}), 0);
  EXPECT_EQ(layout.apply({3, 1, 1}), 1 ^ 64 ^ 2 ^ 32);
  EXPECT_EQ(swizzled().apply({1, 1, 0}), 8);
  EXPECT_EQ(layout.delinearize(64 + 32 + 5), (Vec{12, 5}));
  EXPECT_EQ(layout.linearize({12, 5}), 64 + 32 + 5);
}

TEST(LinearLayout, FreeBitsReplicate) {
  LinearLayout layout = example();
  EXPECT_EQ(layout.getFreeMask(InDim::Register), 0);
  EXPECT_EQ(layout.getFreeMask(InDim::Lane), 8);
  EXPECT_EQ(layout.getFreeMask(InDim::Warp), 2);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_FALSE(layout.isInjective());
  EXPECT_TRUE(layout.isPermutation());
  EXPECT_FALSE(swizzled().isPermutation());
  EXPECT_TRUE(swizzled().isInjective());
  // A basis that is the sum of two others is free, though not zero.
  LinearLayout sum({4}, {Vec{1, 2, 3}, Vec{}, Vec{}});
  EXPECT_EQ(sum.getFreeMask(InDim::Register), 4);
  // Not all of the tile is reached.
  EXPECT_FALSE(LinearLayout({4}, {Vec{1, 1}, Vec{}, Vec{}}).isSurjective());
}

TEST(LinearLayout, InverseFindsEachElement) {
  for (const LinearLayout &layout : {example(), swizzled()}) {
    auto inverse = layout.invert();
    ASSERT_TRUE(inverse);
    for (int64_t offset = 0; offset < layout.getNumElements(); ++offset)
      EXPECT_EQ(layout.apply(LinearLayout::applyInverse(*inverse, offset)),
                offset);
  }
  EXPECT_FALSE(LinearLayout({4}, {Vec{1}, Vec{}, Vec{}}).invert());
}

TEST(LinearLayout, SliceDropsADimension) {
  LinearLayout layout = example();
  for (int64_t dim : {0, 1}) {
    LinearLayout slice = layout.slice({dim});
    auto kept = layout.getKeptRegisterBits({dim});
    EXPECT_TRUE(slice.isSurjective());
    EXPECT_EQ(slice.getNumBits(InDim::Register), kept.size());
    forEachPoint(layout, [&](const LayoutPoint &p) {
      int64_t reg = 0;
      for (size_t i = 0; i < kept.size(); ++i)
        reg |= (p.reg >> kept[i] & 1) << i;
      EXPECT_EQ(slice.apply({reg, p.lane, p.warp}),
                layout.delinearize(layout.apply(p))[1 - dim]);
    });
  }
  LinearLayout all = layout.slice({0, 1});
  EXPECT_EQ(all, LinearLayout::scalar(4));
}

TEST(LinearLayout, TransposeReshapeExpand) {
  LinearLayout layout = example();
  LinearLayout transposed = layout.transpose({1, 0});
  EXPECT_EQ(transposed.getShape(), (llvm::ArrayRef<int64_t>{8, 16}));
  LinearLayout expanded = layout.slice({1}).expand({1}, {16, 8});
  EXPECT_TRUE(expanded.isSurjective());
  EXPECT_EQ(expanded.slice({1}), layout.slice({1}));
  LinearLayout flat = layout.reshape({128});
  forEachPoint(layout, [&](const LayoutPoint &p) {
    Vec coords = layout.delinearize(layout.apply(p));
    EXPECT_EQ(transposed.delinearize(transposed.apply(p)),
              (Vec{coords[1], coords[0]}));
    EXPECT_EQ(flat.apply(p), layout.apply(p));
  });
  EXPECT_EQ(transposed.transpose({1, 0}), layout);
}

TEST(LinearLayout, ProductPlacesCopies) {
  LinearLayout inner({2, 4}, {Vec{1}, Vec{2, 4}, Vec{}});
  LinearLayout outer({4, 2}, {Vec{2}, Vec{1}, Vec{4}});
  LinearLayout both = inner.product(outer);
  EXPECT_EQ(both.getShape(), (llvm::ArrayRef<int64_t>{8, 8}));
  EXPECT_TRUE(both.isSurjective() && both.isInjective());
  // The second register bit steps by outer's (1,0), scaled by inner's rows.
  EXPECT_EQ(both.delinearize(both.apply({2, 0, 0})), (Vec{2, 0}));
  EXPECT_EQ(both.delinearize(both.apply({0, 4, 0})), (Vec{0, 4}));
  // Repeating is the product with a layout along one dimension.
  EXPECT_EQ(inner.repeat(InDim::Warp, 0, 4),
            inner.product(LinearLayout({4, 1}, {Vec{}, Vec{}, Vec{1, 2}})));
}

TEST(LinearLayout, ContiguityNeedsAlignedRuns) {
  EXPECT_EQ(example().getContiguity(1), 2);
  EXPECT_EQ(example().getContiguity(0), 1);
  // The swizzle moves a run by its low bits: no run starts aligned.
  EXPECT_EQ(swizzled().getContiguity(1), 1);
  LinearLayout run({32}, {Vec{1, 2, 16}, Vec{4, 8}, Vec{}});
  EXPECT_EQ(run.getContiguity(0), 4);
  LinearLayout gap({32}, {Vec{1, 4, 2}, Vec{8, 16}, Vec{}});
  EXPECT_EQ(gap.getContiguity(0), 2);
}

TEST(LinearLayout, LanesGoOnWhereRegistersEnd) {
  EXPECT_EQ(example().getLaneContiguity(1), 8);
  EXPECT_EQ(example().getLaneContiguity(0), 4);
  EXPECT_EQ(swizzled().getLaneContiguity(1), 1);
  LinearLayout gap({64}, {Vec{1, 32}, Vec{4, 2, 16}, Vec{8}});
  EXPECT_EQ(gap.getLaneContiguity(0), 8);
}

TEST(LinearLayout, RegisterPermutationKeepsElementsInTheirThread) {
  LinearLayout from({32}, {Vec{1, 2, 16}, Vec{4, 8}, Vec{}});
  LinearLayout to({32}, {Vec{16, 1, 2}, Vec{4, 8}, Vec{}});
  auto sources = from.getRegisterPermutation(to);
  ASSERT_TRUE(sources);
  forEachPoint(to, [&](const LayoutPoint &p) {
    EXPECT_EQ(from.apply({(*sources)[p.reg], p.lane, p.warp}), to.apply(p));
  });
  LinearLayout other({32}, {Vec{1, 2, 16}, Vec{8, 4}, Vec{}});
  EXPECT_FALSE(from.getRegisterPermutation(other));
  LinearLayout moved({32}, {Vec{1, 2, 8}, Vec{4, 16}, Vec{}});
  EXPECT_FALSE(from.getRegisterPermutation(moved));
}

TEST(LinearLayout, PrintsOnOneLine) {
  EXPECT_EQ(LinearLayout({4, 2}, {Vec{1}, Vec{2, 4}, Vec{0}}).str(),
            "[4, 2] reg = [(0,1)], lane = [(1,0), (2,0)], warp = [(0,0)]");
  EXPECT_EQ(LinearLayout::scalar(2).str(),
            "[] reg = [], lane = [(), (), (), (), ()], warp = [()]");
}

} // namespace
