// RUN: tessera-opt %s -tessera-simplify-unify-reshapes -tessera-simplify-remove-dead-code -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @chain
// CHECK: [[S:%.*]] = tsr.constant dense<[2, 12]>
// CHECK-NEXT: [[Y:%.*]] = tsr.reshape %arg0, [[S]] : {{.*}} -> tensor<2x12xf32> loc(fused["a", "b", "c"])
// CHECK-NEXT: return [[Y]]
func.func @chain(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.unsqueeze %x, %axes : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x1x3x4xf32> loc("a")
  %b = tsr.squeeze %a, %axes : (tensor<2x1x3x4xf32>, tensor<1xi64>) -> tensor<2x3x4xf32> loc("b")
  %c = tsr.flatten %b {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x12xf32> loc("c")
  return %c : tensor<2x12xf32>
}

// CHECK-LABEL: func @one_dynamic_size
// CHECK: tsr.constant dense<[-1, 12]>
// CHECK: tsr.reshape
func.func @one_dynamic_size(%x: tensor<?x3x4xf32>) -> tensor<?x12xf32> {
  %y = tsr.flatten %x {axis = 1 : i64} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

// Must not fire: two sizes are not known.
// CHECK-LABEL: func @two_dynamic_sizes
// CHECK: tsr.unsqueeze
func.func @two_dynamic_sizes(%x: tensor<?x?xf32>) -> tensor<?x1x?xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %y = tsr.unsqueeze %x, %axes : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?x1x?xf32>
  return %y : tensor<?x1x?xf32>
}
