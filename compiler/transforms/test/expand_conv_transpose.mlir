// Transposed convolutions with long steps have the results of a step as channels; short steps stay.
// RUN: tessera-opt %s -tessera-simplify-expand-conv-transpose | FileCheck %s

// CHECK-LABEL: @long
// CHECK-SAME: (%[[X:.*]]: tensor<1x5x4x4xf32>)
// CHECK: %[[W:.*]] = tsr.constant {{.*}} -> tensor<5x3x16x16xf32>
// CHECK: tsr.reshape %[[W]]
// CHECK: tsr.transpose
// CHECK: %[[TAPS:.*]] = tsr.reshape {{.*}} -> tensor<5x768x1x1xf32>
// CHECK: %[[Y:.*]] = tsr.conv_transpose %[[X]], %[[TAPS]] {{.*}} -> tensor<1x768x4x4xf32>
// CHECK: tsr.transpose
// CHECK-NOT: tsr.pad
// CHECK: return %{{.*}} : tensor<1x3x64x64xf32>
func.func @long(%x: tensor<1x5x4x4xf32>) -> tensor<1x3x64x64xf32> {
  %w = tsr.constant dense<0.5> : tensor<5x3x16x16xf32> -> tensor<5x3x16x16xf32>
  %y = tsr.conv_transpose %x, %w {strides = array<i64: 16, 16>} : (tensor<1x5x4x4xf32>, tensor<5x3x16x16xf32>) -> tensor<1x3x64x64xf32>
  return %y : tensor<1x3x64x64xf32>
}

// CHECK-LABEL: @short
// CHECK: tsr.conv_transpose {{.*}}strides
func.func @short(%x: tensor<1x5x4x4xf32>, %w: tensor<5x3x4x4xf32>) -> tensor<1x3x16x16xf32> {
  %y = tsr.conv_transpose %x, %w {strides = array<i64: 4, 4>} : (tensor<1x5x4x4xf32>, tensor<5x3x4x4xf32>) -> tensor<1x3x16x16xf32>
  return %y : tensor<1x3x16x16xf32>
}

// CHECK-LABEL: @apart
// CHECK: tsr.conv_transpose {{.*}}dilations
func.func @apart(%x: tensor<1x5x4xf32>, %w: tensor<5x3x2xf32>) -> tensor<1x3x27xf32> {
  %y = tsr.conv_transpose %x, %w {dilations = array<i64: 2>, strides = array<i64: 8>} : (tensor<1x5x4xf32>, tensor<5x3x2xf32>) -> tensor<1x3x27xf32>
  return %y : tensor<1x3x27xf32>
}
