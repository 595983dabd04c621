// RUN: tessera-opt %s -tessera-simplify-remove-no-ops | FileCheck %s

// CHECK-LABEL: func @chain
// CHECK-NOT: tsr.identity
// CHECK-NOT: tsr.cast
// CHECK-NOT: tsr.transpose
// CHECK-NOT: tsr.mul
// CHECK: return %arg0
func.func @chain(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %one = tsr.constant dense<1.0> : tensor<1xf32> -> tensor<1xf32>
  %a = tsr.identity %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %b = tsr.cast %a {to = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %c = tsr.transpose %b {perm = array<i64: 0, 1>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %d = tsr.mul %c, %one : (tensor<4x3xf32>, tensor<1xf32>) -> tensor<4x3xf32>
  return %d : tensor<4x3xf32>
}

// CHECK-LABEL: func @named_dims
// CHECK: return %arg0
func.func @named_dims(%x: tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>, %s: tensor<2xi64>) -> tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>> {
  %y = tsr.reshape %x, %s : (tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>, tensor<2xi64>) -> tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>
  return %y : tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>
}

// Must not fire: 1 widens the result, the slice turns the order round, the mask is used.
// CHECK-LABEL: func @something
// CHECK: tsr.mul
// CHECK: tsr.slice
// CHECK: tsr.dropout
func.func @something(%x: tensor<3xf32>) -> (tensor<1x3xf32>, tensor<3xf32>, tensor<3xi1>) {
  %one = tsr.constant dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %start = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %end = tsr.constant dense<-1000> : tensor<1xi64> -> tensor<1xi64>
  %axes = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.mul %x, %one : (tensor<3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  %b = tsr.slice %x, %start, %end, %axes, %start {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  %c, %mask = tsr.dropout %x {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>)
  return %a, %c, %mask : tensor<1x3xf32>, tensor<3xf32>, tensor<3xi1>
}
