// A pool whose windows lie in the squares of Winograd's algorithm ends the region of its convolution; other windows, other
// algorithms and results that something else reads, too, have a region of their own.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4 -exact=true" --stop-after=lower --emit mlir -o %t.exact.mlir
// RUN: FileCheck %s --check-prefix=EXACT --input-file %t.exact.mlir

// CHECK-NOT: plain loops
// Sizes that are odd: the last row and column are in no window.
// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: tsr.max_pool
// CHECK-NEXT: return

// The windows in the last row and column are not whole.
// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: return
// CHECK: func.func private
// CHECK: tsr.max_pool
// CHECK-NEXT: return

// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: tsr.max_pool
// CHECK-NEXT: return

// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: tsr.average_pool
// CHECK-NEXT: return

// Overlapping windows.
// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: return
// CHECK: func.func private
// CHECK: tsr.max_pool
// CHECK-NEXT: return

// One position for each result.
// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: return
// CHECK: func.func private
// CHECK: tsr.max_pool
// CHECK-NEXT: return

// EXACT: tsr.relu
// EXACT-NEXT: return
// EXACT: tsr.max_pool
!x = tensor<1x32x64x64xf32>
!h = tensor<1x32x32x32xf32>
!q = tensor<1x32x16x16xf32>
!o = tensor<1x32x35x33xf32>
!p = tensor<1x32x17x16xf32>
!c = tensor<1x32x18x17xf32>
!e = tensor<1x32x8x8xf32>
!w = tensor<32x32x3x3xf32>
!v = tensor<32x32x1x1xf32>
func.func @main(%x: !x, %y: !o) -> (!p, tensor<1x32x4x4xf32>, !c) {
  %w = tsr.constant dense<0.25> : !w -> !w
  %u = tsr.constant dense<0.5> : !w -> !w
  %v = tsr.constant dense<0.25> : !v -> !v
  %y0 = tsr.conv %y, %w {pads = array<i64: 1, 1, 1, 1>} : (!o, !w) -> !o
  %y1 = tsr.max_pool %y0 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!o) -> !p
  %y2 = tsr.conv %y, %u {pads = array<i64: 1, 1, 1, 1>} : (!o, !w) -> !o
  %y3 = tsr.max_pool %y2 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = 1 : i64} : (!o) -> !c
  %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (!x, !w) -> !x
  %1 = tsr.relu %0 : (!x) -> !x
  %2 = tsr.max_pool %1 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!x) -> !h
  %3 = tsr.conv %2, %w {pads = array<i64: 1, 1, 1, 1>} : (!h, !w) -> !h
  %4 = tsr.average_pool %3 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!h) -> !q
  %5 = tsr.conv %4, %w {pads = array<i64: 1, 1, 1, 1>} : (!q, !w) -> !q
  %6 = tsr.max_pool %5 {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>} : (!q) -> !e
  %7 = tsr.conv %6, %v : (!e, !v) -> !e
  %8 = tsr.max_pool %7 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!e) -> tensor<1x32x4x4xf32>
  return %y1, %8, %y3 : !p, tensor<1x32x4x4xf32>, !c
}
