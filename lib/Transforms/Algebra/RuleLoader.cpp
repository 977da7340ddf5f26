//===- RuleLoader.cpp - Loading and checking rules ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-pdll drops literals of unregistered attributes and still succeeds: what
// the loader accepts must be complete, since a rule that lost a condition is a
// wrong rule.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Rules.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::cleave;

namespace {
struct BuiltinRule {
  const char *name;
  unsigned phase;
};
struct BuiltinModule {
  const char *name;
  const char *text;
};
} // namespace

/// The table that gives each rule its phase.
static const BuiltinRule builtinRules[] = {
#define CLEAVE_RULE(NAME, PHASE, CATALOGUE) {#NAME, PHASE},
#include "Rules/Rules.def"
};

/// The compiled .pdll files.
static const BuiltinModule builtinModules[] = {
#include "Rules.inc"
};

StringRef mlir::cleave::getOperationName(pdl::OperationOp op) {
  StringRef name = op.getOpName().value_or("");
  name.consume_back(".pair");
  return name;
}

/// Whether the op of `root` uses `op` through operands.
static void collectReachable(pdl::OperationOp op,
                             llvm::DenseSet<Operation *> &reachable) {
  if (!reachable.insert(op).second)
    return;
  for (Value operand : op.getOperandValues()) {
    Operation *def = operand.getDefiningOp();
    if (isa<pdl::ResultOp, pdl::ResultsOp>(def))
      def = def->getOperand(0).getDefiningOp();
    if (auto below = dyn_cast<pdl::OperationOp>(def))
      collectReachable(below, reachable);
  }
}

/// A literal that mlir-pdll dropped is an attribute that nothing else uses.
static LogicalResult checkAttribute(pdl::AttributeOp op) {
  if (op.getValueType())
    return op.emitError("expected an attribute without a type constraint");
  if (op.getValueAttr())
    return success();
  if (!llvm::hasNItemsOrMore(op->getUses(), 2))
    return op.emitError("expected a constrained attribute but got one that "
                        "nothing else mentions (mlir-pdll drops literals of "
                        "other than builtin attributes)");
  return success();
}

static LogicalResult checkTypes(Operation *op) {
  bool constrained = false;
  if (auto type = dyn_cast<pdl::TypeOp>(op))
    constrained = bool(type.getConstantTypeAttr());
  if (auto types = dyn_cast<pdl::TypesOp>(op))
    constrained = bool(types.getConstantTypesAttr());
  if (constrained)
    return op->emitError("expected no type constraint: types follow from the "
                         "operands");
  return success();
}

static LogicalResult checkOperation(pdl::OperationOp op) {
  bool isMatch = isa<pdl::PatternOp>(op->getParentOp());
  StringRef name = getOperationName(op);
  if (name.empty() && !isMatch)
    return op.emitError("expected a named operation");
  if (!name.empty() && !AlgebraGraph::isKnownOperation(name))
    return op.emitError("unknown operation '") << name << "'";
  unsigned ranges = llvm::count_if(op.getOperandValues(), [](Value value) {
    return isa_and_nonnull<pdl::OperandsOp>(value.getDefiningOp());
  });
  if (isMatch && (name == "cleave.sub" || name == "cleave.neg"))
    return op.emitError("expected a normal form but got '")
           << name << "': a - b is add(a, mul(-1, b)), and -a is mul(-1, a)";
  if (isMatch && ranges > 1)
    return op.emitError("expected at most one range among the operands");
  return success();
}

static LogicalResult checkConstraint(pdl::ApplyNativeConstraintOp op) {
  const NativeConstraint *native = lookupConstraint(op.getName());
  if (!native)
    return op.emitError("unknown constraint '") << op.getName() << "'";
  if (native->numArguments != op.getArgs().size() ||
      native->numResults != op.getNumResults())
    return op.emitError("expected constraint '")
           << op.getName() << "' to have " << native->numArguments
           << " arguments and " << native->numResults << " results but got "
           << op.getArgs().size() << " and " << op.getNumResults();
  if (op.getIsNegated() && native->numResults != 0)
    return op.emitError("expected a negated constraint without results");
  return success();
}

static LogicalResult checkRewrite(pdl::ApplyNativeRewriteOp op) {
  const NativeRewrite *native = lookupRewrite(op.getName());
  if (!native)
    return op.emitError("unknown rewrite '") << op.getName() << "'";
  if (native->numArguments != op.getArgs().size() || op.getNumResults() != 1)
    return op.emitError("expected rewrite '")
           << op.getName() << "' to have " << native->numArguments
           << " arguments and one result";
  return success();
}

/// Checks one operation of a pattern, `op` itself excepted.
static LogicalResult checkPart(Operation *part) {
  if (auto op = dyn_cast<pdl::AttributeOp>(part))
    return checkAttribute(op);
  if (auto op = dyn_cast<pdl::OperationOp>(part))
    return checkOperation(op);
  if (auto op = dyn_cast<pdl::ApplyNativeConstraintOp>(part))
    return checkConstraint(op);
  if (auto op = dyn_cast<pdl::ApplyNativeRewriteOp>(part))
    return checkRewrite(op);
  if (auto op = dyn_cast<pdl::ReplaceOp>(part)) {
    if (!op.getReplOperation() && op.getReplValues().size() != 1)
      return op.emitError("expected one value in place of the operation");
    return success();
  }
  if (isa<pdl::TypeOp, pdl::TypesOp>(part))
    return checkTypes(part);
  if (isa<pdl::RewriteOp, pdl::OperandOp, pdl::OperandsOp, pdl::ResultOp,
          pdl::ResultsOp, pdl::RangeOp>(part))
    return success();
  return part->emitError("is not supported in a rule");
}

FailureOr<RulePattern> mlir::cleave::checkPattern(pdl::PatternOp op) {
  RulePattern pattern;
  pattern.op = op;
  pattern.name = op.getSymName().value_or("").str();
  if (!StringRef(pattern.name).contains('_'))
    return op.emitError("expected a rule named Family_Name but got '")
           << pattern.name << "'";
  pdl::RewriteOp rewrite = op.getRewriter();
  if (!rewrite.getRoot() || rewrite.getName())
    return op.emitError("expected a rewrite of one operation, in PDL");
  pattern.root = rewrite.getRoot().getDefiningOp<pdl::OperationOp>();
  WalkResult walk = op->walk([&](Operation *part) {
    return part == op ? WalkResult::advance() : WalkResult(checkPart(part));
  });
  if (walk.wasInterrupted())
    return failure();
  auto replaces = rewrite.getBodyRegion().getOps<pdl::ReplaceOp>();
  if (!llvm::hasSingleElement(replaces) ||
      (*replaces.begin()).getOpValue() != rewrite.getRoot())
    return rewrite.emitError("expected the root to be replaced once");
  llvm::DenseSet<Operation *> reachable;
  collectReachable(pattern.root, reachable);
  for (Operation &part : op.getBodyRegion().front()) {
    if (isa<pdl::OperationOp>(part) && !reachable.contains(&part))
      return part.emitError("expected an operand of the replaced operation");
    if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(part))
      pattern.constraints.push_back(constraint);
  }
  return pattern;
}

LogicalResult RuleSet::addModule(OwningOpRef<ModuleOp> module) {
  for (auto op : module->getOps<pdl::PatternOp>()) {
    FailureOr<RulePattern> pattern = checkPattern(op);
    if (failed(pattern))
      return failure();
    if (lookup(pattern->name))
      return op.emitError("rule '") << pattern->name << "' is defined twice";
    patterns.push_back(std::move(*pattern));
  }
  modules.push_back(std::move(module));
  return success();
}

LogicalResult RuleSet::addText(MLIRContext *context, StringRef text,
                               StringRef name) {
  context->loadDialect<pdl::PDLDialect>();
  auto module = parseSourceString<ModuleOp>(text, context, name);
  return module ? addModule(std::move(module)) : failure();
}

LogicalResult RuleSet::addFile(MLIRContext *context, StringRef path) {
  context->loadDialect<pdl::PDLDialect>();
  auto module = parseSourceFile<ModuleOp>(path, context);
  return module ? addModule(std::move(module)) : failure();
}

LogicalResult RuleSet::addBuiltin(MLIRContext *context) {
  size_t first = patterns.size();
  for (const BuiltinModule &module : builtinModules)
    if (failed(addText(context, module.text, module.name)))
      return failure();
  std::map<StringRef, unsigned> phases;
  for (const BuiltinRule &rule : builtinRules)
    phases[rule.name] = rule.phase;
  for (RulePattern &pattern : llvm::drop_begin(patterns, first)) {
    auto it = phases.find(pattern.name);
    if (it == phases.end())
      return pattern.op.emitError("rule '")
             << pattern.name << "' does not stand in Rules.def";
    pattern.phase = it->second;
    phases.erase(it);
  }
  if (!phases.empty())
    return emitError(UnknownLoc::get(context), "rule '")
           << phases.begin()->first << "' of Rules.def has no pattern";
  return success();
}

const RulePattern *RuleSet::lookup(StringRef name) const {
  for (const RulePattern &pattern : patterns)
    if (pattern.name == name)
      return &pattern;
  return nullptr;
}
