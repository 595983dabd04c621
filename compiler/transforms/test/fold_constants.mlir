// RUN: tessera-opt %s -tessera-simplify-fold-constants -tessera-simplify-remove-dead-code -split-input-file | FileCheck %s

// CHECK-LABEL: func @arithmetic
// CHECK-NEXT: [[C:%.*]] = tsr.constant dense<[4.000000e+00, 6.000000e+00]>
// CHECK-NEXT: return [[C]]
func.func @arithmetic() -> tensor<2xf32> {
  %a = tsr.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<[3.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
  %c = tsr.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// The shape chatter of exporters: batch and length of x are bound, so everything is known.
// CHECK-LABEL: func @shape_chatter
// CHECK-SAME: ([[X:%.*]]: tensor<2x7x12xf32>) -> tensor<2x7x3x4xf32>
// CHECK-NEXT: [[SHAPE:%.*]] = tsr.constant dense<[2, 7, 3, 4]>
// CHECK-NEXT: [[Y:%.*]] = tsr.reshape [[X]], [[SHAPE]] : {{.*}} -> tensor<2x7x3x4xf32>
// CHECK-NEXT: return [[Y]] : tensor<2x7x3x4xf32>
func.func @shape_chatter(%x: tensor<2x7x12xf32>) -> tensor<?x?x?x?xf32> {
  %zero = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %one = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %axes = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %heads = tsr.constant dense<[3, 4]> : tensor<2xi64> -> tensor<2xi64>
  %shape = tsr.shape %x : (tensor<2x7x12xf32>) -> tensor<3xi64>
  %batch = tsr.gather %shape, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %length = tsr.gather %shape, %one : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %b = tsr.unsqueeze %batch, %axes : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %l = tsr.unsqueeze %length, %axes : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %target = tsr.concat %b, %l, %heads {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<?xi64>
  %y = tsr.reshape %x, %target : (tensor<2x7x12xf32>, tensor<?xi64>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----

// Sizes that are known fold although the tensor itself, and other sizes, are not.
// CHECK-LABEL: func @known_size
// CHECK-NEXT: [[C:%.*]] = tsr.constant dense<12>
// CHECK-NEXT: return [[C]]
func.func @known_size(%x: tensor<?x12xf32>) -> tensor<i64> {
  %one = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %shape = tsr.shape %x : (tensor<?x12xf32>) -> tensor<2xi64>
  %size = tsr.gather %shape, %one : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  return %size : tensor<i64>
}

// -----

// Must not fire: the result would be larger than the limit and the operands.
// CHECK-LABEL: func @too_large
// CHECK: tsr.expand
func.func @too_large() -> tensor<1024x1024xf32> {
  %value = tsr.constant dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %shape = tsr.constant dense<1024> : tensor<2xi64> -> tensor<2xi64>
  %y = tsr.expand %value, %shape : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// Must not fire: backends want to see that the weights are quantised.
// CHECK-LABEL: func @quantized_weights
// CHECK: tsr.dequantize_linear
func.func @quantized_weights() -> tensor<2xf32> {
  %q = tsr.constant dense<[1, 2]> : tensor<2xi8> -> tensor<2xi8>
  %scale = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %y = tsr.dequantize_linear %q, %scale : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
