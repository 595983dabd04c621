// Slices that are combined: each range of rows is copied, and goes through all updates in order for those of its rows.
// RUN: tessera compile %s --targets native --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: scf.forall {{.*}} in (16)
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tensor.extract_slice {{.*}} to tensor<1x64xf32>
// CHECK: arith.addf
// CHECK: tensor.parallel_insert_slice
func.func @main(%x: tensor<1000x64xf32>, %i: tensor<50x1xi64>, %u: tensor<50x64xf32>) -> tensor<1000x64xf32> {
  %r = tsr.scatter_nd %x, %i, %u {reduction = "add"} : (tensor<1000x64xf32>, tensor<50x1xi64>, tensor<50x64xf32>) -> tensor<1000x64xf32>
  return %r : tensor<1000x64xf32>
}
