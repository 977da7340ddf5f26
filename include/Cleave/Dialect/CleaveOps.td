//===- CleaveOps.td - Operations of the cleave dialect -----*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_DIALECT_CLEAVEOPS_TD
#define CLEAVE_DIALECT_CLEAVEOPS_TD

include "Cleave/Dialect/CleaveAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Types and base classes
//===----------------------------------------------------------------------===//

def Cleave_HasAxes : CPred<
  "::llvm::isa_and_nonnull<::mlir::cleave::AxesAttr>("
  "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">;

class Cleave_TensorOf<list<Type> elements, string what>
    : Type<And<[RankedTensorOf<elements>.predicate, Cleave_HasAxes]>,
           "tensor of " # what # " with named axes", "::mlir::RankedTensorType">;

def Cleave_FloatTensor
    : Cleave_TensorOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def Cleave_BoolTensor : Cleave_TensorOf<[I1], "i1">;
def Cleave_IntegerTensor
    : Cleave_TensorOf<[AnySignlessInteger], "signless integers">;
def Cleave_Tensor
    : Cleave_TensorOf<[F16, BF16, F32, F64, AnySignlessInteger],
                      "floats or signless integers">;

class Cleave_Op<string mnemonic, list<Trait> traits = []>
    : Op<Cleave_Dialect, mnemonic, traits>;

// An operation whose result type follows from its operands: the union of their
// axes in lexicographic order, and f32 (f64 if an operand is f64).
class Cleave_PureOp<string mnemonic, list<Trait> traits = []>
    : Cleave_Op<mnemonic, !listconcat([Pure,
        InferTypeOpAdaptor], traits)>;

//===----------------------------------------------------------------------===//
// Pointwise operations
//===----------------------------------------------------------------------===//

class Cleave_VariadicOp<string mnemonic, string what>
    : Cleave_PureOp<mnemonic, []> {
  let summary = what # " of any number of tensors, broadcast by axis name";
  let arguments = (ins Variadic<Cleave_FloatTensor>:$inputs);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

class Cleave_UnaryOp<string mnemonic, string what>
    : Cleave_PureOp<mnemonic, []> {
  let summary = what;
  let arguments = (ins Cleave_FloatTensor:$input);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, $result)";
  let hasFolder = 1;
}

class Cleave_BinaryOp<string mnemonic, string what>
    : Cleave_PureOp<mnemonic, []> {
  let summary = what # ", broadcast by axis name";
  let arguments = (ins Cleave_FloatTensor:$lhs, Cleave_FloatTensor:$rhs);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` functional-type(operands, $result)";
  let hasFolder = 1;
}

def Cleave_AddOp : Cleave_VariadicOp<"add", "Sum"> {
  let description = [{
    The sum of one or more tensors. An operand that lacks an axis of the result
    is broadcast along it. Operands are a multiset: reassociation is allowed.

    ```mlir
    %z = cleave.add %x, %b : (tensor<?x8xf32, #K_M>, tensor<?xf32, #K>)
                          -> tensor<?x8xf32, #K_M>
    ```
  }];
  let hasCanonicalizer = 1;
}
def Cleave_MulOp : Cleave_VariadicOp<"mul", "Product"> {
  let description = [{
    The product of one or more tensors; see `cleave.add` for axes.
  }];
  let hasCanonicalizer = 1;
}
def Cleave_MaxOp : Cleave_VariadicOp<"max", "Maximum"> {
  let description = [{
    The maximum of one or more tensors (IEEE 754-2019 `maximum`: NaN if an
    operand is); see `cleave.add` for axes.
  }];
}
def Cleave_MinOp : Cleave_VariadicOp<"min", "Minimum"> {
  let description = [{
    The minimum of one or more tensors (IEEE 754-2019 `minimum`: NaN if an
    operand is); see `cleave.add` for axes.
  }];
}

def Cleave_SubOp : Cleave_BinaryOp<"sub", "Difference"> {
  let description = [{Sugar for `add` of the first and `neg` of the second.}];
}
def Cleave_DivOp : Cleave_BinaryOp<"div", "IEEE quotient"> {
  let description = [{
    `lhs / rhs`. A rewrite to a product with `recip` needs a proof that `rhs`
    is not 0.
  }];
}
def Cleave_PowOp : Cleave_BinaryOp<"pow", "Power"> {
  let description = [{
    `lhs` to the power of `rhs`, as C's `pow`: NaN for a negative base with a
    fractional exponent, 1 for exponent 0.
  }];
}

def Cleave_NegOp : Cleave_UnaryOp<"neg", "Negation"> {
  let hasCanonicalizer = 1;
}
def Cleave_RecipOp : Cleave_UnaryOp<"recip", "IEEE reciprocal, 1 / x">;
def Cleave_Recip0Op
    : Cleave_UnaryOp<"recip0", "Reciprocal that is 0 at 0"> {
  let description = [{
    `1 / x` where x is not 0, else 0. A softmax over an empty domain divides by
    a sum of 0 and gives 0 through this.
  }];
}
def Cleave_AbsOp : Cleave_UnaryOp<"abs", "Absolute value">;
def Cleave_ExpOp : Cleave_UnaryOp<"exp", "Exponential">;
def Cleave_Exp2Op : Cleave_UnaryOp<"exp2", "Power of 2">;
def Cleave_LogOp : Cleave_UnaryOp<"log", "Natural logarithm"> {
  let description = [{-inf at 0 of either sign, NaN below.}];
}
def Cleave_TanhOp : Cleave_UnaryOp<"tanh", "Hyperbolic tangent">;
def Cleave_ErfOp : Cleave_UnaryOp<"erf", "Gauss error function">;
def Cleave_SqrtOp : Cleave_UnaryOp<"sqrt", "Square root">;
def Cleave_RsqrtOp : Cleave_UnaryOp<"rsqrt", "Reciprocal square root">;
def Cleave_SigmoidOp
    : Cleave_UnaryOp<"sigmoid", "Logistic function, 1 / (1 + exp(-x))">;

def Cleave_IsFiniteOp : Cleave_PureOp<"is_finite"> {
  let summary = "Whether an element is neither infinite nor NaN";
  let arguments = (ins Cleave_FloatTensor:$input);
  let results = (outs Cleave_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, $result)";
}

def Cleave_CmpOp : Cleave_PureOp<"cmp"> {
  let summary = "Comparison, broadcast by axis name";
  let description = [{
    An ordered IEEE comparison: with a NaN, `ne` is true and all others false.

    ```mlir
    %p = cleave.cmp lt %a, %b : (tensor<?xf32, #K>, tensor<f32, #scalar>)
                             -> tensor<?xi1, #K>
    ```
  }];
  let arguments = (ins Cleave_CmpPredicateAttr:$predicate,
                       Cleave_FloatTensor:$lhs, Cleave_FloatTensor:$rhs);
  let results = (outs Cleave_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` functional-type(operands, $result)
  }];
}

def Cleave_SelectOp : Cleave_PureOp<"select"> {
  let summary = "Choice by a condition, broadcast by axis name";
  let description = [{
    `true_value` where `condition` holds, else `false_value`. What is not
    chosen does not matter, NaN included.
  }];
  let arguments = (ins Cleave_BoolTensor:$condition,
                       Cleave_FloatTensor:$true_value,
                       Cleave_FloatTensor:$false_value);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $condition `,` $true_value `,` $false_value attr-dict `:`
    functional-type(operands, $result)
  }];
}

def Cleave_CastOp : Cleave_Op<"cast", [Pure]> {
  let summary = "Conversion of the element type";
  let description = [{
    Rounds to nearest even. f16 overflows to infinity. A cast is part of the
    numbers contract: no rewrite adds, removes or crosses one. The result lists
    its axes in lexicographic order.

    ```mlir
    %h = cleave.cast %y : tensor<?x8xf32, #K_M> to tensor<?x8xf16, #K_M>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 "::mlir::Type":$elementType)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

def Cleave_ConstantOp : Cleave_Op<"constant", [Pure, ConstantLike]> {
  let summary = "A constant, the same for all positions of its axes";
  let description = [{
    The value is a double; it is rounded to the element type. A constant may
    carry axes, since a sum over an axis depends on its extent.

    ```mlir
    %eps = cleave.constant 1.0e-6 : tensor<f32, #scalar>
    ```
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let builders = [
    // A scalar f32.
    OpBuilder<(ins "double":$value)>
  ];
  let hasFolder = 1;
}

def Cleave_ExtentOp : Cleave_PureOp<"extent"> {
  let summary = "The extent of an axis, as a scalar f32";
  let description = [{
    Stays symbolic throughout the algebra; means are sums times `recip` of it.

    ```mlir
    %n = cleave.extent K : tensor<f32, #scalar>
    ```
  }];
  let arguments = (ins StrAttr:$axis);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = "custom<Axis>($axis) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cleave_IotaOp : Cleave_Op<"iota", [Pure]> {
  let summary = "The position along an axis, as a float";
  let description = [{
    0, 1, 2, ... along the axis, as f32 or f64. An f32 counts to 2^24 and an f64
    to 2^53: longer axes are an error, here if they are static, else when their
    extents are bound.

    With `cmp`, `extent` and `select` this states causal masks, sliding windows,
    lengths, and the label of a cross-entropy. *A domain is a value*: positions
    outside are selected to the unit of the reduction that ranges over the axis
    (-inf in front of a softmax, 0 in front of a sum), so that no rule needs a
    side condition about domains. What stands in a position that is not
    selected does not matter, NaN included.

    ```mlir
    // causal and bottom-right aligned: key t <= query s + |T| - |S|
    %s = cleave.iota S : tensor<?xf32, #S>
    %t = cleave.iota T : tensor<?xf32, #T>
    %d = cleave.sub %nt, %ns : (!scalar, !scalar) -> !scalar
    %e = cleave.add %s, %d : (tensor<?xf32, #S>, !scalar) -> tensor<?xf32, #S>
    %m = cleave.cmp le %t, %e
       : (tensor<?xf32, #T>, tensor<?xf32, #S>) -> tensor<?x?xi1, #S_T>
    %z = cleave.select %m, %x, %minus_inf
       : (tensor<?x?xi1, #S_T>, tensor<?x?xf32, #S_T>, !scalar)
      -> tensor<?x?xf32, #S_T>
    ```
  }];
  let arguments = (ins StrAttr:$axis);
  let results = (outs Cleave_TensorOf<[F32, F64], "f32 or f64">:$result);
  let assemblyFormat = "custom<Axis>($axis) attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The longest axis whose positions the element type counts exactly.
    int64_t getLargestExtent();
  }];
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class Cleave_ReduceOp<string mnemonic, string what>
    : Cleave_PureOp<mnemonic, []> {
  let summary = what # " over axes";
  let arguments = (ins Cleave_FloatTensor:$input, Cleave_AxesAttr:$axes);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $input `over` custom<AxisSet>($axes) attr-dict `:`
    functional-type($input, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_ReduceSumOp : Cleave_ReduceOp<"reduce_sum", "Sum"> {
  let description = [{
    Sums over all existing positions of the axes, which the operand must carry.
    An empty sum is 0.

    ```mlir
    %s = cleave.reduce_sum %x over [K] : (tensor<?x8xf32, #K_M>)
                                      -> tensor<8xf32, #M>
    ```
  }];
}
def Cleave_ReduceMaxOp : Cleave_ReduceOp<"reduce_max", "Maximum"> {
  let description = [{
    The maximum over all existing positions of the axes; NaN if one is NaN. An
    empty maximum is -inf.
  }];
}
def Cleave_ReduceMinOp : Cleave_ReduceOp<"reduce_min", "Minimum"> {
  let description = [{
    The minimum over all existing positions of the axes; NaN if one is NaN. An
    empty minimum is +inf.
  }];
}
def Cleave_ReduceProdOp : Cleave_ReduceOp<"reduce_prod", "Product"> {
  let description = [{
    The product over all existing positions of the axes. An empty product is 1.
  }];
}

def Cleave_ContractOp : Cleave_PureOp<"contract"> {
  let summary = "Sum of products over axes";
  let description = [{
    `reduce_sum(mul(lhs, rhs))` over the axes, each of which an operand must
    carry; marked so that it can run on tensor cores.

    `operand_type` is the type that the operands are rounded to before they are
    multiplied (products and sums are f32 or better). Without it: the narrowest
    element type of the function's arguments that feed the contraction.

    ```mlir
    %y = cleave.contract %x, %w over [K] {operand_type = f16}
       : (tensor<?x8xf16, #M_K>, tensor<8x4xf16, #K_N>) -> tensor<?x4xf32, #M_N>
    ```
  }];
  let arguments = (ins Cleave_FloatTensor:$lhs, Cleave_FloatTensor:$rhs,
                       Cleave_AxesAttr:$axes,
                       OptionalAttr<TypeAttrOf<AnyFloat>>:$operand_type);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `over` custom<AxisSet>($axes) attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_FoldOp : Cleave_Op<"fold",
    [IsolatedFromAbove, RecursiveMemoryEffects, Pure]> {
  let summary = "Several dependent reductions over axes in one pass";
  let description = [{
    Reduces over `axes` with one or more *states*. State i is a reduction
    (`reduce_sum`, `reduce_max`, `reduce_min`) or a contraction of a *body*, a region over
    the fold's inputs and the earlier states 0 .. i-1, its *references*. The
    results are the states' final values.

    - Body i has the arguments (inputs, references), as tensors with the types
      of the inputs and of results 0 .. i-1, and yields one tensor (two for a
      contraction) that carries the axes. Result i is its reduction. With the
      references at their final values this defines the fold.
    - Rebase i says how a partial state, taken while the references had old
      values, becomes one for new values: arguments (references at the old
      values, the partial state, references at the new values), one yielded
      tensor of the state's type. It is empty for a state whose body uses no
      reference.

    From these follow the *leaf* of a tile (each body reduced over the tile
    only, at the tile's own references), *combine* of two partial results
    (state by state in order: rebase both sides from their own references to
    the combined ones, then reduce), and the *unit* (0, -inf or +inf for each
    state), which is the partial result of no positions and the identity of combine.

    A step of a loop, a merge of lanes, warps, blocks or splits is one and the
    same combine. No state is ever tested for its unit: a state of a partial
    result that saw positions can be 0 as well (the sum of x - mean over a
    single position), and must be rebased. Instead, whoever writes the regions
    keeps these two rules:

    - Where a state and all its references have their unit as old values, a
      rebase yields the unit, whatever the new references are. So a loop may
      start at the unit, and an empty part may be merged.
    - A body is right at the references of any tile, which are not the final
      ones: where the positions of a tile give a maximum of -inf, `x - max` must
      not become NaN if the final maximum is finite.

    ```mlir
    %m, %l, %o = cleave.fold over [T] ins(%s, %v : !s, !v)
      reduce_max body {
      ^bb0(%z: !s, %w: !v):
        cleave.yield %z : !s
      } rebase {
      }
      reduce_sum body {
      ^bb0(%z: !s, %w: !v, %m: !m):
        // shift = the maximum where it is finite, else 0
        %d = cleave.sub %z, %shift : (!s, !m) -> !s
        %p = cleave.exp %d : (!s) -> !s
        cleave.yield %p : !s
      } rebase {
      ^bb0(%m0: !m, %l: !m, %m1: !m):
        // at the unit, shift0 is 0 and shift1 anything: exp must not overflow
        %d = cleave.sub %shift0, %shift1 : (!m, !m) -> !m
        %e = cleave.min %d, %zero : (!m, !s0) -> !m
        %f = cleave.exp %e : (!m) -> !m
        %r = cleave.mul %l, %f : (!m, !m) -> !m
        cleave.yield %r : !m
      }
      ...
      -> (!m, !m, !o)
    ```
  }];
  let arguments = (ins Variadic<Cleave_Tensor>:$inputs, Cleave_AxesAttr:$axes,
                       Cleave_ReductionKindArrayAttr:$kinds,
                       OptionalAttr<TypeArrayAttr>:$operand_types);
  let results = (outs Variadic<Cleave_FloatTensor>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$stateRegions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Creates the op with empty body and rebase regions; the caller fills them.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs,
                   "::mlir::cleave::AxesAttr":$axes,
                   "::llvm::ArrayRef<::mlir::cleave::ReductionKind>":$kinds)>
  ];
  let extraClassDeclaration = [{
    size_t getNumStates() { return getKinds().size(); }
    ReductionKind getKind(size_t state) {
      return cast<ReductionKindAttr>(getKinds()[state]).getValue();
    }
    Region &getBody(size_t state) { return getStateRegions()[2 * state]; }
    Region &getRebase(size_t state) { return getStateRegions()[2 * state + 1]; }
    /// The type that a contraction state's operands are rounded to; none for
    /// other states, or if not declared (then as for `cleave.contract`).
    std::optional<Type> getOperandType(size_t state);
  }];
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

def Cleave_SplitOp : Cleave_Op<"split", [Pure]> {
  let summary = "View of an axis as (outer, inner)";
  let description = [{
    Position (o, i) of the result is position `o * |inner| + i` of `axis`, with
    `|inner| = ceil(|axis| / |outer|)`. Positions with `o * |inner| + i >=
    |axis|` do not exist: every reduction skips them, so parts may be short or
    empty. There is no pad value.

    ```mlir
    %v = cleave.split %x K into (S, Ki)
       : tensor<?x4xf16, #K_N> to tensor<?x4x?xf16, #Ki_N_S>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input, StrAttr:$axis, StrAttr:$outer,
                       StrAttr:$inner);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Axis>($axis) `into` `(` custom<Axis>($outer) `,`
    custom<Axis>($inner) `)` attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Cleave_MergeOp : Cleave_Op<"merge", [Pure]> {
  let summary = "View of two axes as one; inverse of split";
  let description = [{
    Position `o * |inner| + i` of `axis` is position (o, i) of the operand. The
    extent of `axis` is its own if it is split into these two elsewhere (or by
    the symbol table), else `|outer| * |inner|`.

    ```mlir
    %x = cleave.merge %v (S, Ki) into K
       : tensor<?x4x?xf16, #Ki_N_S> to tensor<?x4xf16, #K_N>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input, StrAttr:$outer, StrAttr:$inner,
                       StrAttr:$axis);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = [{
    $input `(` custom<Axis>($outer) `,` custom<Axis>($inner) `)` `into`
    custom<Axis>($axis) attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cleave_RenameOp : Cleave_PureOp<"rename"> {
  let summary = "The same bytes under other axis names";
  let description = [{
    Axis i of `from` becomes axis i of `to`. Both have one extent.

    ```mlir
    %k = cleave.rename %x [S] to [T]
       : (tensor<?x4xf16, #S_D>) -> tensor<4x?xf16, #D_T>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input, Cleave_AxesAttr:$from,
                       Cleave_AxesAttr:$to);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = [{
    $input custom<AxisList>($from) `to` custom<AxisList>($to) attr-dict `:`
    functional-type($input, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cleave_RelayoutOp : Cleave_Op<"relayout", [Pure]> {
  let summary = "The same tensor in another storage order";
  let description = [{
    ```mlir
    %r = cleave.relayout %y : tensor<4x?xf16, #N_M> to tensor<?x4xf16, #M_N>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cleave_SliceOp : Cleave_Op<"slice", [Pure]> {
  let summary = "Part of an axis under another name, or one position of it";
  let description = [{
    With `as L`, position l of axis L is position `offset + l` of `axis`.
    Without, the axis is dropped and position `offset` alone is left. A part
    that reaches behind the axis is an error: here where the extents are static,
    else when they are bound.

    ```mlir
    %v = cleave.slice %x C at 0 as L
       : tensor<?x576xf16, #T_C> to tensor<512x?xf16, #L_T>
    %r = cleave.slice %y J at 1 : tensor<?x2xf16, #K_J> to tensor<?xf16, #K>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input, StrAttr:$axis,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$offset,
                       OptionalAttr<StrAttr>:$part);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Axis>($axis) `at` $offset custom<Part>($part) attr-dict `:`
    type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Cleave_ConcatOp : Cleave_Op<"concat", [Pure]> {
  let summary = "Tensors one behind the other along an axis";
  let description = [{
    Input i carries axis i of the list `along`; these lie one behind the other
    as `axis`, whose extent is their sum. Along all other axes inputs are
    broadcast. An axis may stand in the list more than once. Inputs have one
    element type, which the result keeps.

    ```mlir
    %n = cleave.concat %a, %b along [K, R] as N
       : (tensor<?x512xf16, #M_K>, tensor<?x64xf16, #M_R>)
      -> tensor<?x576xf16, #M_N>
    ```
  }];
  let arguments = (ins Variadic<Cleave_Tensor>:$inputs, StrArrayAttr:$along,
                       StrAttr:$axis);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = [{
    $inputs `along` custom<AxisNames>($along) `as` custom<Axis>($axis) attr-dict
    `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_GatherOp : Cleave_PureOp<"gather"> {
  let summary = "Positions of an axis chosen by an index tensor";
  let description = [{
    `axis` of the table is replaced by the axes of the index tensor: the result
    at (i, r) is the table at (index(i), r). Axes that both carry are one axis:
    then each of its positions looks into its own part of the table. An index
    outside of the axis gives NaN, never memory. The element type is the
    table's.

    ```mlir
    // one label a row: x[m, label[m]]
    %t = cleave.gather %x V at %label
       : (tensor<?x32000xf16, #M_V>, tensor<?xi32, #M>) -> tensor<?xf16, #M>
    ```
  }];
  let arguments = (ins Cleave_FloatTensor:$table, StrAttr:$axis,
                       Cleave_IntegerTensor:$index);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $table custom<Axis>($axis) `at` $index attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_InsertOp : Cleave_PureOp<"insert"> {
  let summary = "A tensor with some positions of an axis replaced";
  let description = [{
    The cache with positions `pos .. pos + |axis| - 1` of `cache_axis` replaced
    by those of `input` along `axis`. Both have the same other axes. `position`
    has some of these axes, so that each batch entry can have its own. Positions
    that fall outside of the cache are dropped.

    As everywhere, the result is a new value; whether it shares the cache's
    bytes is a matter of scheduling.

    ```mlir
    %n = cleave.insert %k S into %cache T at %pos
       : (tensor<?x1x128xf16, #B_S_D>, tensor<?x?x128xf16, #B_T_D>,
          tensor<?xi32, #B>) -> tensor<?x128x?xf16, #B_D_T>
    ```
  }];
  let arguments = (ins Cleave_Tensor:$input, StrAttr:$axis,
                       Cleave_Tensor:$cache, StrAttr:$cache_axis,
                       Cleave_IntegerTensor:$position);
  let results = (outs Cleave_Tensor:$result);
  let assemblyFormat = [{
    $input custom<Axis>($axis) `into` $cache custom<Axis>($cache_axis) `at`
    $position attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

def Cleave_AlternativesOp : Cleave_Op<"alternatives",
    [SingleBlock, RecursiveMemoryEffects, NoRegionArguments]> {
  let summary = "Equal ways to compute the same results";
  let description = [{
    Each region computes the same results, in a different way; the best by the
    algebra's cost comes first. Scheduling picks one. Regions read values from
    above and end in `cleave.yield`. `labels`, one a region, say where each
    comes from (`input` is the graph as it was written).

    ```mlir
    %y = cleave.alternatives ["one-pass"] {
      ...
      cleave.yield %a : tensor<?x4xf16, #M_N>
    }, ["input"] {
      ...
      cleave.yield %b : tensor<?x4xf16, #M_N>
    } : tensor<?x4xf16, #M_N>
    ```
  }];
  let arguments = (ins OptionalAttr<StrArrayAttr>:$labels);
  let results = (outs Variadic<Cleave_Tensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$alternatives);
  let assemblyFormat = [{
    ($labels^)? $alternatives attr-dict (`:` type($results)^)?
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    // Creates `count` empty regions, each with an empty block.
    OpBuilder<(ins "::mlir::TypeRange":$results, "unsigned":$count)>
  ];
  let hasRegionVerifier = 1;
}

def Cleave_YieldOp : Cleave_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["AlternativesOp", "FoldOp"]>]> {
  let summary = "Ends a region of fold or alternatives";
  let arguments = (ins Variadic<Cleave_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange());
  }]>];
}

include "Cleave/Dialect/CleaveSugarOps.td"

#endif // CLEAVE_DIALECT_CLEAVEOPS_TD
