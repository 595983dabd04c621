// RUN: tessera-opt %s -tessera-simplify-place-constants | FileCheck %s

// CHECK-LABEL: func @order
// CHECK-NEXT: [[B:%.*]] = tsr.constant dense<2.000000e+00>
// CHECK-NEXT: tsr.add %arg0, [[B]]
// CHECK-NEXT: [[A:%.*]] = tsr.constant dense<1.000000e+00>
// CHECK-NEXT: tsr.mul {{%.*}}, [[A]]
func.func @order(%x: tensor<f32>) -> tensor<f32> {
  %a = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %b = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %c = tsr.add %x, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %d = tsr.mul %c, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// Must not fire: the constant stays before the operation whose body reads it.
// CHECK-LABEL: func @read_in_a_body
// CHECK-NEXT: tsr.constant
// CHECK-NEXT: tsr.if
func.func @read_in_a_body(%c: tensor<i1>) -> tensor<f32> {
  %a = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %y = tsr.if %c : (tensor<i1>) -> tensor<f32> {
    tsr.yield %a : tensor<f32>
  } else {
    %b = tsr.neg %a : (tensor<f32>) -> tensor<f32>
    tsr.yield %b : tensor<f32>
  }
  return %y : tensor<f32>
}
