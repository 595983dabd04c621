// What is in front of a convolution without window is computed where that reads it, unless something else reads it too,
// or there is a window.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=partition --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.lower.mlir
// RUN: FileCheck %s --check-prefix=LOWER --input-file %t.lower.mlir

// Scale, shift and activation of one image.
// CHECK: func.func private
// CHECK: tsr.mul
// CHECK-NEXT: tsr.add
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: tsr.conv
// CHECK-NEXT: tsr.add
// CHECK-NEXT: return

// Squeeze and excite.
// CHECK: func.func private
// CHECK: tsr.mul
// CHECK-NEXT: tsr.conv
// CHECK-NEXT: tsr.add
// CHECK-NEXT: return

// A window.
// CHECK: func.func private
// CHECK: tsr.mul
// CHECK-NEXT: return
// CHECK: func.func private
// CHECK: tsr.conv
// CHECK-NEXT: tsr.add
// CHECK-NEXT: return

// Two readers.
// CHECK: func.func private
// CHECK: tsr.abs
// CHECK-NEXT: return
// CHECK: func.func private
// CHECK: tsr.conv

// LOWER-NOT: plain loops
!x = tensor<1x64x14x14xf32>
!w = tensor<64x64x1x1xf32>
!s = tensor<64x1x1xf32>
!one = tensor<1x64x1x1xf32>
func.func @main(%x: !x, %i: !s) -> !x {
  %w = tsr.constant dense<0.25> : !w -> !w
  %v = tsr.constant dense<0.25> : tensor<64x64x3x3xf32> -> tensor<64x64x3x3xf32>
  %0 = tsr.conv %x, %w : (!x, !w) -> !x
  %1 = tsr.mul %0, %i : (!x, !s) -> !x
  %2 = tsr.add %1, %i : (!x, !s) -> !x
  %3 = tsr.relu %2 : (!x) -> !x
  %4 = tsr.conv %3, %w : (!x, !w) -> !x
  %5 = tsr.add %4, %0 : (!x, !x) -> !x
  %6 = tsr.global_average_pool %5 : (!x) -> !one
  %7 = tsr.sigmoid %6 : (!one) -> !one
  %8 = tsr.mul %5, %7 : (!x, !one) -> !x
  %9 = tsr.conv %8, %w : (!x, !w) -> !x
  %10 = tsr.add %9, %5 : (!x, !x) -> !x
  %11 = tsr.mul %10, %i : (!x, !s) -> !x
  %12 = tsr.conv %11, %v {pads = array<i64: 1, 1, 1, 1>} : (!x, tensor<64x64x3x3xf32>) -> !x
  %13 = tsr.add %12, %10 : (!x, !x) -> !x
  %14 = tsr.abs %13 : (!x) -> !x
  %15 = tsr.conv %14, %w : (!x, !w) -> !x
  %16 = tsr.add %15, %14 : (!x, !x) -> !x
  %17 = tsr.add %16, %13 : (!x, !x) -> !x
  return %17 : !x
}
