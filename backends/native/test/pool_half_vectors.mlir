// Rows of 8 results have vectors of half the lanes of AVX-512, whose masks are registers, too; nothing is put in blocks for them.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-NOT: relayout
// CHECK-NOT: vector<16xf32>
// CHECK:     scf.forall
// CHECK:     arith.cmpf ord, {{.*}} : vector<8xf32>
// CHECK:     vector.store {{.*}} vector<8xf32>
// CHECK-NOT: vector<16xf32>
func.func @main(%x: tensor<1x32x16x16xf32>) -> tensor<1x32x8x8xf32> {
  %0 = tsr.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x32x16x16xf32>) -> tensor<1x32x8x8xf32>
  return %0 : tensor<1x32x8x8xf32>
}
