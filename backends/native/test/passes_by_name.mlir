// tessera-opt knows the passes of a backend, those on kernels included.
// RUN: tessera-opt %s --tessera-native-lower-regions | FileCheck %s
// RUN: tessera-opt %s --pass-pipeline='builtin.module(tessera-native-lower-regions,builtin.module(tessera-native-optimize-kernel))' | FileCheck %s --check-prefix=OPTIMIZED

// CHECK: tessera.kernel_module = @kernel_{{[0-9a-f]+}}
// OPTIMIZED: llvm.func
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"native", {mcpu = "x86-64-v3"}>} {
  %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
