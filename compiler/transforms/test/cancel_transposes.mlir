// RUN: tessera-opt %s -tessera-simplify-cancel-transposes -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @cancel
// CHECK-NEXT: return %arg0
func.func @cancel(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = tsr.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %b = tsr.transpose %a {perm = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %b : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @compose
// CHECK-NEXT: tsr.transpose %arg0 {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: return
func.func @compose(%x: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %a = tsr.transpose %x : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %b = tsr.transpose %a {perm = array<i64: 1, 2, 0>} : (tensor<4x3x2xf32>) -> tensor<3x2x4xf32>
  return %b : tensor<3x2x4xf32>
}

// CHECK-LABEL: func @unit_dims
// CHECK: tsr.constant dense<[1, 4, 4, 1]>
// CHECK: tsr.reshape
func.func @unit_dims(%x: tensor<1x1x4x4xf32>) -> tensor<1x4x4x1xf32> {
  %a = tsr.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x4x4x1xf32>
  return %a : tensor<1x4x4x1xf32>
}

// Must not fire: two dimensions change places.
// CHECK-LABEL: func @real
// CHECK: tsr.transpose
func.func @real(%x: tensor<1x4x4xf32>) -> tensor<1x4x4xf32> {
  %a = tsr.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  return %a : tensor<1x4x4xf32>
}
