//===- CleaveAttrs.td - Attributes of the cleave dialect ---*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_DIALECT_CLEAVEATTRS_TD
#define CLEAVE_DIALECT_CLEAVEATTRS_TD

include "Cleave/Dialect/CleaveDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"

class Cleave_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Cleave_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Cleave_AxesAttr : Cleave_Attr<"Axes", "axes",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Names of a tensor's dimensions, or a set of axes";
  let description = [{
    As the encoding of a ranked tensor type: one name a dimension, in storage
    order, each name once. `tensor<?x4096xf16, #cleave.axes<M, K>>` has the
    axes M (dynamic) and K (4096 long). A scalar is
    `tensor<f32, #cleave.axes<>>`. As an attribute of an operation: a set of
    axes, in lexicographic order.

    A name is an MLIR keyword: a letter or underscore, then letters, digits,
    `_`, `$` or `.`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::llvm::StringRef>":$names)>
  ];
  let extraClassDeclaration = [{
    /// Number of axes.
    size_t size() const { return getNames().size(); }
    /// Position of `name`, or -1.
    int64_t indexOf(StringAttr name) const;
    bool contains(StringAttr name) const { return indexOf(name) >= 0; }
    /// The same names in lexicographic order.
    AxesAttr getSorted() const;
    bool isSorted() const;
    /// Set operations; the results are in lexicographic order.
    AxesAttr unionWith(AxesAttr other) const;
    AxesAttr without(AxesAttr other) const;
    AxesAttr intersect(AxesAttr other) const;
    bool isSubsetOf(AxesAttr other) const;
  }];
}

def Cleave_AxisKind : I32EnumAttr<"AxisKind", "how an axis gets its extent", [
  I32EnumAttrCase<"Static", 0, "static">,
  I32EnumAttrCase<"Bound", 1, "bound">,
  I32EnumAttrCase<"Dynamic", 2, "dynamic">,
  I32EnumAttrCase<"CeilDiv", 3, "ceil">,
  I32EnumAttrCase<"Product", 4, "product">,
  I32EnumAttrCase<"Sum", 5, "sum">
]> {
  let cppNamespace = "::mlir::cleave";
}

def Cleave_SymbolAttr : Cleave_Attr<"Symbol", "symbol"> {
  let summary = "One axis of a function's symbol table";
  let description = [{
    The entry of one axis: its name, how it gets its extent, and

    - `K: 4096`: static, the extent;
    - `S: bound like 4`: a symbol that the scheduler gets a value for;
    - `M: dynamic like 16 | 2048`: a run-time extent, with representative values
      that schedules are chosen for. Values of several axes belong together: the
      first of each, the second of each, ...; a shorter list goes on with its
      last value;
    - `Ki = ceil(K / S)`: the inner part of the split of K into S parts. A
      position (s, i) exists only where `s * |Ki| + i < |K|`;
    - `H = G * R`: a product of two axes, outer first;
    - `N = K + R`: the sum of two or more axes, one behind the other. An axis
      may stand twice.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    "::mlir::cleave::AxisKind":$kind,
    ArrayRefParameter<"int64_t">:$values,
    ArrayRefParameter<"::mlir::StringAttr">:$operands);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cleave_SymbolsAttr : Cleave_Attr<"Symbols", "symbols"> {
  let summary = "The axes of a function";
  let description = [{
    The table that a function carries as `cleave.symbols`. An axis that does
    not stand in it is static if its dimension is, else dynamic without a
    representative value. An extent is at least 0.

    ```mlir
    #cleave.symbols<M: dynamic like 16 | 2048, S: bound like 4, Ki = ceil(K / S)>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::cleave::SymbolAttr">:$symbols);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The entry of `name`, or null.
    SymbolAttr lookup(StringAttr name) const;
  }];
}

def Cleave_KernelAttr : Cleave_Attr<"Kernel", "kernel"> {
  let summary = "How one kernel of a schedule runs";
  let description = [{
    Stands only in `#cleave.schedule`, which explains the fields.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr">:$stores,
    ArrayRefParameter<"::mlir::StringAttr">:$gridAxes,
    ArrayRefParameter<"int64_t">:$gridTiles,
    ArrayRefParameter<"::mlir::StringAttr">:$loopAxes,
    ArrayRefParameter<"int64_t">:$loopTiles,
    "int64_t":$warps,
    "int64_t":$stages,
    "bool":$beside,
    "bool":$join);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cleave_ScheduleAttr : Cleave_Attr<"Schedule", "schedule"> {
  let summary = "How a function's graph runs";
  let description = [{
    What `--cleave-assign-schedule` chooses and `--cleave-apply-schedule`
    applies, as the function attribute `cleave.schedule`. It can be written by
    hand.

    ```mlir
    #cleave.schedule<region = 0, grid = [M: 16, N: 64], loop = [K: 64],
                     warps = 4, stages = 1>
    #cleave.schedule<region = 1, split = [K.s: 8], kernels = [
      <store = [v4], grid = [K.s: 1, M: 16, N: 64], loop = [K.i: 64],
       warps = 4, stages = 2>,
      <store = [result0], grid = [M: 16, N: 64], loop = [K.s: 8], warps = 4,
       stages = 1>]>
    ```

    - `when`: only in `#cleave.schedules`, see there.
    - `region`: which region of `cleave.alternatives` (0 if there is none).
    - `split`: the value of each symbol that the schedule binds.
    - `kernels`: what each kernel stores and how it runs, in order. A kernel
      reads what an earlier one stored and computes everything else itself. Of
      one kernel that stores all results the fields stand alone.
    - `store`: `result0` is the function's first result, `v4` the value of the
      region's operation number 4 (`v4.1`: its second result); see
      docs/scheduling.md for the other names. Every result is stored once.
    - `beside`: the kernel runs in the launch of the one in front, in blocks of
      its own. Neither depends on the other; both have equally many warps.
    - `join`: the kernel runs in the launch of the one in front: of the blocks
      of that one with equal positions in this one's `grid` the last to end goes
      on with it. Its grid has axes of that one's with equal tiles, what else
      that one's has is static and not empty, warps are equal, and it reads what
      that one stored at its own positions only. The one in front has no others
      in its launch.
    - `grid`: every axis of the stored values with its tile in a block, slowest
      first.
    - `loop`: every reduced axis with its tile in a loop step, outermost first.
      A tile of at least the axis' extent means no loop.
    - `warps` a block, `stages` of the pipeline of loads.

    Tiles are powers of two; an axis need not be a multiple of its tile.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr">:$whenAxes,
    ArrayRefParameter<"int64_t">:$whenBounds,
    "int64_t":$region,
    ArrayRefParameter<"::mlir::StringAttr">:$splitAxes,
    ArrayRefParameter<"int64_t">:$splitCounts,
    ArrayRefParameter<"::mlir::cleave::KernelAttr">:$kernels);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether its conditions hold wherever those of `other` do.
    bool covers(ScheduleAttr other) const;
    /// M upto 16, N upto 2048; empty without conditions.
    std::string describeWhen() const;
  }];
}

def Cleave_SchedulesAttr : Cleave_Attr<"Schedules", "schedules"> {
  let summary = "How a function's graph runs, by extents";
  let description = [{
    Several schedules of one function, as its attribute `cleave.schedule`: the
    first runs whose conditions hold. `when = [M upto 45]` holds where the
    run-time extent of the dynamic axis M is at most 45; of several conditions
    all must hold. The last schedule, and no other, has none, so every extent
    has a schedule; no schedule may be hidden by an earlier one.

    ```mlir
    #cleave.schedules<[
      <when = [M upto 45], region = 0, grid = [M: 16, N: 64], loop = [K: 64],
       warps = 4, stages = 2>,
      <region = 1, grid = [M: 128, N: 128], loop = [K: 32], warps = 8,
       stages = 3>]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::cleave::ScheduleAttr">:$schedules);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cleave_TargetAttr : Cleave_Attr<"Target", "target"> {
  let summary = "What the cost model knows of a GPU";
  let description = [{
    The attribute `cleave.target` of a module; `lib/Transforms/Targets` has those
    of the GPUs that Cleave knows. Rates are for the whole device, measured where
    they could be.

    ```mlir
    module attributes {cleave.target = #cleave.target<
      chip = "sm_90a", multiprocessors = 132, memory_bytes_per_us = 4300000, ...>}
    ```

    - `chip`: what code is generated for.
    - `multiprocessors`, and of each: `shared_bytes`, `registers`, `warps` at a
      time; `shared_bytes_per_block`, `registers_per_thread`.
    - `memory_bytes_per_us`, `cache_bytes_per_us`: from device memory and from
      the L2 cache. `cached_bytes`: what that cache keeps from one wave of blocks
      to the next.
    - `shared_bytes_per_us`: read from and written to shared memory.
    - `tensor_macs_per_us`: multiply-adds of f16 or bf16 on tensor cores.
    - `scalar_ops_per_us`, `special_ops_per_us`: other arithmetic; exponentials,
      reciprocals and roots.
    - `latency_ns`: from a load from device memory to its use. `barrier_ns`: what
      the threads of a block wait for each other in a loop step. `launch_ns`: the
      start of a kernel. `arrival_ns`: from the end of a block to where the last
      of several goes on (two fences, an atomic count and a vote): what a kernel
      with `join` takes instead of a launch.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$chip,
    "int64_t":$multiprocessors,
    "int64_t":$memory_bytes_per_us,
    "int64_t":$cache_bytes_per_us,
    "int64_t":$cached_bytes,
    "int64_t":$shared_bytes_per_us,
    "int64_t":$tensor_macs_per_us,
    "int64_t":$scalar_ops_per_us,
    "int64_t":$special_ops_per_us,
    "int64_t":$latency_ns,
    "int64_t":$barrier_ns,
    "int64_t":$launch_ns,
    "int64_t":$arrival_ns,
    "int64_t":$shared_bytes_per_block,
    "int64_t":$shared_bytes,
    "int64_t":$registers,
    "int64_t":$registers_per_thread,
    "int64_t":$warps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Cleave_CmpPredicate : I32EnumAttr<"CmpPredicate", "comparison of floats", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
  I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>
]> {
  let cppNamespace = "::mlir::cleave";
  let genSpecializedAttr = 0;
}
def Cleave_CmpPredicateAttr
    : EnumAttr<Cleave_Dialect, Cleave_CmpPredicate, "cmp_predicate">;

def Cleave_GeluForm : I32EnumAttr<"GeluForm", "which function gelu is", [
  I32EnumAttrCase<"erf", 0>, I32EnumAttrCase<"tanh", 1>
]> {
  let cppNamespace = "::mlir::cleave";
  let genSpecializedAttr = 0;
}
def Cleave_GeluFormAttr
    : EnumAttr<Cleave_Dialect, Cleave_GeluForm, "gelu_form">;

def Cleave_ReductionKind
    : I32EnumAttr<"ReductionKind", "how a fold's state reduces", [
  I32EnumAttrCase<"ReduceSum", 0, "reduce_sum">,
  I32EnumAttrCase<"ReduceMax", 1, "reduce_max">,
  I32EnumAttrCase<"Contract", 2, "contract">,
  I32EnumAttrCase<"ReduceMin", 3, "reduce_min">
]> {
  let cppNamespace = "::mlir::cleave";
  let genSpecializedAttr = 0;
}
def Cleave_ReductionKindAttr
    : EnumAttr<Cleave_Dialect, Cleave_ReductionKind, "reduction_kind"> {
  let assemblyFormat = "`<` $value `>`";
}
def Cleave_ReductionKindArrayAttr
    : TypedArrayAttrBase<Cleave_ReductionKindAttr, "kinds of reduction">;

#endif // CLEAVE_DIALECT_CLEAVEATTRS_TD
