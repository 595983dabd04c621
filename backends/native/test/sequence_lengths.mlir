// Layers whose sequences have lengths are computed by the emitter, up to the step of the longest sequence.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-NOT: tessera.remark
// CHECK: func.func {{.*}}@kernel_
// CHECK: %[[RANGE:.*]]:2 = scf.for {{.*}} -> (index, index) {
// CHECK-NEXT: memref.load {{.*}}xi32>
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: arith.minsi
// CHECK-NEXT: arith.maxsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[RANGE]]#1 step
// CHECK-NOT: tessera.remark
func.func @main(%x: tensor<50x2x16xf32>, %w: tensor<1x64x16xf32>, %r: tensor<1x64x16xf32>, %b: tensor<1x128xf32>, %n: tensor<2xi32>) -> (tensor<50x1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>) {
  %y:3 = tsr.lstm %x, %w, %r, %b, %n {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<50x2x16xf32>, tensor<1x64x16xf32>, tensor<1x64x16xf32>, tensor<1x128xf32>, tensor<2xi32>) -> (tensor<50x1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>)
  return %y#0, %y#1, %y#2 : tensor<50x1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>
}
