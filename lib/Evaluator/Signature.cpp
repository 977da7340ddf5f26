//===- Signature.cpp - Arguments and results of a function ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads types and attributes of a function's boundary.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/Signature.h"

#include <set>

using namespace mlir;
using namespace mlir::cleave;

std::optional<ElementKind> mlir::cleave::getElementKind(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  // Unsigned kinds exist in files only.
  if (StringRef(name).starts_with("u"))
    return std::nullopt;
  return parseElementKind(name);
}

static FailureOr<Port> getPort(FunctionOpInterface function, Type type,
                               DictionaryAttr attrs, std::string name) {
  Port port;
  port.name = std::move(name);
  if (attrs)
    if (auto given = attrs.getAs<StringAttr>(CleaveDialect::kNameAttrName))
      port.name = given.getValue().str();
  if (attrs)
    if (auto range = attrs.getAs<FloatAttr>(CleaveDialect::kRangeAttrName))
      port.range = range.getValueAsDouble();
  if (!isCleaveTensor(type))
    return function.emitError()
           << "expected '" << port.name
           << "' to be a tensor with named axes but got " << type;
  Type elementType = cast<RankedTensorType>(type).getElementType();
  std::optional<ElementKind> kind = getElementKind(elementType);
  if (!kind)
    return function.emitError() << "expected '" << port.name
                                << "' to have elements of at most 64 bits "
                                   "that the host has but got "
                                << elementType;
  port.kind = *kind;
  for (StringAttr axis : getAxes(type).getNames())
    port.axes.push_back(axis.getValue().str());
  return port;
}

FailureOr<Signature> Signature::get(FunctionOpInterface function) {
  Signature signature;
  std::set<std::string> names;
  auto add = [&](std::vector<Port> &ports, Type type, DictionaryAttr attrs,
                 std::string name) -> LogicalResult {
    FailureOr<Port> port = getPort(function, type, attrs, std::move(name));
    if (failed(port))
      return failure();
    if (!names.insert(port->name).second)
      return function.emitError() << "expected one argument or result named '"
                                  << port->name << "' but got two";
    ports.push_back(std::move(*port));
    return success();
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(add(signature.arguments, type, function.getArgAttrDict(i),
                   "arg" + std::to_string(i))))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(add(signature.results, type, function.getResultAttrDict(i),
                   "result" + std::to_string(i))))
      return failure();
  return signature;
}

SmallVector<int64_t> mlir::cleave::getShape(const Port &port,
                                            const Bindings &extents) {
  SmallVector<int64_t> shape;
  for (const std::string &axis : port.axes)
    shape.push_back(extents.at(axis));
  return shape;
}

FailureOr<Bindings>
mlir::cleave::bindExtents(FunctionOpInterface function, const AxisTable &table,
                          const Signature &signature,
                          ArrayRef<const HostArray *> arguments,
                          const Bindings &symbols) {
  if (arguments.size() != signature.arguments.size())
    return function.emitError() << "expected " << signature.arguments.size()
                                << " arguments but got " << arguments.size();
  Bindings given = symbols;
  for (auto [port, array] : llvm::zip_equal(signature.arguments, arguments)) {
    if (!array)
      continue;
    ArrayRef<int64_t> shape = array->getShape();
    if (shape.size() != port.axes.size())
      return function.emitError()
             << "expected '" << port.name << "' to have rank "
             << port.axes.size() << " but got " << array->describe();
    for (auto [axis, extent] : llvm::zip_equal(port.axes, shape)) {
      // Static extents go first: the fault is the array's, not the type's.
      const AxisInfo *info = table.lookup(axis);
      int64_t known = extent;
      if (info && !ShapedType::isDynamic(info->extent))
        known = info->extent;
      auto it = given.try_emplace(axis, known).first;
      if (it->second != extent)
        return function.emitError()
               << "expected axis '" << axis << "' of '" << port.name
               << "' to have extent " << it->second << " but got " << extent;
    }
  }
  return table.resolve(given, function.getLoc());
}
