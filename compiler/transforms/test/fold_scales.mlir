// RUN: tessera-opt %s -tessera-simplify-fold-scales -tessera-simplify-fold-constants -tessera-simplify-fold-scales -tessera-simplify-fold-constants -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @conv_mul_add
// CHECK-DAG: [[W:%.*]] = tsr.constant dense<{{.*}}3.000000e+00{{.*}}8.000000e+00{{.*}}> -> tensor<2x1x1x1xf32>
// CHECK-DAG: [[B:%.*]] = tsr.constant dense<[5.000000e+00, 1.000000e+01]>
// CHECK: [[Y:%.*]] = tsr.conv %arg0, [[W]], [[B]]
// CHECK-NEXT: return [[Y]]
func.func @conv_mul_add(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = tsr.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %b = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %scale = tsr.constant dense<[[[[3.0]], [[4.0]]]]> : tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf32>
  %shift = tsr.constant dense<2.0> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %y = tsr.conv %x, %w, %b : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %m = tsr.mul %y, %scale : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %a = tsr.add %m, %shift : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %a : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func @chain
// CHECK: [[S:%.*]] = tsr.constant dense<6.000000e+00>
// CHECK: [[M:%.*]] = tsr.mul %arg0, [[S]]
// CHECK: [[T:%.*]] = tsr.constant dense<1.000000e+01>
// CHECK: [[A:%.*]] = tsr.add [[M]], [[T]]
// CHECK-NEXT: return [[A]]
func.func @chain(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %two = tsr.constant dense<2.0> : tensor<2xf32> -> tensor<2xf32>
  %three = tsr.constant dense<3.0> : tensor<2xf32> -> tensor<2xf32>
  %four = tsr.constant dense<4.0> : tensor<2xf32> -> tensor<2xf32>
  %a = tsr.mul %x, %three : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %b = tsr.add %a, %three : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %c = tsr.mul %b, %two : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %d = tsr.add %c, %four : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %d : tensor<2x2xf32>
}

// CHECK-LABEL: func @matmul_add
// CHECK: tsr.gemm %arg0, {{.*}} : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
func.func @matmul_add(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = tsr.constant dense<1.5> : tensor<2x2xf32> -> tensor<2x2xf32>
  %b = tsr.constant dense<2.5> : tensor<2xf32> -> tensor<2xf32>
  %y = tsr.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %z = tsr.add %y, %b : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %z : tensor<3x2xf32>
}

// Must not fire: the factors vary along the width, not the channels.
// CHECK-LABEL: func @not_per_channel
// CHECK: tsr.conv
// CHECK: tsr.mul
func.func @not_per_channel(%x: tensor<1x1x4x2xf32>) -> tensor<1x2x4x2xf32> {
  %w = tsr.constant dense<1.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %scale = tsr.constant dense<[3.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
  %y = tsr.conv %x, %w : (tensor<1x1x4x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x2xf32>
  %m = tsr.mul %y, %scale : (tensor<1x2x4x2xf32>, tensor<2xf32>) -> tensor<1x2x4x2xf32>
  return %m : tensor<1x2x4x2xf32>
}

// Must not fire: the unscaled result is wanted too.
// CHECK-LABEL: func @other_user
// CHECK: tsr.conv
// CHECK: tsr.mul
func.func @other_user(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = tsr.constant dense<1.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %y = tsr.conv %x, %w : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %m = tsr.mul %y, %two : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  return %y, %m : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func @dense_layer_of_rank_3
// CHECK: [[Y:%.*]] = tsr.gemm %arg0, {{.*}} -> tensor<6x2xf32>
// CHECK-NEXT: [[Z:%.*]] = tsr.reshape [[Y]], {{.*}} -> tensor<2x3x2xf32>
// CHECK-NEXT: return [[Z]]
func.func @dense_layer_of_rank_3(%x: tensor<6x2xf32>) -> tensor<2x3x2xf32> {
  %w = tsr.constant dense<1.5> : tensor<2x2xf32> -> tensor<2x2xf32>
  %b = tsr.constant dense<2.5> : tensor<2xf32> -> tensor<2xf32>
  %s = tsr.constant dense<[2, 3, 2]> : tensor<3xi64> -> tensor<3xi64>
  %y = tsr.matmul %x, %w : (tensor<6x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
  %r = tsr.reshape %y, %s : (tensor<6x2xf32>, tensor<3xi64>) -> tensor<2x3x2xf32>
  %z = tsr.add %r, %b : (tensor<2x3x2xf32>, tensor<2xf32>) -> tensor<2x3x2xf32>
  return %z : tensor<2x3x2xf32>
}

// Must not fire: the reshape cuts the dimension that the constant varies along.
// CHECK-LABEL: func @cut_bias
// CHECK: tsr.matmul
// CHECK: tsr.reshape
// CHECK: tsr.add
func.func @cut_bias(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %w = tsr.constant dense<1.5> : tensor<2x2xf32> -> tensor<2x2xf32>
  %b = tsr.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> -> tensor<3xf32>
  %s = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
  %y = tsr.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %r = tsr.reshape %y, %s : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %z = tsr.add %r, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}
