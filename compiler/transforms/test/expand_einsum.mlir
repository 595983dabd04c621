// RUN: tessera-opt %s -tessera-simplify-expand-einsum | FileCheck %s

// Rows, columns and a summed label: both factors are matrices as they are.
// CHECK-LABEL: func @product
// CHECK: [[Y:%.*]] = tsr.matmul %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK-NOT: tsr.transpose
// CHECK-NOT: tsr.einsum
func.func @product(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = tsr.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Batch labels come first, the result's order last.
// CHECK-LABEL: func @attention
// CHECK: tsr.transpose %arg1 {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x4x7x8xf32>) -> tensor<2x4x8x7xf32>
// CHECK: tsr.matmul {{.*}} : (tensor<8x5x8xf32>, tensor<8x8x7xf32>) -> tensor<8x5x7xf32>
// CHECK: [[S:%.*]] = tsr.reshape {{.*}} -> tensor<2x4x5x7xf32>
// CHECK: tsr.transpose [[S]] {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x7xf32>) -> tensor<2x5x4x7xf32>
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>) -> tensor<2x5x4x7xf32> {
  %0 = tsr.einsum %q, %k {equation = "bhqd,bhkd->bqhk"} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x5x4x7xf32>
  return %0 : tensor<2x5x4x7xf32>
}

// A label of one factor alone is summed before.
// CHECK-LABEL: func @summed_before
// CHECK: [[R:%.*]] = tsr.reduce_sum %arg0
// CHECK-SAME: -> tensor<2x3xf32>
// CHECK-NEXT: tsr.matmul [[R]], %arg1
func.func @summed_before(%a: tensor<2x5x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = tsr.einsum %a, %b {equation = "isj,jk->ik"} : (tensor<2x5x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Neither rows nor columns: no product of matrices.
// CHECK-LABEL: func @dots
// CHECK: [[P:%.*]] = tsr.mul %arg0, %arg1
// CHECK: tsr.reduce_sum [[P]]
func.func @dots(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = tsr.einsum %a, %b {equation = "ij,ij->i"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @one_factor
// CHECK: [[R:%.*]] = tsr.reduce_sum %arg0
// CHECK: tsr.transpose [[R]] {perm = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
func.func @one_factor(%a: tensor<2x3x4xf32>) -> tensor<4x3xf32> {
  %0 = tsr.einsum %a {equation = "bij->ji"} : (tensor<2x3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Must not fire: a diagonal, a dimension that is broadcast, integers, an open size, three factors.
// CHECK-LABEL: func @stays
// CHECK-COUNT-5: tsr.einsum
func.func @stays(%a: tensor<3x3xf32>, %b: tensor<1x3x4xf32>, %c: tensor<2x4x5xf32>, %i: tensor<2x3xi32>, %o: tensor<?x3xf32>)
    -> (tensor<3xf32>, tensor<2x3x5xf32>, tensor<2x2xi32>, tensor<?x?xf32>, tensor<3x3xf32>) {
  %0 = tsr.einsum %a {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  %1 = tsr.einsum %b, %c {equation = "...ij,...jk->...ik"} : (tensor<1x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = tsr.einsum %i, %i {equation = "ij,kj->ik"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  %3 = tsr.einsum %o, %o {equation = "ij,kj->ik"} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  %4 = tsr.einsum %a, %a, %a {equation = "ij,jk,kl->il"} : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<2x3x5xf32>, tensor<2x2xi32>, tensor<?x?xf32>, tensor<3x3xf32>
}
