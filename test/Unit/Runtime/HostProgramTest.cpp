//===- HostProgramTest.cpp - Launches of the host form --------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/HostProgram.h"
#include "Cleave/Runtime/CudaDriver.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "gtest/gtest.h"
#include <cstring>
#include <map>

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Device memory is host memory; launches only mark that they happened.
class FakeDriver final : public Driver {
public:
  DeviceInfo getInfo() override { return {"fake", "sm_00", 1, 0, sharedBytes}; }
  llvm::Expected<Module> loadModule(StringRef image) override {
    if (image != "good")
      return llvm::createStringError("bad image");
    ++modules;
    return this;
  }
  void unloadModule(Module) override { --modules; }
  llvm::Expected<Function> getFunction(Module, StringRef name) override {
    if (name.starts_with("absent"))
      return llvm::createStringError("no such kernel");
    return &names.emplace(name.str(), 0).first->second;
  }
  llvm::Error reserveSharedMemory(Function, int64_t bytes) override {
    reserved.push_back(bytes);
    return llvm::Error::success();
  }
  llvm::Expected<DevicePointer> allocate(int64_t bytes) override {
    if (bytes > 1 << 30)
      return llvm::createStringError("out of memory");
    ++buffers;
    return reinterpret_cast<DevicePointer>(new char[bytes]);
  }
  void release(DevicePointer pointer) override {
    --buffers;
    delete[] reinterpret_cast<char *>(pointer);
  }
  llvm::Error copyToDevice(DevicePointer to, ArrayRef<char> from) override {
    std::memcpy(reinterpret_cast<char *>(to), from.data(), from.size());
    return llvm::Error::success();
  }
  llvm::Error copyToHost(MutableArrayRef<char> to,
                         DevicePointer from) override {
    std::memcpy(to.data(), reinterpret_cast<char *>(from), to.size());
    return llvm::Error::success();
  }
  llvm::Error fill(DevicePointer to, uint8_t byte, int64_t count) override {
    std::memset(reinterpret_cast<char *>(to), byte, count);
    return llvm::Error::success();
  }
  llvm::Error launch(Function function, const LaunchConfig &,
                     ArrayRef<uint64_t>) override {
    ++*static_cast<int *>(function);
    return llvm::Error::success();
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Error beginCapture() override { return llvm::Error::success(); }
  llvm::Expected<Graph> endCapture() override { return this; }
  llvm::Error launchGraph(Graph) override { return llvm::Error::success(); }
  void destroyGraph(Graph) override {}
  llvm::Error recordMark(unsigned) override { return llvm::Error::success(); }
  llvm::Expected<double> elapsedMicroseconds(unsigned, unsigned) override {
    return 1.0;
  }

  std::map<std::string, int> names;
  std::vector<int64_t> reserved;
  int64_t sharedBytes = 0;
  int modules = 0;
  int buffers = 0;
};

constexpr StringRef twoKernels = R"mlir(
#ceil = affine_map<(d0) -> (d0 ceildiv 16)>
#tail = affine_map<(d0)[s0] -> (16, d0 - s0)>
module attributes {gpu.container_module} {
  gpu.binary @f_kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "bad">,
                         #gpu.object<#nvvm.target<chip = "sm_90a">, bin = "good">]
  func.func @f(%x: memref<?x8xf16>, %y: memref<?x8xf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 50000 : i32
    %m = memref.dim %x, %c0 : memref<?x8xf16>
    %t = memref.alloc(%m) : memref<?x4xf32>
    %g = affine.apply #ceil(%m)
    %p = arith.muli %g, %c3 : index
    %tail = affine.min #tail(%m)[%c3]
    gpu.launch_func @f_kernels::@f_0 blocks in (%p, %c1, %c1)
        threads in (%c128, %c1, %c1) dynamic_shared_memory_size %bytes
        args(%x : memref<?x8xf16>, %t : memref<?x4xf32>, %tail : index)
    gpu.launch_func @f_kernels::@f_1 blocks in (%g, %c1, %c1)
        threads in (%c128, %c1, %c1)
        args(%t : memref<?x4xf32>, %y : memref<?x8xf16>)
    return
  }
})mlir";

class HostProgramTest : public testing::Test {
protected:
  HostProgramTest() {
    DialectRegistry registry;
    registry.insert<NVVM::NVVMDialect>();
    NVVM::registerNVVMTargetInterfaceExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
  }

  FailureOr<std::unique_ptr<HostProgram>> create(std::string text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    return HostProgram::create(*module->getOps<func::FuncOp>().begin(), driver);
  }

  /// The message of a program that must be refused.
  std::string refusal(StringRef from, StringRef to) {
    std::string text = twoKernels.str();
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to.str());
    EXPECT_TRUE(failed(create(text)));
    return message;
  }

  MLIRContext context;
  FakeDriver driver;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

TEST_F(HostProgramTest, ComputesLaunches) {
  auto program = create(twoKernels.str());
  ASSERT_TRUE(succeeded(program)) << message;
  EXPECT_EQ(driver.modules, 1);
  {
    auto plan = (*program)->plan({{1000, {17, 8}}, {2000, {17, 8}}});
    ASSERT_TRUE(succeeded(plan)) << message;
    ASSERT_EQ(plan->getLaunches().size(), 2u);
    EXPECT_EQ(driver.buffers, 1);
    const LaunchPlan::Launch &first = plan->getLaunches()[0];
    EXPECT_EQ(first.kernel, "f_0");
    EXPECT_EQ(first.config.grid, (std::array<int64_t, 3>{6, 1, 1}));
    EXPECT_EQ(first.config.block, (std::array<int64_t, 3>{128, 1, 1}));
    EXPECT_EQ(first.config.sharedBytes, 50000);
    // A pointer and the dynamic sizes a memref, then the index.
    ASSERT_EQ(first.params.size(), 5u);
    EXPECT_EQ(first.params[0], 1000u);
    EXPECT_EQ(first.params[1], 17u);
    EXPECT_EQ(first.params[3], 17u);
    EXPECT_EQ(first.params[4], 14u);
    const LaunchPlan::Launch &second = plan->getLaunches()[1];
    EXPECT_EQ(second.params[0], first.params[2]);
    EXPECT_EQ(second.params[2], 2000u);
    EXPECT_EQ(driver.reserved, std::vector<int64_t>{50000});
    ASSERT_FALSE(bool(plan->run(driver)));
    ASSERT_FALSE(bool(plan->run(driver)));
    EXPECT_EQ(driver.names["f_1"], 2);
    // One compiled program serves another extent, and reserves no more.
    auto other = (*program)->plan({{1000, {1, 8}}, {2000, {1, 8}}});
    ASSERT_TRUE(succeeded(other));
    EXPECT_EQ(other->getLaunches()[0].config.grid[0], 3);
    EXPECT_EQ(driver.reserved.size(), 1u);
  }
  EXPECT_EQ(driver.buffers, 0);
  program->reset();
  EXPECT_EQ(driver.modules, 0);
}

TEST_F(HostProgramTest, KeepsBlocksOfEarlyGridsApart) {
  std::string text = twoKernels.str();
  std::string last = "%y : memref<?x8xf16>)";
  text.insert(text.rfind(last) + last.size(), " {cleave.overlap}");
  auto program = create(text);
  ASSERT_TRUE(succeeded(program)) << message;
  auto getLast = [&](int64_t extent) {
    auto plan = (*program)->plan({{1000, {extent, 8}}, {2000, {extent, 8}}});
    EXPECT_TRUE(succeeded(plan)) << message;
    EXPECT_FALSE(plan->getLaunches()[0].config.overlaps);
    return plan->getLaunches()[1].config;
  };
  // Of the one multiprocessor there is, one block, two and three.
  EXPECT_TRUE(getLast(16).overlaps);
  EXPECT_EQ(getLast(16).sharedBytes, 116 * 1024);
  EXPECT_FALSE(getLast(17).overlaps);
  EXPECT_EQ(getLast(17).sharedBytes, 0);
  EXPECT_TRUE(getLast(48).overlaps);
  EXPECT_EQ(getLast(48).sharedBytes, 0);
}

TEST_F(HostProgramTest, SkipsEmptyGrids) {
  auto program = create(twoKernels.str());
  ASSERT_TRUE(succeeded(program)) << message;
  auto plan = (*program)->plan({{1000, {0, 8}}, {2000, {0, 8}}});
  ASSERT_TRUE(succeeded(plan)) << message;
  EXPECT_TRUE(plan->getLaunches().empty());
}

TEST_F(HostProgramTest, RefusesWrongArguments) {
  auto program = create(twoKernels.str());
  ASSERT_TRUE(succeeded(program)) << message;
  EXPECT_TRUE(failed((*program)->plan({{1000, {17, 8}}})));
  EXPECT_NE(message.find("expected 2 arguments but got 1"), std::string::npos);
  EXPECT_TRUE(failed((*program)->plan({{1000, {17, 9}}, {2000, {17, 8}}})));
  EXPECT_NE(message.find("expected argument 0 to fit 'memref<?x8xf16>' but got "
                         "[17, 9]"),
            std::string::npos)
      << message;
  EXPECT_TRUE(
      failed((*program)->plan({{1, {1LL << 40, 8}}, {2, {1LL << 40, 8}}})));
  EXPECT_NE(message.find("out of memory"), std::string::npos);
  std::string text = twoKernels.str();
  text.replace(text.find("alloc(%m)"), 9, "alloc(%c1)");
  program = create(text);
  EXPECT_TRUE(
      failed((*program)->plan({{1, {1LL << 40, 8}}, {2, {1LL << 40, 8}}})));
  EXPECT_NE(message.find("expected a grid size"), std::string::npos);
}

TEST_F(HostProgramTest, RefusesMoreSharedMemoryThanThereIs) {
  auto program = create(twoKernels.str());
  ASSERT_TRUE(succeeded(program)) << message;
  driver.sharedBytes = 49999;
  EXPECT_TRUE(failed((*program)->plan({{1, {17, 8}}, {2, {17, 8}}})));
  EXPECT_NE(message.find("expected a kernel that needs at most 49999 bytes of "
                         "shared memory but got 50000"),
            std::string::npos)
      << message;
  EXPECT_TRUE(driver.reserved.empty());
  driver.sharedBytes = 50000;
  EXPECT_TRUE(succeeded((*program)->plan({{1, {17, 8}}, {2, {17, 8}}})));
}

TEST_F(HostProgramTest, RefusesWrongForms) {
  EXPECT_NE(refusal("bin = \"good\"", "bin = \"worse\"")
                .find("has no object for this device: bad image"),
            std::string::npos)
      << message;
  EXPECT_NE(
      refusal("@f_kernels::@f_1", "@f_kernels::@absent").find("no such kernel"),
      std::string::npos)
      << message;
  EXPECT_NE(refusal("%y: memref<?x8xf16>", "%z: f32, %y: memref<?x8xf16>")
                .find("expected argument 1 to be a row-major memref"),
            std::string::npos)
      << message;
  EXPECT_NE(refusal("%p = arith.muli", "%p = arith.xori")
                .find("is not supported in the host form"),
            std::string::npos)
      << message;
}

TEST_F(HostProgramTest, TakesOneBranch) {
  std::string text = twoKernels.str();
  size_t at = text.find("%t = memref.alloc");
  text.insert(at, R"mlir(
    %small = arith.cmpi sle, %m, %c3 : index
    %some = arith.cmpi sle, %c1, %m : index
    %few = arith.andi %small, %some : i1
    scf.if %few {
      gpu.launch_func @f_kernels::@f_2 blocks in (%m, %c1, %c1)
          threads in (%c128, %c1, %c1)
          args(%x : memref<?x8xf16>, %y : memref<?x8xf16>)
    } else {
    )mlir");
  at = text.find("return");
  text.insert(at, "}\n");
  auto program = create(text);
  ASSERT_TRUE(succeeded(program)) << message;
  // Also kernels that are not launched are looked up.
  EXPECT_EQ(driver.names.size(), 3u);
  auto plan = (*program)->plan({{1000, {3, 8}}, {2000, {3, 8}}});
  ASSERT_TRUE(succeeded(plan)) << message;
  ASSERT_EQ(plan->getLaunches().size(), 1u);
  EXPECT_EQ(plan->getLaunches()[0].kernel, "f_2");
  EXPECT_EQ(driver.buffers, 0);
  plan = (*program)->plan({{1000, {4, 8}}, {2000, {4, 8}}});
  ASSERT_TRUE(succeeded(plan)) << message;
  ASSERT_EQ(plan->getLaunches().size(), 2u);
  EXPECT_EQ(plan->getLaunches()[0].kernel, "f_0");
  EXPECT_EQ(driver.buffers, 1);
}

TEST(DeviceBuffer, FindsWritesBeside) {
  FakeDriver driver;
  llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::create(driver, 10);
  ASSERT_TRUE(bool(buffer));
  cantFail(driver.fill(buffer->get(), 1, 10));
  EXPECT_FALSE(bool(buffer->checkGuards()));
  cantFail(driver.fill(buffer->get() + 10, 1, 1));
  llvm::Error error = buffer->checkGuards();
  EXPECT_EQ(llvm::toString(std::move(error)),
            "memory was written behind a buffer");
}

TEST(CudaDriver, SaysThatThereIsNone) {
  auto driver = createCudaDriver(0, "libcleave-no-such-driver.so");
  ASSERT_FALSE(bool(driver));
  EXPECT_EQ(llvm::toString(driver.takeError()),
            "no CUDA driver: cannot load 'libcleave-no-such-driver.so'");
}

} // namespace
