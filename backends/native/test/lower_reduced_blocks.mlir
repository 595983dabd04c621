// A reduction of what lies in blocks of channels reads them as they lie: only its result is put in row-major order.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: tsr.relayout {{.*}} -> tensor<2x32x1024xf32>
// CHECK-NEXT: tsr.reduce_max
// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<2x2x1024x16xf32>
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%[[X]] : tensor<2x2x1024x16xf32>) outs(%{{.*}} : tensor<2x2x16xf32>)
func.func @main(%x: tensor<2x32x1026xf32>) -> tensor<2x32xf32> {
  %w = tsr.constant dense<0.1> : tensor<32x32x3xf32> -> tensor<32x32x3xf32>
  %axes = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %y = tsr.conv %x, %w : (tensor<2x32x1026xf32>, tensor<32x32x3xf32>) -> tensor<2x32x1024xf32>
  %m = tsr.reduce_max %y, %axes {keepdims = 0 : i64} : (tensor<2x32x1024xf32>, tensor<1xi64>) -> tensor<2x32xf32>
  return %m : tensor<2x32xf32>
}
