//===- DistributeTest.cpp - Distributed kernels compute the right thing ---===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in the vector form go through layouts, distribution and barriers,
// then run in the thread simulator and are compared with plain loops.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "ThreadSimulator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <random>

using namespace mlir;
using namespace mlir::cleave::test;

namespace {

class Distribute : public testing::Test {
protected:
  Distribute() {
    context
        .loadDialect<affine::AffineDialect, arith::ArithDialect,
                     gpu::GPUDialect, math::MathDialect, memref::MemRefDialect,
                     scf::SCFDialect, ub::UBDialect, vector::VectorDialect,
                     cleave::tile::CleaveTileDialect>();
    context.disableMultithreading();
  }

  /// Runs the only kernel of a gpu.module with this body.
  void run(const std::string &body, int64_t warps, ArrayRef<int64_t> grid,
           MutableArrayRef<Argument> arguments,
           int64_t maxSharedBytes = 48 * 1024) {
    EXPECT_EQ(simulate(body, warps, grid, arguments, maxSharedBytes), "");
  }

  /// What the simulator has to say.
  std::string simulate(const std::string &body, int64_t warps,
                       ArrayRef<int64_t> grid,
                       MutableArrayRef<Argument> arguments,
                       int64_t maxSharedBytes = 48 * 1024,
                       bool barriers = true) {
    std::string text = "gpu.module @m {\n" + body + "\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return "does not parse";
    PassManager pm(&context);
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
    kernels.addPass(cleave::createAssignLayoutsPass());
    cleave::DistributePassOptions options;
    options.maxSharedBytes = maxSharedBytes;
    kernels.addPass(cleave::createDistributePass(options));
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
    if (barriers)
      kernels.addPass(cleave::createInsertBarriersPass());
    if (failed(pm.run(*module)))
      return "is refused";
    gpu::GPUFuncOp func;
    module->walk([&](gpu::GPUFuncOp op) { func = op; });
    return ThreadSimulator(func, warps * 32).run(grid, arguments);
  }

  /// Multiples of 1/8 in [-2, 2): products of a few are exact in f32.
  Argument random(std::vector<int64_t> shape) {
    Argument argument{shape, {}};
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    for (int64_t i = 0; i < count; ++i)
      argument.values.push_back((int64_t(generator() % 32) - 16) / 8.0);
    return argument;
  }
  static Argument filled(std::vector<int64_t> shape, double value) {
    Argument argument{shape, {}};
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    argument.values.assign(count, value);
    return argument;
  }
  static double at(const Argument &argument, int64_t i, int64_t j) {
    return argument.values[i * argument.shape[1] + j];
  }

  void expectAll(const Argument &argument, double tolerance,
                 std::function<double(int64_t, int64_t)> expected) {
    for (int64_t i = 0; i < argument.shape[0]; ++i)
      for (int64_t j = 0; j < argument.shape[1]; ++j) {
        double want = expected(i, j), got = at(argument, i, j);
        ASSERT_LE(std::abs(got - want), tolerance * (1 + std::abs(want)))
            << "at " << i << ", " << j << ": " << got << " for " << want;
      }
  }

  MLIRContext context;
  std::mt19937 generator{7};
};

/// `text` with each $name replaced.
std::string with(std::string text,
                 std::vector<std::pair<std::string, std::string>> names) {
  for (auto &[name, value] : names)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
      text.replace(at, name.size() + 1, value);
  return text;
}

const char *const kHead = R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %h0 = arith.constant 0.0 : f16
  %f0 = arith.constant 0.0 : f32
)";

//===----------------------------------------------------------------------===//
// RMSNorm + linear
//===----------------------------------------------------------------------===//

class RMSNormLinear : public Distribute,
                      public testing::WithParamInterface<int64_t> {};

TEST_P(RMSNormLinear, AnyNumberOfRows) {
  int64_t m = GetParam(), k = 128, n = 64;
  std::vector<Argument> args = {random({m, k}), random({k}), random({k, n}),
                                filled({m, n}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<?x128xf16>, %g: memref<128xf16>, %w: memref<128x64xf16>, %y: memref<?x64xf16>) kernel
    attributes {cleave.warps = 4 : i64} {)") +
          kHead + R"(
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %inv = arith.constant dense<0.0078125> : vector<16xf32>
  %eps = arith.constant dense<1.0e-6> : vector<16xf32>
  %sq0 = arith.constant dense<0.0> : vector<16xf32>
  %acc0 = arith.constant dense<0.0> : vector<16x64xf32>
  %i = arith.muli %bx, %c16 : index
  %m = memref.dim %x, %c0 : memref<?x128xf16>
  %tm = affine.min affine_map<(d0)[s0] -> (16, -d0 + s0)>(%i)[%m]
  %mask = vector.create_mask %tm, %c64 : vector<16x64xi1>
  %r:2 = scf.for %k = %c0 to %c128 step %c64 iter_args(%sq = %sq0, %acc = %acc0) -> (vector<16xf32>, vector<16x64xf32>) {
    %xt = vector.transfer_read %x[%i, %k], %h0, %mask {in_bounds = [true, true]} : memref<?x128xf16>, vector<16x64xf16>
    %gt = vector.transfer_read %g[%k], %h0 {in_bounds = [true]} : memref<128xf16>, vector<64xf16>
    %wt = vector.transfer_read %w[%k, %c0], %h0 {in_bounds = [true, true]} : memref<128x64xf16>, vector<64x64xf16>
    %xf = arith.extf %xt : vector<16x64xf16> to vector<16x64xf32>
    %xx = arith.mulf %xf, %xf : vector<16x64xf32>
    %sq1 = vector.multi_reduction <add>, %xx, %sq [1] : vector<16x64xf32> to vector<16xf32>
    %gf = arith.extf %gt : vector<64xf16> to vector<64xf32>
    %gb = vector.broadcast %gf : vector<64xf32> to vector<16x64xf32>
    %p = arith.mulf %xf, %gb : vector<16x64xf32>
    %xg = arith.truncf %p : vector<16x64xf32> to vector<16x64xf16>
    %acc1 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %xg, %wt, %acc : vector<16x64xf16>, vector<64x64xf16> into vector<16x64xf32>
    scf.yield %sq1, %acc1 : vector<16xf32>, vector<16x64xf32>
  }
  %mean = arith.mulf %r#0, %inv : vector<16xf32>
  %e = arith.addf %mean, %eps : vector<16xf32>
  %q = math.rsqrt %e : vector<16xf32>
  %qb = vector.broadcast %q : vector<16xf32> to vector<64x16xf32>
  %qt = vector.transpose %qb, [1, 0] : vector<64x16xf32> to vector<16x64xf32>
  %o = arith.mulf %r#1, %qt : vector<16x64xf32>
  %oh = arith.truncf %o : vector<16x64xf32> to vector<16x64xf16>
  vector.transfer_write %oh, %y[%i, %c0], %mask {in_bounds = [true, true]} : vector<16x64xf16>, memref<?x64xf16>
  gpu.return
})",
      4, {(m + 15) / 16, 1}, args);
  expectAll(args[3], 1e-3, [&](int64_t i, int64_t j) {
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < k; ++c) {
      squares += at(args[0], i, c) * at(args[0], i, c);
      sum += at(args[0], i, c) * args[1].values[c] * at(args[2], c, j);
    }
    return sum / std::sqrt(squares / k + 1e-6);
  });
}

INSTANTIATE_TEST_SUITE_P(Rows, RMSNormLinear, testing::Values(1, 7, 16, 17));

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

struct Matmul {
  int64_t m, n, k, warps;
  const char *type;
  bool transposeA, transposeB, transposeC;
};

class Contract : public Distribute,
                 public testing::WithParamInterface<Matmul> {};

TEST_P(Contract, AnyOrderOfDimensions) {
  Matmul p = GetParam();
  // Two steps over k.
  auto sized = [](int64_t a, int64_t b) {
    return std::to_string(a) + "x" + std::to_string(b);
  };
  int64_t k = 2 * p.k;
  std::vector<Argument> args = {
      p.transposeA ? random({k, p.m}) : random({p.m, k}),
      p.transposeB ? random({p.n, k}) : random({k, p.n}),
      p.transposeC ? filled({p.n, p.m}, NAN) : filled({p.m, p.n}, NAN)};
  std::string text = with(
      R"(
gpu.func @f(%a: memref<$fullAx$type>, %b: memref<$fullBx$type>, %c: memref<$Cxf32>) kernel attributes {cleave.warps = $warps : i64} {
  $head
  %zero = arith.constant 0.0 : $type
  %step = arith.constant $k : index
  %end = arith.constant $full : index
  %acc0 = arith.constant dense<0.0> : vector<$Cxf32>
  %r = scf.for %k = %c0 to %end step %step iter_args(%acc = %acc0) -> (vector<$Cxf32>) {
    %at = vector.transfer_read %a[$posA], %zero {in_bounds = [true, true]} : memref<$fullAx$type>, vector<$tileAx$type>
    %bt = vector.transfer_read %b[$posB], %zero {in_bounds = [true, true]} : memref<$fullBx$type>, vector<$tileBx$type>
    %acc1 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> ($mapA)>, affine_map<(m, n, k) -> ($mapB)>, affine_map<(m, n, k) -> ($mapC)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %at, %bt, %acc : vector<$tileAx$type>, vector<$tileBx$type> into vector<$Cxf32>
    scf.yield %acc1 : vector<$Cxf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<$Cxf32>, memref<$Cxf32>
  gpu.return
})",
      {{"fullA", p.transposeA ? sized(k, p.m) : sized(p.m, k)},
       {"fullB", p.transposeB ? sized(p.n, k) : sized(k, p.n)},
       {"full", std::to_string(k)},
       {"tileA", p.transposeA ? sized(p.k, p.m) : sized(p.m, p.k)},
       {"tileB", p.transposeB ? sized(p.n, p.k) : sized(p.k, p.n)},
       {"type", p.type},
       {"posA", p.transposeA ? "%k, %c0" : "%c0, %k"},
       {"posB", p.transposeB ? "%c0, %k" : "%k, %c0"},
       {"mapA", p.transposeA ? "k, m" : "m, k"},
       {"mapB", p.transposeB ? "n, k" : "k, n"},
       {"mapC", p.transposeC ? "n, m" : "m, n"},
       {"warps", std::to_string(p.warps)},
       {"head", kHead},
       {"k", std::to_string(p.k)},
       {"C", p.transposeC ? sized(p.n, p.m) : sized(p.m, p.n)}});
  run(text, p.warps, {1, 1}, args);
  expectAll(args[2], 1e-5, [&](int64_t i, int64_t j) {
    if (p.transposeC)
      std::swap(i, j);
    double sum = 0;
    for (int64_t c = 0; c < k; ++c)
      sum += (p.transposeA ? at(args[0], c, i) : at(args[0], i, c)) *
             (p.transposeB ? at(args[1], j, c) : at(args[1], c, j));
    return sum;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, Contract,
    testing::Values(Matmul{64, 64, 32, 4, "bf16", false, false, false},
                    Matmul{32, 64, 32, 4, "f16", false, true, false},
                    Matmul{32, 32, 16, 2, "f16", true, false, false},
                    Matmul{32, 16, 16, 1, "bf16", true, true, true},
                    // More warps than fragments.
                    Matmul{16, 8, 32, 4, "f16", false, false, false},
                    // Too small for a fragment, and a type without one.
                    Matmul{8, 8, 16, 1, "f16", false, false, false},
                    Matmul{16, 16, 8, 2, "f32", false, true, false}));

//===----------------------------------------------------------------------===//
// Rows: softmax with a ragged length and a general mask
//===----------------------------------------------------------------------===//

class Softmax : public Distribute,
                public testing::WithParamInterface<int64_t> {};

TEST_P(Softmax, OverTilesOfARow) {
  int64_t length = GetParam(), rows = 3;
  std::vector<Argument> args = {random({rows, length}),
                                filled({rows, length}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<?x?xf16>, %y: memref<?x?xf32>) kernel attributes {cleave.warps = 2 : i64} {)") +
          kHead + R"(
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %ninf = arith.constant dense<0xFF800000> : vector<2xf32>
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %dead = arith.constant dense<0xFF800000> : vector<2x32xf32>
  %nothing = arith.constant dense<0.0> : vector<2x32xf32>
  %i = arith.muli %bx, %c2 : index
  %m = memref.dim %x, %c0 : memref<?x?xf16>
  %n = memref.dim %x, %c1 : memref<?x?xf16>
  %tm = affine.min affine_map<(d0)[s0] -> (2, -d0 + s0)>(%i)[%m]
  %s:2 = scf.for %k = %c0 to %n step %c32 iter_args(%max = %ninf, %sum = %zero) -> (vector<2xf32>, vector<2xf32>) {
    %tk = affine.min affine_map<(d0)[s0] -> (32, -d0 + s0)>(%k)[%n]
    %mask = vector.create_mask %tm, %tk : vector<2x32xi1>
    %xt = vector.transfer_read %x[%i, %k], %h0, %mask {in_bounds = [true, true]} : memref<?x?xf16>, vector<2x32xf16>
    %xf = arith.extf %xt : vector<2x32xf16> to vector<2x32xf32>
    %z = arith.select %mask, %xf, %dead : vector<2x32xi1>, vector<2x32xf32>
    %max1 = vector.multi_reduction <maximumf>, %z, %max [1] : vector<2x32xf32> to vector<2xf32>
    %mb = vector.broadcast %max1 : vector<2xf32> to vector<32x2xf32>
    %mt = vector.transpose %mb, [1, 0] : vector<32x2xf32> to vector<2x32xf32>
    %d = arith.subf %xf, %mt : vector<2x32xf32>
    %e = math.exp %d : vector<2x32xf32>
    %es = arith.select %mask, %e, %nothing : vector<2x32xi1>, vector<2x32xf32>
    %old = arith.subf %max, %max1 : vector<2xf32>
    %f = math.exp %old : vector<2xf32>
    %scaled = arith.mulf %sum, %f : vector<2xf32>
    %sum1 = vector.multi_reduction <add>, %es, %scaled [1] : vector<2x32xf32> to vector<2xf32>
    scf.yield %max1, %sum1 : vector<2xf32>, vector<2xf32>
  }
  %mb = vector.broadcast %s#0 : vector<2xf32> to vector<32x2xf32>
  %mt = vector.transpose %mb, [1, 0] : vector<32x2xf32> to vector<2x32xf32>
  %sb = vector.broadcast %s#1 : vector<2xf32> to vector<32x2xf32>
  %st = vector.transpose %sb, [1, 0] : vector<32x2xf32> to vector<2x32xf32>
  scf.for %k = %c0 to %n step %c32 {
    %tk = affine.min affine_map<(d0)[s0] -> (32, -d0 + s0)>(%k)[%n]
    %rows = vector.create_mask %tm, %c32 : vector<2x32xi1>
    %cols = vector.create_mask %c2, %tk : vector<2x32xi1>
    %mask = arith.andi %rows, %cols : vector<2x32xi1>
    %xt = vector.transfer_read %x[%i, %k], %h0, %mask {in_bounds = [true, true]} : memref<?x?xf16>, vector<2x32xf16>
    %xf = arith.extf %xt : vector<2x32xf16> to vector<2x32xf32>
    %d = arith.subf %xf, %mt : vector<2x32xf32>
    %e = math.exp %d : vector<2x32xf32>
    %q = arith.divf %e, %st : vector<2x32xf32>
    vector.transfer_write %q, %y[%i, %k], %mask {in_bounds = [true, true]} : vector<2x32xf32>, memref<?x?xf32>
  }
  gpu.return
})",
      2, {2, 1}, args);
  expectAll(args[1], 1e-4, [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t c = 0; c < length; ++c)
      sum += std::exp(at(args[0], i, c));
    return std::exp(at(args[0], i, j)) / sum;
  });
}

INSTANTIATE_TEST_SUITE_P(Lengths, Softmax, testing::Values(1, 31, 32, 70));

//===----------------------------------------------------------------------===//
// Layout changes and reductions over warps
//===----------------------------------------------------------------------===//

TEST_F(Distribute, TransposesThroughSharedMemory) {
  std::vector<Argument> args = {random({32, 64}), filled({64, 32}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<32x64xf32>, %y: memref<64x32xf32>) kernel attributes {cleave.warps = 4 : i64} {)") +
          kHead + R"(
  %a = vector.transfer_read %x[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<32x64xf32>, vector<32x64xf32>
  %t = vector.transpose %a, [1, 0] : vector<32x64xf32> to vector<64x32xf32>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf32>, memref<64x32xf32>
  gpu.return
})",
      4, {1, 1}, args);
  expectAll(args[1], 0,
            [&](int64_t i, int64_t j) { return at(args[0], j, i); });
}

TEST_F(Distribute, ReducesOverEveryKindOfBit) {
  // Columns: the reduced dimension lies on warps, lanes and registers. Rows and
  // both: so does the other, and a scalar comes out.
  std::vector<Argument> args = {random({64, 16}), filled({1, 16}, NAN),
                                filled({1, 64}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<64x16xf32>, %cols: memref<1x16xf32>, %rows: memref<1x64xf32>) kernel attributes {cleave.warps = 4 : i64} {)") +
          kHead + R"(
  %ten = arith.constant dense<10.0> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %a = vector.transfer_read %x[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<64x16xf32>, vector<64x16xf32>
  %c = vector.multi_reduction <add>, %a, %ten [0] : vector<64x16xf32> to vector<16xf32>
  vector.transfer_write %c, %cols[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<1x16xf32>
  %all = vector.multi_reduction <add>, %a, %f0 [0, 1] : vector<64x16xf32> to f32
  %r = vector.multi_reduction <maximumf>, %a, %zero [1] : vector<64x16xf32> to vector<64xf32>
  %ab = vector.broadcast %all : f32 to vector<64xf32>
  %s = arith.addf %r, %ab : vector<64xf32>
  vector.transfer_write %s, %rows[%c0, %c0] {in_bounds = [true]} : vector<64xf32>, memref<1x64xf32>
  gpu.return
})",
      4, {1, 1}, args);
  double all = 0;
  for (double value : args[0].values)
    all += value;
  expectAll(args[1], 1e-6, [&](int64_t, int64_t j) {
    double sum = 10;
    for (int64_t i = 0; i < 64; ++i)
      sum += at(args[0], i, j);
    return sum;
  });
  expectAll(args[2], 1e-6, [&](int64_t, int64_t i) {
    double best = 0;
    for (int64_t j = 0; j < 16; ++j)
      best = std::max(best, at(args[0], i, j));
    return best + all;
  });
}

TEST_F(Distribute, ReplicasAreCountedOnce) {
  // 8 elements on 128 threads.
  std::vector<Argument> args = {random({1, 8}), filled({1, 8}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<1x8xf32>, %y: memref<1x8xf32>) kernel attributes {cleave.warps = 4 : i64} {)") +
          kHead + R"(
  %a = vector.transfer_read %x[%c0, %c0], %f0 {in_bounds = [true]} : memref<1x8xf32>, vector<8xf32>
  %n = vector.multi_reduction <add>, %a, %f0 [0] : vector<8xf32> to f32
  %b = vector.broadcast %n : f32 to vector<8xf32>
  %position = vector.step : vector<8xindex>
  %p = arith.index_cast %position : vector<8xindex> to vector<8xi32>
  %two = arith.constant dense<2> : vector<8xi32>
  %first = arith.cmpi slt, %p, %two : vector<8xi32>
  %s = arith.select %first, %a, %b : vector<8xi1>, vector<8xf32>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<1x8xf32>
  gpu.return
})",
      4, {1, 1}, args);
  double sum = 0;
  for (double value : args[0].values)
    sum += value;
  expectAll(args[1], 1e-6, [&](int64_t, int64_t j) {
    return j < 2 ? at(args[0], 0, j) : sum;
  });
}

TEST_F(Distribute, BuffersMayShareBytes) {
  // Three conversions in a loop and shared memory for one at a time.
  std::vector<Argument> args = {random({64, 32}), filled({32, 32}, NAN)};
  std::string text = std::string(R"(
gpu.func @f(%x: memref<64x32xf32>, %y: memref<32x32xf32>) kernel attributes {cleave.warps = 2 : i64} {)") +
                     kHead + R"(
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %acc0 = arith.constant dense<0.0> : vector<32x32xf32>
  %r = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %acc0) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %x[%k, %c0], %f0 {in_bounds = [true, true]} : memref<64x32xf32>, vector<32x32xf32>
    %t = vector.transpose %a, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
    %s = arith.addf %t, %a : vector<32x32xf32>
    %u = vector.transpose %s, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
    %v = arith.mulf %u, %a : vector<32x32xf32>
    %acc1 = arith.addf %acc, %v : vector<32x32xf32>
    scf.yield %acc1 : vector<32x32xf32>
  }
  vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
})";
  auto expected = [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k : {0, 32})
      sum += (at(args[0], k + i, j) + at(args[0], k + j, i)) *
             at(args[0], k + i, j);
    return sum;
  };
  for (int64_t bytes : {48 * 1024, 5 * 1024}) {
    run(text, 2, {1, 1}, args, bytes);
    expectAll(args[1], 1e-6, expected);
  }
  // The simulator does see races, and too little memory is an error.
  EXPECT_NE(simulate(text, 2, {1, 1}, args, 48 * 1024, /*barriers=*/false)
                .find("race"),
            std::string::npos);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  EXPECT_EQ(simulate(text, 2, {1, 1}, args, 1024), "is refused");
}

TEST_F(Distribute, AccessesPastTheMemRefAreChecked) {
  // in_bounds false: the memref's own end is the bound.
  std::vector<Argument> args = {random({5, 20}), filled({5, 20}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<?x20xf16>, %y: memref<?x20xf16>) kernel attributes {cleave.warps = 1 : i64} {)") +
          kHead + R"(
  %seven = arith.constant 7.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %seven : memref<?x20xf16>, vector<8x32xf16>
  vector.transfer_write %a, %y[%c0, %c0] : vector<8x32xf16>, memref<?x20xf16>
  gpu.return
})",
      1, {1, 1}, args);
  expectAll(args[1], 0,
            [&](int64_t i, int64_t j) { return at(args[0], i, j); });
}

TEST_F(Distribute, ReadsTransposedAndBroadcast) {
  std::vector<Argument> args = {random({32, 16}), random({1, 32}),
                                filled({16, 32}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<32x16xf16>, %v: memref<1x32xf16>, %y: memref<16x32xf16>) kernel attributes {cleave.warps = 2 : i64} {)") +
          kHead + R"(
  %a = vector.transfer_read %x[%c0, %c0], %h0 {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<32x16xf16>, vector<16x32xf16>
  %b = vector.transfer_read %v[%c0, %c0], %h0 {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<1x32xf16>, vector<16x32xf16>
  %s = arith.addf %a, %b : vector<16x32xf16>
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  gpu.return
})",
      2, {1, 1}, args);
  expectAll(args[2], 0, [&](int64_t i, int64_t j) {
    return at(args[0], j, i) + at(args[1], 0, j);
  });
}

//===----------------------------------------------------------------------===//
// Many shapes
//===----------------------------------------------------------------------===//

struct Tile {
  int64_t rows, cols, warps;
  const char *type;
};

class Shapes : public Distribute, public testing::WithParamInterface<Tile> {};

/// The tile in a larger memref whose last row and column are not there.
TEST_P(Shapes, TransposeReduceAndStore) {
  Tile p = GetParam();
  int64_t m = std::max<int64_t>(1, p.rows - 1),
          n = std::max<int64_t>(1, p.cols - 1);
  std::vector<Argument> args = {random({m, n}), filled({n, m}, NAN),
                                filled({1, m}, NAN), filled({1, n}, NAN)};
  run(with(R"(
gpu.func @f(%x: memref<?x?x$t>, %y: memref<?x?x$t>, %r: memref<1x?xf32>, %c: memref<1x?xf32>) kernel attributes {cleave.warps = $warps : i64} {
  $head
  %pad = arith.constant 0.0 : $t
  %zero = arith.constant dense<0.0> : vector<$Mxf32>
  %zeros = arith.constant dense<0.0> : vector<$Nxf32>
  %m = memref.dim %x, %c0 : memref<?x?x$t>
  %n = memref.dim %x, %c1 : memref<?x?x$t>
  %mask = vector.create_mask %m, %n : vector<$Mx$Nxi1>
  %a = vector.transfer_read %x[%c0, %c0], %pad, %mask {in_bounds = [true, true]} : memref<?x?x$t>, vector<$Mx$Nx$t>
  %t = vector.transpose %a, [1, 0] : vector<$Mx$Nx$t> to vector<$Nx$Mx$t>
  %tmask = vector.create_mask %n, %m : vector<$Nx$Mxi1>
  vector.transfer_write %t, %y[%c0, %c0], %tmask {in_bounds = [true, true]} : vector<$Nx$Mx$t>, memref<?x?x$t>
  %f = arith.extf %a : vector<$Mx$Nx$t> to vector<$Mx$Nxf32>
  %s = vector.multi_reduction <add>, %f, %zero [1] : vector<$Mx$Nxf32> to vector<$Mxf32>
  %rmask = vector.create_mask %m : vector<$Mxi1>
  vector.transfer_write %s, %r[%c0, %c0], %rmask {in_bounds = [true]} : vector<$Mxf32>, memref<1x?xf32>
  %u = vector.multi_reduction <maximumf>, %f, %zeros [0] : vector<$Mx$Nxf32> to vector<$Nxf32>
  %cmask = vector.create_mask %n : vector<$Nxi1>
  vector.transfer_write %u, %c[%c0, %c0], %cmask {in_bounds = [true]} : vector<$Nxf32>, memref<1x?xf32>
  gpu.return
})",
           {{"M", std::to_string(p.rows)},
            {"N", std::to_string(p.cols)},
            {"warps", std::to_string(p.warps)},
            {"head", kHead},
            {"t", p.type}}),
      p.warps, {1, 1}, args);
  expectAll(args[1], 0,
            [&](int64_t i, int64_t j) { return at(args[0], j, i); });
  expectAll(args[2], 1e-6, [&](int64_t, int64_t i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += at(args[0], i, j);
    return sum;
  });
  expectAll(args[3], 1e-6, [&](int64_t, int64_t j) {
    double best = 0;
    for (int64_t i = 0; i < m; ++i)
      best = std::max(best, at(args[0], i, j));
    return best;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, Shapes,
    testing::Values(Tile{1, 1, 1, "f16"}, Tile{2, 2, 4, "bf16"},
                    Tile{1, 256, 2, "f16"}, Tile{256, 1, 2, "bf16"},
                    Tile{4, 64, 8, "f16"}, Tile{64, 8, 1, "bf16"},
                    Tile{32, 128, 4, "f16"}, Tile{128, 16, 8, "bf16"}));

TEST_F(Distribute, BranchesAndScalars) {
  // A branch on the block's number with tiles inside and out, and a tile of one
  // element that stands for a scalar.
  std::vector<Argument> args = {random({32, 32}), random({1, 1}),
                                filled({32, 32}, NAN)};
  run(std::string(R"(
gpu.func @f(%x: memref<32x32xf16>, %v: memref<1x1xf16>, %y: memref<32x32xf16>) kernel attributes {cleave.warps = 2 : i64} {)") +
          kHead + R"(
  %c16 = arith.constant 16 : index
  %i = arith.muli %bx, %c16 : index
  %j = arith.muli %by, %c16 : index
  %diagonal = arith.cmpi eq, %bx, %by : index
  %one = vector.transfer_read %v[%c0, %c0], %h0 {in_bounds = [true]} : memref<1x1xf16>, vector<1xf16>
  %scalar = vector.extract %one[0] : f16 from vector<1xf16>
  %sb = vector.broadcast %scalar : f16 to vector<16x16xf16>
  %a = vector.transfer_read %x[%i, %j], %h0 {in_bounds = [true, true]} : memref<32x32xf16>, vector<16x16xf16>
  %r = scf.if %diagonal -> (vector<16x16xf16>) {
    %t = vector.transpose %a, [1, 0] : vector<16x16xf16> to vector<16x16xf16>
    %s = arith.addf %t, %a : vector<16x16xf16>
    scf.yield %s : vector<16x16xf16>
  } else {
    scf.yield %sb : vector<16x16xf16>
  }
  vector.transfer_write %r, %y[%i, %j] {in_bounds = [true, true]} : vector<16x16xf16>, memref<32x32xf16>
  gpu.return
})",
      2, {2, 2}, args);
  expectAll(args[2], 0, [&](int64_t i, int64_t j) {
    if (i / 16 != j / 16)
      return at(args[1], 0, 0);
    int64_t base = i / 16 * 16;
    return at(args[0], i, j) + at(args[0], base + j % 16, base + i % 16);
  });
}

} // namespace
