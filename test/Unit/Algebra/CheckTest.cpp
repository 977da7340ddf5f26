//===- CheckTest.cpp - The final check finds wrong graphs -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With rules that no verification has seen.
//
//===----------------------------------------------------------------------===//

#include "AlgebraFixture.h"
#include "Cleave/Transforms/CheckAlternatives.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Right for one position only.
constexpr StringRef wrongRule = R"mlir(
pdl.pattern @Wrong_SumIsMax : benefit(0) {
  %x = operand
  %a = attribute
  %t = types
  %0 = operation "cleave.reduce_sum"(%x : !pdl.value) {"axes" = %a} -> (%t : !pdl.range<type>)
  rewrite %0 {
    %1 = operation "cleave.reduce_max"(%x : !pdl.value) {"axes" = %a} -> (%t : !pdl.range<type>)
    replace %0 with %1
  }
})mlir";

constexpr StringRef sumOfSquares = R"mlir(
#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
func.func @f(%x: tensor<?x4096xf32, #M_K>, %y: tensor<4096xf32, #K>) -> tensor<?xf32, #M> {
  %p = cleave.mul %x, %y : (tensor<?x4096xf32, #M_K>, tensor<4096xf32, #K>) -> tensor<4096x?xf32, #K_M>
  %s = cleave.reduce_sum %p over [K] : (tensor<4096x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %s : tensor<?xf32, #M>
})mlir";

class CheckTest : public AlgebraFixture {
protected:
  /// Optimizes and checks; `blame` gets what is said of the first failure.
  SmallVector<CheckFailure> check(StringRef text, StringRef extraRules,
                                  std::string &blame) {
    func::FuncOp function = parse(text);
    RuleSet rules;
    EXPECT_TRUE(succeeded(rules.addBuiltin(&context)));
    if (!extraRules.empty() &&
        failed(rules.addText(&context, extraRules, "test")))
      ADD_FAILURE() << message;
    AlgebraOptions options;
    FailureOr<OptimizedFunction> result = optimize(function, rules, options);
    EXPECT_TRUE(succeeded(result)) << message;
    auto regions = emitAlternatives(function, *result, 4, false,
                                    [](Block &) { return false; });
    EXPECT_TRUE(succeeded(regions)) << message;
    AlternativesOp alternatives = *function.getOps<AlternativesOp>().begin();
    unsigned input = llvm::find_if(*regions,
                                   [](const RegionOrigin &region) {
                                     return region.isInput();
                                   }) -
                     regions->begin();
    SmallVector<std::string> notes;
    auto instances = makeInstances(function, input, CheckLevel::Small, notes);
    EXPECT_EQ(instances.size(), 3u);
    auto failures =
        checkAlternatives(function, alternatives, input, instances, notes);
    EXPECT_TRUE(notes.empty()) << notes[0];
    if (!failures.empty())
      blame = findWrongRule(*cloneInput(function, alternatives, input), rules,
                            options, *(*regions)[failures[0].region].extracted,
                            instances[failures[0].instance]);
    return failures;
  }
};

TEST_F(CheckTest, WrongRuleIsNamed) {
  std::string blame;
  SmallVector<CheckFailure> failures = check(sumOfSquares, wrongRule, blame);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].difference.find("result 0 has a relative error"),
            std::string::npos);
  EXPECT_EQ(blame,
            "its rules: Wrong_SumIsMax; the first to change the numbers: "
            "Wrong_SumIsMax");
}

TEST_F(CheckTest, RightRulesPass) {
  std::string blame;
  EXPECT_TRUE(check(sumOfSquares, "", blame).empty());
}

TEST_F(CheckTest, StaticAxesBecomeSmall) {
  func::FuncOp function = parse(sumOfSquares);
  SmallVector<std::string> notes;
  std::set<int64_t> seen;
  for (const CheckInstance &instance :
       makeInstances(function, 0, CheckLevel::Small, notes)) {
    EXPECT_LE(instance.extents.at("K"), 7);
    EXPECT_GE(instance.extents.at("K"), 1);
    seen.insert(instance.extents.at("K"));
  }
  EXPECT_GT(seen.size(), 1u);
}

/// Axes that are mapped over are sampled; the others have their whole extent
/// unless that is too much.
TEST_F(CheckTest, OriginalExtents) {
  func::FuncOp function = parse(R"mlir(
#M_K = #cleave.axes<M, K>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
func.func @f(%x: tensor<100000x4096xf16, #M_K>, %w: tensor<4096x100000xf16, #K_N>) -> tensor<100000x100000xf32, #M_N> {
  %y = cleave.contract %x, %w over [K] : (tensor<100000x4096xf16, #M_K>, tensor<4096x100000xf16, #K_N>) -> tensor<100000x100000xf32, #M_N>
  return %y : tensor<100000x100000xf32, #M_N>
})mlir");
  SmallVector<std::string> notes;
  auto instances = makeInstances(function, 0, CheckLevel::Full, notes);
  ASSERT_EQ(instances.size(), 4u);
  EXPECT_EQ(instances[3].extents.at("K"), 4096);
  EXPECT_EQ(instances[3].arguments[0].size(), 3 * 4096);
  std::string note;
  auto results = instances[3].run(function, 0, note);
  ASSERT_TRUE(results) << note;
  EXPECT_EQ((*results)[0].size(), 9);
  EXPECT_TRUE(notes.empty());

  function = parse(R"mlir(
#K_L = #cleave.axes<K, L>
#s = #cleave.axes<>
func.func @f(%x: tensor<100000x4096xf32, #K_L>) -> tensor<f32, #s> {
  %y = cleave.reduce_sum %x over [K, L] : (tensor<100000x4096xf32, #K_L>) -> tensor<f32, #s>
  return %y : tensor<f32, #s>
})mlir");
  ASSERT_EQ(makeInstances(function, 0, CheckLevel::Full, notes).size(), 4u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0],
            "axis 'K' is checked at an extent of 3125 instead of 100000");
}

} // namespace
