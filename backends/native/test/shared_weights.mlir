// Weights that are put in another order at load cannot be read as they are, too: such a layer is left to plain loops.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: tessera.remark = "plain loops: packed weights of lstm are another operand, too"
func.func @main(%x: tensor<50x2x16xf32>, %w: tensor<1x64x16xf32>) -> tensor<50x1x2x16xf32> {
  %y = tsr.lstm %x, %w, %w {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<50x2x16xf32>, tensor<1x64x16xf32>, tensor<1x64x16xf32>) -> tensor<50x1x2x16xf32>
  return %y : tensor<50x1x2x16xf32>
}
