// Slices that replace others: for each row the number of its last update, and one pass that copies each row from where it comes from.
// RUN: tessera compile %s --targets native --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: %[[LAST:.*]] = scf.for {{.*}} -> (tensor<1000xi64>)
// CHECK: tensor.insert {{.*}} : tensor<1000xi64>
// CHECK: scf.forall (%[[ROW:.*]]) in (1000)
// CHECK: tensor.extract %[[LAST]][%[[ROW]]]
// CHECK: scf.if {{.*}} -> (tensor<1x64xf32>)
// CHECK-COUNT-2: linalg.generic {{.*}}"parallel", "parallel"]} ins({{.*}} : tensor<1x64xf32>)
// CHECK: tensor.parallel_insert_slice {{.*}} : tensor<1x64xf32> into tensor<1000x64xf32>
func.func @main(%x: tensor<1000x64xf32>, %i: tensor<50x1xi64>, %u: tensor<50x64xf32>) -> tensor<1000x64xf32> {
  %r = tsr.scatter_nd %x, %i, %u : (tensor<1000x64xf32>, tensor<50x1xi64>, tensor<50x64xf32>) -> tensor<1000x64xf32>
  return %r : tensor<1000x64xf32>
}
