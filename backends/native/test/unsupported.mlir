// What this backend has no code for is refused with the reason.
// RUN: not tessera compile %s --targets "native -mcpu=x86-64-v3" -o %t.tsr 2>&1 | FileCheck %s

// CHECK: element type f16 is not supported
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = tsr.relu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}
