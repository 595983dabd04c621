// Planes of windows that share no rows are read as further rows of them, and rows behind each other, without memory between.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK-NOT: memref.alloc
// CHECK: scf.forall {{.*}} in (2, 3, 4)
// CHECK-NOT: memref.alloc
// CHECK-COUNT-8: vector.load
// CHECK-NOT: vector.load
// CHECK: vector.store
func.func @main(%x: tensor<1x2x6x16x32xf32>) -> tensor<1x2x3x8x16xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x6x16x32xf32>) -> tensor<1x2x3x8x16xf32>
  return %y : tensor<1x2x3x8x16xf32>
}
