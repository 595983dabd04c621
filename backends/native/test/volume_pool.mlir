// Planes of volumes are combined first, for two depths of results at a time: three additions for two vectors. Rows and columns of
// what that leaves are those of a pool in two dimensions.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK: scf.forall {{.*}} in (2, 2, 1)
// CHECK: %[[PLANES:.*]] = memref.alloc() {{.*}} : memref<576xf32>
// CHECK: scf.for
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-2: arith.addf
// CHECK: vector.store {{.*}}, %[[PLANES]]
// CHECK: arith.addf
// CHECK-NOT: arith.addf
// CHECK: vector.store {{.*}}, %[[PLANES]]
// CHECK: scf.for
// CHECK: vector.load %[[PLANES]]
func.func @main(%x: tensor<1x2x6x16x16xf32>) -> tensor<1x2x4x16x16xf32> {
  %y = tsr.average_pool %x {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 0, 1, 1, 0, 1, 1>} : (tensor<1x2x6x16x16xf32>) -> tensor<1x2x4x16x16xf32>
  return %y : tensor<1x2x4x16x16xf32>
}
