// Rows of channels are put into blocks where they are transposed, if a convolution reads them so; what meets them follows.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=partition --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-NOT: tsr.relayout
// CHECK: tsr.transpose {{.*}} -> tensor<1x32x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
// CHECK-NEXT: tsr.mul {{.*}} -> tensor<1x32x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
// CHECK-NOT: tsr.relayout
// CHECK: tsr.transpose {{.*}} -> tensor<1x32x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
// CHECK-NEXT: tsr.add {{.*}} -> tensor<1x32x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
// CHECK-NOT: tsr.relayout
// Nobody reads the next one in blocks, and 20 channels are no whole ones.
// CHECK: tsr.transpose {{.*}} -> tensor<1x32x16x16xf32>
// CHECK: tsr.transpose {{.*}} -> tensor<1x20x16x16xf32>
// CHECK-NEXT: tsr.relayout
!rows = tensor<1x16x16x32xf32>
!x = tensor<1x32x16x16xf32>
!few = tensor<1x20x16x16xf32>
func.func @main(%x: !rows, %z: tensor<1x16x16x20xf32>) -> (!x, !x, tensor<1x32x16x16xf32>) {
  %w = tsr.constant dense<0.25> : tensor<32x32x3x3xf32> -> tensor<32x32x3x3xf32>
  %few = tsr.constant dense<0.25> : tensor<32x20x3x3xf32> -> tensor<32x20x3x3xf32>
  %scale = tsr.constant dense<0.5> : tensor<32x1x1xf32> -> tensor<32x1x1xf32>
  %0 = tsr.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (!rows) -> !x
  %1 = tsr.mul %0, %scale : (!x, tensor<32x1x1xf32>) -> !x
  %2 = tsr.conv %1, %w {pads = array<i64: 1, 1, 1, 1>} : (!x, tensor<32x32x3x3xf32>) -> !x
  %3 = tsr.gelu %x : (!rows) -> !rows
  %4 = tsr.transpose %3 {perm = array<i64: 0, 3, 1, 2>} : (!rows) -> !x
  %5 = tsr.add %4, %1 : (!x, !x) -> !x
  %6 = tsr.exp %3 : (!rows) -> !rows
  %7 = tsr.transpose %6 {perm = array<i64: 0, 3, 1, 2>} : (!rows) -> !x
  %8 = tsr.transpose %z {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x16x16x20xf32>) -> !few
  %9 = tsr.conv %8, %few {pads = array<i64: 1, 1, 1, 1>} : (!few, tensor<32x20x3x3xf32>) -> !x
  %10 = tsr.add %2, %5 : (!x, !x) -> !x
  return %10, %7, %9 : !x, !x, !x
}
