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

// CHECK-LABEL: func @adds_nothing
// CHECK-NOT: tsr.add
// CHECK-NOT: tsr.sub
// CHECK: tsr.matmul
// CHECK-NEXT: return %arg0, %arg0, %arg2, {{%.*}}
func.func @adds_nothing(%x: tensor<4xf32>, %w: tensor<4x4xf32>, %n: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  %zero = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %minus_zero = tsr.constant dense<-0.0> : tensor<f32> -> tensor<f32>
  %int_zero = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %a = tsr.add %x, %minus_zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.sub %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.add %n, %int_zero : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  // Nobody decides the sign of a zero that is a sum of products.
  %d = tsr.matmul %x, %w : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  %e = tsr.add %d, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b, %c, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>
}

// Must not fire: -0.0 + 0.0 is 0.0, as is -0.0 - -0.0.
// CHECK-LABEL: func @turns_minus_zero
// CHECK: tsr.add
// CHECK: tsr.sub
func.func @turns_minus_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %minus_zero = tsr.constant dense<-0.0> : tensor<f32> -> tensor<f32>
  %a = tsr.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.sub %x, %minus_zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Must not fire: infinities become finite, the reciprocal of a denormal number is infinite.
// CHECK-LABEL: func @infinities
// CHECK: tsr.clip
// CHECK-COUNT-2: tsr.reciprocal
func.func @infinities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tsr.clip %x {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.reciprocal %x : (tensor<4xf32>) -> tensor<4xf32>
  %c = tsr.reciprocal %b : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %c : tensor<4xf32>, tensor<4xf32>
}

// Must not fire: when n is 0, m may be another size than k.
// CHECK-LABEL: func @reshape_of_nothing
// CHECK: tsr.reshape
func.func @reshape_of_nothing(%x: tensor<?x?xf32, #tsr.layout<dims = ["n", "k"]>>, %s: tensor<2xi64>) -> tensor<?x?xf32, #tsr.layout<dims = ["n", "m"]>> {
  %y = tsr.reshape %x, %s : (tensor<?x?xf32, #tsr.layout<dims = ["n", "k"]>>, tensor<2xi64>) -> tensor<?x?xf32, #tsr.layout<dims = ["n", "m"]>>
  return %y : tensor<?x?xf32, #tsr.layout<dims = ["n", "m"]>>
}

// CHECK-LABEL: func @dropout_of_nothing
// CHECK: return %arg0
func.func @dropout_of_nothing(%x: tensor<3xf32>, %training: tensor<i1>) -> tensor<3xf32> {
  %zero = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %y = tsr.dropout %x, %zero, %training {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<3xf32>, tensor<f32>, tensor<i1>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Must not fire: the shape may be one that does not fit.
// CHECK-LABEL: func @expand_at_run_time
// CHECK: tsr.expand
func.func @expand_at_run_time(%x: tensor<3x4xf32>, %shape: tensor<2xi64>) -> tensor<3x4xf32> {
  %y = tsr.expand %x, %shape : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func @expand_to_own_shape
// CHECK: return %arg0
func.func @expand_to_own_shape(%x: tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>> {
  %shape = tsr.shape %x : (tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<2xi64>
  %y = tsr.expand %x, %shape : (tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>, tensor<2xi64>) -> tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>
  return %y : tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>
}

// Must not fire: a size may turn out to be 1.
// CHECK-LABEL: func @squeeze_of_open_sizes
// CHECK: tsr.squeeze
func.func @squeeze_of_open_sizes(%x: tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>> {
  %y = tsr.squeeze %x : (tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>
  return %y : tensor<?x4xf32, #tsr.layout<dims = ["n", ""]>>
}
