// RUN: tessera-opt %s -tessera-simplify-refine-types -split-input-file | FileCheck %s

// CHECK-LABEL: func @bound
// CHECK-SAME: -> tensor<4x3xf32>
// CHECK: tsr.relu {{.*}} -> tensor<4x3xf32>
func.func @bound(%x: tensor<4x3xf32>) -> tensor<?x3xf32> {
  %y = tsr.relu %x : (tensor<4x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// What is declared more precisely than inferred stays.
// CHECK-LABEL: func @declared
// CHECK: tsr.nonzero {{.*}} -> tensor<1x2xi64>
func.func @declared(%x: tensor<3xf32>) -> tensor<1x2xi64> {
  %y = tsr.nonzero %x : (tensor<3xf32>) -> tensor<1x2xi64>
  return %y : tensor<1x2xi64>
}

// -----

// CHECK-LABEL: func @inside_composites
// CHECK: tsr.composite "silu"({{.*}}) {{.*}}: (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tsr.sigmoid {{.*}} : (tensor<4xf32>) -> tensor<4xf32>
func.func @inside_composites(%x: tensor<4xf32>) -> tensor<?xf32> {
  %a = tsr.abs %x : (tensor<4xf32>) -> tensor<?xf32>
  %y = tsr.composite "silu"(%a) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<?xf32>):
    %s = tsr.sigmoid %i : (tensor<?xf32>) -> tensor<?xf32>
    %m = tsr.mul %i, %s : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tsr.yield %m : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
