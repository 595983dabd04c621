// Convolutions of open heights and widths are computed by the micro-kernel, with what follows in their regions; a window that does not fit is refused when the kernel runs.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --implicit-check-not "plain loops" --implicit-check-not linalg.generic

// CHECK: func.func private @{{.*}}(%{{.*}}tensor<1x4x?x?xf32
// CHECK-NEXT: tsr.conv
// CHECK-NEXT: tsr.hard_swish
// CHECK-NEXT: return
// CHECK: is {0} with its padding, smaller than the window of {1}
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<{{[0-9]+}}xf32>
// CHECK: vector.gather
// CHECK: vector.fma
// CHECK: vector.maskedstore

// A residual of the same open sizes is added in front of the store.
// CHECK: tsr.conv
// CHECK-NEXT: tsr.add
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: return

// CHECK: tsr.conv_transpose
// CHECK-NEXT: tsr.sigmoid
// CHECK-NEXT: return
!x = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
!h = tensor<1x8x?x?xf32, #tsr.layout<dims = ["", "", "p", "q"]>>
!y = tensor<1x2x?x?xf32, #tsr.layout<dims = ["", "", "r", "s"]>>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: !x {tessera.name = "x"}) -> (!y {tessera.name = "y"}) {
    %a = tsr.constant dense<0.5> : tensor<8x4x5x5xf32> -> tensor<8x4x5x5xf32>
    %b = tsr.constant dense<0.25> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
    %c = tsr.constant dense<0.125> : tensor<8x2x2x2xf32> -> tensor<8x2x2x2xf32>
    %0 = tsr.conv %x, %a {strides = array<i64: 2, 3>} : (!x, tensor<8x4x5x5xf32>) -> !h
    %1 = tsr.hard_swish %0 : (!h) -> !h
    %2 = tsr.conv %1, %b {pads = array<i64: 1, 1, 1, 1>} : (!h, tensor<8x8x3x3xf32>) -> !h
    %3 = tsr.add %2, %1 : (!h, !h) -> !h
    %4 = tsr.relu %3 : (!h) -> !h
    %5 = tsr.conv_transpose %4, %c {strides = array<i64: 2, 2>} : (!h, tensor<8x2x2x2xf32>) -> !y
    %6 = tsr.sigmoid %5 : (!y) -> !y
    return %6 : !y
  }
}
