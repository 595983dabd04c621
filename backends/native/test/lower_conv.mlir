// A convolution with its tail is one kernel on memory in blocks of a vector; weights take their order when compiling.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @main
// CHECK: tsr.constant #tsr.blob<"{{[0-9a-f]+}}"> -> tensor<32x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [16, 16]>>
// CHECK: call @[[CONV:native_[0-9]+]]
// CHECK: func.func private @[[CONV]]({{.*}}#tsr.layout<blockDims = [1], blockSizes = [16]>>
// CHECK-SAME: tessera.kernel_module = @[[KERNEL:kernel_[0-9a-f]+]]
// CHECK: tsr.conv
// CHECK: tsr.relu
// CHECK: module @[[KERNEL]]
// CHECK: func.func @[[KERNEL]](%{{.*}}: !llvm.ptr
// CHECK-SAME: tessera.kernel{{[,} ]}}
// CHECK: vector.fma
func.func @main(%x: tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %w = tsr.constant dense<0.5> : tensor<32x32x3x3xf32> -> tensor<32x32x3x3xf32>
  %y = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
  %z = tsr.relu %y : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %z : tensor<1x32x8x8xf32>
}
