// Vectors of half a line of the cache: each row is read once for each column of the windows, and these are combined before rows
// are; only the tiles at the ends of rows permute. Blocks of rows at the top and bottom, which look past the input, have no loop
// either: rows outside are zeros, and of the eight rows of such a block only the first and the last one count what they are the mean of.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK: scf.forall {{.*}} in (2, 4)
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[LEFT:.*]] = vector.load
// CHECK: %[[MIDDLE:.*]] = vector.load
// CHECK: %[[RIGHT:.*]] = vector.load
// CHECK: %[[TWO:.*]] = arith.addf %[[LEFT]], %[[MIDDLE]]
// CHECK: arith.addf %[[TWO]], %[[RIGHT]]
// CHECK-NOT: vector.shuffle
// CHECK-NOT: arith.select
// CHECK: vector.store
// CHECK: } else {
// CHECK-NOT: iter_args
// CHECK: arith.select {{.*}} : vector<8xf32>
// CHECK-NOT: iter_args
// CHECK-COUNT-4: arith.divf
// CHECK-NOT: arith.divf
// CHECK-NOT: iter_args
// CHECK: scf.for
func.func @main(%x: tensor<1x2x32x64xf32>) -> tensor<1x2x32x64xf32> {
  %y = tsr.average_pool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x32x64xf32>) -> tensor<1x2x32x64xf32>
  return %y : tensor<1x2x32x64xf32>
}
