//===- VerifyRules.cpp - Verify rules on random instances -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules are tested, not trusted: those that ship and those of users.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/VerifyRules.h"
#include "Cleave/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::cleave {
#define GEN_PASS_DEF_CLEAVEVERIFYRULESPASS
#include "Cleave/Transforms/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

namespace {

struct CleaveVerifyRulesPass
    : cleave::impl::CleaveVerifyRulesPassBase<CleaveVerifyRulesPass> {
  using CleaveVerifyRulesPassBase::CleaveVerifyRulesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto loaded = loadRules(context, rules, /*verify=*/false);
    if (failed(loaded))
      return failure();
    for (const std::string &name : names)
      if (!(*loaded)->lookup(name))
        return emitError(UnknownLoc::get(context))
               << "unknown rule '" << name << "'";
    ruleSet = *loaded;
    return success();
  }

  void runOnOperation() override {
    VerifyOptions options;
    options.seed = seed;
    unsigned verified = 0;
    bool failedAny = false;
    for (const RulePattern &pattern : ruleSet->getPatterns()) {
      if (!names.empty() && !llvm::is_contained(names, pattern.name))
        continue;
      if (succeeded(verifyRule(pattern, options)))
        ++verified;
      else
        failedAny = true;
    }
    llvm::outs() << verified << " rules verified\n";
    llvm::outs().flush();
    if (failedAny)
      signalPassFailure();
  }

private:
  std::shared_ptr<const RuleSet> ruleSet;
};

} // namespace
