// RUN: tessera-opt %s -tessera-simplify-recognize-layer-norm -tessera-simplify-recognize-group-norm | FileCheck %s

// As PyTorch writes it.
// CHECK-LABEL: func @instances
// CHECK-DAG: [[SCALE:%.*]] = tsr.constant dense<[1.000000e+00, 2.000000e+00, 9.000000e+00, 1.200000e+01]>
// CHECK-DAG: [[BIAS:%.*]] = tsr.constant dense<[5.000000e-01, 5.000000e-01, 2.500000e+00, 2.500000e+00]>
// CHECK: [[Y:%.*]] = tsr.group_norm %arg0, [[SCALE]], [[BIAS]] {epsilon = 0.00999999977 : f32, num_groups = 2 : i64}
// CHECK-NEXT: return [[Y]]
func.func @instances(%x: tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32> {
  %split = tsr.constant dense<[1, 2, -1]> : tensor<3xi64> -> tensor<3xi64>
  %joined = tsr.constant dense<[1, 4, 3, 5]> : tensor<4xi64> -> tensor<4xi64>
  %s = tsr.constant dense<[1.0, 3.0]> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<[0.0, 0.0]> : tensor<2xf32> -> tensor<2xf32>
  %scale = tsr.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32> -> tensor<4x1x1xf32>
  %bias = tsr.constant dense<[[[0.5]], [[0.5]], [[2.5]], [[2.5]]]> : tensor<4x1x1xf32> -> tensor<4x1x1xf32>
  %groups = tsr.reshape %x, %split : (tensor<1x4x3x5xf32>, tensor<3xi64>) -> tensor<1x2x30xf32>
  %normalized = tsr.instance_norm %groups, %s, %b {epsilon = 0.01 : f32} : (tensor<1x2x30xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x30xf32>
  %back = tsr.reshape %normalized, %joined : (tensor<1x2x30xf32>, tensor<4xi64>) -> tensor<1x4x3x5xf32>
  %scaled = tsr.mul %back, %scale : (tensor<1x4x3x5xf32>, tensor<4x1x1xf32>) -> tensor<1x4x3x5xf32>
  %y = tsr.add %scaled, %bias : (tensor<1x4x3x5xf32>, tensor<4x1x1xf32>) -> tensor<1x4x3x5xf32>
  return %y : tensor<1x4x3x5xf32>
}

// Means and variances written out.
// CHECK-LABEL: func @written_out
// CHECK: tsr.group_norm %arg0, {{%.*}}, {{%.*}} {epsilon = 0.00999999977 : f32, num_groups = 2 : i64}
// CHECK-NEXT: return
func.func @written_out(%x: tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32> {
  %split = tsr.constant dense<[1, 2, -1]> : tensor<3xi64> -> tensor<3xi64>
  %joined = tsr.constant dense<[1, 4, 3, 5]> : tensor<4xi64> -> tensor<4xi64>
  %axes = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %epsilon = tsr.constant dense<0.01> : tensor<f32> -> tensor<f32>
  %groups = tsr.reshape %x, %split : (tensor<1x4x3x5xf32>, tensor<3xi64>) -> tensor<1x2x30xf32>
  %mean = tsr.reduce_mean %groups, %axes : (tensor<1x2x30xf32>, tensor<1xi64>) -> tensor<1x2x1xf32>
  %centered = tsr.sub %groups, %mean : (tensor<1x2x30xf32>, tensor<1x2x1xf32>) -> tensor<1x2x30xf32>
  %square = tsr.mul %centered, %centered : (tensor<1x2x30xf32>, tensor<1x2x30xf32>) -> tensor<1x2x30xf32>
  %variance = tsr.reduce_mean %square, %axes : (tensor<1x2x30xf32>, tensor<1xi64>) -> tensor<1x2x1xf32>
  %shifted = tsr.add %variance, %epsilon : (tensor<1x2x1xf32>, tensor<f32>) -> tensor<1x2x1xf32>
  %deviation = tsr.sqrt %shifted : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %normalized = tsr.div %centered, %deviation : (tensor<1x2x30xf32>, tensor<1x2x1xf32>) -> tensor<1x2x30xf32>
  %y = tsr.reshape %normalized, %joined : (tensor<1x2x30xf32>, tensor<4xi64>) -> tensor<1x4x3x5xf32>
  return %y : tensor<1x4x3x5xf32>
}

// CHECK-LABEL: func @open_images
// CHECK: tsr.group_norm
// CHECK-NEXT: return
!images = tensor<?x4x3xf32, #tsr.layout<dims = ["n", "", ""]>>
!groups = tensor<?x2x6xf32, #tsr.layout<dims = ["n", "", ""]>>
func.func @open_images(%x: !images) -> !images {
  %split = tsr.constant dense<[-1, 2, 6]> : tensor<3xi64> -> tensor<3xi64>
  %joined = tsr.constant dense<[-1, 4, 3]> : tensor<3xi64> -> tensor<3xi64>
  %s = tsr.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<0.0> : tensor<2xf32> -> tensor<2xf32>
  %groups = tsr.reshape %x, %split : (!images, tensor<3xi64>) -> !groups
  %normalized = tsr.instance_norm %groups, %s, %b : (!groups, tensor<2xf32>, tensor<2xf32>) -> !groups
  %y = tsr.reshape %normalized, %joined : (!groups, tensor<3xi64>) -> !images
  return %y : !images
}

// Must not fire: groups of images.
// CHECK-LABEL: func @groups_of_images
// CHECK-NOT: tsr.group_norm
func.func @groups_of_images(%x: tensor<4x4x3xf32>) -> tensor<4x4x3xf32> {
  %split = tsr.constant dense<[2, 2, 12]> : tensor<3xi64> -> tensor<3xi64>
  %joined = tsr.constant dense<[4, 4, 3]> : tensor<3xi64> -> tensor<3xi64>
  %s = tsr.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<0.0> : tensor<2xf32> -> tensor<2xf32>
  %groups = tsr.reshape %x, %split : (tensor<4x4x3xf32>, tensor<3xi64>) -> tensor<2x2x12xf32>
  %normalized = tsr.instance_norm %groups, %s, %b : (tensor<2x2x12xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x12xf32>
  %y = tsr.reshape %normalized, %joined : (tensor<2x2x12xf32>, tensor<3xi64>) -> tensor<4x4x3xf32>
  return %y : tensor<4x4x3xf32>
}

// Must not fire: there are no groups.
// CHECK-LABEL: func @empty
// CHECK-NOT: tsr.group_norm
func.func @empty(%x: tensor<2x0x3xf32>) -> tensor<2x0x3xf32> {
  %split = tsr.constant dense<[2, 0, 3]> : tensor<3xi64> -> tensor<3xi64>
  %s = tsr.constant dense<1.0> : tensor<0xf32> -> tensor<0xf32>
  %groups = tsr.reshape %x, %split {allowzero = 1 : i64} : (tensor<2x0x3xf32>, tensor<3xi64>) -> tensor<2x0x3xf32>
  %normalized = tsr.instance_norm %groups, %s, %s : (tensor<2x0x3xf32>, tensor<0xf32>, tensor<0xf32>) -> tensor<2x0x3xf32>
  %y = tsr.reshape %normalized, %split {allowzero = 1 : i64} : (tensor<2x0x3xf32>, tensor<3xi64>) -> tensor<2x0x3xf32>
  return %y : tensor<2x0x3xf32>
}

// Must not fire: another shape comes back.
// CHECK-LABEL: func @other_shape
// CHECK-NOT: tsr.group_norm
func.func @other_shape(%x: tensor<2x4x3xf32>) -> tensor<2x3x4xf32> {
  %split = tsr.constant dense<[2, 2, 6]> : tensor<3xi64> -> tensor<3xi64>
  %joined = tsr.constant dense<[2, 3, 4]> : tensor<3xi64> -> tensor<3xi64>
  %s = tsr.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %b = tsr.constant dense<0.0> : tensor<2xf32> -> tensor<2xf32>
  %groups = tsr.reshape %x, %split : (tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<2x2x6xf32>
  %normalized = tsr.instance_norm %groups, %s, %b : (tensor<2x2x6xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x6xf32>
  %y = tsr.reshape %normalized, %joined : (tensor<2x2x6xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
