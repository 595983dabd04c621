// RUN: tessera-opt %s -tessera-simplify-normalize-arithmetic -tessera-simplify-remove-dead-code | FileCheck %s

// CHECK-LABEL: func @constant_to_the_right
// CHECK: tsr.add %arg0, {{%.*}}
func.func @constant_to_the_right(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tsr.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %y = tsr.add %c, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Must not fire: a difference is not commutative.
// CHECK-LABEL: func @difference
// CHECK: tsr.sub {{%.*}}, %arg0
func.func @difference(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tsr.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %y = tsr.sub %c, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @sum
// CHECK-NEXT: [[A:%.*]] = tsr.add %arg0, %arg1 {{.*}} -> tensor<2x4xf32>
// CHECK-NEXT: [[B:%.*]] = tsr.add [[A]], %arg0
// CHECK-NEXT: return [[B]]
func.func @sum(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = tsr.sum %x, %y, %x : (tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// CHECK-LABEL: func @clips
// CHECK-DAG: [[LOW:%.*]] = tsr.constant dense<0.000000e+00>
// CHECK-DAG: [[HIGH:%.*]] = tsr.constant dense<6.000000e+00>
// CHECK: [[Y:%.*]] = tsr.clip %arg0, [[LOW]], [[HIGH]]
// CHECK-NEXT: return [[Y]]
func.func @clips(%x: tensor<4xf32>) -> tensor<4xf32> {
  %six = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
  %low = tsr.constant dense<-1.0> : tensor<f32> -> tensor<f32>
  %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.min %a, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.clip %b, %low {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func @max_with_zero
// CHECK-NEXT: tsr.relu %arg0
func.func @max_with_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %y = tsr.max %zero, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Must not fire: the bound is known at run time only.
// CHECK-LABEL: func @run_time_bound
// CHECK: tsr.relu
// CHECK: tsr.clip
func.func @run_time_bound(%x: tensor<4xf32>, %high: tensor<f32>) -> tensor<4xf32> {
  %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.clip %a, %high {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// CHECK-LABEL: func @expand
// CHECK-NEXT: [[Y:%.*]] = tsr.mul %arg0, %arg1 : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return [[Y]]
func.func @expand(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %shape = tsr.constant dense<[2, 4]> : tensor<2xi64> -> tensor<2xi64>
  %a = tsr.expand %x, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %b = tsr.mul %a, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// Must not fire: the other operand does not have the expanded shape.
// CHECK-LABEL: func @needed_expand
// CHECK: tsr.expand
func.func @needed_expand(%x: tensor<4xf32>, %y: tensor<1x4xf32>) -> tensor<2x4xf32> {
  %shape = tsr.constant dense<[2, 4]> : tensor<2xi64> -> tensor<2xi64>
  %a = tsr.expand %x, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %b = tsr.mul %a, %y : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// CHECK-LABEL: func @unit_dims
// CHECK: tsr.mul %arg0, {{.*}} : (tensor<2x4xf32>, tensor<4xf32>)
func.func @unit_dims(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = tsr.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %y = tsr.mul %x, %c : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func @powers
// CHECK: [[A:%.*]] = tsr.mul %arg0, %arg0
// CHECK: [[B:%.*]] = tsr.sqrt [[A]]
// CHECK: tsr.reciprocal [[B]]
func.func @powers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %a = tsr.pow %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.pow %a, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.div %one, %b : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// Must not fire: the exponent needs a real power.
// CHECK-LABEL: func @real_power
// CHECK: tsr.pow
func.func @real_power(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %y = tsr.pow %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @casts
// CHECK-NEXT: [[Y:%.*]] = tsr.cast %arg0 {{.*}} : (tensor<4xi32>) -> tensor<4xf32>
// CHECK-NEXT: return [[Y]]
func.func @casts(%x: tensor<4xi32>) -> tensor<4xf32> {
  %a = tsr.cast %x {to = 7 : i64} : (tensor<4xi32>) -> tensor<4xi64>
  %b = tsr.cast %a {to = 1 : i64} : (tensor<4xi64>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// Must not fire: the first cast cuts fractions off.
// CHECK-LABEL: func @lossy_casts
// CHECK-COUNT-2: tsr.cast
func.func @lossy_casts(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.cast %x {to = 7 : i64} : (tensor<4xf32>) -> tensor<4xi64>
  %b = tsr.cast %a {to = 1 : i64} : (tensor<4xi64>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// The operand that comes twice is no sign that the sum ends.
// CHECK-LABEL: func @repeated_operand
// CHECK: tsr.add {{.*}} -> tensor<1xf32>
// CHECK: [[B:%.*]] = tsr.add {{.*}} -> tensor<5xf32>
// CHECK: tsr.add [[B]], %arg1 : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
func.func @repeated_operand(%x: tensor<1xf32>, %y: tensor<1xf32>, %z: tensor<5xf32>) -> tensor<5xf32> {
  %s = tsr.sum %x, %y, %z, %y : (tensor<1xf32>, tensor<1xf32>, tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %s : tensor<5xf32>
}

// Must not fire: the parameters of a normalisation are [C], not broadcast.
// CHECK-LABEL: func @one_channel
// CHECK: tsr.batch_norm %arg0, {{.*}} : (tensor<2x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
func.func @one_channel(%x: tensor<2x1x3xf32>) -> tensor<2x1x3xf32> {
  %p = tsr.constant dense<2.0> : tensor<1xf32> -> tensor<1xf32>
  %y = tsr.batch_norm %x, %p, %p, %p, %p : (tensor<2x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x3xf32>
  return %y : tensor<2x1x3xf32>
}

// The slope broadcasts to x, whose own shape is the result's.
// CHECK-LABEL: func @prelu
// CHECK: tsr.prelu %arg0, {{.*}} : (tensor<2x3xf32>, tensor<3xf32>)
// CHECK: tsr.prelu {{.*}}, %arg1 : (tensor<1x3xf32>, tensor<1x3xf32>)
func.func @prelu(%x: tensor<2x3xf32>, %slope: tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>) {
  %c = tsr.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tsr.prelu %x, %c : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %z = tsr.prelu %c, %slope : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %y, %z : tensor<2x3xf32>, tensor<1x3xf32>
}

// Relu, Min and Max keep infinities; a Clip's absent bound is the last finite number.
// CHECK-LABEL: func @infinite_bounds
// CHECK-DAG: [[INF:%.*]] = tsr.constant dense<0x7F800000>
// CHECK-DAG: [[LOW:%.*]] = tsr.constant dense<0xFF800000>
// CHECK-DAG: [[SIX:%.*]] = tsr.constant dense<6.000000e+00>
// CHECK-DAG: [[A:%.*]] = tsr.clip %arg0, [[INF]], [[INF]]
// CHECK-DAG: [[B:%.*]] = tsr.clip %arg0, [[LOW]], [[SIX]]
// CHECK: return [[A]], [[B]]
func.func @infinite_bounds(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %inf = tsr.constant dense<0x7F800000> : tensor<f32> -> tensor<f32>
  %six = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
  %a = tsr.max %x, %inf : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.min %x, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @absent_bounds
// CHECK: [[ZERO:%.*]] = tsr.constant dense<0.000000e+00>
// CHECK: [[Y:%.*]] = tsr.clip %arg0, [[ZERO]] {operandSegmentSizes = array<i32: 1, 1, 0>}
// CHECK: return [[Y]]
func.func @absent_bounds(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = tsr.clip %a {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// Must not fire: Min and Max with NaN are NaN, Clip ignores a bound that is NaN.
// CHECK-LABEL: func @nan_bound
// CHECK: tsr.min
// CHECK: tsr.max
// CHECK: tsr.relu
// CHECK: tsr.clip
func.func @nan_bound(%x: tensor<4xf32>) -> tensor<4xf32> {
  %nan = tsr.constant dense<0x7FC00000> : tensor<f32> -> tensor<f32>
  %a = tsr.min %x, %nan : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.max %a, %nan : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.relu %b : (tensor<4xf32>) -> tensor<4xf32>
  %d = tsr.clip %c, %nan {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// Must not fire: the power of -inf is inf, of -0.0 it is 0; the root has neither.
// CHECK-LABEL: func @power_of_anything
// CHECK-COUNT-2: tsr.pow
func.func @power_of_anything(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %minus_half = tsr.constant dense<-0.5> : tensor<f32> -> tensor<f32>
  %a = tsr.pow %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.pow %x, %minus_half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tsr.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// A variance is not negative.
// CHECK-LABEL: func @power_of_variance
// CHECK-NOT: tsr.pow
// CHECK: tsr.sqrt
// CHECK: tsr.reciprocal
func.func @power_of_variance(%x: tensor<4xf32>) -> tensor<1xf32> {
  %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %epsilon = tsr.constant dense<1.0e-5> : tensor<f32> -> tensor<f32>
  %minus_half = tsr.constant dense<-0.5> : tensor<f32> -> tensor<f32>
  %axes = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.pow %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tsr.reduce_mean %a, %axes : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  %c = tsr.add %b, %epsilon : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  %d = tsr.pow %c, %minus_half : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  return %d : tensor<1xf32>
}

// Must not fire: what is below -0.0 becomes -0.0.
// CHECK-LABEL: func @max_with_minus_zero
// CHECK: tsr.clip %arg0
func.func @max_with_minus_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tsr.constant dense<-0.0> : tensor<f32> -> tensor<f32>
  %y = tsr.max %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
