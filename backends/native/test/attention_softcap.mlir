// Scores that are capped, c * tanh(s / c), before the mask is added: one region still.
// RUN: tessera partition %s --targets "native -mcpu=x86-64-v3" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compare %s --targets "native -mcpu=x86-64-v3,reference" --input q=random:1 --input k=random:2 --input v=random:3 --input mask=random:4

!heads = tensor<1x4x12x16xf32>
!scores = tensor<1x4x12x12xf32>
module attributes {tessera.phase = "import"} {
  // CHECK-LABEL: func.func @main
  // CHECK: call @[[ATTENTION:[a-z_0-9]+]](
  // CHECK-NOT: call @
  // CHECK: func.func private @[[ATTENTION]](
  // CHECK: tsr.composite "native.attention"
  // CHECK: tsr.tanh
  // CHECK: tsr.softmax
  // CHECK: tsr.yield
  func.func @main(%q: !heads {tessera.name = "q"}, %k: !heads {tessera.name = "k"}, %v: !heads {tessera.name = "v"}, %mask: tensor<1x1x12x12xf32> {tessera.name = "mask"}) -> (!heads {tessera.name = "y"}) {
    %0 = tsr.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (!heads) -> tensor<1x4x16x12xf32>
    %1 = tsr.matmul %q, %0 : (!heads, tensor<1x4x16x12xf32>) -> !scores
    %four = tsr.constant dense<4.0> : tensor<f32> -> tensor<f32>
    %2 = tsr.div %1, %four : (!scores, tensor<f32>) -> !scores
    %cap = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
    %3 = tsr.div %2, %cap : (!scores, tensor<f32>) -> !scores
    %4 = tsr.tanh %3 : (!scores) -> !scores
    %5 = tsr.mul %4, %cap : (!scores, tensor<f32>) -> !scores
    %6 = tsr.add %5, %mask : (!scores, tensor<1x1x12x12xf32>) -> !scores
    %7 = tsr.softmax %6 {axis = -1 : i64} : (!scores) -> !scores
    %y = tsr.matmul %7, %v : (!scores, !heads) -> !heads
    return %y : !heads
  }
}
