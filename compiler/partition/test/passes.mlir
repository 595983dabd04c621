// Each pass by its name, and disabling one.
// REQUIRES: backend-native
// RUN: tessera-opt %s --targets "native -mcpu=x86-64-v3" -tessera-annotate-target | FileCheck %s --check-prefix=OWNERS
// RUN: tessera-opt %s --targets "native -mcpu=x86-64-v3" -tessera-annotate-target -tessera-assign-layouts | FileCheck %s --check-prefix=LAYOUTS
// RUN: tessera-opt %s -tessera-annotate-target -tessera-fuse-regions | FileCheck %s --check-prefix=REGIONS
// RUN: tessera-opt %s -tessera-annotate-target -tessera-fuse-regions -tessera-merge-equal-regions | FileCheck %s --check-prefix=MERGED
// RUN: tessera-opt %s -tessera-annotate-target -tessera-fuse-regions -tessera-expose-regions | FileCheck %s --check-prefix=EXPOSED
// RUN: tessera-opt %s -tessera-annotate-target -tessera-fuse-regions -tessera-run-hooks=phase=lower | FileCheck %s --check-prefix=LOWERED
// RUN: tessera compile %s --disable-pass tessera-merge-equal-regions --print-after tessera-fuse-regions --stop-after=partition --emit mlir -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REGIONS
// RUN: FileCheck %s --check-prefix=REGIONS --input-file %t.mlir
// RUN: not tessera-opt %s --targets nothing -tessera-annotate-target 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// OWNERS-COUNT-2: tsr.conv {{.*}} {{{.*}}tessera.target = #tsr.target<"native", {mcpu = "x86-64-v3"}>}
// LAYOUTS: tsr.conv {{.*}} -> tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
// REGIONS: call @native_1
// REGIONS: func private @native_1
// MERGED-COUNT-2: call @native_0
// MERGED-NOT: @native_1
// EXPOSED: return %[[A:.*]], %[[B:.*]], %[[A]], %[[B]] :
// LOWERED: module @kernel_{{[0-9a-f]+}}
// UNKNOWN: error: unknown target{{.*}}nothing
func.func @main(%x: tensor<1x16x2x2xf32>) -> (tensor<1x16x2x2xf32>, tensor<1x16x2x2xf32>) {
  %w = tsr.constant dense<2.0> : tensor<16x16x1x1xf32> -> tensor<16x16x1x1xf32>
  %0 = tsr.conv %x, %w : (tensor<1x16x2x2xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x2x2xf32>
  %1 = tsr.conv %0, %w : (tensor<1x16x2x2xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x2x2xf32>
  return %0, %1 : tensor<1x16x2x2xf32>, tensor<1x16x2x2xf32>
}
