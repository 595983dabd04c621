// Results beyond the caches are written past them by vectors of half a line, too, where tiles and rows are whole lines.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: scf.forall ({{.*}}) in (64, 512)
// CHECK: vector.store {{.*}}{nontemporal = true}
// CHECK: scf.forall ({{.*}}) in (64, 512)
// CHECK-NOT: nontemporal
func.func @main(%x: tensor<1x64x512x512xf32>, %y: tensor<1x64x512x520xf32>) -> (tensor<1x64x512x512xf32>, tensor<1x64x512x520xf32>) {
  %0 = tsr.average_pool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x512x512xf32>) -> tensor<1x64x512x512xf32>
  %1 = tsr.average_pool %y {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x512x520xf32>) -> tensor<1x64x512x520xf32>
  return %0, %1 : tensor<1x64x512x512xf32>, tensor<1x64x512x520xf32>
}
