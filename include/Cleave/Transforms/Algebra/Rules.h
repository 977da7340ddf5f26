//===- Rules.h - Rules in PDL, loaded and interpreted -----------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules are written in PDLL and compiled to the pdl dialect by mlir-pdll. They
// are interpreted on an e-graph by a matcher of our own; upstream's works on IR
// and knows no multisets.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_RULES_H
#define CLEAVE_TRANSFORMS_ALGEBRA_RULES_H

#include "Cleave/Transforms/Algebra/Natives.h"
#include "Cleave/Transforms/EGraph/Runner.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::cleave {

/// One checked `pdl.pattern`.
struct RulePattern {
  std::string name;
  unsigned phase = 0;
  pdl::PatternOp op;
  /// The operation that the rewrite replaces.
  pdl::OperationOp root;
  SmallVector<pdl::ApplyNativeConstraintOp> constraints;
  /// For tests: the constraint that asks nothing.
  std::optional<unsigned> weakened = {};
};

/// Rules and the modules that own them.
class RuleSet {
public:
  /// Adds the rules that Cleave ships. Fails, with errors, where a rule and the
  /// table of phases disagree.
  LogicalResult addBuiltin(MLIRContext *context);
  /// Adds the rules of a file that mlir-pdll wrote.
  LogicalResult addFile(MLIRContext *context, StringRef path);
  /// Adds the rules of a text in the pdl dialect; `name` is for messages.
  LogicalResult addText(MLIRContext *context, StringRef text, StringRef name);

  ArrayRef<RulePattern> getPatterns() const { return patterns; }
  const RulePattern *lookup(StringRef name) const;

private:
  LogicalResult addModule(OwningOpRef<ModuleOp> module);

  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<RulePattern> patterns;
};

/// The operation that a part of a pattern stands for, or empty for any:
/// `add.pair` is `add`.
StringRef getOperationName(pdl::OperationOp op);

/// Checks one pattern: it must be interpretable, and nothing of its source may
/// have been lost. Emits an error at the part that is not.
FailureOr<RulePattern> checkPattern(pdl::PatternOp op);

/// A pattern on one e-graph.
class BoundRule final : public egraph::Rule {
public:
  BoundRule(const RulePattern &pattern, AlgebraGraph &graph)
      : pattern(pattern), graph(graph) {}

  llvm::StringRef getName() const override { return pattern.name; }
  unsigned getPhase() const override { return pattern.phase; }
  void search(const egraph::EGraph &,
              std::vector<egraph::Match> &matches) override;
  /// Searches one class only.
  void search(egraph::ClassId id, std::vector<egraph::Match> &matches);

private:
  const RulePattern &pattern;
  AlgebraGraph &graph;
};

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_RULES_H
