// The figures of the memory plan, in the module and in what inspect says of the artifact.
// REQUIRES: backend-native
// RUN: split-file %s %t
// RUN: tessera-opt %t/gap.mlir -tessera-link-build-host-program -tessera-link-plan-memory | FileCheck %s --check-prefix=GAP
// RUN: tessera compile %t/static.mlir -o %t/static.tsr
// RUN: tessera inspect %t/static.tsr | FileCheck %s --check-prefix=STATIC
// RUN: tessera inspect %t/static.tsr --json | FileCheck %s --check-prefix=JSON
// RUN: tessera compile %t/open.mlir -o %t/open.tsr
// RUN: tessera inspect %t/open.tsr | FileCheck %s --check-prefix=OPEN

// The greedy plan needs 128 + 128 + 128 bytes in a row, as the third value overlaps both the second and the last;
// at most 128 + 192 live at once.
// GAP: tessera.arena_bytes = 384 : i64, tessera.lower_bound_bytes = 320 : i64

// STATIC: memory arena 0.00 MiB, lower bound 0.00 MiB
// STATIC-NOT: sized at run time
// JSON-DAG: "arena_bytes":
// JSON-DAG: "lower_bound_bytes":
// JSON-DAG: "run_time_sized_buffers": 0
// OPEN: memory arena 0.00 MiB, lower bound 0.00 MiB
// OPEN-NEXT: 1 buffer is sized at run time, beside the plan

//--- gap.mlir
func.func private @r(%x: tensor<32xf32>) -> tensor<32xf32> attributes {tessera.target = #tsr.target<"native">}
func.func private @s(%x: tensor<32xf32>) -> tensor<48xf32> attributes {tessera.target = #tsr.target<"native">}
func.func private @t(%x: tensor<48xf32>) -> tensor<32xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = call @r(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %1 = call @r(%0) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = call @r(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = call @s(%2) : (tensor<32xf32>) -> tensor<48xf32>
  %4 = call @t(%3) : (tensor<48xf32>) -> tensor<32xf32>
  return %4 : tensor<32xf32>
}

//--- static.mlir
func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = tsr.relu %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

//--- open.mlir
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = tsr.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
