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
// CHECK-DAG: [[S:%.*]] = tsr.constant dense<6.000000e+00>
// CHECK-DAG: [[T:%.*]] = tsr.constant dense<1.000000e+01>
// CHECK: [[M:%.*]] = tsr.mul %arg0, [[S]]
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

// A bias that a factor of 0 leaves out may hold anything.
// CHECK-LABEL: func @bias_left_out
// CHECK: [[B:%.*]] = tsr.constant dense<2.500000e+00> : tensor<2xf32>
// CHECK: tsr.gemm %arg0, {{.*}}, [[B]]
func.func @bias_left_out(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = tsr.constant dense<1.5> : tensor<2x2xf32> -> tensor<2x2xf32>
  %nan = tsr.constant dense<0x7FC00000> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<2.5> : tensor<2xf32> -> tensor<2xf32>
  %y = tsr.gemm %x, %w, %nan {beta = 0.0 : f32} : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
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

// CHECK-LABEL: func @widening_shift
// CHECK-DAG: [[S:%.*]] = tsr.constant dense<6.000000e+00> : tensor<3xf32>
// CHECK-DAG: [[T:%.*]] = tsr.constant {{.*}} tensor<2x3xf32>
// CHECK: [[M:%.*]] = tsr.mul %arg0, [[S]] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK: [[A:%.*]] = tsr.add [[M]], [[T]] : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return [[A]]
func.func @widening_shift(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %a = tsr.constant dense<3.0> : tensor<3xf32> -> tensor<3xf32>
  %b = tsr.constant dense<4.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %c = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %m = tsr.mul %x, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %s = tsr.add %m, %b : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = tsr.mul %s, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Must not fire: x + 2^23 - 2^23 rounds x; 0 * inf is NaN where x * 0 * inf need not be; the product
// of two small factors is 0.
// CHECK-LABEL: func @joined_constants_would_show
// CHECK-COUNT-2: tsr.add
// CHECK-COUNT-4: tsr.mul
func.func @joined_constants_would_show(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %large = tsr.constant dense<8388608.0> : tensor<f32> -> tensor<f32>
  %minus_large = tsr.constant dense<-8388608.0> : tensor<f32> -> tensor<f32>
  %a = tsr.add %x, %large : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.add %a, %minus_large : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %zero = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %inf = tsr.constant dense<0x7F800000> : tensor<f32> -> tensor<f32>
  %c = tsr.mul %x, %inf : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = tsr.mul %c, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %small = tsr.constant dense<1.0e-30> : tensor<f32> -> tensor<f32>
  %e = tsr.mul %x, %small : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %f = tsr.mul %e, %small : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %b, %d, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Must not fire: (-1 * 3 + 3) * -2 is -0.0, -1 * -6 + 3 * -2 is 0.
// CHECK-LABEL: func @sign_of_zero
// CHECK: tsr.mul
// CHECK: tsr.add
// CHECK: tsr.mul
func.func @sign_of_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %b = tsr.constant dense<[0.5, 1.0, 2.0, 3.0]> : tensor<4xf32> -> tensor<4xf32>
  %c = tsr.constant dense<-2.0> : tensor<f32> -> tensor<f32>
  %m = tsr.mul %x, %a : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = tsr.add %m, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = tsr.mul %s, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Must not fire: a scaled weight would be infinite, its product with 0 NaN.
// CHECK-LABEL: func @infinite_weight
// CHECK: tsr.conv
// CHECK: tsr.mul
func.func @infinite_weight(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = tsr.constant dense<1.0e30> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %scale = tsr.constant dense<1.0e30> : tensor<f32> -> tensor<f32>
  %y = tsr.conv %x, %w : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %m = tsr.mul %y, %scale : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  return %m : tensor<1x2x4x4xf32>
}
