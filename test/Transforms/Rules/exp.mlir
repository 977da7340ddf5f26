// RUN: cleave-opt %s --cleave-apply-rules=names=Exp_OfLog 2>/dev/null | FileCheck %s --check-prefix=OFLOG
// RUN: cleave-opt %s --cleave-apply-rules=names=Exp_LogOfExp 2>/dev/null | FileCheck %s --check-prefix=LOGEXP
// RUN: cleave-opt %s --cleave-apply-rules=names=Exp_LogOfProduct 2>/dev/null | FileCheck %s --check-prefix=LOGPROD
// RUN: cleave-opt %s --cleave-apply-rules=names=Exp_PullFromLogSum 2>/dev/null | FileCheck %s --check-prefix=LSE
// RUN: cleave-opt %s --cleave-apply-rules=names=Prod_OfExp 2>/dev/null | FileCheck %s --check-prefix=PRODEXP
// RUN: cleave-opt %s --cleave-apply-rules=names=Prod_PullFactors 2>/dev/null | FileCheck %s --check-prefix=PRODPULL
// RUN: cleave-opt %s --cleave-apply-rules=names=Prod_LogOf 2>/dev/null | FileCheck %s --check-prefix=LOGOF

#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#M_S = #cleave.axes<M, S>
#S_M = #cleave.axes<S, M>

// OFLOG-LABEL: @of_log(
// OFLOG: %[[E:.*]] = cleave.exp %arg0
// OFLOG-NEXT: return %[[E]]
func.func @of_log(%x: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %l = cleave.log %e : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.exp %l : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// The logarithm of a negative number is NaN.
// OFLOG-LABEL: @of_log_negative(
// OFLOG-NEXT: {{.*}} = cleave.log
// OFLOG-NEXT: {{.*}} = cleave.exp
// OFLOG-NEXT: return
func.func @of_log_negative(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %l = cleave.log %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.exp %l : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// LOGEXP-LABEL: @log_exp(
// LOGEXP-NEXT: return %arg0
func.func @log_exp(%x: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.log %e : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// exp overflows, and its logarithm is infinite.
// LOGEXP-LABEL: @log_exp_inf(
// LOGEXP-NEXT: {{.*}} = cleave.exp
// LOGEXP-NEXT: {{.*}} = cleave.log
// LOGEXP-NEXT: return
func.func @log_exp_inf(%x: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.log %e : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// LOGPROD-LABEL: @log_product(
// LOGPROD-DAG: %[[A:.*]] = cleave.sigmoid %arg0
// LOGPROD-DAG: %[[B:.*]] = cleave.sigmoid %arg1
// LOGPROD-DAG: %[[L:.*]] = cleave.log %[[A]]
// LOGPROD-DAG: %[[M:.*]] = cleave.log %[[B]]
// LOGPROD: cleave.add %[[L]], %[[M]]
// LOGPROD: return
func.func @log_product(%x: tensor<?xf32, #M>, %y: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %a = cleave.sigmoid %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.sigmoid %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %a, %b : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.log %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// A small and a large factor: their logarithms would cancel.
// LOGPROD-LABEL: @log_product_cancels(
// LOGPROD-NEXT: {{.*}} = cleave.sigmoid
// LOGPROD-NEXT: {{.*}} = cleave.exp
// LOGPROD-NEXT: {{.*}} = cleave.mul
// LOGPROD-NEXT: {{.*}} = cleave.log
// LOGPROD-NEXT: return
func.func @log_product_cancels(%x: tensor<?xf32, #M>, %y: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %a = cleave.sigmoid %x : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %b = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %a, %b : (tensor<?xf32, #M>, tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %r = cleave.log %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// LSE-LABEL: @lse(
// LSE: %[[E:.*]] = cleave.exp %arg1
// LSE: %[[T:.*]] = cleave.reduce_sum %[[E]]
// LSE: %[[L:.*]] = cleave.log %[[T]]
// LSE: cleave.add %arg0, %[[L]]
// LSE: return
func.func @lse(%c: tensor<?xf32, #M> {cleave.range = 8.0 : f32}, %x: tensor<4x?xf32, #S_M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %a = cleave.add %x, %c : (tensor<4x?xf32, #S_M>, tensor<?xf32, #M>) -> tensor<?x4xf32, #M_S>
  %e = cleave.exp %a : (tensor<?x4xf32, #M_S>) -> tensor<?x4xf32, #M_S>
  %t = cleave.reduce_sum %e over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  %r = cleave.log %t : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// Where exp may overflow, it stays as it is.
// LSE-LABEL: @lse_inf(
// LSE-NEXT: {{.*}} = cleave.add
// LSE-NEXT: {{.*}} = cleave.exp
// LSE-NEXT: {{.*}} = cleave.reduce_sum
// LSE-NEXT: {{.*}} = cleave.log
// LSE-NEXT: return
func.func @lse_inf(%c: tensor<?xf32, #M>, %x: tensor<4x?xf32, #S_M>) -> tensor<?xf32, #M> {
  %a = cleave.add %x, %c : (tensor<4x?xf32, #S_M>, tensor<?xf32, #M>) -> tensor<?x4xf32, #M_S>
  %e = cleave.exp %a : (tensor<?x4xf32, #M_S>) -> tensor<?x4xf32, #M_S>
  %t = cleave.reduce_sum %e over [S] : (tensor<?x4xf32, #M_S>) -> tensor<?xf32, #M>
  %r = cleave.log %t : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// PRODEXP-LABEL: @prod_exp(
// PRODEXP: %[[T:.*]] = cleave.reduce_sum %arg0 over [K]
// PRODEXP: cleave.exp %[[T]]
// PRODEXP: return
func.func @prod_exp(%x: tensor<?x?xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_prod %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// inf * 0 is NaN.
// PRODEXP-LABEL: @prod_exp_inf(
// PRODEXP-NEXT: {{.*}} = cleave.exp
// PRODEXP-NEXT: {{.*}} = cleave.reduce_prod
// PRODEXP-NEXT: return
func.func @prod_exp_inf(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %e = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_prod %e over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// PRODPULL-LABEL: @prod_pull(
// PRODPULL-DAG: %[[F:.*]] = cleave.exp
// PRODPULL-DAG: %[[N:.*]] = cleave.extent K
// PRODPULL-DAG: %[[W:.*]] = cleave.pow %[[F]], %[[N]]
// PRODPULL-DAG: %[[P:.*]] = cleave.reduce_prod %arg0 over [K]
// PRODPULL: cleave.mul
// PRODPULL: return
func.func @prod_pull(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M> {cleave.range = 8.0 : f32}) -> tensor<?xf32, #M> {
  %f = cleave.exp %y : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  %p = cleave.mul %x, %f : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_prod %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// pow of a negative number.
// PRODPULL-LABEL: @prod_pull_negative(
// PRODPULL-NEXT: {{.*}} = cleave.mul
// PRODPULL-NEXT: {{.*}} = cleave.reduce_prod
// PRODPULL-NEXT: return
func.func @prod_pull_negative(%x: tensor<?x?xf32, #K_M>, %y: tensor<?xf32, #M>) -> tensor<?xf32, #M> {
  %p = cleave.mul %x, %y : (tensor<?x?xf32, #K_M>, tensor<?xf32, #M>) -> tensor<?x?xf32, #K_M>
  %r = cleave.reduce_prod %p over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// LOGOF-LABEL: @log_prod(
// LOGOF: %[[A:.*]] = cleave.sigmoid %arg0
// LOGOF: %[[L:.*]] = cleave.log %[[A]]
// LOGOF: cleave.reduce_sum %[[L]] over [K]
// LOGOF: return
func.func @log_prod(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.sigmoid %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.reduce_prod %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %r = cleave.log %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}

// Small and large numbers.
// LOGOF-LABEL: @log_prod_cancels(
// LOGOF-NEXT: {{.*}} = cleave.exp
// LOGOF-NEXT: {{.*}} = cleave.reduce_prod
// LOGOF-NEXT: {{.*}} = cleave.log
// LOGOF-NEXT: return
func.func @log_prod_cancels(%x: tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M> {
  %a = cleave.exp %x : (tensor<?x?xf32, #K_M>) -> tensor<?x?xf32, #K_M>
  %p = cleave.reduce_prod %a over [K] : (tensor<?x?xf32, #K_M>) -> tensor<?xf32, #M>
  %r = cleave.log %p : (tensor<?xf32, #M>) -> tensor<?xf32, #M>
  return %r : tensor<?xf32, #M>
}
