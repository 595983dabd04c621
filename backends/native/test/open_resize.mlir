// Open heights and widths that grow by a whole number of times are read where they are written: no table says where.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: tsr.resize
// CHECK: func.func @kernel_
// CHECK-NOT: xi64>
// CHECK: linalg.generic
// CHECK: return
!x = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
!y = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "p", "q"]>>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: !x {tessera.name = "x"}) -> (!y {tessera.name = "y"}) {
    %scales = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
    %0 = tsr.resize %x, %scales {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (!x, tensor<4xf32>) -> !y
    return %0 : !y
  }
}
