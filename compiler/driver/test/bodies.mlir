// Saved modules whose functions are not what passes look into are refused; a region that is code needs no body.
// REQUIRES: backend-native
// RUN: split-file %s %t
// RUN: not tessera compile %t/main.mlir -o %t/out.tsr 2>&1 | FileCheck %s --check-prefix=MAIN
// RUN: not tessera compile %t/region.mlir -o %t/out.tsr 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not tessera compile %t/blocks.mlir -o %t/out.tsr 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not tessera compile %t/early.mlir -o %t/out.tsr 2>&1 | FileCheck %s --check-prefix=EARLY
// MAIN: main.mlir: function 'main' has no body, expected one block
// REGION: region.mlir: function 'r' has no body, expected one block
// BLOCKS: blocks.mlir: function 'main' has 2 blocks, expected one block
// EARLY: early.mlir: function 'r' has no body, expected one block

//--- main.mlir
func.func private @main(tensor<4xf32>) -> tensor<4xf32>

//--- region.mlir
func.func private @r(tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @r(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- early.mlir
module attributes {tessera.phase = "partition", tessera.targets = [#tsr.target<"native", {mcpu = "x86-64-v3"}>]} {
  func.func private @r(tensor<4xf32>) -> tensor<4xf32> attributes {tessera.implementations = [],
    tessera.target = #tsr.target<"native", {mcpu = "x86-64-v3"}>}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @r(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

//--- blocks.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1:
  return %x : tensor<4xf32>
}
