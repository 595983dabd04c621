// Layers whose steps and batch are known at run time only are computed by the emitter: one entry as a batch that is known to be
// one, more in pieces of up to 48 whose sums are kept.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-NOT: tessera.remark
// CHECK: func.func {{.*}}@kernel_
// CHECK: %[[INPUTS:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xf32>
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.forall {{.*}} in (16) {
// CHECK-NOT: memref.alloc
// CHECK: %[[ONE:.*]]:8 = scf.for
// CHECK-NOT: vector.store %[[ONE]]
// CHECK: } else {
// CHECK: scf.forall {{.*}} in (%{{.*}}) {
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<1536xf32>
// CHECK: %[[TILE:.*]]:12 = scf.for
// CHECK: vector.store %[[TILE]]#11, %[[SUMS]]
// CHECK-NOT: tessera.remark
!x = tensor<?x?x16xf32>
!w = tensor<1x512x16xf32>
!r = tensor<1x512x128xf32>
func.func @main(%x: !x, %w: !w, %r: !r) -> tensor<?x1x?x128xf32> {
  %y = tsr.lstm %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (!x, !w, !r) -> tensor<?x1x?x128xf32>
  return %y : tensor<?x1x?x128xf32>
}
