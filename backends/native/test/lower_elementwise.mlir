// A chain of elementwise operators is one region; its kernel is linalg on tensors, with small constants inside.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: call @[[CHAIN:native_[0-9]+]]
// CHECK: func.func private @[[CHAIN]]
// CHECK-SAME: #tsr.target<"native", {mcpu = "x86-64-v3"}>
// CHECK: module @[[KERNEL:kernel_[0-9a-f]+]]
// CHECK: func.func @[[KERNEL]](%{{.*}}: tensor<4x33xf32>{{.*}}) -> tensor<4x33xf32>
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: math.exp
func.func @main(%x: tensor<4x33xf32>) -> tensor<4x33xf32> {
  %one = tsr.constant dense<1.5> : tensor<f32> -> tensor<f32>
  %y = tsr.add %x, %one : (tensor<4x33xf32>, tensor<f32>) -> tensor<4x33xf32>
  %z = tsr.sigmoid %y : (tensor<4x33xf32>) -> tensor<4x33xf32>
  return %z : tensor<4x33xf32>
}
