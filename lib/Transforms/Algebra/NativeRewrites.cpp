//===- NativeRewrites.cpp - What rules may compute ------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The native rewrites: values and attributes of the other side that PDLL cannot
// write. Rules/Natives.pdll declares them, docs/rules.md lists them.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Transforms/Algebra/Natives.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::egraph;

using Result = std::optional<Binding>;

static Binding makeAttribute(Attribute attribute) {
  Binding result;
  result.attribute = attribute;
  return result;
}

/// The node, where it can be an operation.
static std::optional<ClassId> addIfValid(AlgebraGraph &graph, StringRef name,
                                         DictionaryAttr payload,
                                         ArrayRef<ClassId> operands) {
  if (!graph.isValid(name, payload, operands))
    return std::nullopt;
  return graph.add(name, payload, operands);
}

static Result unionAxes(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  std::optional<AxisSet> a = graph.getAxisSet(arguments[0].attribute);
  std::optional<AxisSet> b = graph.getAxisSet(arguments[1].attribute);
  if (!a || !b)
    return std::nullopt;
  return makeAttribute(graph.getAxesAttr(*a | *b));
}

/// What the operands of a new contraction are rounded to: what the sum allows,
/// else a type that both have already, else f32.
static Result operandType(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  if (isa_and_nonnull<TypeAttr>(arguments[0].attribute))
    return makeAttribute(arguments[0].attribute);
  Type type;
  bool same = true;
  for (const Binding &side : arguments.drop_front()) {
    same &= side.classes.size() == 1;
    for (ClassId id : side.classes) {
      Type element = graph.getElementType(id);
      same &= !type || type == element;
      type = element;
    }
  }
  MLIRContext *context = graph.getContext();
  if (!same || !type)
    type = type && type.isF64() ? type : Type(Float32Type::get(context));
  return makeAttribute(TypeAttr::get(type));
}

/// A constant with the axes of values.
static Result splat(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  AxisSet axes;
  Type elementType;
  for (ClassId id : arguments[1].classes) {
    axes |= graph.getGraph().getFacts(id).axes;
    if (graph.getElementType(id).isF64())
      elementType = graph.getElementType(id);
  }
  auto value = dyn_cast_or_null<FloatAttr>(arguments[0].attribute);
  if (!value)
    return std::nullopt;
  return Binding{
      {graph.addConstant(value.getValueAsDouble(), axes, elementType)}, {}};
}

static Result extents(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  Binding result;
  std::optional<AxisSet> axes = graph.getAxisSet(arguments[0].attribute);
  if (!axes)
    return std::nullopt;
  Builder builder(graph.getContext());
  axes->forEach([&](unsigned axis) {
    auto payload = builder.getDictionaryAttr(
        builder.getNamedAttr("axis", graph.getAxisName(axis)));
    result.classes.push_back(graph.add("cleave.extent", payload, {}));
  });
  return result;
}

/// An operation on each of the values.
static Result each(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  auto name = dyn_cast_or_null<StringAttr>(arguments[0].attribute);
  Binding result;
  for (ClassId id : arguments[1].classes) {
    auto made = name ? addIfValid(graph, name.getValue(),
                                  DictionaryAttr::get(graph.getContext()), id)
                     : std::nullopt;
    if (!made)
      return std::nullopt;
    result.classes.push_back(*made);
  }
  return result;
}

static std::optional<ClassId> addAgain(AlgebraGraph &graph, const Binding &op,
                                       ArrayRef<ClassId> operands) {
  auto [symbol, payload] = *op.operation;
  return addIfValid(graph, graph.getGraph().getName(symbol),
                    graph.getPayload(payload), operands);
}

/// The operation with other operands.
static Result again(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  auto made = addAgain(graph, arguments[0], arguments[1].classes);
  if (!made)
    return std::nullopt;
  return Binding{{*made}, {}};
}

static Result eachAgain(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  Binding result;
  for (ClassId id : arguments[1].classes) {
    SmallVector<ClassId> operands{id};
    llvm::append_range(operands, arguments[2].classes);
    auto made = addAgain(graph, arguments[0], operands);
    if (!made)
      return std::nullopt;
    result.classes.push_back(*made);
  }
  return result;
}

/// The slice or gather of each value that carries its axis; a third argument is
/// what it has as further operands.
static Result moved(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  auto name = graph.getPayload(arguments[0].operation->second)
                  .getAs<StringAttr>("axis");
  std::optional<unsigned> axis =
      name ? graph.lookupAxis(name) : std::optional<unsigned>();
  if (!axis)
    return std::nullopt;
  Binding result;
  for (ClassId id : arguments[1].classes) {
    std::optional<ClassId> made = id;
    if (graph.getGraph().getFacts(id).axes.contains(*axis)) {
      SmallVector<ClassId> operands{id};
      for (const Binding &rest : arguments.drop_front(2))
        llvm::append_range(operands, rest.classes);
      made = addAgain(graph, arguments[0], operands);
    }
    if (!made)
      return std::nullopt;
    result.classes.push_back(*made);
  }
  return result;
}

/// Axes with `axis` replaced by part i of a concatenation.
static Result partAxes(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  std::optional<AxisSet> axes = graph.getAxisSet(arguments[0].attribute);
  auto axis = dyn_cast_or_null<StringAttr>(arguments[1].attribute);
  auto along = dyn_cast_or_null<ArrayAttr>(arguments[2].attribute);
  auto index = dyn_cast_or_null<IntegerAttr>(arguments[3].attribute);
  if (!axes || !axis || !along || !index || index.getValue().uge(along.size()))
    return std::nullopt;
  AxisSet from = AxisSet::of(*graph.lookupAxis(axis));
  if (!axes->contains(from))
    return std::nullopt;
  unsigned part = *graph.lookupAxis(cast<StringAttr>(along[index.getInt()]));
  return makeAttribute(graph.getAxesAttr((*axes - from) | AxisSet::of(part)));
}

/// a along k and b along l, one behind the other: the axis with the smaller
/// number first, so that there is one name for both orders.
static Result concat(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  struct Part {
    ClassId value;
    unsigned axis;
  };
  Part parts[2];
  for (unsigned i : {0, 1}) {
    auto axes = graph.getAxisSet(arguments[2 * i + 1].attribute);
    if (!axes || llvm::popcount(axes->getBits()) != 1)
      return std::nullopt;
    parts[i] = {arguments[2 * i].classes[0],
                unsigned(llvm::countr_zero(axes->getBits()))};
  }
  if (graph.getElementType(parts[0].value) !=
      graph.getElementType(parts[1].value))
    for (Part &part : parts)
      part.value = graph.addMul(part.value);
  if (parts[1].axis < parts[0].axis)
    std::swap(parts[0], parts[1]);
  std::optional<unsigned> axis =
      graph.addConcatenatedAxis({parts[0].axis, parts[1].axis});
  if (!axis)
    return std::nullopt;
  Builder builder(graph.getContext());
  auto payload = builder.getDictionaryAttr(
      {builder.getNamedAttr(
           "along", builder.getArrayAttr({graph.getAxisName(parts[0].axis),
                                          graph.getAxisName(parts[1].axis)})),
       builder.getNamedAttr("axis", graph.getAxisName(*axis))});
  auto made = addIfValid(graph, "cleave.concat", payload,
                         {parts[0].value, parts[1].value});
  if (!made)
    return std::nullopt;
  return Binding{{*made}, {}};
}

/// The axis of `concat` for the same arguments.
static Result concatAxes(AlgebraGraph &graph, ArrayRef<Binding> arguments) {
  std::optional<AxisSet> k = graph.getAxisSet(arguments[0].attribute);
  std::optional<AxisSet> l = graph.getAxisSet(arguments[1].attribute);
  if (!k || !l || llvm::popcount(k->getBits()) != 1 ||
      llvm::popcount(l->getBits()) != 1)
    return std::nullopt;
  unsigned parts[] = {unsigned(llvm::countr_zero(k->getBits())),
                      unsigned(llvm::countr_zero(l->getBits()))};
  llvm::sort(parts);
  std::optional<unsigned> axis = graph.addConcatenatedAxis(parts);
  if (!axis)
    return std::nullopt;
  return makeAttribute(graph.getAxesAttr(AxisSet::of(*axis)));
}

const NativeRewrite *mlir::cleave::lookupRewrite(StringRef name) {
  static const NativeRewrite table[] = {
      {"UnionAxes", 2, unionAxes}, {"OperandType", 3, operandType},
      {"Splat", 2, splat},         {"Extents", 1, extents},
      {"Each", 2, each},           {"Again", 2, again},
      {"EachAgain", 3, eachAgain}, {"Sliced", 2, moved},
      {"Gathered", 3, moved},      {"PartAxes", 4, partAxes},
      {"Concat", 4, concat},       {"ConcatAxes", 2, concatAxes},
  };
  for (const NativeRewrite &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}
