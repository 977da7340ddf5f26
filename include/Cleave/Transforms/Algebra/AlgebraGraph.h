//===- AlgebraGraph.h - A cleave function as an e-graph ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bridge between cleave functions (without sugar) and the e-graph engine:
// payloads are dictionaries of the ops' attributes, axes are numbered. Also the
// three things the engine asks for: facts, normal forms, and what a node is.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_ALGEBRA_ALGEBRAGRAPH_H
#define CLEAVE_TRANSFORMS_ALGEBRA_ALGEBRAGRAPH_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Transforms/Algebra/Numerics.h"
#include "Cleave/Transforms/EGraph/EGraph.h"
#include "llvm/ADT/MapVector.h"

#include <set>

namespace mlir::cleave {

/// The operations that the algebra knows. What is not among them is refused at
/// import.
enum class OpKind {
  Argument,
  Constant,
  Extent,
  Add,
  Mul,
  Max,
  Min,
  Sub,
  Div,
  Neg,
  Pow,
  Recip,
  Recip0,
  Abs,
  Exp,
  Exp2,
  Log,
  Tanh,
  Erf,
  Sqrt,
  Rsqrt,
  Sigmoid,
  IsFinite,
  Cmp,
  Select,
  Cast,
  Iota,
  ReduceSum,
  ReduceMax,
  ReduceMin,
  ReduceProd,
  Contract,
  Split,
  Merge,
  Rename,
  Relayout,
  Slice,
  Concat,
  Gather,
  Insert,
  Unknown
};

/// Whether an element of the result depends on the operands' elements at that
/// position only, and the operation takes floats and gives them.
bool isPointwise(OpKind kind);
/// Whether an operation reduces over its attribute `axes`.
bool isReduction(OpKind kind);

/// The extents that an axis can have.
struct AxisBounds {
  int64_t min = 0;
  int64_t max = int64_t(1) << 31;
  /// For decisions.
  int64_t representative = 64;
  /// The extent in types.
  int64_t type = ShapedType::kDynamic;
  /// Some positions may not exist: there may be fewer than the extent says.
  bool partial = false;
  /// Of a concatenated axis that a rule made: the axes that lie one behind the
  /// other.
  SmallVector<unsigned, 2> parts;
};

/// An e-graph whose nodes stand for cleave operations.
///
/// A node's payload is a dictionary: the op's inherent attributes and, for ops
/// whose type does not follow from their operands, `result_type`. Sums carry an
/// `operand_type` like contractions: the type that a factorisation of their
/// body into two operands may be rounded to, or unit where nothing is known.
class AlgebraGraph : private egraph::Analysis, private egraph::Normalizer {
public:
  explicit AlgebraGraph(MLIRContext *context,
                        Numerics numerics = Numerics::Strict);
  ~AlgebraGraph() override;

  MLIRContext *getContext() const { return context; }
  Numerics getNumerics() const { return numerics; }
  egraph::EGraph &getGraph() { return graph; }
  const egraph::EGraph &getGraph() const { return graph; }

  //===--------------------------------------------------------------------===//
  // Axes
  //===--------------------------------------------------------------------===//

  /// Numbers an axis at its first use; empty beyond the engine's limit.
  std::optional<unsigned> addAxis(StringAttr name, AxisBounds bounds);
  std::optional<unsigned> lookupAxis(StringAttr name) const;
  /// The axis of a concatenation along `parts`. Its name follows from theirs,
  /// so that each concatenation has one.
  std::optional<unsigned> addConcatenatedAxis(ArrayRef<unsigned> parts);
  unsigned getNumAxes() const { return axisNames.size(); }
  StringAttr getAxisName(unsigned axis) const { return axisNames[axis]; }
  const AxisBounds &getBounds(unsigned axis) const { return axisBounds[axis]; }
  /// The set of axes that an attribute names; empty if one is unknown.
  std::optional<egraph::AxisSet> getAxisSet(Attribute axes) const;
  AxesAttr getAxesAttr(egraph::AxisSet axes) const;
  /// The number of positions, from below and above.
  std::pair<double, double> getCount(egraph::AxisSet axes) const;
  double getRepresentativeCount(egraph::AxisSet axes) const;

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  egraph::PayloadId intern(DictionaryAttr payload);
  DictionaryAttr getPayload(const egraph::Node &node) const {
    return payloads[node.payload];
  }
  DictionaryAttr getPayload(egraph::PayloadId id) const { return payloads[id]; }
  OpKind getKind(const egraph::Node &node) const { return kinds[node.symbol]; }
  OpKind getKind(egraph::SymbolId symbol) const { return kinds[symbol]; }
  /// The node of the class that has this kind, or null.
  const egraph::Node *findNode(egraph::ClassId id, OpKind kind) const;

  /// Whether the algebra has nodes for this operation.
  static bool isKnownOperation(StringRef name);

  /// Whether a node could be an operation: a reduction carries its axes, and so
  /// on. Rules may ask for nodes that are not; nothing is built then.
  bool isValid(StringRef name, DictionaryAttr payload,
               ArrayRef<egraph::ClassId> children) const;
  egraph::ClassId add(StringRef name, DictionaryAttr payload,
                      ArrayRef<egraph::ClassId> children);
  /// `range` bounds the magnitude, which is else assumed to be that of f16.
  egraph::ClassId addArgument(unsigned index, RankedTensorType type,
                              std::optional<double> range);
  /// Whether all that is known of the value rests on ranges that were declared,
  /// not on the one that is else assumed.
  bool isDeclared(egraph::ClassId id) const;
  /// `facts` says what is known but for axes and type.
  egraph::ClassId addArgument(unsigned index, RankedTensorType type,
                              egraph::Facts facts);
  /// In f32 where no element type is given.
  egraph::ClassId addConstant(double value, egraph::AxisSet axes = {},
                              Type elementType = {});
  egraph::ClassId addMul(ArrayRef<egraph::ClassId> factors);

  Type getElementType(egraph::ClassId id) const {
    return elementTypes[graph.getFacts(id).elementType];
  }
  unsigned internElementType(Type type);
  /// The type of a class's value, as inferred types are.
  RankedTensorType getType(egraph::ClassId id) const;

private:
  egraph::Facts make(const egraph::EGraph &, const egraph::Node &node) override;
  void modify(egraph::EGraph &, egraph::ClassId id) override;
  std::optional<egraph::ClassId> normalize(egraph::EGraph &,
                                           egraph::Node &node) override;

  void declareOps();
  std::optional<egraph::ClassId> normalizeMultiset(egraph::Node &node,
                                                   OpKind kind);
  std::optional<egraph::ClassId> normalizeReduction(egraph::Node &node,
                                                    OpKind kind);
  egraph::ClassId widen(egraph::ClassId id);
  bool isValidView(DictionaryAttr payload, ArrayRef<egraph::ClassId> children,
                   StringRef renamed) const;
  bool isValidConcat(DictionaryAttr payload,
                     ArrayRef<egraph::ClassId> children) const;
  /// Axes and element type.
  egraph::Facts getInvariants(const egraph::Node &node) const;
  egraph::Facts deriveFacts(const egraph::Node &node) const;

  MLIRContext *context;
  Numerics numerics;
  egraph::EGraph graph;
  std::vector<OpKind> kinds;
  std::vector<StringAttr> axisNames;
  std::vector<AxisBounds> axisBounds;
  llvm::DenseMap<StringAttr, unsigned> axisIds;
  llvm::MapVector<DictionaryAttr, egraph::PayloadId> payloadIds;
  std::vector<DictionaryAttr> payloads;
  std::vector<Type> elementTypes;
  std::map<int64_t, egraph::Facts> argumentFacts;
  std::set<int64_t> undeclaredArguments;
};

/// The values of a function in its e-graph.
struct ImportedFunction {
  /// What the function returns.
  SmallVector<egraph::ClassId> roots;
  /// The class of each operation, in order.
  llvm::MapVector<Operation *, egraph::ClassId> classes;
};

/// Adds the body of `function`, one block without sugar. Emits an error at an
/// operation that the algebra does not know. Dynamic axes are taken to be at
/// least `minExtent` long.
FailureOr<ImportedFunction> importFunction(FunctionOpInterface function,
                                           AlgebraGraph &graph,
                                           int64_t minExtent = 0);

/// The type that the operands of a contraction are rounded to, declared or by
/// default: the narrowest float type of the arguments that feed it.
Type resolveOperandType(ContractOp op);

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_ALGEBRA_ALGEBRAGRAPH_H
