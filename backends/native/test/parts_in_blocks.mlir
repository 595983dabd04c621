// Parts of channels between convolutions are cut from blocks wherever they begin: the borders alone are converted.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=partition --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.lower.mlir
// RUN: FileCheck %s --check-prefix=LOWER --input-file %t.lower.mlir

// CHECK: tsr.relayout
// CHECK-NOT: tsr.relayout
// CHECK: tsr.split {{.*}} -> (tensor<2x28x9x9xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<2x30x9x9xf32
// CHECK-NOT: tsr.relayout
// CHECK: tsr.slice
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: return
// CHECK-NOT: tsr.relayout
// CHECK: tsr.concat
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: return
// CHECK-NOT: tsr.relayout
// What moves channels shares no region with another that does.
// CHECK: tsr.gather
// CHECK-NEXT: return
// CHECK: tsr.relayout
// CHECK-NOT: tsr.relayout

// By vectors that are permuted.
// LOWER-COUNT-4: vector.shuffle
!x = tensor<2x16x9x9xf32>
!all = tensor<2x58x9x9xf32>
!a = tensor<2x28x9x9xf32>
!b = tensor<2x30x9x9xf32>
!s = tensor<2x14x9x9xf32>
!c = tensor<2x44x9x9xf32>
func.func @main(%x: !x) -> tensor<2x16x9x9xf32> {
  %w = tsr.constant dense<0.25> : tensor<58x16x1x1xf32> -> tensor<58x16x1x1xf32>
  %v = tsr.constant dense<0.25> : tensor<28x28x1x1xf32> -> tensor<28x28x1x1xf32>
  %u = tsr.constant dense<0.25> : tensor<16x20x1x1xf32> -> tensor<16x20x1x1xf32>
  %lengths = tsr.constant dense<[28, 30]> : tensor<2xi64> -> tensor<2xi64>
  %start = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %end = tsr.constant dense<29> : tensor<1xi64> -> tensor<1xi64>
  %step = tsr.constant dense<2> : tensor<1xi64> -> tensor<1xi64>
  %chosen = tsr.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 43]> : tensor<20xi64> -> tensor<20xi64>
  %0 = tsr.conv %x, %w : (!x, tensor<58x16x1x1xf32>) -> !all
  %1, %2 = tsr.split %0, %lengths {axis = 1 : i64} : (!all, tensor<2xi64>) -> (!a, !b)
  %3 = tsr.conv %1, %v : (!a, tensor<28x28x1x1xf32>) -> !a
  %4 = tsr.slice %3, %start, %end, %start, %step {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (!a, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !s
  %5 = tsr.relu %4 : (!s) -> !s
  %6 = tsr.concat %5, %2 {axis = 1 : i64} : (!s, !b) -> !c
  %7 = tsr.relu %6 : (!c) -> !c
  %8 = tsr.gather %7, %chosen {axis = 1 : i64} : (!c, tensor<20xi64>) -> tensor<2x20x9x9xf32>
  %9 = tsr.conv %8, %u : (tensor<2x20x9x9xf32>, tensor<16x20x1x1xf32>) -> tensor<2x16x9x9xf32>
  return %9 : tensor<2x16x9x9xf32>
}
