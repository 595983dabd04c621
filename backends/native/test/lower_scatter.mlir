// Slices are scattered as wholes.
// RUN: tessera compile %s --targets native --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: scf.for
// CHECK: tensor.extract_slice {{.*}} to tensor<1x64xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel"]} ins({{.*}} : tensor<1x64xf32>)
// CHECK: tensor.insert_slice {{.*}} : tensor<1x64xf32> into tensor<100x64xf32>
func.func @main(%x: tensor<100x64xf32>, %i: tensor<50x1xi64>, %u: tensor<50x64xf32>) -> tensor<100x64xf32> {
  %r = tsr.scatter_nd %x, %i, %u : (tensor<100x64xf32>, tensor<50x1xi64>, tensor<50x64xf32>) -> tensor<100x64xf32>
  return %r : tensor<100x64xf32>
}
