// RUN: tessera-opt %s -tessera-simplify-gather-shuffles -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @shuffle
// CHECK: %[[CHANNELS:.*]] = tsr.constant dense<[0, 3, 1, 4, 2, 5]>
// CHECK-NEXT: tsr.gather %arg0, %[[CHANNELS]] {axis = 1 : i64}
// CHECK-NEXT: return
func.func @shuffle(%x: tensor<?x6x4x5xf32, #tsr.layout<dims = ["n", "", "", ""]>>) -> tensor<?x6x4x5xf32, #tsr.layout<dims = ["n", "", "", ""]>> {
  %split = tsr.constant dense<[-1, 2, 3, 20]> : tensor<4xi64> -> tensor<4xi64>
  %join = tsr.constant dense<[-1, 6, 4, 5]> : tensor<4xi64> -> tensor<4xi64>
  %a = tsr.reshape %x, %split : (tensor<?x6x4x5xf32, #tsr.layout<dims = ["n", "", "", ""]>>, tensor<4xi64>) -> tensor<?x2x3x20xf32, #tsr.layout<dims = ["n", "", "", ""]>>
  %b = tsr.transpose %a {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x2x3x20xf32, #tsr.layout<dims = ["n", "", "", ""]>>) -> tensor<?x3x2x20xf32, #tsr.layout<dims = ["n", "", "", ""]>>
  %c = tsr.reshape %b, %join : (tensor<?x3x2x20xf32, #tsr.layout<dims = ["n", "", "", ""]>>, tensor<4xi64>) -> tensor<?x6x4x5xf32, #tsr.layout<dims = ["n", "", "", ""]>>
  return %c : tensor<?x6x4x5xf32, #tsr.layout<dims = ["n", "", "", ""]>>
}

// The last dimension moves, too.
// CHECK-LABEL: func @no_shuffle
// CHECK-NOT: tsr.gather
func.func @no_shuffle(%x: tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32> {
  %split = tsr.constant dense<[1, 2, 3, 4, 4]> : tensor<5xi64> -> tensor<5xi64>
  %join = tsr.constant dense<[1, 6, 4, 4]> : tensor<4xi64> -> tensor<4xi64>
  %a = tsr.reshape %x, %split : (tensor<1x6x4x4xf32>, tensor<5xi64>) -> tensor<1x2x3x4x4xf32>
  %b = tsr.transpose %a {perm = array<i64: 0, 2, 1, 4, 3>} : (tensor<1x2x3x4x4xf32>) -> tensor<1x3x2x4x4xf32>
  %c = tsr.reshape %b, %join : (tensor<1x3x2x4x4xf32>, tensor<4xi64>) -> tensor<1x6x4x4xf32>
  return %c : tensor<1x6x4x4xf32>
}

// Dimension 1 is split with others.
// CHECK-LABEL: func @other_parts
// CHECK-NOT: tsr.gather
func.func @other_parts(%x: tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32> {
  %split = tsr.constant dense<[1, 4, 6, 4]> : tensor<4xi64> -> tensor<4xi64>
  %join = tsr.constant dense<[1, 6, 4, 4]> : tensor<4xi64> -> tensor<4xi64>
  %a = tsr.reshape %x, %split : (tensor<1x6x4x4xf32>, tensor<4xi64>) -> tensor<1x4x6x4xf32>
  %b = tsr.transpose %a {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x4x6x4xf32>) -> tensor<1x6x4x4xf32>
  %c = tsr.reshape %b, %join : (tensor<1x6x4x4xf32>, tensor<4xi64>) -> tensor<1x6x4x4xf32>
  return %c : tensor<1x6x4x4xf32>
}
