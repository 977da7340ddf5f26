//===- Passes.td - Transforms on cleave functions ----------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_PASSES_TD
#define CLEAVE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CleaveExpandPass : Pass<"cleave-expand"> {
  let summary = "Replace sugar by the operations it stands for";
  let description = [{
    Rewrites `cleave.softmax`, `logsumexp`, `rms_norm`, `layer_norm`, `silu`,
    `gelu` and `stack` as their definitions, so that nothing after it knows
    them:

    ```mlir
    %y = cleave.silu %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
    // becomes
    %s = cleave.sigmoid %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
    %y = cleave.mul %x, %s
       : (tensor<?xf16, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
    ```
  }];
  let dependentDialects = ["::mlir::cleave::CleaveDialect"];
}

def Cleave_NumericsOption
    : Option<"numerics", "numerics", "::mlir::cleave::Numerics",
             "::mlir::cleave::Numerics::Strict",
             "What rewrites may rest on", [{::llvm::cl::values(
               clEnumValN(::mlir::cleave::Numerics::Strict, "strict",
                          "never make safe numbers unsafe"),
               clEnumValN(::mlir::cleave::Numerics::Real, "real",
                          "compute as with real numbers"))}]>;
def Cleave_CheckOption
    : Option<"check", "check", "::mlir::cleave::CheckLevel",
             "::mlir::cleave::CheckLevel::Small",
             "Compare each alternative with the input", [{::llvm::cl::values(
               clEnumValN(::mlir::cleave::CheckLevel::None, "none", "not"),
               clEnumValN(::mlir::cleave::CheckLevel::Small, "small",
                          "on small extents"),
               clEnumValN(::mlir::cleave::CheckLevel::Full, "full",
                          "and at positions of the results at the original "
                          "extents"))}]>;
def Cleave_RulesOption
    : ListOption<"rules", "rules", "std::string",
                 "Files with more rules, as mlir-pdll writes them">;

def CleaveAlgebraPass : Pass<"cleave-algebra", "::mlir::func::FuncOp"> {
  let summary = "Find equal forms of a function and list the best";
  let description = [{
    Expands sugar, puts the function into an e-graph, saturates it with the
    rules of docs/rules.md, and extracts the best graph of each of the `k` best
    *skeletons* (the graph of reductions and contractions, with their axes and
    the arguments that each reads). The body becomes one `cleave.alternatives`,
    best first; the input is always among its regions, labelled `input`, others
    are labelled by the rules that they come from.

    The cost is a rough time at the representative extents: a microsecond for
    each sweep over an axis that has to follow another, the bytes of arguments
    read, once for each pass over their longest axis, and the work.

    With `numerics=strict` a form that is not the input's is refused if, for
    some arguments within their ranges, an operand of a contraction would
    overflow when it is rounded, or a value that the input does not have is not
    finite. Where no `cleave.range` is declared, 65504 is assumed. A remark
    (`--remarks-filter=cleave-algebra`) says what to declare, and how the
    saturation ended.

    Each region is evaluated beside the input, in f64, on random arguments within
    their ranges; one that differs is dropped with an error that names its rules.
    With `check=small` that is on small extents (primes, 1, and 0 for an axis
    that is not static), to which static axes are cut unless an operation takes
    positions of them by number. `check=full` adds a few positions of each axis
    that is only ever mapped over, at the representative extents; other axes are
    cut, with a remark, where one evaluation would take more than 4e9 operations.

    `report` names a file that gets, as JSON, for each function how the
    saturation ended, what each rule did, the costs of the alternatives and the
    time of each phase.

    `explain` prints to the standard error, for each region that is not the
    input, how the rules lead to it: a comment with the step's rule, then the
    function after it. The text parses with `--split-input-file`. A step may be
    a rule taken backwards (`reversed`) or a change of normal form. Folds are
    formed after the last step; what the operands of a `reduce_sum` may be
    rounded to is not printed.

    ```mlir
    // @f, alternative 0
    // step 0: the input
    func.func @f(...
    // -----
    // step 1: Sum_PullFactors
    func.func @f(...
    ```
  }];
  let options = [
    Option<"k", "k", "unsigned", "4", "Number of alternatives">,
    Cleave_RulesOption,
    Cleave_NumericsOption,
    Option<"maxEnodes", "max-enodes", "unsigned", "20000",
           "Stop the saturation at this many nodes">,
    Option<"maxIterations", "max-iterations", "unsigned", "30",
           "Stop each phase of the saturation after this many iterations">,
    Cleave_CheckOption,
    Option<"report", "report", "std::string", /*default=*/"",
           "Write how it went to this file, as JSON">,
    Option<"explain", "explain", "bool", "false",
           "Print the rewrites that lead to each alternative">,
    Option<"derivations", "derivations", "bool", "false",
           "Leave the names of these rewrites on the function, as "
           "`cleave.derivations`">,
    Option<"split", "split", "bool", "true",
           "Add a split copy of each region (as --cleave-split-reductions "
           "does), labelled `<label>, split`, up to 8 regions in all">
  ];
  let dependentDialects = ["::mlir::cleave::CleaveDialect",
                           "::mlir::pdl::PDLDialect"];
}

def CleavePrintEGraphPass : Pass<"cleave-print-egraph", "::mlir::func::FuncOp"> {
  let summary = "Print the saturated e-graph of a function for Graphviz";
  let description = [{
    Expands sugar and saturates a copy of the function, and prints the e-graph
    to the standard error: a cluster a class, with its axes, a box a node, with
    the rule that made it. The function stays as it is.

    ```
    cleave-opt f.mlir --cleave-print-egraph -o /dev/null 2>&1 | dot -Tsvg
    ```
  }];
  let options = [
    Cleave_RulesOption,
    Cleave_NumericsOption,
    Option<"maxEnodes", "max-enodes", "unsigned", "20000",
           "Stop the saturation at this many nodes">
  ];
  let dependentDialects = ["::mlir::cleave::CleaveDialect",
                           "::mlir::pdl::PDLDialect"];
}

def CleaveApplyRulesPass : Pass<"cleave-apply-rules", "::mlir::func::FuncOp"> {
  let summary = "Apply rules once each, for tests and explanations";
  let description = [{
    Applies each of the rules `names` once, at the first place where it matches,
    and prints the function with the rule's other side there. Sugar must have
    been expanded. Says so in a remark where a rule does not apply.
  }];
  let options = [
    ListOption<"names", "names", "std::string", "Rules, as Family_Name">,
    Cleave_RulesOption,
    Cleave_NumericsOption
  ];
  let dependentDialects = ["::mlir::cleave::CleaveDialect",
                           "::mlir::pdl::PDLDialect"];
}

def ConvertCleaveToLinalgPass
    : Pass<"convert-cleave-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Write graphs as linalg, for compilers that know no Cleave";
  let description = [{
    Replaces every function with named axes by one on plain tensors, with the
    same arguments and results in the same storage order. Each operation
    becomes a `linalg.generic`, a reduction one that starts from its unit, a
    fold its states one after another; sugar is expanded. Of
    `cleave.alternatives` the region `variant` is taken. No attribute, type or
    operation of the dialect is left, so that any other pipeline can compile
    the result. Numbers are as in docs/numerics.md.

    Extents are read from arguments. An axis whose extent no argument says, such
    as the number of parts of a split, has the value that `symbols` gives, else
    the first of its `like` values if it is bound. Reductions skip the positions
    that a split leaves without an element.

    ```mlir
    %y = cleave.contract %x, %w over [K]
       : (tensor<?x8xf16, #M_K>, tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
    // becomes
    %0 = tensor.empty(%m) : tensor<?x4xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<?x4xf32>) ...
    %y = linalg.generic {indexing_maps = [#m_k, #k_n, #m_n],
                         iterator_types = ["parallel", "parallel", "reduction"]}
         ins(%x, %w : tensor<?x8xf16>, tensor<8x4xf16>) outs(%1 : ...) ...
    ```
  }];
  let options = [
    Option<"variant", "variant", "unsigned", "0",
           "The region of cleave.alternatives">,
    Option<"symbols", "symbols", "std::string", /*default=*/"",
           "Extents of axes that no argument carries, e.g. S=4,T=2">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cleave::CleaveDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

class Cleave_ScheduleOptions {
  list<Option> targetOptions = [
    Option<"representative", "representative", "std::string", /*default=*/"",
           "Extents that schedules are chosen for, e.g. M=16|2048,K=4096; an "
           "axis that is not named has its `like` values, else 64">,
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
           "The GPU that tiles are chosen for: sm_80, sm_90a or a file, a module "
           "with `cleave.target`; such an attribute of the module itself wins">
  ];
  list<Option> tuning = [
    Option<"tuningTable", "tuning-table", "std::string", /*default=*/"",
           "A file of measured schedules (docs/tuning.md), which go before the "
           "model's choice">
  ];
  list<Option> ablations = [
    Option<"noHorizontal", "no-horizontal", "bool", /*default=*/"false",
           "Give every reduction a loop of its own">,
    Option<"noAlgebra", "no-algebra", "bool", /*default=*/"false",
           "Schedule the graph as it was written">,
    Option<"noSplit", "no-split", "bool", /*default=*/"false",
           "Reduce in one part">,
    Option<"noIterativeTiling", "no-iterative-tiling", "bool",
           /*default=*/"false", "Reduce whole axes in one step, not in tiles">
  ];
}
def ScheduleOptions : Cleave_ScheduleOptions;

def CleaveAssignSchedulePass
    : Pass<"cleave-assign-schedule", "::mlir::func::FuncOp"> {
  let summary = "Choose how a function's graph runs";
  let description = [{
    Input: a cleave function without sugar, with at most one
    `cleave.alternatives`. Every region is scheduled: output tiles, tiles of
    reduced axes and warps are searched for the least time by a cost model at
    representative extents. The best region's schedule becomes the function's
    attribute `cleave.schedule`; remarks say why the others lost. A schedule
    that is already there (written by hand) is checked and stays.

    Dynamic axes with several `like` values make several points (the first of
    each, the second of each, ...), each of which gets its best schedule. What
    differs enough becomes one attribute, `#cleave.schedules`, with the extents
    up to which each runs (docs/scheduling.md, shape classes).

    With `tuning-table`, a point that the table has for this graph and chip gets
    the schedule that was fastest when it was measured; a remark says where an
    entry is out of date. `candidates` makes what is measured.

    Functions without named axes are left alone.

    ```mlir
    func.func @f(...) attributes {
      cleave.schedule = #cleave.schedule<region = 0, grid = [M: 16, N: 64],
                                         loop = [K: 64], warps = 4, stages = 1>}
    ```
  }];
  let options = ScheduleOptions.targetOptions # ScheduleOptions.ablations #
                ScheduleOptions.tuning # [
    Option<"candidates", "candidates", "unsigned", /*default=*/"0",
           "Also leave this many schedules a point, as `cleave.candidates`, to "
           "be measured">
  ];
  let dependentDialects = ["::mlir::cleave::CleaveDialect"];
}

def CleaveApplySchedulePass
    : Pass<"cleave-apply-schedule", "::mlir::func::FuncOp"> {
  let summary = "Turn a scheduled function into loops over linalg";
  let description = [{
    Input: a function with the attribute `cleave.schedule`. Result: the
    scheduled form (docs/scheduled-form.md): `scf.forall` over output tiles,
    `scf.for` over the tiles of reduced axes, `linalg.generic` on tiles, plain
    tensors. Reductions that do not depend on each other share a loop; a fold's
    states are carried by one. Between several schedules `scf.if` chooses by
    run-time extents. An illegal schedule is an error that says why.

    Functions without named axes are left alone.
  }];
  let options = [ScheduleOptions.ablations[0]];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cleave::CleaveDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CleaveSchedulePass : Pass<"cleave-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose and apply a schedule for every function";
  let description = [{
    `--cleave-assign-schedule` followed by `--cleave-apply-schedule`.
  }];
  let options = ScheduleOptions.targetOptions # ScheduleOptions.ablations #
                ScheduleOptions.tuning;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cleave::CleaveDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CleavePrintLoopNestPass
    : Pass<"cleave-print-loop-nest", "::mlir::func::FuncOp"> {
  let summary = "Show the loops that a schedule makes";
  let description = [{
    Prints, for each function with named axes, the kernels, loops, loads and
    reductions that its `cleave.schedule` stands for, to standard error; a
    function without one is scheduled first. The function does not change. Of
    several schedules the first line says when each runs: `@f when M upto 45,
    region 0`, and of the last `@f otherwise, region 1`.

    ```
    @rmsnorm_linear, region 0
    kernel 0: parallel M step 16, N step 64, warps 4, stages 1:
      for K in 4096 step 64:
        load X[M: 16, K: 64]
        %0[M: 16] += sum over [K] of mul(X, X)
        ...
    ```
  }];
  let options = ScheduleOptions.targetOptions # ScheduleOptions.ablations #
                ScheduleOptions.tuning;
}

def CleaveExplainPass : Pass<"cleave-explain", "::mlir::func::FuncOp"> {
  let summary = "Show people why a function runs as it does";
  let description = [{
    Prints, for each function with named axes, to standard error: at each point
    that a schedule is chosen for, the region that wins, the rules that lead to
    it (where `--cleave-algebra=derivations` left them), the other regions with
    their times by the model, and the winner's kernels, each with its loops, its
    time and what bounds it. The function does not change. `cleave-run
    --explain` does the same for a file.

    ```
    @rmsnorm_linear on sm_90a at M = 16
      region 0 (Contract_Mark Sum_PullFactors): 11.6 us, wins
        from the input by Contract_Unmark, Normal_Flatten, Sum_PullFactors, Contract_Mark
      region 1 (input): 13.8 us in 2 kernels, 19 % more
      ...
    ```
  }];
  let options = ScheduleOptions.targetOptions # ScheduleOptions.ablations #
                ScheduleOptions.tuning;
}

def CleaveVerifyRulesPass : Pass<"cleave-verify-rules"> {
  let summary = "Test rules on random small instances";
  let description = [{
    Builds the left side of each rule over random arguments (axis sets, signs,
    values that may be infinite), applies the rule, and evaluates both sides for
    random values and extents (0, 1 and primes that differ): exactly in a prime
    field of 61 bits where both sides are rational or exponential, in f64, and
    in f32 with bounds of the rounding error, for values at the ends of the
    range. The facts that conditions ask are held against the values, too.
    docs/rules.md has the details. Prints `N rules verified`, and fails with the axes and values of a counterexample for a
    wrong rule. The module that the pass runs on does not matter.
  }];
  let options = [
    ListOption<"names", "names", "std::string",
               "Rules, as Family_Name (default: all)">,
    Cleave_RulesOption,
    Option<"seed", "seed", "unsigned", "1", "Seed of the instances">
  ];
  let dependentDialects = ["::mlir::cleave::CleaveDialect",
                           "::mlir::pdl::PDLDialect"];
}

def CleaveLowerExpansionsPass
    : Pass<"cleave-lower-expansions", "::mlir::func::FuncOp"> {
  let summary = "Lower the views of memrefs that upstream does not";
  let description = [{
    Upstream's `expand-strided-metadata` wants at most one dynamic dimension
    among those that one becomes. Where a row-major memref is expanded to more,
    the sizes give the strides:

    ```mlir
    %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %s, 8]
       : memref<?x8xf32> into memref<?x?x8xf32>
    // becomes, with %t = %s * 8
    %e = memref.reinterpret_cast %a to offset: [0], sizes: [%b, %s, 8],
           strides: [%t, 8, 1] : memref<?x8xf32> to memref<?x?x8xf32>
    ```

    It also tells by strides which dimensions of extent 1 a subview drops, and
    takes the first where strides are unknown. A subview that drops others by
    its sizes becomes one of all dimensions and a `memref.reinterpret_cast`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CleaveResultsToOutParamsPass
    : Pass<"cleave-results-to-out-params", "::mlir::func::FuncOp"> {
  let summary = "Write results into trailing memref arguments";
  let description = [{
    Input: the scheduled form. Each tensor result becomes one more argument, a
    row-major memref, in order; what the function returned is written to it in
    place once buffers are assigned. The new argument has the result's
    attributes and `cleave.result`, the result's number. Arguments get
    `bufferization.writable = false`: a result that starts from one starts from
    a copy.

    ```mlir
    func.func @f(%x: tensor<?xf16>) -> (tensor<?xf32> {cleave.name = "Y"}) {
      ...
      return %y : tensor<?xf32>
    }
    // becomes
    func.func @f(%x: tensor<?xf16>,
                 %out: memref<?xf32> {cleave.name = "Y", cleave.result = 0}) {
      ...
      bufferization.materialize_in_destination %y in restrict writable %out
        : (tensor<?xf32>, memref<?xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CleaveInterchangeGenericsPass
    : Pass<"cleave-interchange-generics", "::mlir::func::FuncOp"> {
  let summary = "Put the dimension that runs through memory innermost";
  let description = [{
    Before `linalg.generic` becomes loops for a CPU: the iteration dimension
    that most operands have last (or not at all) becomes the innermost loop, so
    that a product of a row by a matrix in storage order (K, N) runs along N and
    vectorizes. The order of a reduction's terms stays. `memref.copy` becomes a
    generic too: between strided buffers it would call a library.

    ```mlir
    // C[m, n] += A[m, k] * B[k, n] in the order (m, n, k) becomes (m, k, n)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def CleaveExpandBFloat16Pass : Pass<"cleave-expand-bfloat16"> {
  let summary = "Widen and narrow bf16 by shifts";
  let description = [{
    Before arith becomes LLVM for a CPU, which would call a library that may be
    missing. Unlike `--arith-expand` it leaves maxima and minima alone: LLVM
    keeps the order of -0 and +0, a comparison does not.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def CleaveBFloat16AsBitsPass
    : Pass<"cleave-bfloat16-as-bits", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Load and store bf16 as 16 bit integers";
  let description = [{
    After all became LLVM for a CPU. `--cleave-expand-bfloat16` has left only
    numbers that are taken for their bits at once; but where LLVM carries one
    from block to block, a CPU without the type does that in f32, and narrows by
    a library function that may be missing.

    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> bf16
    %1 = llvm.bitcast %0 : bf16 to i16
    // becomes
    %1 = llvm.load %p : !llvm.ptr -> i16
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CleaveFormFoldsPass : Pass<"cleave-form-folds", "::mlir::func::FuncOp"> {
  let summary = "Let reductions that use each other run in one pass";
  let description = [{
    Takes a function without sugar, in its body and in every region of
    `cleave.alternatives`. The reductions over one set of axes are sorted into
    *sweeps*; those of one sweep that use each other become one `cleave.fold`.

    The body of a reduction is read as a product of

    - factors that do not use a reduction of the sweep: they stay;
    - factors that do not vary along the axes: they are applied behind the
      reduction;
    - `exp(u + H)`, where H consists of earlier reductions (*references*): a
      running result is multiplied by `exp(H(new) - H(old))`;
    - powers 1 to 4 of a sum `u + V`, V consisting of references: the lower
      moments become states as well, and all are shifted to a new V. A running
      mean divides by the number of positions seen so far, a state of its own.

    Any other body starts the next sweep. So does, with `numerics=strict`, an
    exponent that no maximum over the axes is known to bound, a V that is no
    mean, and an operand that may overflow without its scale. A remark
    (`--remarks-filter=cleave-form-folds`) gives the verdict and its reason.
    Reductions without references stay as they are.

    ```mlir
    %m = cleave.reduce_max %x over [K] : (!x) -> !s
    %d = cleave.sub %x, %m : (!x, !s) -> !x
    %e = cleave.exp %d : (!x) -> !x
    %l = cleave.reduce_sum %e over [K] : (!x) -> !s
    // becomes, with the maximum guarded against -inf,
    %m, %l = cleave.fold over [K] ins(%x : !x) ...
    ```
  }];
  let options = [Cleave_NumericsOption];
  let dependentDialects = ["::mlir::cleave::CleaveDialect"];
}

def CleaveSplitReductionsPass
    : Pass<"cleave-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce in parts, and merge the partial results";
  let description = [{
    Runs on formed folds, in the function's body and in every region of
    `cleave.alternatives`. What is reduced over an axis K is reduced over parts
    of it, and the partial results over the parts. The number of parts is a new
    symbol, `K.s`, which scheduling binds; the reductions of one sweep share it.
    The parts of a fold are merged by another fold, whose bodies are the rebase
    regions. Parts are never split again; of several axes, each is split.

    ```mlir
    %y = cleave.contract %x, %w over [K] : (!mk, !kn) -> !mn
    // becomes, with K.s: bound like 1, K.i = ceil(K / K.s)
    %xs = cleave.split %x K into (K.s, K.i) : !mk to !mki
    %ws = cleave.split %w K into (K.s, K.i) : !kn to !kin
    %p = cleave.contract %xs, %ws over [K.i] : (!mki, !kin) -> !mns
    %y = cleave.reduce_sum %p over [K.s] : (!mns) -> !mn
    ```
  }];
  let options = [
    ListOption<"axes", "axes", "std::string", "Axes to split (default: all)">
  ];
  let dependentDialects = ["::mlir::cleave::CleaveDialect"];
}

#endif // CLEAVE_TRANSFORMS_PASSES_TD
