// Resize of rows that are no whole vectors and its tail are one kernel without memory in between: rows are weighted, then picked from by shuffles that are
// known when compiling; its tables are constants.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: module @kernel_
// CHECK-DAG: memref.global "private" constant @resampled_rows : memref<128xindex>
// CHECK-DAG: memref.global "private" constant @row_weights : memref<128xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.forall
// CHECK: vector.shuffle %[[ROW:.*]], %[[ROW]] [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]
// CHECK: vector.shuffle %[[ROW]], %[[ROW]] [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]
// CHECK: vector.fma
// CHECK: vector.store
// CHECK-NOT: linalg
func.func @main(%x: tensor<1x8x32x40xf32>) -> tensor<1x8x64x80xf32> {
  %k = tsr.constant dense<[1, 8, 64, 80]> : tensor<4xi64> -> tensor<4xi64>
  %y = tsr.resize %x, %k {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x8x32x40xf32>, tensor<4xi64>) -> tensor<1x8x64x80xf32>
  %z = tsr.relu %y : (tensor<1x8x64x80xf32>) -> tensor<1x8x64x80xf32>
  return %z : tensor<1x8x64x80xf32>
}
