// Mean and variance are summed up in one pass about an element near the mean, and with -exact in two about the mean itself.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4 -exact=true" --stop-after=lower --emit mlir -o %t.exact.mlir
// RUN: FileCheck %s --input-file %t.exact.mlir --check-prefix EXACT

// CHECK-LABEL: module @kernel_
// CHECK-COUNT-1: "reduction"
// CHECK-NOT: "reduction"

// EXACT-LABEL: module @kernel_
// EXACT-COUNT-2: "reduction"
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<6x768xf32> {tessera.name = "x"}) -> (tensor<6x768xf32> {tessera.name = "y"}) {
    %a = tsr.constant dense<0.5> : tensor<768xf32> -> tensor<768xf32>
    %y = tsr.layer_norm %x, %a, %a {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<6x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<6x768xf32>
    return %y : tensor<6x768xf32>
  }
}
