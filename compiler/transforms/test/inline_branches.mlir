// RUN: tessera-opt %s -tessera-simplify-inline-branches -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @constant
// CHECK-NEXT: [[Y:%.*]] = tsr.relu %arg0
// CHECK-NEXT: return [[Y]]
func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tsr.constant dense<false> : tensor<i1> -> tensor<i1>
  %y = tsr.if %c : (tensor<i1>) -> tensor<4xf32> {
    %a = tsr.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %a : tensor<4xf32>
  } else {
    %b = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Must not fire: the condition is an input.
// CHECK-LABEL: func @run_time
// CHECK: tsr.if
func.func @run_time(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tsr.if %c : (tensor<i1>) -> tensor<4xf32> {
    %a = tsr.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %a : tensor<4xf32>
  } else {
    tsr.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
