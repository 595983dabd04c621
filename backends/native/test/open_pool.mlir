// Pools of open heights and widths are vectors of rows, with what follows in their regions; a window that does not fit is refused when
// the kernel runs.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --implicit-check-not "plain loops" --implicit-check-not linalg.generic

// CHECK: tsr.max_pool
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: return
// CHECK: is {0} with its padding, smaller than the window of {1}
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4096xf32>
// CHECK: vector.maskedload
// CHECK: vector.shuffle
// What is behind a short row is written, too, where the next rows replace it.
// CHECK: vector.store
// CHECK: vector.maskedstore

// CHECK: tsr.average_pool
// CHECK-NEXT: return
!x = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
!y = tensor<1x4x?x?xf32, #tsr.layout<dims = ["", "", "p", "q"]>>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: !x {tessera.name = "x"}) -> (!y {tessera.name = "y"}) {
    %0 = tsr.max_pool %x {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (!x) -> !y
    %1 = tsr.relu %0 : (!y) -> !y
    %2 = tsr.average_pool %1 {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (!y) -> !y
    return %2 : !y
  }
}
