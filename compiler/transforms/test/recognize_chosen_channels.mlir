// RUN: tessera-opt %s -tessera-simplify-recognize-chosen-channels -tessera-simplify-remove-dead-code | FileCheck %s

// Every second channel, of two images.
// CHECK-LABEL: func @parts
// CHECK-DAG: [[EVEN:%.*]] = tsr.constant dense<[0, 2, 4]>
// CHECK-DAG: [[ODD:%.*]] = tsr.constant dense<[1, 3, 5]>
// CHECK-NOT: tsr.transpose
// CHECK: tsr.gather %arg0, [[EVEN]] {axis = 1 : i64} : (tensor<2x6x4x5xf32>, tensor<3xi64>) -> tensor<2x3x4x5xf32>
// CHECK: tsr.gather %arg0, [[ODD]] {axis = 1 : i64} : (tensor<2x6x4x5xf32>, tensor<3xi64>) -> tensor<2x3x4x5xf32>
func.func @parts(%x: tensor<2x6x4x5xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) {
  %split = tsr.constant dense<[6, 2, 20]> : tensor<3xi64> -> tensor<3xi64>
  %join = tsr.constant dense<[2, 2, 3, 4, 5]> : tensor<5xi64> -> tensor<5xi64>
  %first = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %last = tsr.constant dense<-1> : tensor<i64> -> tensor<i64>
  %0 = tsr.reshape %x, %split : (tensor<2x6x4x5xf32>, tensor<3xi64>) -> tensor<6x2x20xf32>
  %1 = tsr.transpose %0 {perm = array<i64: 1, 0, 2>} : (tensor<6x2x20xf32>) -> tensor<2x6x20xf32>
  %2 = tsr.reshape %1, %join : (tensor<2x6x20xf32>, tensor<5xi64>) -> tensor<2x2x3x4x5xf32>
  %3 = tsr.gather %2, %first : (tensor<2x2x3x4x5xf32>, tensor<i64>) -> tensor<2x3x4x5xf32>
  %4 = tsr.gather %2, %last : (tensor<2x2x3x4x5xf32>, tensor<i64>) -> tensor<2x3x4x5xf32>
  return %3, %4 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>
}

// One half after the other, without a transpose.
// CHECK-LABEL: func @halves
// CHECK-DAG: [[FROM:%.*]] = tsr.constant dense<3>
// CHECK-DAG: [[TO:%.*]] = tsr.constant dense<6>
// CHECK-DAG: [[AXIS:%.*]] = tsr.constant dense<1>
// CHECK: tsr.slice %arg0, [[FROM]], [[TO]], [[AXIS]]
func.func @halves(%x: tensor<1x6x4x5xf32>) -> tensor<1x3x4x5xf32> {
  %split = tsr.constant dense<[2, 1, 3, 4, 5]> : tensor<5xi64> -> tensor<5xi64>
  %last = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %0 = tsr.reshape %x, %split : (tensor<1x6x4x5xf32>, tensor<5xi64>) -> tensor<2x1x3x4x5xf32>
  %1 = tsr.gather %0, %last : (tensor<2x1x3x4x5xf32>, tensor<i64>) -> tensor<1x3x4x5xf32>
  return %1 : tensor<1x3x4x5xf32>
}

// Must not fire: planes that are turned, parts of planes, and images that are mixed.
// CHECK-LABEL: func @turned
// CHECK: tsr.transpose
// CHECK: tsr.gather {{.*}} : (tensor<2x1x3x4x4xf32>, tensor<i64>)
func.func @turned(%x: tensor<1x6x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %split = tsr.constant dense<[2, 1, 3, 4, 4]> : tensor<5xi64> -> tensor<5xi64>
  %first = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %0 = tsr.reshape %x, %split : (tensor<1x6x4x4xf32>, tensor<5xi64>) -> tensor<2x1x3x4x4xf32>
  %1 = tsr.transpose %0 {perm = array<i64: 0, 1, 2, 4, 3>} : (tensor<2x1x3x4x4xf32>) -> tensor<2x1x3x4x4xf32>
  %2 = tsr.gather %1, %first : (tensor<2x1x3x4x4xf32>, tensor<i64>) -> tensor<1x3x4x4xf32>
  return %2 : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: func @parts_of_planes
// CHECK: tsr.gather {{.*}} : (tensor<1x2x6x2x2xf32>, tensor<i64>)
func.func @parts_of_planes(%x: tensor<1x6x2x4xf32>) -> tensor<1x6x2x2xf32> {
  %split = tsr.constant dense<[1, 2, 6, 2, 2]> : tensor<5xi64> -> tensor<5xi64>
  %first = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %0 = tsr.reshape %x, %split : (tensor<1x6x2x4xf32>, tensor<5xi64>) -> tensor<1x2x6x2x2xf32>
  %1 = tsr.gather %0, %first {axis = 1 : i64} : (tensor<1x2x6x2x2xf32>, tensor<i64>) -> tensor<1x6x2x2xf32>
  return %1 : tensor<1x6x2x2xf32>
}

// CHECK-LABEL: func @mixed_images
// CHECK: tsr.gather {{.*}} : (tensor<2x2x3x4x5xf32>, tensor<i64>)
func.func @mixed_images(%x: tensor<2x6x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %split = tsr.constant dense<[2, 2, 3, 4, 5]> : tensor<5xi64> -> tensor<5xi64>
  %first = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %0 = tsr.reshape %x, %split : (tensor<2x6x4x5xf32>, tensor<5xi64>) -> tensor<2x2x3x4x5xf32>
  %1 = tsr.gather %0, %first : (tensor<2x2x3x4x5xf32>, tensor<i64>) -> tensor<2x3x4x5xf32>
  return %1 : tensor<2x3x4x5xf32>
}
