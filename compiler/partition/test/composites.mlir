// Composites that no target takes are replaced by their bodies, in bodies of control flow as well; what becomes of a
// region says what class it is of.
// REQUIRES: backend-native
// RUN: tessera-opt %s -tessera-expand-composites | FileCheck %s --check-prefix=EXPANDED
// RUN: tessera-opt %s -tessera-expand-composites -tessera-annotate-target -tessera-merge-compiler-regions -tessera-partition-graph -tessera-fuse-regions -tessera-check-regions | FileCheck %s --check-prefix=CHECKED

// EXPANDED-LABEL: func @main
// EXPANDED-NOT: tsr.composite
// EXPANDED: %[[N:.*]] = tsr.neg
// EXPANDED: tsr.relu %[[N]]
// EXPANDED: tsr.if
// EXPANDED: tsr.abs
// EXPANDED: tsr.yield

// CHECKED: call @native_0
// CHECKED: tsr.if
// CHECKED: call @native_1
// CHECKED: tsr.yield
// CHECKED: func private @native_0{{.*}} {tessera.region_class = "{{[0-9a-f]+}}"
// CHECKED: func private @native_1{{.*}} {tessera.region_class = "{{[0-9a-f]+}}"
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tsr.composite "neg_relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = tsr.composite "inner_neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %2 = tsr.neg %b : (tensor<4xf32>) -> tensor<4xf32>
      tsr.yield %2 : tensor<4xf32>
    }
    %3 = tsr.relu %1 : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %3 : tensor<4xf32>
  }
  %4 = tsr.if %c : (tensor<i1>) -> tensor<4xf32> {
    %5 = tsr.composite "inner_abs"(%0) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%d: tensor<4xf32>):
      %6 = tsr.abs %d : (tensor<4xf32>) -> tensor<4xf32>
      tsr.yield %6 : tensor<4xf32>
    }
    tsr.yield %5 : tensor<4xf32>
  } else {
    tsr.yield %0 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}
