// Aliases that clash, end in digits or hold odd characters keep axis sets apart.
// RUN: cleave-opt %s | cleave-opt | FileCheck %s

// CHECK-DAG: #[[A:.+]] = #cleave.axes<M, K>
// CHECK-DAG: #[[B:.+]] = #cleave.axes<M_K>
// CHECK-DAG: #[[C:.+]] = #cleave.axes<K1>
// CHECK-DAG: #[[D:.+]] = #cleave.axes<K>
// CHECK-DAG: #[[E:.+]] = #cleave.axes<scalar>
// CHECK-DAG: #[[F:.+]] = #cleave.axes<>
// CHECK-DAG: #[[G:.+]] = #cleave.axes<a.b>
// CHECK-DAG: #[[H:.+]] = #cleave.axes<a$>
// CHECK-DAG: #[[I:.+]] = #cleave.axes<f32>
// CHECK-DAG: #[[J:.+]] = #cleave.axes<_>

// CHECK: @f(tensor<?x?xf32, #[[A]]>, tensor<?xf32, #[[B]]>, tensor<?xf32, #[[C]]>, tensor<?xf32, #[[D]]>,
// CHECK-SAME: tensor<?xf32, #[[E]]>, tensor<f32, #[[F]]>, tensor<?xf32, #[[G]]>, tensor<?xf32, #[[H]]>,
// CHECK-SAME: tensor<?xf32, #[[I]]>, tensor<?xf32, #[[J]]>)
func.func private @f(tensor<?x?xf32, #cleave.axes<M, K>>, tensor<?xf32, #cleave.axes<M_K>>,
    tensor<?xf32, #cleave.axes<K1>>, tensor<?xf32, #cleave.axes<K>>, tensor<?xf32, #cleave.axes<scalar>>,
    tensor<f32, #cleave.axes<>>, tensor<?xf32, #cleave.axes<a.b>>, tensor<?xf32, #cleave.axes<a$>>,
    tensor<?xf32, #cleave.axes<f32>>, tensor<?xf32, #cleave.axes<_>>)
