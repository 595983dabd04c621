// A pool combines each column of a tile once, then the columns of each window: eight results of 3x3 windows take 9 or 10 vectors for
// each row and 15 or 16 operations at the end, where windows one by one would take 23 or 24 for each row.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-9: arith.addf
// CHECK-NOT: arith.addf
// CHECK: scf.yield
// CHECK-COUNT-15: arith.addf
// CHECK-NOT: arith.addf
// CHECK: scf.for
#blocks = #tsr.layout<blockDims = [1], blockSizes = [16]>
!x = tensor<1x32x16x16xf32, #blocks>
func.func @main(%x: !x) -> !x {
  %y = tsr.average_pool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (!x) -> !x
  return %y : !x
}
