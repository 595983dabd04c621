// Which slices, splits and concatenations stay in the host program.
// REQUIRES: backend-native
// RUN: tessera-opt %s -split-input-file -tessera-annotate-target -tessera-fuse-regions | FileCheck %s

// Parts of the outermost dimension that is not 1.
// CHECK-LABEL: func @main(%arg0: tensor<1x6x4xf32>)
// CHECK: tsr.split %arg0
// CHECK: tsr.slice %arg0
// CHECK-NOT: call
// CHECK: return
func.func @main(%x: tensor<1x6x4xf32>) -> (tensor<1x2x4xf32>, tensor<1x4x4xf32>, tensor<1x3x4xf32>) {
  %sizes = tsr.constant dense<[2, 4]> : tensor<2xi64> -> tensor<2xi64>
  %start = tsr.constant dense<-4> : tensor<1xi64> -> tensor<1xi64>
  %end = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %axis = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %0:2 = tsr.split %x, %sizes {axis = 1 : i64} : (tensor<1x6x4xf32>, tensor<2xi64>) -> (tensor<1x2x4xf32>, tensor<1x4x4xf32>)
  %1 = tsr.slice %x, %start, %end, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x6x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3x4xf32>
  return %0#0, %0#1, %1 : tensor<1x2x4xf32>, tensor<1x4x4xf32>, tensor<1x3x4xf32>
}

// -----

// Parts of an inner dimension are strided.
// CHECK-LABEL: func @main(%arg0: tensor<2x6x4xf32>)
// CHECK-NOT: tsr.split
// CHECK: call @native_0
func.func @main(%x: tensor<2x6x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0:2 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (tensor<2x6x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>)
  return %0#0, %0#1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// A step other than 1, also one that keeps the size.
// CHECK-LABEL: func @main(%arg0: tensor<6x4xf32>)
// CHECK-NOT: tsr.slice
// CHECK: call @native_0
func.func @main(%x: tensor<6x4xf32>) -> tensor<2x4xf32> {
  %starts = tsr.constant dense<[1, -1]> : tensor<2xi64> -> tensor<2xi64>
  %ends = tsr.constant dense<[3, -5]> : tensor<2xi64> -> tensor<2xi64>
  %axes = tsr.constant dense<[0, 1]> : tensor<2xi64> -> tensor<2xi64>
  %steps = tsr.constant dense<[1, -1]> : tensor<2xi64> -> tensor<2xi64>
  %0 = tsr.slice %x, %starts, %ends, %axes, %steps {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<6x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A size that is known at run time only.
// CHECK-LABEL: func @main(%arg0: tensor<?x4xf32>)
// CHECK-NOT: tsr.slice
// CHECK: call @native_0
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %start = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %end = tsr.constant dense<3> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.slice %x, %start, %end {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// In front of what would fuse with it, too.
// CHECK-LABEL: func @main(%arg0: tensor<6x4xf32>)
// CHECK: tsr.slice
// CHECK: call @native_0
// CHECK: func private @native_0
// CHECK-NOT: tsr.slice
// CHECK: tsr.relu
func.func @main(%x: tensor<6x4xf32>) -> tensor<2x4xf32> {
  %start = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %end = tsr.constant dense<3> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.slice %x, %start, %end {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<6x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
  %1 = tsr.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// Channels in blocks, cut between blocks; the names of dimensions do not matter.
// CHECK-LABEL: func @main
// CHECK: tsr.split
// CHECK: call @native_0
// CHECK: call @native_1
// CHECK: tsr.concat
// CHECK-NOT: call
// CHECK: return
func.func @main(%x: tensor<1x48x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x48x2x2xf32, #tsr.layout<dims = ["n", "c", "h", "w"], blockDims = [1], blockSizes = [16]>> {
  %sizes = tsr.constant dense<[16, 32]> : tensor<2xi64> -> tensor<2xi64>
  %0:2 = tsr.split %x, %sizes {axis = 1 : i64} : (tensor<1x48x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<2xi64>) -> (tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>)
  %1 = tsr.max_pool %0#0 {kernel_shape = array<i64: 1, 1>} : (tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  %2 = tsr.max_pool %0#1 {kernel_shape = array<i64: 1, 1>} : (tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  %3 = tsr.concat %2, %1 {axis = 1 : i64} : (tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x48x2x2xf32, #tsr.layout<dims = ["n", "c", "h", "w"], blockDims = [1], blockSizes = [16]>>
  return %3 : tensor<1x48x2x2xf32, #tsr.layout<dims = ["n", "c", "h", "w"], blockDims = [1], blockSizes = [16]>>
}

// -----

// A cut inside a block.
// CHECK-LABEL: func @main
// CHECK-NOT: tsr.split
// CHECK: call @native_0
func.func @main(%x: tensor<1x48x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> (tensor<1x24x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x24x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) {
  %0:2 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (tensor<1x48x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> (tensor<1x24x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x24x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>)
  return %0#0, %0#1 : tensor<1x24x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x24x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// -----

// A part that no region computes, one that the model returns, and one twice: their owner joins them.
// CHECK-LABEL: func @main(%arg0: tensor<4x4xf32>)
// CHECK: %[[A:.*]] = call @native_0(%arg0)
// CHECK: call @native_1(%[[A]], %arg0)
// CHECK: %[[B:.*]] = call @native_2(%arg0)
// CHECK: call @native_3(%[[B]])
// CHECK: %[[C:.*]] = call @native_4(%arg0)
// CHECK: call @native_5(%[[C]], %[[A]])
// CHECK-NOT: tsr.concat
// CHECK: return
func.func @main(%x: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>) {
  %a = tsr.softmax %x {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = tsr.concat %a, %x {axis = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %b = tsr.softmax %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tsr.concat %b, %b {axis = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %c = tsr.log_softmax %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tsr.concat %c, %a {axis = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1, %2, %c : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>
}

// -----

// One value cannot lie in two places: the first concatenation has it.
// CHECK-LABEL: func @main(%arg0: tensor<4x4xf32>)
// CHECK: %[[A:.*]] = call @native_0(%arg0)
// CHECK: %[[B:.*]] = call @native_1(%arg0)
// CHECK: tsr.concat %[[A]], %[[B]]
// CHECK: call @native_2(%[[B]], %[[A]])
func.func @main(%x: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %a = tsr.softmax %x {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = tsr.softmax %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = tsr.concat %a, %b {axis = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = tsr.concat %b, %a {axis = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
