// Normalisations, pads and resizes between convolutions work on channels in blocks: the borders alone are converted.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=partition --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.lower.mlir
// RUN: FileCheck %s --check-prefix=LRN --input-file %t.lower.mlir

// CHECK: tsr.relayout
// CHECK-NOT: tsr.relayout
// CHECK: tsr.conv
// CHECK-NOT: tsr.relayout
// The activation joins the normalisation.
// CHECK: tsr.instance_norm
// CHECK-NEXT: tsr.relu
// CHECK-NOT: tsr.relayout
// CHECK: tsr.resize
// CHECK-NEXT: tsr.pad
// CHECK-NOT: tsr.relayout
// CHECK: tsr.conv
// CHECK-NOT: tsr.relayout
// CHECK: tsr.group_norm
// CHECK-NOT: tsr.relayout
// CHECK: tsr.conv
// CHECK-NOT: tsr.relayout
// CHECK: tsr.lrn
// CHECK-NOT: tsr.relayout
// CHECK: tsr.conv
// CHECK: tsr.relayout
// CHECK-NOT: tsr.relayout

// Windows of squares are permuted from blocks of channels, not read one by one.
// LRN: vector.maskedload
// LRN: vector.shuffle
// LRN: math.sqrt
!x = tensor<1x32x16x16xf32>
!large = tensor<1x32x34x34xf32>
!w = tensor<32x32x3x3xf32>
!line = tensor<32xf32>
func.func @main(%x: !x) -> tensor<1x32x26x26xf32> {
  %w = tsr.constant dense<0.25> : !w -> !w
  %ones = tsr.constant dense<1.0> : !line -> !line
  %scales = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %pads = tsr.constant dense<[0, 0, 3, 3, 0, 0, 3, 3]> : tensor<8xi64> -> tensor<8xi64>
  %0 = tsr.conv %x, %w : (!x, !w) -> tensor<1x32x14x14xf32>
  %1 = tsr.instance_norm %0, %ones, %ones : (tensor<1x32x14x14xf32>, !line, !line) -> tensor<1x32x14x14xf32>
  %2 = tsr.relu %1 : (tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  %3 = tsr.resize %2, %scales {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x32x14x14xf32>, tensor<4xf32>) -> tensor<1x32x28x28xf32>
  %4 = tsr.pad %3, %pads {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x32x28x28xf32>, tensor<8xi64>) -> !large
  %5 = tsr.conv %4, %w : (!large, !w) -> tensor<1x32x32x32xf32>
  %6 = tsr.group_norm %5, %ones, %ones {num_groups = 4 : i64} : (tensor<1x32x32x32xf32>, !line, !line) -> tensor<1x32x32x32xf32>
  %7 = tsr.conv %6, %w : (tensor<1x32x32x32xf32>, !w) -> tensor<1x32x30x30xf32>
  %8 = tsr.lrn %7 {size = 5 : i64} : (tensor<1x32x30x30xf32>) -> tensor<1x32x30x30xf32>
  %9 = tsr.conv %8, %w : (tensor<1x32x30x30xf32>, !w) -> tensor<1x32x28x28xf32>
  %10 = tsr.conv %9, %w : (tensor<1x32x28x28xf32>, !w) -> tensor<1x32x26x26xf32>
  return %10 : tensor<1x32x26x26xf32>
}
