//===- GraphBuilder.h - Functions for tests of fold formation ---*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds one graph in several guises: axes under other names (so that they sort
// in another order), arguments in another storage order, operands reversed.
// Evaluates it before and after fold formation, in tiles and parts, and after
// the split phase for several numbers of parts.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_FOLDS_GRAPHBUILDER_H
#define CLEAVE_TEST_UNIT_FOLDS_GRAPHBUILDER_H

#include "Cleave/Evaluator/Evaluator.h"
#include "Cleave/Transforms/FormFolds.h"
#include "Cleave/Transforms/SplitReductions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

namespace mlir::cleave {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How a graph is written.
struct Guise {
  bool renamed = false;
  bool reordered = false;
};
constexpr Guise kGuises[] = {{false, false}, {true, false}, {true, true}};

/// The tiles and parts that no result may depend on; 11 positions.
constexpr std::pair<int64_t, int64_t> kTilings[] = {
    {0, 1}, {1, 1}, {3, 1}, {4, 1}, {100, 1}, {1, 2}, {3, 3}, {4, 2}, {2, 7}};

/// Numbers of parts for the symbols that the split phase makes; the last one
/// leaves parts empty. And tilings of what is folded in the parts.
constexpr int64_t kSplits[] = {1, 2, 3, 7, 20};
constexpr std::pair<int64_t, int64_t> kSplitTilings[] = {
    {0, 1}, {1, 1}, {3, 2}};

using Generator = std::function<double(std::mt19937 &)>;
inline Generator gauss(double mean, double deviation) {
  return [=](std::mt19937 &random) {
    return std::normal_distribution<double>(mean, deviation)(random);
  };
}
inline Generator always(std::vector<double> values) {
  auto next = std::make_shared<size_t>(0);
  return [=](std::mt19937 &) { return values[(*next)++ % values.size()]; };
}

class Graph {
public:
  Graph(MLIRContext &context, Guise guise)
      : builder(&context), guise(guise),
        module(ModuleOp::create(UnknownLoc::get(&context))) {
    builder.setInsertionPointToEnd(module->getBody());
    function = func::FuncOp::create(builder, loc(), "f",
                                    builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  // Leaves.
  Value argument(StringRef axes, Generator generator, double range = 0,
                 bool half = false) {
    std::vector<std::string> names;
    for (char axis : axes)
      names.push_back(rename(axis));
    if (guise.reordered)
      std::reverse(names.begin(), names.end());
    SmallVector<StringRef> refs(names.begin(), names.end());
    SmallVector<int64_t> shape(names.size(), ShapedType::kDynamic), extents;
    for (char axis : axes)
      extents.push_back(extentOf(axis));
    if (guise.reordered)
      std::reverse(extents.begin(), extents.end());
    Type element = half ? Type(builder.getF16Type()) : builder.getF32Type();
    auto type = RankedTensorType::get(
        shape, element, AxesAttr::get(builder.getContext(), refs));
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, type, {}, loc());
    if (range > 0)
      function.setArgAttr(index, CleaveDialect::kRangeAttrName,
                          builder.getF64FloatAttr(range));
    HostArray array(ElementKind::F64, extents);
    std::vector<double> values(array.size());
    for (double &value : values)
      value = generator(random);
    array.assign(values);
    arguments.push_back(std::move(array));
    return function.getArgument(index);
  }
  Value number(double value) {
    return ConstantOp::create(builder, loc(), value);
  }
  Value extent(char axis) {
    return ExtentOp::create(builder, loc(),
                            builder.getStringAttr(rename(axis)));
  }

  // Operations.
  template <typename Op> Value unary(Value x) {
    return Op::create(builder, loc(), x);
  }
  template <typename Op> Value variadic(SmallVector<Value> operands) {
    if (guise.reordered)
      std::reverse(operands.begin(), operands.end());
    return Op::create(builder, loc(), operands);
  }
  Value add(SmallVector<Value> operands) { return variadic<AddOp>(operands); }
  Value mul(SmallVector<Value> operands) { return variadic<MulOp>(operands); }
  Value sub(Value a, Value b) { return SubOp::create(builder, loc(), a, b); }
  Value div(Value a, Value b) { return DivOp::create(builder, loc(), a, b); }
  Value pow(Value x, double exponent) {
    return PowOp::create(builder, loc(), x, number(exponent));
  }
  Value exp(Value x) { return unary<ExpOp>(x); }
  Value sum(Value x, StringRef axes) {
    return ReduceSumOp::create(builder, loc(), x, axesOf(axes));
  }
  Value max(Value x, StringRef axes) {
    return ReduceMaxOp::create(builder, loc(), x, axesOf(axes));
  }
  Value min(Value x, StringRef axes) {
    return ReduceMinOp::create(builder, loc(), x, axesOf(axes));
  }
  Value prod(Value x, StringRef axes) {
    return ReduceProdOp::create(builder, loc(), x, axesOf(axes));
  }
  Value contract(Value a, Value b, StringRef axes) {
    if (guise.reordered)
      std::swap(a, b);
    return ContractOp::create(builder, loc(), a, b, axesOf(axes), TypeAttr());
  }
  Value select(Value condition, Value a, Value b) {
    return SelectOp::create(builder, loc(), condition, a, b);
  }
  /// The maximum where it is finite, else 0.
  Value shift(Value maximum) {
    return select(unary<IsFiniteOp>(maximum), maximum, number(0));
  }
  Value mean(Value x, char axis) {
    return mul({sum(x, StringRef(&axis, 1)), unary<RecipOp>(extent(axis))});
  }
  Value compare(CmpPredicate predicate, Value a, Value b) {
    return CmpOp::create(builder, loc(), predicate, a, b);
  }
  /// The position along an axis.
  Value iota(char axis) {
    auto type =
        RankedTensorType::get({ShapedType::kDynamic}, builder.getF32Type(),
                              axesOf(StringRef(&axis, 1)));
    return IotaOp::create(builder, loc(), type,
                          builder.getStringAttr(rename(axis)));
  }
  /// -inf where `mask` is negative.
  Value maskBelow(Value x, Value mask) {
    Value keep = compare(CmpPredicate::ge, mask, number(0));
    return select(keep, x, number(-kInfinity));
  }
  /// `axis` as (outer, inner).
  Value split(Value x, char axis, char outer, char inner) {
    auto input = cast<RankedTensorType>(x.getType());
    AxesAttr removed = axesOf(StringRef(&axis, 1));
    char added[] = {outer, inner};
    AxesAttr axes =
        cleave::getAxes(x).without(removed).unionWith(axesOf({added, 2}));
    SmallVector<int64_t> shape(axes.size(), ShapedType::kDynamic);
    auto type = RankedTensorType::get(shape, input.getElementType(), axes);
    return SplitOp::create(builder, loc(), type, x,
                           builder.getStringAttr(rename(axis)),
                           builder.getStringAttr(rename(outer)),
                           builder.getStringAttr(rename(inner)));
  }
  /// In another storage order.
  Value relayout(Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<StringAttr> names(llvm::reverse(cleave::getAxes(x).getNames()));
    SmallVector<int64_t> shape(llvm::reverse(type.getShape()));
    return RelayoutOp::create(
        builder, loc(),
        RankedTensorType::get(
            shape, type.getElementType(),
            AxesAttr::get(builder.getContext(), ArrayRef<StringAttr>(names))),
        x);
  }
  Value toHalf(Value x) {
    return CastOp::create(builder, loc(), x, builder.getF16Type());
  }

  /// Ends the function.
  void finish(ValueRange results) {
    func::ReturnOp::create(builder, loc(), results);
    function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                             results.getTypes()));
    ASSERT_TRUE(succeeded(verify(*module)));
  }

  /// The results' values, one after the other.
  std::vector<double> evaluate(int64_t tile, int64_t parts) {
    EvaluatorOptions options;
    options.foldTile = tile;
    options.foldParts = parts;
    options.alternative = alternative;
    Bindings symbols;
    for (auto [axis, extent] : bound)
      symbols[rename(axis)] = extent;
    for (const std::string &symbol : splitSymbols)
      symbols[symbol] = splitCount;
    auto results = cleave::evaluate(function, arguments, symbols, options);
    EXPECT_TRUE(succeeded(results));
    std::vector<double> all;
    if (failed(results))
      return all;
    for (const HostArray &result : *results) {
      std::vector<double> values(result.size());
      result.copyTo(values);
      llvm::append_range(all, values);
    }
    return all;
  }

  /// Forms folds; the number of states of each.
  std::vector<size_t> formFolds(Numerics numerics = Numerics::Strict) {
    EXPECT_TRUE(succeeded(cleave::formFolds(function, numerics)));
    EXPECT_TRUE(succeeded(verify(*module)));
    std::vector<size_t> states;
    function.walk([&](FoldOp fold) { states.push_back(fold.getNumStates()); });
    return states;
  }

  /// Splits all reductions; the numbers of parts are symbols from then on.
  void split() {
    ASSERT_TRUE(succeeded(splitReductions(function)));
    ASSERT_TRUE(succeeded(verify(*module)));
    bindSymbols();
  }

  /// Finds the symbols of splits.
  void bindSymbols() {
    auto symbols =
        function->getAttrOfType<SymbolsAttr>(CleaveDialect::kSymbolsAttrName);
    for (SymbolAttr symbol :
         symbols ? symbols.getSymbols() : ArrayRef<SymbolAttr>())
      if (symbol.getKind() == AxisKind::Bound)
        splitSymbols.push_back(symbol.getName().str());
  }

  /// Checks that neither a tiling nor a split changes what the function gave
  /// before.
  void expectResults(const std::vector<double> &expected, double tolerance) {
    expectResultsIn(kTilings, expected, tolerance);
    split();
    for (int64_t count : kSplits) {
      SCOPED_TRACE("split into " + std::to_string(count));
      splitCount = count;
      expectResultsIn(kSplitTilings, expected, tolerance);
    }
  }

  void expectResultsIn(ArrayRef<std::pair<int64_t, int64_t>> tilings,
                       const std::vector<double> &expected, double tolerance) {
    for (auto [tile, parts] : tilings) {
      std::vector<double> got = evaluate(tile, parts);
      ASSERT_EQ(got.size(), expected.size());
      for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(got, expected))) {
        auto [a, b] = pair;
        if (!std::isfinite(b))
          EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
              << a << " for " << b << " at " << i << " in tiles of " << tile
              << ", parts " << parts;
        else
          EXPECT_NEAR(a, b, tolerance * std::max(std::abs(b), 1e-30))
              << "at " << i << " in tiles of " << tile << ", parts " << parts;
      }
    }
  }

  /// Whether `value` has the axis.
  bool varies(Value value, char axis) {
    return cleave::getAxes(value).contains(builder.getStringAttr(rename(axis)));
  }
  func::FuncOp getFunction() { return function; }
  int64_t extentOf(char axis) const {
    auto it = extents.find(axis);
    return it == extents.end() ? 2 : it->second;
  }
  /// Extents by axis; others are 2.
  /// Extents of axes that no argument has.
  std::map<char, int64_t> bound;
  std::map<char, int64_t> extents = {{'K', 11}, {'T', 11}, {'N', 3}};
  /// Which region of alternatives is evaluated.
  unsigned alternative = 0;
  /// What the symbols of splits are bound to.
  int64_t splitCount = 1;

private:
  OpBuilder builder;
  Guise guise;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::vector<HostArray> arguments;
  std::vector<std::string> splitSymbols;
  std::mt19937 random{7};

  Location loc() { return builder.getUnknownLoc(); }
  std::string rename(char axis) const {
    if (!guise.renamed)
      return std::string(1, axis);
    return std::string(1, 'A' + ('Z' - axis)) + "_ax";
  }
  AxesAttr axesOf(StringRef axes) {
    std::vector<std::string> names;
    for (char axis : axes)
      names.push_back(rename(axis));
    SmallVector<StringRef> refs(names.begin(), names.end());
    return AxesAttr::get(builder.getContext(), refs).getSorted();
  }
};

class FoldsFixture : public testing::Test {
protected:
  FoldsFixture() { context.loadDialect<CleaveDialect, func::FuncDialect>(); }

  /// In every guise, `build` gives folds with these numbers of states, and the
  /// results that it gave before.
  void expectFolds(function_ref<void(Graph &)> build,
                   std::vector<size_t> states, double tolerance = 1e-12,
                   Numerics numerics = Numerics::Strict) {
    for (Guise guise : kGuises) {
      Graph graph(context, guise);
      build(graph);
      std::vector<double> expected = graph.evaluate(0, 1);
      EXPECT_EQ(graph.formFolds(numerics), states);
      graph.expectResults(expected, tolerance);
    }
  }

  MLIRContext context;
};

} // namespace mlir::cleave

#endif // CLEAVE_TEST_UNIT_FOLDS_GRAPHBUILDER_H
