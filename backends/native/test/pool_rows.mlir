// Of an input that caches do not hold rows are pooled one at a time, and lines of later ones prefetched; of others eight, which share
// what they read.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: scf.forall ({{.*}}) in (64, 512)
// CHECK: memref.prefetch {{.*}}, read, locality<3>, data
// CHECK: scf.forall ({{.*}}) in (2, 4)
// CHECK-NOT: memref.prefetch
func.func @main(%x: tensor<1x64x512x512xf32>, %y: tensor<1x2x32x32xf32>) -> (tensor<1x64x512x512xf32>, tensor<1x2x32x32xf32>) {
  %0 = tsr.average_pool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x512x512xf32>) -> tensor<1x64x512x512xf32>
  %1 = tsr.average_pool %y {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  return %0, %1 : tensor<1x64x512x512xf32>, tensor<1x2x32x32xf32>
}
