// --bench measures; the numbers are nobody's business here, their form is.

// RUN: cleave-run %s --device=evaluator --bind M=3 --bench --json=%t.json | FileCheck %s
// CHECK: time[M=3]: {{[0-9.]+}} us a call (median, {{[0-9]+}} calls)
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// JSON: "entry": "f",
// JSON-NEXT: "device": "evaluator",
// JSON-NEXT: "median_us": {{[0-9.]+}},
// JSON-NEXT: "runs": [
// JSON: "M": 3

#M = #cleave.axes<M>
func.func @f(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %y = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %y : tensor<?xf32, #M>
}
