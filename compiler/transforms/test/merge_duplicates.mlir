// RUN: tessera-opt %s -tessera-simplify-merge-duplicates -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @same
// CHECK: [[A:%.*]] = tsr.relu {{.*}} loc(fused["first", "second"])
// CHECK-NOT: tsr.relu
// CHECK: tsr.add [[A]], [[A]]
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("first")
  %b = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("second")
  %c = tsr.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// Must not fire: the attributes differ.
// CHECK-LABEL: func @different
// CHECK-COUNT-2: tsr.leaky_relu
func.func @different(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.leaky_relu %x {alpha = 0.1 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.leaky_relu %x {alpha = 0.2 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %c = tsr.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
