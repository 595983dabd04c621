// Windows of several planes that are one row high go from plane to plane first: those have rows in common.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: scf.forall ({{.*}}) in (1, 1, 20, 3, 5, 1)
func.func @main(%x: tensor<1x16x5x20x12xf32>) -> tensor<1x24x5x20x12xf32> {
  %w = tsr.constant dense<0.1> : tensor<24x16x3x1x1xf32> -> tensor<24x16x3x1x1xf32>
  %y = tsr.conv %x, %w {pads = array<i64: 1, 0, 0, 1, 0, 0>} : (tensor<1x16x5x20x12xf32>, tensor<24x16x3x1x1xf32>) -> tensor<1x24x5x20x12xf32>
  return %y : tensor<1x24x5x20x12xf32>
}
