// Each row of a padded tensor is written once, with its borders: by one loop, which nothing fills first.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK-NOT: linalg.fill
// CHECK: scf.forall {{.*}} in (2, 24, 34)
// CHECK: linalg.generic
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT: scf.forall (
// CHECK: tensor.parallel_insert_slice
func.func @main(%x: tensor<2x24x32x32xf32>) -> tensor<2x24x34x34xf32> {
  %pads = tsr.constant dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64> -> tensor<8xi64>
  %y = tsr.pad %x, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x24x32x32xf32>, tensor<8xi64>) -> tensor<2x24x34x34xf32>
  return %y : tensor<2x24x34x34xf32>
}
