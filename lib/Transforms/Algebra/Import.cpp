//===- Import.cpp - From a cleave function to its e-graph -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/AlgebraGraph.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

Type mlir::cleave::resolveOperandType(ContractOp op) {
  if (std::optional<Type> type = op.getOperandType())
    return *type;
  // Arguments in order, so that a tie does not depend on the graph's shape.
  llvm::DenseSet<Value> seen;
  SmallVector<Value> stack{op.getLhs(), op.getRhs()};
  std::map<unsigned, Type> narrowest;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto type = cast<RankedTensorType>(value.getType()).getElementType();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (isa<FloatType>(type))
        narrowest[argument.getArgNumber()] = type;
    } else {
      llvm::append_range(stack, value.getDefiningOp()->getOperands());
    }
  }
  Type result = Float32Type::get(op.getContext());
  for (auto &[index, type] : narrowest)
    if (type.getIntOrFloatBitWidth() < result.getIntOrFloatBitWidth())
      result = type;
  bool allDouble =
      !narrowest.empty() && llvm::all_of(narrowest, [](const auto &entry) {
        return entry.second.isF64();
      });
  return allDouble ? Type(Float64Type::get(op.getContext())) : result;
}

namespace {
class Importer {
public:
  Importer(FunctionOpInterface function, AlgebraGraph &graph, int64_t minExtent)
      : function(function), graph(graph), minExtent(minExtent) {}

  FailureOr<ImportedFunction> run();

private:
  LogicalResult addAxes(const AxisTable &table);
  LogicalResult addArguments();
  LogicalResult addOperation(Operation *op);
  DictionaryAttr getPayload(Operation *op);

  FunctionOpInterface function;
  AlgebraGraph &graph;
  int64_t minExtent;
  ImportedFunction result;
  llvm::DenseMap<Value, ClassId> values;
};
} // namespace

/// Numbers the axes in the order in which the signature names them: results do
/// not depend on the names.
LogicalResult Importer::addAxes(const AxisTable &table) {
  Bindings representative = table.representative({});
  std::vector<std::string> order;
  auto addType = [&](Type type) {
    if (isCleaveTensor(type))
      for (StringAttr name : getAxes(type).getNames())
        order.push_back(name.getValue().str());
  };
  for (Type type : function.getArgumentTypes())
    addType(type);
  for (Type type : function.getResultTypes())
    addType(type);
  // Parts before what they are parts of.
  for (bool isSum : {false, true})
    for (auto &[name, info] : table.axes())
      if ((info.kind == AxisKind::Sum) == isSum)
        order.push_back(name);
  auto getId = [&](StringRef name) {
    return graph.lookupAxis(StringAttr::get(graph.getContext(), name));
  };
  for (const std::string &name : order) {
    const AxisInfo *info = table.lookup(name);
    AxisBounds bounds;
    bounds.type = info->extent;
    bounds.min = minExtent;
    bounds.representative = representative[name];
    if (!ShapedType::isDynamic(info->extent))
      bounds.min = bounds.max = info->extent;
    // Positions outside of a split's domain do not exist.
    for (const SplitRelation &split : table.splits())
      if (split.inner == name || split.outer == name) {
        bounds.min = 0;
        bounds.partial = true;
      }
    if (info->kind == AxisKind::Sum)
      for (const std::string &part : info->operands)
        if (std::optional<unsigned> id = getId(part))
          bounds.parts.push_back(*id);
    if (!graph.addAxis(StringAttr::get(graph.getContext(), name), bounds))
      return function.emitError()
             << "expected at most " << AxisSet::kMaxAxes
             << " axes in a function but got " << table.axes().size();
  }
  return success();
}

/// Whether values of the type may cross a function's boundary.
static bool isElementType(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

LogicalResult Importer::addArguments() {
  for (BlockArgument argument : function.getArguments()) {
    if (!isCleaveTensor(argument.getType()))
      return function.emitError()
             << "expected argument " << argument.getArgNumber()
             << " to be a tensor with named axes but got "
             << argument.getType();
    Type element = cast<RankedTensorType>(argument.getType()).getElementType();
    if (!isElementType(element))
      return function.emitError()
             << "expected argument " << argument.getArgNumber()
             << " to have elements of f16, bf16, f32, f64 or a signless "
                "integer of at most 64 bits but got "
             << element;
    std::optional<double> range;
    if (auto declared = function.getArgAttrOfType<FloatAttr>(
            argument.getArgNumber(), CleaveDialect::kRangeAttrName))
      range = declared.getValueAsDouble();
    values[argument] =
        graph.addArgument(argument.getArgNumber(),
                          cast<RankedTensorType>(argument.getType()), range);
  }
  return success();
}

DictionaryAttr Importer::getPayload(Operation *op) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : op->getAttrs())
    if (op->getInherentAttr(attribute.getName()))
      attributes.append(attribute);
  if (auto contract = dyn_cast<ContractOp>(op))
    attributes.set("operand_type", TypeAttr::get(resolveOperandType(contract)));
  if (!isa<InferTypeOpInterface, SliceOp, ConcatOp>(op))
    attributes.set("result_type", TypeAttr::get(op->getResult(0).getType()));
  return attributes.getDictionary(op->getContext());
}

LogicalResult Importer::addOperation(Operation *op) {
  std::optional<SymbolId> symbol =
      graph.getGraph().findSymbol(op->getName().getStringRef());
  if (!symbol || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return op->emitOpError("is not supported by the algebra");
  if (auto extent = dyn_cast<ExtentOp>(op))
    if (!graph.lookupAxis(extent.getAxisAttr()))
      return op->emitOpError("expected axis '")
             << extent.getAxis() << "' to occur in the function";
  SmallVector<ClassId> operands;
  for (Value operand : op->getOperands())
    operands.push_back(values.at(operand));
  DictionaryAttr payload = getPayload(op);
  ClassId id = graph.add(op->getName().getStringRef(), payload, operands);
  values[op->getResult(0)] = id;
  result.classes[op] = id;
  return success();
}

FailureOr<ImportedFunction> Importer::run() {
  FailureOr<AxisTable> table = AxisTable::get(function);
  if (failed(table) || failed(verifyCleaveFunction(function)))
    return failure();
  if (!function.getFunctionBody().hasOneBlock())
    return function.emitError("expected a function of one block");
  if (failed(addAxes(*table)) || failed(addArguments()))
    return failure();
  Block &block = function.getFunctionBody().front();
  for (Operation &op : block.without_terminator())
    if (failed(addOperation(&op)))
      return failure();
  for (Value value : block.getTerminator()->getOperands()) {
    if (!values.count(value))
      return block.getTerminator()->emitError(
          "expected to return tensors with named axes");
    result.roots.push_back(values.at(value));
  }
  graph.getGraph().rebuild();
  return std::move(result);
}

FailureOr<ImportedFunction>
mlir::cleave::importFunction(FunctionOpInterface function, AlgebraGraph &graph,
                             int64_t minExtent) {
  return Importer(function, graph, minExtent).run();
}
