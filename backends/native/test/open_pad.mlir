// What open rows reflect is divided out once, in tables, not for each row; borders are as long as they are declared.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @kernel_
// CHECK-COUNT-4: arith.remsi
// CHECK-NOT: arith.remsi
// CHECK: tensor<1x4x?x2xf32>
// CHECK-NOT: arith.remsi
// CHECK: return
!x = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
!y = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "p", "q"]>>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: !x {tessera.name = "x"}) -> (!y {tessera.name = "y"}) {
    %pads = tsr.constant dense<[0, 0, 1, 2, 0, 0, 1, 2]> : tensor<8xi64> -> tensor<8xi64>
    %0 = tsr.pad %x, %pads {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!x, tensor<8xi64>) -> !y
    return %0 : !y
  }
}
