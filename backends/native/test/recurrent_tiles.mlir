// Sums of a layer stay in the registers: of 8 entries those of two gates are made for four entries at a time, of all four gates
// where there are twice as many registers, and what follows from them when all of a block are there. Those of 2 entries do not
// leave the registers.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.v4.mlir
// RUN: FileCheck %s --input-file %t.v4.mlir --check-prefix V4

// CHECK: scf.forall {{.*}} in (8) {
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<256xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[TILE:.*]]:8 = scf.for
// CHECK: vector.store %[[TILE]]#7, %[[SUMS]]
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %[[SUMS]]
// CHECK: math.exp
// CHECK: memref.dealloc %[[SUMS]]

// V4: scf.forall {{.*}} in (4) {
// V4: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<512xf32>
// V4: scf.for
// V4: scf.for
// V4: %[[TILE:.*]]:16 = scf.for
// V4: vector.store %[[TILE]]#15, %[[SUMS]]
// V4: memref.dealloc %[[SUMS]]
!x = tensor<50x8x16xf32>
!few = tensor<50x2x16xf32>
!w = tensor<1x256x16xf32>
!r = tensor<1x256x64xf32>
func.func @main(%x: !x, %few: !few, %w: !w, %r: !r) -> (tensor<50x1x8x64xf32>, tensor<50x1x2x64xf32>) {
  %y = tsr.lstm %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (!x, !w, !r) -> tensor<50x1x8x64xf32>
  // CHECK: scf.forall {{.*}} in (8) {
  // CHECK-NOT: memref.alloc(
  // CHECK: %[[FEW:.*]]:8 = scf.for
  // CHECK-NOT: vector.store %[[FEW]]
  // CHECK: memref.dealloc
  %z = tsr.lstm %few, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (!few, !w, !r) -> tensor<50x1x2x64xf32>
  return %y, %z : tensor<50x1x8x64xf32>, tensor<50x1x2x64xf32>
}
