// Regions whose kernels are equal share one.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-COUNT-1: module @kernel_{{[0-9a-f]+}}
// CHECK-NOT: module @kernel_{{[0-9a-f]+}}
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = tsr.softmax %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = tsr.softmax %y : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
