// Attention whose batch takes other shapes on the way is one region, too: windows with a mask of their own, and keys and
// values that are repeated for each query of a group.
// RUN: tessera partition %s --targets "native -mcpu=x86-64-v3" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" -o %t.tsr
// RUN: tessera inspect %t.tsr | FileCheck %s --check-prefix=INSPECT
// RUN: tessera compare %s --targets "native -mcpu=x86-64-v3,reference" --input q=random:1 --input k=random:2 --input v=random:3 --input bias=random:4 --input mask=random:5

// INSPECT: 0.00 of them in regions with a remark
// INSPECT-NOT: remark
!heads = tensor<8x6x9x16xf32>
!scores = tensor<8x6x9x9xf32>
!windows = tensor<2x4x6x9x9xf32>
!few = tensor<8x2x9x16xf32>
!each = tensor<8x2x3x9x16xf32>
module attributes {tessera.phase = "import"} {
  // CHECK-LABEL: func.func @main
  // CHECK: [[Y:%.*]] = call @[[ATTENTION:[a-z_0-9]+]](
  // CHECK-NOT: call @
  // CHECK: return [[Y]]
  // CHECK: func.func private @[[ATTENTION]](
  // CHECK: tsr.composite "native.attention"
  // CHECK: tsr.expand
  // CHECK: tsr.softmax
  // CHECK: tsr.yield
  func.func @main(%q: !heads {tessera.name = "q"}, %k: !few {tessera.name = "k"}, %v: !few {tessera.name = "v"}, %bias: tensor<1x6x9x9xf32> {tessera.name = "bias"}, %mask: tensor<1x4x1x9x9xf32> {tessera.name = "mask"}) -> (tensor<8x9x6x16xf32> {tessera.name = "y"}) {
    %one = tsr.constant dense<[8, 2, 1, 9, 16]> : tensor<5xi64> -> tensor<5xi64>
    %three = tsr.constant dense<[8, 2, 3, 9, 16]> : tensor<5xi64> -> tensor<5xi64>
    %six = tsr.constant dense<[8, 6, 9, 16]> : tensor<4xi64> -> tensor<4xi64>
    %0 = tsr.reshape %k, %one : (!few, tensor<5xi64>) -> tensor<8x2x1x9x16xf32>
    %1 = tsr.expand %0, %three : (tensor<8x2x1x9x16xf32>, tensor<5xi64>) -> !each
    %2 = tsr.reshape %1, %six : (!each, tensor<4xi64>) -> !heads
    %3 = tsr.reshape %v, %one : (!few, tensor<5xi64>) -> tensor<8x2x1x9x16xf32>
    %4 = tsr.expand %3, %three : (tensor<8x2x1x9x16xf32>, tensor<5xi64>) -> !each
    %5 = tsr.reshape %4, %six : (!each, tensor<4xi64>) -> !heads
    %6 = tsr.transpose %2 {perm = array<i64: 0, 1, 3, 2>} : (!heads) -> tensor<8x6x16x9xf32>
    %7 = tsr.matmul %q, %6 : (!heads, tensor<8x6x16x9xf32>) -> !scores
    %8 = tsr.add %7, %bias : (!scores, tensor<1x6x9x9xf32>) -> !scores
    %to_windows = tsr.constant dense<[2, 4, 6, 9, 9]> : tensor<5xi64> -> tensor<5xi64>
    %9 = tsr.reshape %8, %to_windows : (!scores, tensor<5xi64>) -> !windows
    %10 = tsr.add %9, %mask : (!windows, tensor<1x4x1x9x9xf32>) -> !windows
    %to_scores = tsr.constant dense<[8, 6, 9, 9]> : tensor<4xi64> -> tensor<4xi64>
    %11 = tsr.reshape %10, %to_scores : (!windows, tensor<4xi64>) -> !scores
    %12 = tsr.softmax %11 {axis = -1 : i64} : (!scores) -> !scores
    %13 = tsr.matmul %12, %5 : (!scores, !heads) -> !heads
    %y = tsr.transpose %13 {perm = array<i64: 0, 2, 1, 3>} : (!heads) -> tensor<8x9x6x16xf32>
    return %y : tensor<8x9x6x16xf32>
  }
}
