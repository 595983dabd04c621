// Rows that are doubled with four taps: each vector of a row is made once for two of results, those of even number and the others,
// which are interleaved.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: module @kernel_
// CHECK: scf.forall
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-4: vector.load
// CHECK-NOT: vector.load
// CHECK: vector.shuffle %[[EVEN:.*]], %[[ODD:.*]] [0, 8, 1, 9, 2, 10, 3, 11]
// CHECK: vector.store
// CHECK: vector.shuffle %[[EVEN]], %[[ODD]] [4, 12, 5, 13, 6, 14, 7, 15]
// CHECK: vector.store
func.func @main(%x: tensor<1x8x32x32xf32>) -> tensor<1x8x64x64xf32> {
  %k = tsr.constant dense<[1, 8, 64, 64]> : tensor<4xi64> -> tensor<4xi64>
  %y = tsr.resize %x, %k {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x8x32x32xf32>, tensor<4xi64>) -> tensor<1x8x64x64xf32>
  return %y : tensor<1x8x64x64xf32>
}
