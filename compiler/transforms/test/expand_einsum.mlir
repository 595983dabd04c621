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

// Nothing summed: a product of elements, one factor stretched over the dimensions of the other.
// CHECK-LABEL: func @scaled
// CHECK: [[T:%.*]] = tsr.transpose %arg1 {perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
// CHECK: [[F:%.*]] = tsr.reshape [[T]], {{.*}} -> tensor<4x1x6xf32>
// CHECK: [[Y:%.*]] = tsr.mul %arg0, [[F]] : (tensor<4x5x6xf32>, tensor<4x1x6xf32>) -> tensor<4x5x6xf32>
// CHECK: return [[Y]]
func.func @scaled(%a: tensor<4x5x6xf32>, %b: tensor<6x4xf32>) -> tensor<4x5x6xf32> {
  %0 = tsr.einsum %a, %b {equation = "ijk,ki->ijk"} : (tensor<4x5x6xf32>, tensor<6x4xf32>) -> tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// The last two first: 5*6*3 multiplications for each b, not 4*5*6.
// CHECK-LABEL: func @three_factors
// CHECK: [[P:%.*]] = tsr.matmul %arg1, %arg2 : (tensor<2x5x6xf32>, tensor<2x6x3xf32>) -> tensor<2x5x3xf32>
// CHECK: [[Y:%.*]] = tsr.matmul %arg0, [[P]] : (tensor<2x4x5xf32>, tensor<2x5x3xf32>) -> tensor<2x4x3xf32>
// CHECK: return [[Y]]
func.func @three_factors(%a: tensor<2x4x5xf32>, %b: tensor<2x5x6xf32>, %c: tensor<2x6x3xf32>) -> tensor<2x4x3xf32> {
  %0 = tsr.einsum %a, %b, %c {equation = "bij,bjk,bkl->bil"} : (tensor<2x4x5xf32>, tensor<2x5x6xf32>, tensor<2x6x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// A label that only a later factor has beside the pair is kept until then.
// CHECK-LABEL: func @kept_for_later
// CHECK: [[P:%.*]] = tsr.mul
// CHECK-SAME: -> tensor<2x3x4xf32>
// CHECK: tsr.matmul
// CHECK-SAME: tensor<6x4xf32>, tensor<4x50xf32>) -> tensor<6x50xf32>
func.func @kept_for_later(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>, %c: tensor<50x4xf32>) -> tensor<2x3x50xf32> {
  %0 = tsr.einsum %a, %b, %c {equation = "ai,bi,ci->abc"} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<50x4xf32>) -> tensor<2x3x50xf32>
  return %0 : tensor<2x3x50xf32>
}

// Of pairs that cost the same, the one that makes less: a row of sums, no outer product.
// CHECK-LABEL: func @bilinear
// CHECK-NOT: tensor<5x6xf32>) -> tensor<5x6xf32>
// CHECK: tsr.matmul {{.*}} : (tensor<1x6xf32>, tensor<6x5xf32>) -> tensor<1x5xf32>
// CHECK: tsr.reduce_sum
func.func @bilinear(%x: tensor<5xf32>, %y: tensor<6xf32>, %w: tensor<5x6xf32>) -> tensor<f32> {
  %0 = tsr.einsum %x, %y, %w {equation = "i,j,ij->"} : (tensor<5xf32>, tensor<6xf32>, tensor<5x6xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @one_factor
// CHECK: [[R:%.*]] = tsr.reduce_sum %arg0
// CHECK: tsr.transpose [[R]] {perm = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
func.func @one_factor(%a: tensor<2x3x4xf32>) -> tensor<4x3xf32> {
  %0 = tsr.einsum %a {equation = "bij->ji"} : (tensor<2x3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Must not fire: a diagonal, a dimension that is broadcast, integers, an open size.
// CHECK-LABEL: func @stays
// CHECK-COUNT-4: tsr.einsum
func.func @stays(%a: tensor<3x3xf32>, %b: tensor<1x3x4xf32>, %c: tensor<2x4x5xf32>, %i: tensor<2x3xi32>, %o: tensor<?x3xf32>)
    -> (tensor<3xf32>, tensor<2x3x5xf32>, tensor<2x2xi32>, tensor<?x?xf32>) {
  %0 = tsr.einsum %a {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  %1 = tsr.einsum %b, %c {equation = "...ij,...jk->...ik"} : (tensor<1x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = tsr.einsum %i, %i {equation = "ij,kj->ik"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  %3 = tsr.einsum %o, %o {equation = "ij,kj->ik"} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<2x3x5xf32>, tensor<2x2xi32>, tensor<?x?xf32>
}
