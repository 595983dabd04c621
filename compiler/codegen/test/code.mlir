// What code and the host program say of themselves is checked.
// RUN: not tessera-opt %s -split-input-file 2>&1 | FileCheck %s

// CHECK: error: 'tsr.code' op (C2) abi 0 is less than 1
tsr.code @old for <"native"> abi 0 = <"0123456789abcdef0123456789abcdef">

// -----

func.func private @r(tensor<4xf32>) -> tensor<4xf32>
// CHECK: error: 'tsr.call' op calls @r with buffers of other types than its
func.func @main(%x: !tsr.buffer<tensor<2xf32>>) -> !tsr.buffer<tensor<4xf32>> {
  %y = tsr.alloc {size = 16 : i64} : <tensor<4xf32>>
  tsr.call @r ins(%x : !tsr.buffer<tensor<2xf32>>) outs(%y : !tsr.buffer<tensor<4xf32>>)
  return %y : !tsr.buffer<tensor<4xf32>>
}
