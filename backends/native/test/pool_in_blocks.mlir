// The rows of a window in blocks are written out: of a maximum everywhere, of a mean where all of them lie inside.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK: scf.forall ({{.*}}) in (1, 2, 1, 16)
// CHECK-NOT: iter_args
// CHECK: scf.forall ({{.*}}) in (1, 2, 1, 32)
// CHECK: scf.if
// CHECK-NOT: iter_args
// CHECK: } else {
// CHECK: iter_args
!blocks = tensor<1x16x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
!half = tensor<1x16x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
func.func @main(%x: !blocks) -> (!half, !blocks) {
  %0 = tsr.max_pool %x {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (!blocks) -> !half
  %1 = tsr.average_pool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (!blocks) -> !blocks
  return %0, %1 : !half, !blocks
}
