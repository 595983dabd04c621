// Constant lengths of sequences stay an operand: in the region's body they would keep a layer from its emitter.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compare %s --targets "native,reference" --input x=random:1 --input w=random:2 --input r=random:3

// CHECK-NOT: tessera.remark
// CHECK: func.func {{.*}}@kernel_
// CHECK: memref.load {{.*}}xi32>
// CHECK-NOT: tessera.remark
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<20x3x16xf32> {tessera.name = "x"}, %w: tensor<1x64x16xf32> {tessera.name = "w"}, %r: tensor<1x64x16xf32> {tessera.name = "r"}) -> (tensor<20x1x3x16xf32> {tessera.name = "y"}) {
    %n = tsr.constant dense<[20, 7, 1]> : tensor<3xi32> -> tensor<3xi32>
    %y = tsr.lstm %x, %w, %r, %n {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<20x3x16xf32>, tensor<1x64x16xf32>, tensor<1x64x16xf32>, tensor<3xi32>) -> tensor<20x1x3x16xf32>
    return %y : tensor<20x1x3x16xf32>
  }
}
