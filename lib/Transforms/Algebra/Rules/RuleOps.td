//===- RuleOps.td - What PDLL knows of the operations ------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations as rules see them. The dialect's own definitions would do but
// for one thing: a pattern may name one operand of a multiset and call the
// others `rest`, which needs two groups of operands.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Rule_Dialect : Dialect {
  let name = "cleave";
  let cppNamespace = "::mlir::cleave";
}

class Rule_Op<string mnemonic, dag ins>
    : Op<Rule_Dialect, mnemonic,
         [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = ins;
  let results = (outs AnyType:$result);
}

foreach name = ["add", "mul", "max", "min"] in {
  def : Rule_Op<name, (ins Variadic<AnyType>:$first, Variadic<AnyType>:$rest)>;
  def : Rule_Op<name # ".pair", (ins AnyType:$first, AnyType:$second,
                                     Variadic<AnyType>:$rest)>;
}

foreach name = ["neg", "recip", "recip0", "abs", "exp", "exp2", "log", "tanh",
                "erf", "sqrt", "rsqrt", "sigmoid", "is_finite", "reduce_sum",
                "reduce_max", "reduce_min", "reduce_prod", "slice"] in
  def : Rule_Op<name, (ins AnyType:$input)>;

foreach name = ["sub", "div", "pow", "cmp", "contract", "gather"] in
  def : Rule_Op<name, (ins AnyType:$lhs, AnyType:$rhs)>;

def : Rule_Op<"select", (ins AnyType:$condition, AnyType:$true_value,
                             AnyType:$false_value)>;
def : Rule_Op<"concat", (ins Variadic<AnyType>:$inputs)>;
def : Rule_Op<"concat.pair", (ins AnyType:$first, AnyType:$second)>;
def : Rule_Op<"constant", (ins)>;
