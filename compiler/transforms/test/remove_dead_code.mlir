// RUN: tessera-opt %s -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @chain
// CHECK-NEXT: return %arg0
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// Must not fire: the result is used.
// CHECK-LABEL: func @used
// CHECK: tsr.relu
func.func @used(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
