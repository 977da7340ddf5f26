//===- RuleMatcher.cpp - Interpreting PDL on an e-graph -------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches a pattern by backtracking: each way to choose nodes of classes,
// elements of multisets and answers of constraints is a match of its own.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Rules.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

namespace {

using BindingMap = llvm::DenseMap<Value, Binding>;
/// The nodes that a match chose for the pattern's operations.
using ChosenNodes = llvm::SmallDenseMap<Operation *, Node, 4>;
using Continue = function_ref<void()>;

class Matcher {
public:
  Matcher(const RulePattern &pattern, const AlgebraGraph &graph,
          function_ref<void(const BindingMap &, const ChosenNodes &)> found)
      : pattern(pattern), graph(graph), found(found) {}

  void matchRoot(ClassId id) {
    matchOperation(pattern.root, id, [&] { runConstraints(0); });
  }

private:
  void matchOperation(pdl::OperationOp op, ClassId id, Continue next);
  void matchAttributes(pdl::OperationOp op, DictionaryAttr payload,
                       unsigned index, Continue next);
  void matchOrdered(ValueRange operands, ArrayRef<ClassId> children,
                    Continue next);
  void matchUnordered(ValueRange operands, ArrayRef<ClassId> children,
                      Continue next);
  void matchValue(Value value, ClassId id, Continue next);
  void runConstraints(unsigned index);

  /// Continues with `value` bound, or drops out if it is bound otherwise.
  void bind(Value value, Binding binding, Continue next) {
    auto [it, isNew] = bindings.try_emplace(value, binding);
    if (!isNew) {
      llvm::sort(binding.classes);
      Binding old = it->second;
      llvm::sort(old.classes);
      if (old.classes == binding.classes && old.attribute == binding.attribute)
        next();
      return;
    }
    next();
    bindings.erase(value);
  }

  static bool isRange(Value value) {
    return isa_and_nonnull<pdl::OperandsOp>(value.getDefiningOp());
  }

  Binding get(Value value) const {
    if (auto it = bindings.find(value); it != bindings.end())
      return it->second;
    // The result of a matched operation, as a constraint sees it.
    Operation *def = value.getDefiningOp();
    if (isa_and_nonnull<pdl::ResultOp, pdl::ResultsOp>(def))
      return Binding{get(def->getOperand(0)).classes, {}};
    Binding literal;
    if (auto attribute = value.getDefiningOp<pdl::AttributeOp>())
      literal.attribute = attribute.getValueAttr();
    return literal;
  }

  const RulePattern &pattern;
  const AlgebraGraph &graph;
  function_ref<void(const BindingMap &, const ChosenNodes &)> found;
  BindingMap bindings;
  ChosenNodes chosen;
};

} // namespace

void Matcher::matchOperation(pdl::OperationOp op, ClassId id, Continue next) {
  StringRef name = getOperationName(op);
  // A constant is taken as such: the ways to compute it lead back to it,
  // without end.
  bool isConstant = graph.findNode(id, OpKind::Constant);
  for (const Node &node : graph.getGraph().getClass(id).nodes) {
    if (isConstant && graph.getKind(node) != OpKind::Constant)
      continue;
    if (!name.empty() && graph.getGraph().getName(node.symbol) != name)
      continue;
    bool unordered = graph.getGraph().isUnordered(node.symbol);
    chosen[op] = node;
    auto matchOperands = [&] {
      auto bound = [&] {
        bind(op, Binding{{id}, {}, {{node.symbol, node.payload}}}, next);
      };
      if (unordered)
        matchUnordered(op.getOperandValues(), node.children, bound);
      else
        matchOrdered(op.getOperandValues(), node.children, bound);
    };
    matchAttributes(op, graph.getPayload(node), 0, matchOperands);
  }
}

void Matcher::matchAttributes(pdl::OperationOp op, DictionaryAttr payload,
                              unsigned index, Continue next) {
  if (index == op.getAttributeValues().size())
    return next();
  auto name = cast<StringAttr>(op.getAttributeValueNames()[index]);
  Value value = op.getAttributeValues()[index];
  Attribute actual = payload.get(name);
  if (!actual)
    return;
  Attribute literal = value.getDefiningOp<pdl::AttributeOp>().getValueAttr();
  if (literal && literal != actual)
    return;
  bind(value, Binding{{}, actual},
       [&] { matchAttributes(op, payload, index + 1, next); });
}

void Matcher::matchOrdered(ValueRange operands, ArrayRef<ClassId> children,
                           Continue next) {
  if (operands.empty()) {
    if (children.empty())
      next();
    return;
  }
  Value first = operands.front();
  size_t taken = 1;
  if (isRange(first)) {
    if (operands.size() - 1 > children.size())
      return;
    taken = children.size() - (operands.size() - 1);
  } else if (children.empty()) {
    return;
  }
  auto rest = [&] {
    matchOrdered(operands.drop_front(), children.drop_front(taken), next);
  };
  if (isRange(first))
    bind(first,
         Binding{SmallVector<ClassId, 4>(children.take_front(taken)), {}},
         rest);
  else
    matchValue(first, children.front(), rest);
}

void Matcher::matchUnordered(ValueRange operands, ArrayRef<ClassId> children,
                             Continue next) {
  auto single = llvm::find_if(operands, [](Value v) { return !isRange(v); });
  if (single == operands.end()) {
    // At most one range is left, which takes the others.
    if (!operands.empty())
      return bind(operands.front(),
                  Binding{SmallVector<ClassId, 4>(children), {}}, next);
    if (children.empty())
      next();
    return;
  }
  SmallVector<Value> others;
  for (auto it = operands.begin(); it != operands.end(); ++it)
    if (it != single)
      others.push_back(*it);
  for (auto [i, child] : llvm::enumerate(children)) {
    // Equal children give equal matches.
    if (llvm::is_contained(children.take_front(i), child))
      continue;
    SmallVector<ClassId, 4> left(children);
    left.erase(left.begin() + i);
    matchValue(*single, child, [&] { matchUnordered(others, left, next); });
  }
}

void Matcher::matchValue(Value value, ClassId id, Continue next) {
  Operation *def = value.getDefiningOp();
  if (isa<pdl::ResultOp, pdl::ResultsOp>(def))
    return matchOperation(def->getOperand(0).getDefiningOp<pdl::OperationOp>(),
                          id, next);
  bind(value, Binding{{id}, {}}, next);
}

void Matcher::runConstraints(unsigned index) {
  if (index == pattern.constraints.size())
    return found(bindings, chosen);
  pdl::ApplyNativeConstraintOp op = pattern.constraints[index];
  SmallVector<Binding> arguments;
  for (Value argument : op.getArgs())
    arguments.push_back(get(argument));
  const NativeConstraint &native = *lookupConstraint(op.getName());
  bool isWeakened = pattern.weakened == index;
  if (isWeakened && native.numResults == 0)
    return runConstraints(index + 1);
  std::vector<SmallVector<Binding>> answers;
  (isWeakened ? native.runWeakened : native.run)(
      graph, arguments,
      [&](ArrayRef<Binding> results) { answers.emplace_back(results); });
  if (op.getIsNegated()) {
    if (answers.empty())
      runConstraints(index + 1);
    return;
  }
  for (const SmallVector<Binding> &results : answers) {
    for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
      bindings[value] = result;
    runConstraints(index + 1);
    for (Value value : op.getResults())
      bindings.erase(value);
  }
}

//===----------------------------------------------------------------------===//
// The other side
//===----------------------------------------------------------------------===//

namespace {
class RewriteBuilder {
public:
  RewriteBuilder(BindingMap bindings, AlgebraGraph &graph)
      : bindings(std::move(bindings)), graph(graph) {}

  /// Runs the rewrite; empty where it asks for an operation that cannot be.
  std::optional<ClassId> run(pdl::RewriteOp rewrite) {
    for (Operation &op : rewrite.getBodyRegion().front()) {
      if (auto replace = dyn_cast<pdl::ReplaceOp>(op)) {
        Value value = replace.getReplOperation();
        Binding result = get(value ? value : replace.getReplValues().front());
        if (result.classes.size() != 1)
          return std::nullopt;
        return result.classes[0];
      }
      if (!build(op))
        return std::nullopt;
    }
    return std::nullopt;
  }

private:
  bool build(Operation &op);
  bool buildOperation(pdl::OperationOp op);

  Binding get(Value value) const {
    auto it = bindings.find(value);
    if (it != bindings.end())
      return it->second;
    // The result of a matched operation.
    Operation *def = value.getDefiningOp();
    return isa_and_nonnull<pdl::ResultOp, pdl::ResultsOp>(def)
               ? Binding{get(def->getOperand(0)).classes, {}}
               : Binding();
  }
  Binding concat(ValueRange values) const {
    Binding result;
    for (Value value : values)
      result.classes.append(get(value).classes);
    return result;
  }

  BindingMap bindings;
  AlgebraGraph &graph;
};
} // namespace

bool RewriteBuilder::buildOperation(pdl::OperationOp op) {
  NamedAttrList attributes;
  for (auto [name, value] :
       llvm::zip_equal(op.getAttributeValueNames(), op.getAttributeValues())) {
    Binding binding = get(value);
    if (!binding.attribute)
      return false;
    attributes.set(cast<StringAttr>(name), binding.attribute);
  }
  DictionaryAttr payload = attributes.getDictionary(graph.getContext());
  Binding operands = concat(op.getOperandValues());
  StringRef name = getOperationName(op);
  if (!graph.isValid(name, payload, operands.classes))
    return false;
  ClassId id = graph.add(name, payload, operands.classes);
  bindings[op] = Binding{{id}, {}};
  return true;
}

bool RewriteBuilder::build(Operation &part) {
  if (auto op = dyn_cast<pdl::OperationOp>(part))
    return buildOperation(op);
  if (auto op = dyn_cast<pdl::RangeOp>(part)) {
    bindings[op.getResult()] = concat(op.getArguments());
  } else if (isa<pdl::ResultOp, pdl::ResultsOp>(part)) {
    bindings[part.getResult(0)] = Binding{get(part.getOperand(0)).classes, {}};
  } else if (auto op = dyn_cast<pdl::AttributeOp>(part)) {
    bindings[op.getResult()] = Binding{{}, op.getValueAttr()};
  } else if (auto op = dyn_cast<pdl::ApplyNativeRewriteOp>(part)) {
    SmallVector<Binding> arguments;
    for (Value argument : op.getArgs())
      arguments.push_back(get(argument));
    std::optional<Binding> result =
        lookupRewrite(op.getName())->run(graph, arguments);
    if (!result)
      return false;
    bindings[op.getResult(0)] = *result;
  }
  return true;
}

/// The term of a match: the chosen nodes with each other for children, and
/// whatever stands for the classes elsewhere.
static ClassId buildMatched(EGraph &graph, pdl::OperationOp op,
                            const BindingMap &bindings,
                            const ChosenNodes &chosen) {
  const Node &node = chosen.find(op)->second;
  Node term = node;
  bool positional =
      !graph.isUnordered(node.symbol) &&
      llvm::none_of(op.getOperandValues(), [](Value value) {
        return isa_and_nonnull<pdl::OperandsOp>(value.getDefiningOp());
      });
  SmallVector<bool> replaced(node.children.size());
  for (auto [i, value] : llvm::enumerate(op.getOperandValues())) {
    Operation *def = value.getDefiningOp();
    if (!isa_and_nonnull<pdl::ResultOp, pdl::ResultsOp>(def))
      continue;
    auto part = def->getOperand(0).getDefiningOp<pdl::OperationOp>();
    ClassId id = bindings.lookup(part.getResult()).classes[0];
    size_t position = i;
    if (!positional || node.children[i] != id)
      for (position = 0; node.children[position] != id || replaced[position];)
        ++position;
    replaced[position] = true;
    term.children[position] = buildMatched(graph, part, bindings, chosen);
  }
  return graph.addTerm(term, graph.getTermOf(node));
}

void BoundRule::search(const EGraph &, std::vector<Match> &matches) {
  for (ClassId id : graph.getGraph().getClassIds())
    search(id, matches);
}

/// Whether a part of a match is narrower than its f64 root: the other side
/// could then compute in f32 what the root computes in f64.
static bool isNarrowed(const AlgebraGraph &graph, ClassId root,
                       const BindingMap &bindings) {
  return graph.getElementType(root).isF64() &&
         llvm::any_of(bindings, [&](const auto &entry) {
           return llvm::any_of(entry.second.classes, [&](ClassId id) {
             Type type = graph.getElementType(id);
             return isa<FloatType>(type) && !type.isF64();
           });
         });
}

void BoundRule::search(ClassId id, std::vector<Match> &matches) {
  auto found = [&](const BindingMap &bindings, const ChosenNodes &chosen) {
    if (isNarrowed(graph, id, bindings))
      return;
    // Literals of the pattern that only the rewrite uses.
    BindingMap complete = bindings;
    for (auto op : pattern.op->getRegion(0).front().getOps<pdl::AttributeOp>())
      if (op.getValueAttr())
        complete[op.getResult()] = Binding{{}, op.getValueAttr()};
    pdl::PatternOp op = pattern.op;
    pdl::RewriteOp rewrite = op.getRewriter();
    // Not `this`: matches outlive the rule that found them.
    AlgebraGraph &into = graph;
    Match match;
    match.root = id;
    match.build = [&into, complete, rewrite](EGraph &) {
      return RewriteBuilder(complete, into).run(rewrite);
    };
    if (into.getGraph().getProofs())
      match.buildMatched = [complete, chosen, root = pattern.root](EGraph &g) {
        return buildMatched(g, root, complete, chosen);
      };
    matches.push_back(std::move(match));
  };
  Matcher(pattern, graph, found).matchRoot(id);
}
