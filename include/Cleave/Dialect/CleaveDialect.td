//===- CleaveDialect.td - The cleave dialect ---------------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_DIALECT_CLEAVEDIALECT_TD
#define CLEAVE_DIALECT_CLEAVEDIALECT_TD

include "mlir/IR/OpBase.td"

def Cleave_Dialect : Dialect {
  let name = "cleave";
  let cppNamespace = "::mlir::cleave";
  let summary = "Tensor algebra over named axes";
  let description = [{
    A function of the cleave dialect is a graph of pointwise operations,
    contractions and reductions on tensors whose dimensions carry *names*. A
    dimension with a name is an **axis**: equal names in one function are the
    same iteration axis with one extent. Pointwise operations broadcast by
    name, so that transposes and batched variants are no operations of their
    own.

    The dialect says *what* is computed. It has no notion of tiles, loops,
    threads or memory; `--cleave-schedule` turns its functions into loops.

    **Types.** A value is a builtin ranked tensor with the encoding
    `#cleave.axes<...>`, which names its dimensions in storage order. Only
    function arguments, results of `cleave.relayout` and function results have
    a storage order that matters; every other result lists its axes in
    lexicographic order, so that equal axis sets give equal types.

    **Elements.** Arithmetic takes operands of any float type and yields f32
    (f64 if an operand is f64). f16 and bf16 occur in arguments, results and
    `cleave.cast`. docs/numerics.md has the contract.

    **Module attribute.** `cleave.target` (`#cleave.target<...>`) describes the GPU
    that schedules are chosen for.

    **Function attributes.** `cleave.symbols` (`#cleave.symbols<...>`) is the
    table of the function's axes, `cleave.schedule` (`#cleave.schedule<...>`) says
    how it runs. Arguments and results may carry `cleave.name`
    (a string, their name for tools) and arguments `cleave.range` (a float: no
    element is larger in magnitude; strict numerics relies on it). A result
    whose value is a `cleave.insert` into an argument may carry `cleave.alias`
    (that argument's name): it has the argument's memory, so that only the
    inserted rows are written. To the graph both are values all the same.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();

    /// Name of the function attribute that holds the axis table.
    static constexpr llvm::StringLiteral kSymbolsAttrName = "cleave.symbols";
    /// Name of the function attribute that holds its schedule.
    static constexpr llvm::StringLiteral kScheduleAttrName = "cleave.schedule";
    /// Name of the module attribute that describes the GPU to schedule for.
    static constexpr llvm::StringLiteral kTargetAttrName = "cleave.target";
    /// Name of the result attribute that names the argument whose memory the
    /// result has.
    static constexpr llvm::StringLiteral kAliasAttrName = "cleave.alias";
    /// Name of the argument and result attribute with their name for tools.
    static constexpr llvm::StringLiteral kNameAttrName = "cleave.name";
    /// Name of the argument attribute that bounds its elements' magnitude.
    static constexpr llvm::StringLiteral kRangeAttrName = "cleave.range";
    /// The bound of arguments without that attribute: f16's largest number.
    static constexpr double kDefaultRange = 65504;
  }];
}

#endif // CLEAVE_DIALECT_CLEAVEDIALECT_TD
