// What the loader refuses: a rule that lost a part is a wrong rule.
// RUN: split-file %s %t
// RUN: echo 'module {}' > %t.empty.mlir
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/dropped.mlir 2>&1 | FileCheck %s --check-prefix=DROPPED
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/unknown-op.mlir 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/unknown-native.mlir 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/arity.mlir 2>&1 | FileCheck %s --check-prefix=ARITY
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/sugar.mlir 2>&1 | FileCheck %s --check-prefix=SUGAR
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=rules=%t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not cleave-opt %t.empty.mlir --cleave-verify-rules=names=User_None 2>&1 | FileCheck %s --check-prefix=NONE

// MISSING: error:
// NONE: unknown rule 'User_None'

//--- dropped.mlir
// DROPPED: error: expected a constrained attribute
pdl.pattern @User_Dropped : benefit(0) {
  %x = operand
  %a = attribute
  %t = types
  %0 = operation "cleave.reduce_max"(%x : !pdl.value) {"axes" = %a} -> (%t : !pdl.range<type>)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
//--- unknown-op.mlir
// OP: error: unknown operation 'cleave.softmax'
pdl.pattern @User_Op : benefit(0) {
  %x = operand
  %t = types
  %0 = operation "cleave.softmax"(%x : !pdl.value) -> (%t : !pdl.range<type>)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
//--- unknown-native.mlir
// NATIVE: error: unknown constraint 'Lucky'
pdl.pattern @User_Native : benefit(0) {
  %x = operand
  %t = types
  %0 = operation "cleave.exp"(%x : !pdl.value) -> (%t : !pdl.range<type>)
  apply_native_constraint "Lucky"(%x : !pdl.value)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
//--- arity.mlir
// ARITY: error: expected constraint 'Finite' to have 1 arguments and 0 results but got 2 and 0
pdl.pattern @User_Arity : benefit(0) {
  %x = operand
  %t = types
  %0 = operation "cleave.exp"(%x : !pdl.value) -> (%t : !pdl.range<type>)
  apply_native_constraint "Finite"(%x, %x : !pdl.value, !pdl.value)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
//--- name.mlir
// NAME: error: expected a rule named Family_Name but got 'nameless'
pdl.pattern @nameless : benefit(0) {
  %x = operand
  %t = types
  %0 = operation "cleave.exp"(%x : !pdl.value) -> (%t : !pdl.range<type>)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
//--- twice.mlir
// TWICE: error: rule 'Sum_MergeNested' is defined twice
pdl.pattern @Sum_MergeNested : benefit(0) {
  %x = operand
  %t = types
  %0 = operation "cleave.exp"(%x : !pdl.value) -> (%t : !pdl.range<type>)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
//--- sugar.mlir
// SUGAR: error: expected a normal form but got 'cleave.neg'
pdl.pattern @User_Neg : benefit(0) {
  %x = operand
  %t = types
  %0 = operation "cleave.neg"(%x : !pdl.value) -> (%t : !pdl.range<type>)
  rewrite %0 {
    replace %0 with (%x : !pdl.value)
  }
}
