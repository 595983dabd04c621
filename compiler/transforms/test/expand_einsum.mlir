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

// Open sizes: batch labels stay dimensions of their own.
// CHECK-LABEL: func @open_scores
// CHECK: [[Q:%.*]] = tsr.transpose %arg0 {perm = array<i64: 0, 2, 1, 3>}
// CHECK: [[K:%.*]] = tsr.transpose %arg1 {perm = array<i64: 0, 2, 3, 1>}
// CHECK: [[Y:%.*]] = tsr.matmul [[Q]], [[K]] : (tensor<?x4x?x8xf32, {{.*}}>, tensor<?x4x8x?xf32, {{.*}}>) -> tensor<?x4x?x?xf32
// CHECK-NEXT: return [[Y]]
func.func @open_scores(%q: tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "q", "", ""]>>,
                       %k: tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "k", "", ""]>>)
    -> tensor<?x4x?x?xf32, #tsr.layout<dims = ["n", "", "q", "k"]>> {
  %0 = tsr.einsum %q, %k {equation = "bqhd,bkhd->bhqk"}
      : (tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "q", "", ""]>>, tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "k", "", ""]>>)
      -> tensor<?x4x?x?xf32, #tsr.layout<dims = ["n", "", "q", "k"]>>
  return %0 : tensor<?x4x?x?xf32, #tsr.layout<dims = ["n", "", "q", "k"]>>
}

// Rows of two labels, columns of two that are known.
// CHECK-LABEL: func @open_projection
// CHECK: [[W:%.*]] = tsr.reshape %arg1, {{.*}} -> tensor<8x32xf32>
// CHECK: [[P:%.*]] = tsr.matmul %arg0, [[W]] : {{.*}} -> tensor<?x?x32xf32
// CHECK: [[Y:%.*]] = tsr.reshape [[P]], {{.*}} -> tensor<?x?x4x8xf32
// CHECK-NEXT: return [[Y]]
func.func @open_projection(%x: tensor<?x?x8xf32, #tsr.layout<dims = ["n", "s", ""]>>, %w: tensor<8x4x8xf32>)
    -> tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "s", "", ""]>> {
  %0 = tsr.einsum %x, %w {equation = "bsd,dhk->bshk"} : (tensor<?x?x8xf32, #tsr.layout<dims = ["n", "s", ""]>>, tensor<8x4x8xf32>)
      -> tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "s", "", ""]>>
  return %0 : tensor<?x?x4x8xf32, #tsr.layout<dims = ["n", "s", "", ""]>>
}

// A size that the compiler has named in the result alone.
// CHECK-LABEL: func @named_result
// CHECK-NOT:   tsr.einsum
// CHECK:       tsr.matmul
// CHECK:       return {{.*}} : tensor<?x4x8xf32, #tsr.layout<dims = ["?0", "", ""]>>
func.func @named_result(%x: tensor<?x8xf32>, %w: tensor<4x8x8xf32>) -> tensor<?x4x8xf32, #tsr.layout<dims = ["?0", "", ""]>> {
  %0 = tsr.einsum %x, %w {equation = "bd,edf->bef"} : (tensor<?x8xf32>, tensor<4x8x8xf32>)
      -> tensor<?x4x8xf32, #tsr.layout<dims = ["?0", "", ""]>>
  return %0 : tensor<?x4x8xf32, #tsr.layout<dims = ["?0", "", ""]>>
}

// What is summed up may be open; where sizes may differ, a refusal names the letter.
// CHECK-LABEL: func @open_sums
// CHECK: [[T:%.*]] = tsr.transpose %arg0
// CHECK: tsr.matmul [[T]], %arg1 {tessera.summed_letter = "j"}
func.func @open_sums(%a: tensor<?x3xf32>, %b: tensor<?x4xf32>) -> tensor<3x4xf32> {
  %0 = tsr.einsum %a, %b {equation = "ji,jk->ik"} : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Must not fire: a diagonal, a dimension that is broadcast, integers.
// CHECK-LABEL: func @stays
// CHECK-COUNT-3: tsr.einsum
func.func @stays(%a: tensor<3x3xf32>, %b: tensor<1x3x4xf32>, %c: tensor<2x4x5xf32>, %i: tensor<2x3xi32>)
    -> (tensor<3xf32>, tensor<2x3x5xf32>, tensor<2x2xi32>) {
  %0 = tsr.einsum %a {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  %1 = tsr.einsum %b, %c {equation = "...ij,...jk->...ik"} : (tensor<1x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = tsr.einsum %i, %i {equation = "ij,kj->ik"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  return %0, %1, %2 : tensor<3xf32>, tensor<2x3x5xf32>, tensor<2x2xi32>
}

// Must not fire: batches that may differ, rows of two open labels beside a batch, products of elements, two sums that may differ
// where their product does not.
// CHECK-LABEL: func @open_stays
// CHECK-COUNT-4: tsr.einsum
func.func @open_stays(%a: tensor<?x3x4xf32>, %b: tensor<?x4x5xf32>, %c: tensor<2x?x?x4xf32>, %d: tensor<2x4x5xf32>,
                      %e: tensor<?x?x4xf32>, %f: tensor<?x?x5xf32>)
    -> (tensor<?x3x5xf32>, tensor<2x?x?x5xf32>, tensor<?x3x4xf32>, tensor<4x5xf32>) {
  %0 = tsr.einsum %a, %b {equation = "nij,njk->nik"} : (tensor<?x3x4xf32>, tensor<?x4x5xf32>) -> tensor<?x3x5xf32>
  %1 = tsr.einsum %c, %d {equation = "nstj,njk->nstk"} : (tensor<2x?x?x4xf32>, tensor<2x4x5xf32>) -> tensor<2x?x?x5xf32>
  %2 = tsr.einsum %a, %a {equation = "nij,nij->nij"} : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  %3 = tsr.einsum %e, %f {equation = "abi,abj->ij"} : (tensor<?x?x4xf32>, tensor<?x?x5xf32>) -> tensor<4x5xf32>
  return %0, %1, %2, %3 : tensor<?x3x5xf32>, tensor<2x?x?x5xf32>, tensor<?x3x4xf32>, tensor<4x5xf32>
}
