// A product with a transposed matrix of the run is a Gemm that reads it as it lies; constants, and what others read
// transposed, stay.
// RUN: tessera-opt %s -tessera-simplify-turn-products | FileCheck %s

// CHECK-LABEL: @of_the_run
// CHECK-SAME: (%[[A:.*]]: tensor<4x512xf32>, %[[B:.*]]: tensor<1001x512xf32>)
// CHECK-NOT: tsr.transpose
// CHECK: tsr.gemm %[[A]], %[[B]] {transB = 1 : i64}
func.func @of_the_run(%a: tensor<4x512xf32>, %b: tensor<1001x512xf32>) -> tensor<4x1001xf32> {
  %t = tsr.transpose %b {perm = array<i64: 1, 0>} : (tensor<1001x512xf32>) -> tensor<512x1001xf32>
  %p = tsr.matmul %a, %t : (tensor<4x512xf32>, tensor<512x1001xf32>) -> tensor<4x1001xf32>
  return %p : tensor<4x1001xf32>
}

// CHECK-LABEL: @read_twice
// CHECK: tsr.matmul
func.func @read_twice(%a: tensor<4x512xf32>, %b: tensor<1001x512xf32>) -> (tensor<4x1001xf32>, tensor<512x1001xf32>) {
  %t = tsr.transpose %b : (tensor<1001x512xf32>) -> tensor<512x1001xf32>
  %p = tsr.matmul %a, %t : (tensor<4x512xf32>, tensor<512x1001xf32>) -> tensor<4x1001xf32>
  return %p, %t : tensor<4x1001xf32>, tensor<512x1001xf32>
}

// CHECK-LABEL: @stacked
// CHECK: tsr.matmul
func.func @stacked(%a: tensor<2x4x5xf32>, %b: tensor<2x3x5xf32>) -> tensor<2x4x3xf32> {
  %t = tsr.transpose %b {perm = array<i64: 0, 2, 1>} : (tensor<2x3x5xf32>) -> tensor<2x5x3xf32>
  %p = tsr.matmul %a, %t : (tensor<2x4x5xf32>, tensor<2x5x3xf32>) -> tensor<2x4x3xf32>
  return %p : tensor<2x4x3xf32>
}

// CHECK-LABEL: @constant
// CHECK: tsr.matmul
func.func @constant(%a: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %b = tsr.constant dense<1.0> : tensor<3x2xf32> -> tensor<3x2xf32>
  %t = tsr.transpose %b {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %p = tsr.matmul %a, %t : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %p : tensor<4x3xf32>
}

// CHECK-LABEL: @not_turned
// CHECK: tsr.matmul
func.func @not_turned(%a: tensor<4x5xf32>, %b: tensor<5x5xf32>) -> tensor<4x5xf32> {
  %t = tsr.transpose %b {perm = array<i64: 0, 1>} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %p = tsr.matmul %a, %t : (tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
  return %p : tensor<4x5xf32>
}

// CHECK-LABEL: @column
// CHECK-SAME: (%[[K:.*]]: tensor<2x7x5xf32>, %[[V:.*]]: tensor<2x7x1xf32>)
// CHECK-NOT: tsr.transpose
// CHECK: %[[ROW:.*]] = tsr.reshape %[[V]], {{.*}} -> tensor<2x1x7xf32>
// CHECK: %[[P:.*]] = tsr.matmul %[[ROW]], %[[K]] : {{.*}} -> tensor<2x1x5xf32>
// CHECK: tsr.reshape %[[P]], {{.*}} -> tensor<2x5x1xf32>
func.func @column(%k: tensor<2x7x5xf32>, %v: tensor<2x7x1xf32>) -> tensor<2x5x1xf32> {
  %t = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x7x5xf32>) -> tensor<2x5x7xf32>
  %p = tsr.matmul %t, %v : (tensor<2x5x7xf32>, tensor<2x7x1xf32>) -> tensor<2x5x1xf32>
  return %p : tensor<2x5x1xf32>
}

// CHECK-LABEL: @heads_times_column
// CHECK: tsr.transpose
// CHECK: tsr.matmul
func.func @heads_times_column(%k: tensor<7x2x5xf32>, %v: tensor<2x7x1xf32>) -> tensor<2x5x1xf32> {
  %t = tsr.transpose %k {perm = array<i64: 1, 2, 0>} : (tensor<7x2x5xf32>) -> tensor<2x5x7xf32>
  %p = tsr.matmul %t, %v : (tensor<2x5x7xf32>, tensor<2x7x1xf32>) -> tensor<2x5x1xf32>
  return %p : tensor<2x5x1xf32>
}

// CHECK-LABEL: @two_columns
// CHECK: tsr.transpose
func.func @two_columns(%k: tensor<2x7x5xf32>, %v: tensor<2x7x2xf32>) -> tensor<2x5x2xf32> {
  %t = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x7x5xf32>) -> tensor<2x5x7xf32>
  %p = tsr.matmul %t, %v : (tensor<2x5x7xf32>, tensor<2x7x2xf32>) -> tensor<2x5x2xf32>
  return %p : tensor<2x5x2xf32>
}
