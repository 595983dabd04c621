// RUN: tessera-opt %s -tessera-simplify-recognize-layer-norm -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @torch
// CHECK-DAG: [[SCALE:%.*]] = tsr.constant dense<2.000000e+00>
// CHECK-DAG: [[BIAS:%.*]] = tsr.constant dense<3.000000e+00>
// CHECK: [[Y:%.*]] = tsr.composite "layer_norm"(%arg0, [[SCALE]], [[BIAS]]) {axis = 1 : i64, epsilon = 9.99999974E-6 : f32}
// CHECK: ^bb0([[X:%.*]]: tensor<2x8xf32> {{.*}}, [[S:%.*]]: tensor<8xf32> {{.*}}, [[B:%.*]]: tensor<8xf32>
// CHECK: tsr.reduce_mean [[X]]
// CHECK: tsr.yield
// CHECK: loc(fused["mean", "centered", "square", "variance", "shifted", "deviation", "normalized", "scaled", "biased"])
// CHECK: return [[Y]]
func.func @torch(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %axes = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %scale = tsr.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %bias = tsr.constant dense<3.0> : tensor<8xf32> -> tensor<8xf32>
  %mean = tsr.reduce_mean %x, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32> loc("mean")
  %centered = tsr.sub %x, %mean : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32> loc("centered")
  %square = tsr.mul %centered, %centered : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32> loc("square")
  %variance = tsr.reduce_mean %square, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32> loc("variance")
  %shifted = tsr.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32> loc("shifted")
  %deviation = tsr.sqrt %shifted : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("deviation")
  %normalized = tsr.div %centered, %deviation : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32> loc("normalized")
  %scaled = tsr.mul %scale, %normalized : (tensor<8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32> loc("scaled")
  %biased = tsr.add %scaled, %bias : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32> loc("biased")
  return %biased : tensor<2x8xf32>
}

// x * factor + (bias - mean * factor).
// CHECK-LABEL: func @keras
// CHECK: tsr.composite "layer_norm"(%arg0, {{%.*}}, {{%.*}}) {axis = 1 : i64,
func.func @keras(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %scale = tsr.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %bias = tsr.constant dense<3.0> : tensor<8xf32> -> tensor<8xf32>
  %mean = tsr.reduce_mean %x, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %centered = tsr.sub %x, %mean : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %square = tsr.mul %centered, %centered : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %variance = tsr.reduce_mean %square, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %shifted = tsr.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %deviation = tsr.sqrt %shifted : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %inverse = tsr.reciprocal %deviation : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %factor = tsr.mul %inverse, %scale : (tensor<2x1xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %scaled = tsr.mul %x, %factor : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %product = tsr.mul %mean, %factor : (tensor<2x1xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %shift = tsr.sub %bias, %product : (tensor<8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = tsr.add %scaled, %shift : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// Must not fire: normalised over the first dimension.
// CHECK-LABEL: func @first_dimension
// CHECK-NOT: tsr.composite
func.func @first_dimension(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %axes = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %scale = tsr.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %bias = tsr.constant dense<3.0> : tensor<8xf32> -> tensor<8xf32>
  %mean = tsr.reduce_mean %x, %axes : (tensor<8x8xf32>, tensor<1xi64>) -> tensor<1x8xf32>
  %centered = tsr.sub %x, %mean : (tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %square = tsr.mul %centered, %centered : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %variance = tsr.reduce_mean %square, %axes : (tensor<8x8xf32>, tensor<1xi64>) -> tensor<1x8xf32>
  %shifted = tsr.add %variance, %epsilon : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %deviation = tsr.sqrt %shifted : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %normalized = tsr.div %centered, %deviation : (tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %scaled = tsr.mul %normalized, %scale : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y = tsr.add %scaled, %bias : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Must not fire: the variance is a result of its own.
// CHECK-LABEL: func @variance_is_used
// CHECK-NOT: tsr.composite
func.func @variance_is_used(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>) {
  %axes = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %scale = tsr.constant dense<2.0> : tensor<8xf32> -> tensor<8xf32>
  %bias = tsr.constant dense<3.0> : tensor<8xf32> -> tensor<8xf32>
  %mean = tsr.reduce_mean %x, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %centered = tsr.sub %x, %mean : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %square = tsr.mul %centered, %centered : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %variance = tsr.reduce_mean %square, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %shifted = tsr.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %deviation = tsr.sqrt %shifted : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %normalized = tsr.div %centered, %deviation : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %scaled = tsr.mul %normalized, %scale : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %y = tsr.add %scaled, %bias : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y, %variance : tensor<2x8xf32>, tensor<2x1xf32>
}

// A scale of ones and a bias of zeros were removed as no-ops; the difference is squared the other way round.
// CHECK-LABEL: func @plain
// CHECK-DAG: [[ONES:%.*]] = tsr.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-DAG: [[ZEROS:%.*]] = tsr.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK: tsr.composite "layer_norm"(%arg0, [[ONES]], [[ZEROS]])
func.func @plain(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %axes = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<1.0e-05> : tensor<f32> -> tensor<f32>
  %mean = tsr.reduce_mean %x, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %centered = tsr.sub %x, %mean : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %opposite = tsr.sub %mean, %x : (tensor<2x1xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %square = tsr.mul %opposite, %opposite : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %variance = tsr.reduce_mean %square, %axes : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %shifted = tsr.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %deviation = tsr.sqrt %shifted : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y = tsr.div %centered, %deviation : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
