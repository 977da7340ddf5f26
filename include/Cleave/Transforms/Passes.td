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
    Rewrites `cleave.softmax`, `cleave.rms_norm` and `cleave.silu` as their
    definitions, so that nothing after it knows them:

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

    The cost is compared in this order: sweeps over axes that have to follow
    one another, bytes of arguments read, work at the representative extents.

    With `numerics=strict` a form that is not the input's is refused if, for
    some arguments within their ranges, an operand of a contraction would
    overflow when it is rounded, or a value that the input does not have is not
    finite. Without `cleave.range`, an argument is assumed finite. A remark
    (`--remarks-filter=cleave-algebra`) says what to declare, and how the
    saturation ended.
  }];
  let options = [
    Option<"k", "k", "unsigned", "4", "Number of alternatives">,
    Cleave_RulesOption,
    Cleave_NumericsOption,
    Option<"maxEnodes", "max-enodes", "unsigned", "20000",
           "Stop the saturation at this many nodes">,
    Option<"maxIterations", "max-iterations", "unsigned", "30",
           "Stop each phase of the saturation after this many iterations">,
    Option<"explain", "explain", "bool", "false",
           "Say how often each rule found something">
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

#endif // CLEAVE_TRANSFORMS_PASSES_TD
