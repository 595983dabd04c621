// RUN: tessera-opt %s -tessera-simplify-fold-pads -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @conv
// CHECK-NOT: tsr.pad
// CHECK: tsr.conv %arg0, %arg1 {{.*}}pads = array<i64: 1, 3, 2, 3>
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x9x12xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 2, 0, 0, 2, 2]> : tensor<8xi64> -> tensor<8xi64>
  %p = tsr.pad %x, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<8xi64>) -> tensor<1x3x11x12xf32>
  %y = tsr.conv %p, %w {pads = array<i64: 0, 1, 0, 1>} : (tensor<1x3x11x12xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x9x12xf32>
  return %y : tensor<1x4x9x12xf32>
}

// CHECK-LABEL: func @average_pool
// CHECK-NOT: tsr.pad
// CHECK: tsr.average_pool %arg0 {{.*}}count_include_pad = 1 {{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @average_pool(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64> -> tensor<8xi64>
  %p = tsr.pad %x, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<8xi64>) -> tensor<1x3x10x10xf32>
  %y = tsr.average_pool %p {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x10x10xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}

// Must not fire: the pooling does not count its own pads, but would those of the Pad.
// CHECK-LABEL: func @own_pads
// CHECK: tsr.pad
func.func @own_pads(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64> -> tensor<8xi64>
  %p = tsr.pad %x, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<8xi64>) -> tensor<1x3x10x10xf32>
  %y = tsr.average_pool %p {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x10x10xf32>) -> tensor<1x3x10x10xf32>
  return %y : tensor<1x3x10x10xf32>
}

// Must not fire: zeros can be the maximum.
// CHECK-LABEL: func @max_pool
// CHECK: tsr.pad
func.func @max_pool(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64> -> tensor<8xi64>
  %p = tsr.pad %x, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<8xi64>) -> tensor<1x3x10x10xf32>
  %y = tsr.max_pool %p {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x10x10xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: func @max_pool_of_least
// CHECK-NOT: tsr.pad
// CHECK: tsr.max_pool %arg0 {{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @max_pool_of_least(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64> -> tensor<8xi64>
  %value = tsr.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %p = tsr.pad %x, %pads, %value {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<1x3x8x8xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x3x10x10xf32>
  %y = tsr.max_pool %p {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x10x10xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}

// Must not fire: the least finite number is the maximum of infinite ones.
// CHECK-LABEL: func @max_pool_of_finite
// CHECK: tsr.pad
func.func @max_pool_of_finite(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64> -> tensor<8xi64>
  %value = tsr.constant dense<0xFF7FFFFF> : tensor<f32> -> tensor<f32>
  %p = tsr.pad %x, %pads, %value {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<1x3x8x8xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x3x10x10xf32>
  %y = tsr.max_pool %p {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x10x10xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}
