//===- MutationTest.cpp - Rules without one of their conditions -----------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule that ships, once without each of its native constraints: without a
// condition, verification finds a counterexample; without a guard (Worth...) it
// does not, since both sides are equal all the same.
//
//===----------------------------------------------------------------------===//

#include "AlgebraFixture.h"
#include "Cleave/Transforms/Algebra/VerifyRules.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Conditions that no instance can show to matter. docs/rules.md proves each.
const std::pair<StringRef, StringRef> kProven[] = {
    {"", ""},
};

class MutationTest : public AlgebraFixture {
protected:
  /// Whether verification finds a counterexample to the pattern without its
  /// constraint `index`.
  bool isCaught(RulePattern pattern, unsigned index, unsigned instances) {
    pattern.weakened = index;
    VerifyOptions options;
    options.instances = instances;
    options.attempts = 1000 * instances;
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      text = diagnostic.str();
      return success();
    });
    (void)verifyRule(pattern, options);
    return StringRef(text).contains("wrong rule");
  }
};

TEST_F(MutationTest, EachConditionMatters) {
  RuleSet rules;
  ASSERT_TRUE(succeeded(rules.addBuiltin(&context)));
  unsigned conditions = 0, guards = 0;
  for (const RulePattern &pattern : rules.getPatterns()) {
    for (auto [index, op] : llvm::enumerate(pattern.constraints)) {
      const NativeConstraint *native =
          lookupConstraint(pdl::ApplyNativeConstraintOp(op).getName());
      std::pair<StringRef, StringRef> key(pattern.name, native->name);
      if (native->isGuard()) {
        ++guards;
        EXPECT_FALSE(isCaught(pattern, index, 100))
            << pattern.name << " is wrong without the guard "
            << native->name.str();
      } else if (native->isCondition() && !llvm::is_contained(kProven, key)) {
        ++conditions;
        EXPECT_TRUE(isCaught(pattern, index, 1000))
            << pattern.name << " is as right without " << native->name.str();
      }
    }
  }
  EXPECT_GT(conditions, 80u);
  EXPECT_GT(guards, 10u);
}

} // namespace
