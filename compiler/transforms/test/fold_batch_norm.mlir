// RUN: tessera-opt %s -tessera-simplify-fold-batch-norm -tessera-simplify-remove-dead-code | FileCheck %s

// scale / sqrt(var + eps) is 2 and 0.5, the shift -mean * factor + b.
// CHECK-LABEL: func @conv
// CHECK-DAG: [[W:%.*]] = tsr.constant dense<{{\[\[\[\[}}2.000000e+00]]], {{\[\[\[}}1.000000e+00]]]]>
// CHECK-DAG: [[B:%.*]] = tsr.constant dense<[-1.000000e+00, 5.000000e-01]>
// CHECK: tsr.conv %arg0, [[W]], [[B]]
// CHECK-NOT: tsr.batch_norm
func.func @conv(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = tsr.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %scale = tsr.constant dense<[2.0, 1.0]> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<[1.0, 1.0]> : tensor<2xf32> -> tensor<2xf32>
  %mean = tsr.constant dense<[1.0, 1.0]> : tensor<2xf32> -> tensor<2xf32>
  %var = tsr.constant dense<[0.0, 3.0]> : tensor<2xf32> -> tensor<2xf32>
  %y = tsr.conv %x, %w : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %z = tsr.batch_norm %y, %scale, %b, %mean, %var {epsilon = 1.0 : f32} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}

// Two groups of input channels with two output channels each: the factor of channel 2 hits row 1, column 0.
// CHECK-LABEL: func @conv_transpose
// CHECK: tsr.constant dense<{{\[\[\[}}1.000000e+00], [2.000000e+00]], {{\[\[}}3.000000e+00], [4.000000e+00]]]>
func.func @conv_transpose(%x: tensor<1x2x4xf32>) -> tensor<1x4x4xf32> {
  %w = tsr.constant dense<1.0> : tensor<2x2x1xf32> -> tensor<2x2x1xf32>
  %scale = tsr.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %zero = tsr.constant dense<0.0> : tensor<4xf32> -> tensor<4xf32>
  %y = tsr.conv_transpose %x, %w {group = 2 : i64} : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> tensor<1x4x4xf32>
  %z = tsr.batch_norm %y, %scale, %zero, %zero, %zero {epsilon = 1.0 : f32} : (tensor<1x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x4xf32>
  return %z : tensor<1x4x4xf32>
}

// CHECK-LABEL: func @alone
// CHECK: [[M:%.*]] = tsr.mul %arg0
// CHECK-NEXT: tsr.add [[M]]
func.func @alone(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %c = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %z = tsr.batch_norm %x, %c, %c, %c, %c : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}

// Must not fire: the statistics are not constant.
// CHECK-LABEL: func @run_time_statistics
// CHECK: tsr.batch_norm
func.func @run_time_statistics(%x: tensor<1x2x4xf32>, %c: tensor<2xf32>) -> tensor<1x2x4xf32> {
  %z = tsr.batch_norm %x, %c, %c, %c, %c : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return %z : tensor<1x2x4xf32>
}

// Must not fire: the variance is zero, x divided by it an infinity with the sign of x - mean.
// CHECK-LABEL: func @no_variance
// CHECK: tsr.conv
// CHECK: tsr.batch_norm
func.func @no_variance(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = tsr.constant dense<2.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %c = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %zero = tsr.constant dense<[0.0, 1.0]> : tensor<2xf32> -> tensor<2xf32>
  %y = tsr.conv %x, %w : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %z = tsr.batch_norm %y, %c, %c, %c, %zero {epsilon = 0.0 : f32} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}
