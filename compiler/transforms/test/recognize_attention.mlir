// RUN: tessera-opt %s -tessera-simplify-recognize-attention | FileCheck %s

// CHECK-LABEL: func @added_mask
// CHECK: tsr.composite "attention"(%arg0, %arg1, %arg2, %arg3) {k_transposed = true, mask_kind = "add", scale = 1.250000e-01 : f64}
func.func @added_mask(%q: tensor<2x3x5x64xf32>, %k: tensor<2x3x64x7xf32>, %v: tensor<2x3x7x64xf32>, %mask: tensor<2x1x1x7xf32>) -> tensor<2x3x5x64xf32> {
  %eight = tsr.constant dense<8.0> : tensor<f32> -> tensor<f32>
  %scores = tsr.matmul %q, %k : (tensor<2x3x5x64xf32>, tensor<2x3x64x7xf32>) -> tensor<2x3x5x7xf32>
  %scaled = tsr.div %scores, %eight : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5x7xf32>
  %masked = tsr.add %scaled, %mask : (tensor<2x3x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x5x7xf32>
  %p = tsr.softmax %masked {axis = 3 : i64} : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %y = tsr.matmul %p, %v : (tensor<2x3x5x7xf32>, tensor<2x3x7x64xf32>) -> tensor<2x3x5x64xf32>
  return %y : tensor<2x3x5x64xf32>
}

// CHECK-LABEL: func @scaled_query
// CHECK: tsr.composite "attention"(%arg0, %arg1, %arg2) {k_transposed = false, mask_kind = "none", scale = 1.250000e-01 : f64}
func.func @scaled_query(%q: tensor<6x5x64xf32>, %k: tensor<6x7x64xf32>, %v: tensor<6x7x64xf32>) -> tensor<6x5x64xf32> {
  %eighth = tsr.constant dense<0.125> : tensor<f32> -> tensor<f32>
  %s = tsr.mul %q, %eighth : (tensor<6x5x64xf32>, tensor<f32>) -> tensor<6x5x64xf32>
  %t = tsr.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<6x7x64xf32>) -> tensor<6x64x7xf32>
  %scores = tsr.matmul %s, %t : (tensor<6x5x64xf32>, tensor<6x64x7xf32>) -> tensor<6x5x7xf32>
  %p = tsr.softmax %scores : (tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %y = tsr.matmul %p, %v : (tensor<6x5x7xf32>, tensor<6x7x64xf32>) -> tensor<6x5x64xf32>
  return %y : tensor<6x5x64xf32>
}

// CHECK-LABEL: func @chosen_scores
// CHECK: [[FILL:%.*]] = tsr.constant dense<-1.000000e+04>
// CHECK: tsr.composite "attention"(%arg0, %arg1, %arg2, %arg3, [[FILL]]) {k_transposed = true, mask_kind = "where", scale = 1.000000e+00 : f64}
func.func @chosen_scores(%q: tensor<1x3x5x64xf32>, %k: tensor<1x3x64x5xf32>, %v: tensor<1x3x5x64xf32>, %mask: tensor<1x1x5x5xi1>) -> tensor<1x3x5x64xf32> {
  %fill = tsr.constant dense<-1.0e+04> : tensor<f32> -> tensor<f32>
  %scores = tsr.matmul %q, %k : (tensor<1x3x5x64xf32>, tensor<1x3x64x5xf32>) -> tensor<1x3x5x5xf32>
  %masked = tsr.where %mask, %scores, %fill : (tensor<1x1x5x5xi1>, tensor<1x3x5x5xf32>, tensor<f32>) -> tensor<1x3x5x5xf32>
  %p = tsr.softmax %masked : (tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %y = tsr.matmul %p, %v : (tensor<1x3x5x5xf32>, tensor<1x3x5x64xf32>) -> tensor<1x3x5x64xf32>
  return %y : tensor<1x3x5x64xf32>
}

// Must not fire: softmax over the queries; a linear layer after a softmax.
// CHECK-LABEL: func @other_axis
// CHECK-NOT: tsr.composite
func.func @other_axis(%q: tensor<6x5x64xf32>, %k: tensor<6x64x5xf32>, %v: tensor<6x5x64xf32>) -> tensor<6x5x64xf32> {
  %scores = tsr.matmul %q, %k : (tensor<6x5x64xf32>, tensor<6x64x5xf32>) -> tensor<6x5x5xf32>
  %p = tsr.softmax %scores {axis = 1 : i64} : (tensor<6x5x5xf32>) -> tensor<6x5x5xf32>
  %y = tsr.matmul %p, %v : (tensor<6x5x5xf32>, tensor<6x5x64xf32>) -> tensor<6x5x64xf32>
  return %y : tensor<6x5x64xf32>
}
// CHECK-LABEL: func @weights
// CHECK-NOT: tsr.composite
func.func @weights(%x: tensor<5x8xf32>) -> tensor<5x2xf32> {
  %w = tsr.constant dense<1.0> : tensor<8x3xf32> -> tensor<8x3xf32>
  %u = tsr.constant dense<1.0> : tensor<3x2xf32> -> tensor<3x2xf32>
  %a = tsr.matmul %x, %w : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
  %p = tsr.softmax %a : (tensor<5x3xf32>) -> tensor<5x3xf32>
  %y = tsr.matmul %p, %u : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

// Must not fire: scores that are their own mask, a softmax that is the values, too.
// CHECK-LABEL: func @own_mask
// CHECK-NOT: tsr.composite
func.func @own_mask(%q: tensor<2x4x4xf32>, %k: tensor<2x4x4xf32>, %v: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %scores = tsr.matmul %q, %k : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %masked = tsr.add %scores, %scores : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %p = tsr.softmax %masked {axis = 2 : i64} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %y = tsr.matmul %p, %v : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// CHECK-LABEL: func @own_values
// CHECK-NOT: tsr.composite
func.func @own_values(%q: tensor<2x4x4xf32>, %k: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %scores = tsr.matmul %q, %k : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %p = tsr.softmax %scores {axis = 2 : i64} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %y = tsr.matmul %p, %p : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}
