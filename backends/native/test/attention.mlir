// The attention of a transformer's layer is one region, transposes of heads and the slices of a
// common product included; what others read stays outside.
// RUN: tessera partition %s --targets "native -mcpu=x86-64-v3" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" -o %t.tsr
// RUN: tessera inspect %t.tsr | FileCheck %s --check-prefix=INSPECT
// RUN: tessera compare %s --targets "native -mcpu=x86-64-v3,reference" --input x=random:1 --input mask=random:2 --input w=random:3 --input o=random:4

// 2 * 12 * 64 * 192 + 2 * 12 * 64 * 64 of projections, 2 * 2 * 4 * 12 * 12 * 16 of attention and
// what softmax and masks need.
// INSPECT: work 0.44 MFLOP, 0.00 of them in regions with a remark
// INSPECT-NOT: remark
!x = tensor<1x12x64xf32>
!all = tensor<1x12x192xf32>
!split = tensor<1x12x4x16xf32>
!heads = tensor<1x4x12x16xf32>
!scores = tensor<1x4x12x12xf32>
module attributes {tessera.phase = "import"} {
  // CHECK-LABEL: func.func @main
  // CHECK: [[QKV:%.*]] = call @[[PROJECT:[a-z_0-9]+]](
  // CHECK: [[Y:%.*]] = call @[[ATTENTION:[a-z_0-9]+]]([[QKV]], %{{.*}})
  // CHECK-NOT: call @
  // CHECK: [[ROWS:%.*]] = tsr.reshape [[Y]]
  // CHECK: call @[[OUT:[a-z_0-9]+]]([[ROWS]]
  // CHECK-NOT: call @
  // CHECK: return
  // CHECK: func.func private @[[ATTENTION]](
  // CHECK: tsr.composite "native.attention"
  // CHECK: tsr.split
  // CHECK: tsr.softmax
  // CHECK: tsr.yield
  func.func @main(%x: !x {tessera.name = "x"}, %mask: tensor<12x12xi1> {tessera.name = "mask"}, %w: tensor<64x192xf32> {tessera.name = "w"}, %o: tensor<64x64xf32> {tessera.name = "o"}) -> (!x {tessera.name = "y"}) {
    %0 = tsr.matmul %x, %w : (!x, tensor<64x192xf32>) -> !all
    %sizes = tsr.constant dense<64> : tensor<3xi64> -> tensor<3xi64>
    %1:3 = tsr.split %0, %sizes {axis = 2 : i64} : (!all, tensor<3xi64>) -> (!x, !x, !x)
    %to_heads = tsr.constant dense<[1, 12, 4, 16]> : tensor<4xi64> -> tensor<4xi64>
    %2 = tsr.reshape %1#0, %to_heads : (!x, tensor<4xi64>) -> !split
    %3 = tsr.reshape %1#1, %to_heads : (!x, tensor<4xi64>) -> !split
    %4 = tsr.reshape %1#2, %to_heads : (!x, tensor<4xi64>) -> !split
    %q = tsr.transpose %2 {perm = array<i64: 0, 2, 1, 3>} : (!split) -> !heads
    %k = tsr.transpose %3 {perm = array<i64: 0, 2, 3, 1>} : (!split) -> tensor<1x4x16x12xf32>
    %v = tsr.transpose %4 {perm = array<i64: 0, 2, 1, 3>} : (!split) -> !heads
    %5 = tsr.matmul %q, %k : (!heads, tensor<1x4x16x12xf32>) -> !scores
    %four = tsr.constant dense<4.0> : tensor<f32> -> tensor<f32>
    %6 = tsr.div %5, %four : (!scores, tensor<f32>) -> !scores
    %fill = tsr.constant dense<-1.0e+04> : tensor<f32> -> tensor<f32>
    %7 = tsr.where %mask, %6, %fill : (tensor<12x12xi1>, !scores, tensor<f32>) -> !scores
    %8 = tsr.softmax %7 {axis = -1 : i64} : (!scores) -> !scores
    %9 = tsr.matmul %8, %v : (!scores, !heads) -> !heads
    %10 = tsr.transpose %9 {perm = array<i64: 0, 2, 1, 3>} : (!heads) -> !split
    %to_rows = tsr.constant dense<[1, 12, 64]> : tensor<3xi64> -> tensor<3xi64>
    %11 = tsr.reshape %10, %to_rows : (!split, tensor<3xi64>) -> !x
    %y = tsr.matmul %11, %o : (!x, tensor<64x64xf32>) -> !x
    return %y : !x
  }
}
