// Rows of whole vectors that are doubled: each is read and made wide once, in a loop down the rows that keeps those above, for two
// rows of results.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: module @kernel_
// CHECK-NOT: memref.global
// CHECK: scf.forall
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} step %[[VECTOR:.*]] {
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-5: vector.load
// CHECK-NOT: vector.load
// CHECK: %[[LOW:.*]] = vector.shuffle %[[EVEN:.*]], %[[EVEN]] [8, 1, 9, 3, 10, 5, 11, 7]
// CHECK: vector.shuffle %[[LOW]], %[[ODD:.*]] [0, 8, 2, 9, 4, 10, 6, 11]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[EVEN]], %[[EVEN]] [12, 1, 13, 3, 14, 5, 15, 7]
// CHECK: vector.shuffle %[[HIGH]], %[[ODD]] [0, 12, 2, 13, 4, 14, 6, 15]
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.store
// CHECK: scf.yield
func.func @main(%x: tensor<1x8x32x32xf32>) -> tensor<1x8x64x64xf32> {
  %k = tsr.constant dense<[1, 8, 64, 64]> : tensor<4xi64> -> tensor<4xi64>
  %y = tsr.resize %x, %k {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x8x32x32xf32>, tensor<4xi64>) -> tensor<1x8x64x64xf32>
  return %y : tensor<1x8x64x64xf32>
}
