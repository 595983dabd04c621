// RUN: tessera-opt %s -tessera-simplify-recognize-rms-norm | FileCheck %s

// CHECK-LABEL: func @llama
// CHECK: [[SCALE:%.*]] = tsr.constant dense<2.000000e+00>
// CHECK: tsr.composite "rms_norm"(%arg0, [[SCALE]]) {axis = 2 : i64, epsilon = 9.99999974E-6 : f32}
func.func @llama(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %axes = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %scale = tsr.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %square = tsr.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %mean = tsr.reduce_mean %square, %axes : (tensor<2x3x8xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
  %shifted = tsr.add %mean, %epsilon : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %root = tsr.sqrt %shifted : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %inverse = tsr.reciprocal %root : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %normalized = tsr.mul %x, %inverse : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %y = tsr.mul %normalized, %scale : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// Must not fire: another value than the normalised one is squared.
// CHECK-LABEL: func @other_value
// CHECK-NOT: tsr.composite
func.func @other_value(%x: tensor<2x8xf32>, %z: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %axes = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %scale = tsr.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %square = tsr.mul %z, %z : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %mean = tsr.reduce_mean %square, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %shifted = tsr.add %mean, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %root = tsr.sqrt %shifted : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %normalized = tsr.div %x, %root : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %y = tsr.mul %normalized, %scale : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
