// Groups as large as a block of results have sums of eight positions at a time, which hide the latency of the multiply-add.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func private @native_
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
!x = tensor<1x90x1x64xf32>
func.func @main(%x: !x) -> !x {
  %w = tsr.constant dense<0.5> : tensor<90x18x1x3xf32> -> tensor<90x18x1x3xf32>
  %y = tsr.conv %x, %w {group = 5 : i64, pads = array<i64: 0, 1, 0, 1>} : (!x, tensor<90x18x1x3xf32>) -> !x
  return %y : !x
}
