//===- CleaveSugarOps.td - Sugar of the cleave dialect -----*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that --cleave-expand replaces by others, so that inputs read like
// papers. Part of CleaveOps.td, which has what they are made of.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_DIALECT_CLEAVESUGAROPS_TD
#define CLEAVE_DIALECT_CLEAVESUGAROPS_TD

def Cleave_SoftmaxOp : Cleave_PureOp<"softmax"> {
  let summary = "Softmax over axes; 0 for a row without keys";
  let description = [{
    Expands to `exp(x - shift) * recip0(reduce_sum(exp(x - shift)))` where
    shift is the row's maximum where that is finite, else 0. A row with an
    empty domain, or of -inf only, gives 0.
  }];
  let arguments = (ins Cleave_FloatTensor:$input, Cleave_AxesAttr:$axes);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $input `over` custom<AxisSet>($axes) attr-dict `:`
    functional-type($input, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_RMSNormOp : Cleave_PureOp<"rms_norm"> {
  let summary = "x * rsqrt(mean(x * x) + eps), times a weight";
  let description = [{
    The mean runs over `axes`. `weight` may have any axes of the input. (Zhang
    and Sennrich, Root Mean Square Layer Normalization, 2019.)

    ```mlir
    %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
       : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>) -> tensor<8x?xf32, #K_M>
    ```
  }];
  let arguments = (ins Cleave_FloatTensor:$input,
                       Optional<Cleave_FloatTensor>:$weight,
                       Cleave_AxesAttr:$axes, F64Attr:$eps);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`,` $weight^)? `over` custom<AxisSet>($axes) `eps` $eps attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_SiluOp : Cleave_PureOp<"silu"> {
  let summary = "x * sigmoid(x)";
  let arguments = (ins Cleave_FloatTensor:$input);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, $result)";
}

def Cleave_GeluOp : Cleave_PureOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `x * (1 + erf(x / sqrt(2))) / 2` in the form `erf`,
    `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2` in the form
    `tanh`. (Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.)

    ```mlir
    %y = cleave.gelu tanh %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
    ```
  }];
  let arguments = (ins Cleave_GeluFormAttr:$form, Cleave_FloatTensor:$input);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat =
      "$form $input attr-dict `:` functional-type($input, $result)";
}

def Cleave_LayerNormOp : Cleave_PureOp<"layer_norm"> {
  let summary = "Centred and scaled to unit variance, times a weight, plus a "
                "bias";
  let description = [{
    `d * rsqrt(mean(d * d) + eps) * weight + bias` with `d = x - mean(x)`, means
    over `axes`. The parameters are a weight, or a weight and a bias; they may
    have any axes of the input. (Ba, Kiros and Hinton, Layer Normalization,
    2016.)

    ```mlir
    %n = cleave.layer_norm %x, %g, %b over [K] eps 1.0e-5
       : (tensor<?x8xf16, #M_K>, tensor<8xf16, #K>, tensor<8xf16, #K>)
      -> tensor<8x?xf32, #K_M>
    ```
  }];
  let arguments = (ins Cleave_FloatTensor:$input,
                       Variadic<Cleave_FloatTensor>:$parameters,
                       Cleave_AxesAttr:$axes, F64Attr:$eps);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`,` $parameters^)? `over` custom<AxisSet>($axes) `eps` $eps
    attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_LogSumExpOp : Cleave_PureOp<"logsumexp"> {
  let summary = "Logarithm of the sum of exponentials over axes";
  let description = [{
    Expands to `log(reduce_sum(exp(x - shift))) + shift` where shift is the
    row's maximum where that is finite, else 0: -inf for a row with an empty
    domain, or of -inf only.
  }];
  let arguments = (ins Cleave_FloatTensor:$input, Cleave_AxesAttr:$axes);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $input `over` custom<AxisSet>($axes) attr-dict `:`
    functional-type($input, $result)
  }];
  let hasVerifier = 1;
}

def Cleave_StackOp : Cleave_PureOp<"stack"> {
  let summary = "Tensors as the positions of a new axis";
  let description = [{
    Input i is position i of the new axis; other axes are broadcast. Expands to
    selects by the position along the axis.

    ```mlir
    %r = cleave.stack %a, %b as J
       : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<2x?xf32, #J_K>
    ```
  }];
  let arguments = (ins Variadic<Cleave_FloatTensor>:$inputs, StrAttr:$axis);
  let results = (outs Cleave_FloatTensor:$result);
  let assemblyFormat = [{
    $inputs `as` custom<Axis>($axis) attr-dict `:`
    functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

#endif // CLEAVE_DIALECT_CLEAVESUGAROPS_TD
