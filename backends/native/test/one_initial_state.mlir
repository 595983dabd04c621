// A layer whose initial states are one value, as exporters write zeros, is computed by the emitter.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-NOT: tessera.remark
// CHECK: tsr.lstm
// CHECK-NOT: tessera.remark
// CHECK: func.func {{.*}}@kernel_
func.func @main(%x: tensor<50x2x16xf32>) -> tensor<50x1x2x16xf32> {
  %w = tsr.constant dense<0.1> : tensor<1x64x16xf32> -> tensor<1x64x16xf32>
  %r = tsr.constant dense<0.2> : tensor<1x64x16xf32> -> tensor<1x64x16xf32>
  %b = tsr.constant dense<0.3> : tensor<1x128xf32> -> tensor<1x128xf32>
  %s = tsr.constant dense<0.0> : tensor<1x2x16xf32> -> tensor<1x2x16xf32>
  %y = tsr.lstm %x, %w, %r, %b, %s, %s {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<50x2x16xf32>, tensor<1x64x16xf32>, tensor<1x64x16xf32>, tensor<1x128xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<50x1x2x16xf32>
  return %y : tensor<50x1x2x16xf32>
}
