// RUN: tessera-opt %s -tessera-simplify-recognize-activations | FileCheck %s

// CHECK-LABEL: func @gelu_torch
// CHECK: tsr.composite "gelu"(%arg0) {approximate = "none"}
func.func @gelu_torch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = tsr.constant dense<1.41421354> : tensor<f32> -> tensor<f32>
  %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %a = tsr.div %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.erf %a : (tensor<4xf32>) -> tensor<4xf32>
  %c = tsr.add %b, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = tsr.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = tsr.mul %d, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}

// CHECK-LABEL: func @gelu_keras
// CHECK: tsr.composite "gelu"(%arg0) {approximate = "none"}
func.func @gelu_keras(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = tsr.constant dense<0.707106769> : tensor<f32> -> tensor<f32>
  %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %a = tsr.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.erf %a : (tensor<4xf32>) -> tensor<4xf32>
  %c = tsr.add %one, %b : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %d = tsr.mul %half, %c : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %e = tsr.mul %x, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}

// CHECK-LABEL: func @gelu_tanh
// CHECK: tsr.composite "gelu"(%arg0) {approximate = "tanh"}
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %k = tsr.constant dense<0.044715> : tensor<f32> -> tensor<f32>
  %f = tsr.constant dense<0.797884583> : tensor<f32> -> tensor<f32>
  %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %h = tsr.mul %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a = tsr.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.mul %a, %k : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.add %x, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = tsr.mul %c, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = tsr.tanh %d : (tensor<4xf32>) -> tensor<4xf32>
  %g = tsr.add %e, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %y = tsr.mul %h, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @silu
// CHECK: tsr.composite "silu"(%arg0)
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.mul %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// CHECK-LABEL: func @hard_swish
// CHECK: tsr.composite "hard_swish"(%arg0)
func.func @hard_swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %three = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %six = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
  %a = tsr.add %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.clip %a, %zero, %six {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.mul %x, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = tsr.div %c, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: func @hard_sigmoid
// CHECK: tsr.composite "hard_swish"(%arg0)
func.func @hard_sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.hard_sigmoid %x {alpha = 0.166666672 : f32, beta = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.mul %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// Must not fire: the gate comes from another value (squeeze and excitation), the slope is another one.
// CHECK-LABEL: func @gates
// CHECK-NOT: tsr.composite
func.func @gates(%x: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tsr.sigmoid %z : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.mul %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = tsr.hard_sigmoid %x {alpha = 0.2 : f32, beta = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %d = tsr.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b, %d : tensor<4xf32>, tensor<4xf32>
}
