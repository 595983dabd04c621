// RUN: tessera-opt %s -tessera-form-plain-products | FileCheck %s
// RUN: tessera-opt %s -tessera-form-no-composites | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: func @gemm
// CHECK-DAG: [[TWO:%.*]] = tsr.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: [[HALF:%.*]] = tsr.constant dense<5.000000e-01> : tensor<f32>
// CHECK: [[A:%.*]] = tsr.transpose %arg0 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: [[P:%.*]] = tsr.matmul [[A]], %arg1
// CHECK: [[S:%.*]] = tsr.mul [[P]],
// CHECK: [[C:%.*]] = tsr.mul %arg2,
// CHECK: tsr.add [[S]], [[C]]
func.func @gemm(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = tsr.gemm %a, %b, %c {alpha = 2.0 : f32, beta = 0.5 : f32, transA = 1 : i64} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// What a factor of 0 leaves out may hold anything.
// CHECK-LABEL: func @gemm_left_out
// CHECK-NEXT: [[P:%.*]] = tsr.matmul %arg0, %arg1
// CHECK-NEXT: return [[P]]
func.func @gemm_left_out(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = tsr.gemm %a, %b, %c {beta = 0.0 : f32} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func @gemm_left_out_that_fits
// CHECK-NOT: tsr.gemm
// CHECK: tsr.matmul %arg0, %arg1
func.func @gemm_left_out_that_fits(%a: tensor<?x3xf32>, %b: tensor<3x4xf32>, %c: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %y = tsr.gemm %a, %b, %c {beta = 0.0 : f32} : (tensor<?x3xf32>, tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Nothing else would refuse one that does not fit.
// CHECK-LABEL: func @gemm_left_out_open
// CHECK: tsr.gemm
func.func @gemm_left_out_open(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<?xf32>) -> tensor<2x4xf32> {
  %y = tsr.gemm %a, %b, %c {beta = 0.0 : f32} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<?xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Sizes that nobody knows would lose their names.
// CHECK-LABEL: func @open
// CHECK: tsr.gemm
func.func @open(%a: tensor<3x?xf32>, %b: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %y = tsr.gemm %a, %b {transA = 1 : i64} : (tensor<3x?xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// PARTS-LABEL: func @nested
// PARTS-NOT: "inner"
// PARTS-NOT: "outer"
// PARTS: tsr.neg
// PARTS: tsr.tanh
// PARTS: tsr.composite "fast.kept"
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tsr.composite "outer"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = tsr.composite "inner"(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %2 = tsr.neg %b : (tensor<4xf32>) -> tensor<4xf32>
      tsr.yield %2 : tensor<4xf32>
    }
    %3 = tsr.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %3 : tensor<4xf32>
  }
  %4 = tsr.composite "fast.kept"(%0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %5 = tsr.exp %c : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %5 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}
