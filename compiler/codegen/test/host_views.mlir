// Views and concatenations in the host program, and the memory they need.
// REQUIRES: backend-native
// RUN: tessera-opt %s -split-input-file -tessera-link-build-host-program -tessera-link-plan-memory | FileCheck %s

// A part of the caller's input is read there, and copied when the model returns it.
// CHECK-LABEL: func @main
// CHECK-NOT: tsr.global
// CHECK: %[[A:.*]] = tsr.view %arg0 : <tensor<1x48x2x2xf32, {{.*}}>> -> <tensor<1x16x2x2xf32,
// CHECK: %[[B:.*]] = tsr.view %arg0 {offset = 256 : i64} {{.*}} -> <tensor<1x32x2x2xf32,
// CHECK: tsr.call @r ins(%[[A]]
// CHECK: %[[C:.*]] = tsr.alloc {output = 1
// CHECK: tsr.copy_buffer %[[B]] to %[[C]]
func.func private @r(%x: tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x16x2x2xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<1x48x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> (tensor<1x16x2x2xf32>, tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) {
  %sizes = tsr.constant dense<[16, 32]> : tensor<2xi64> -> tensor<2xi64>
  %0:2 = tsr.split %x, %sizes {axis = 1 : i64} : (tensor<1x48x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<2xi64>) -> (tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>)
  %1 = call @r(%0#0) : (tensor<1x16x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x16x2x2xf32>
  return %1, %0#1 : tensor<1x16x2x2xf32>, tensor<1x32x2x2xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// -----

// Concatenations of concatenations: every part is computed in place, through a reshape as well. Read by
// another region, the first part stays; the arena holds the whole and that region's result.
// CHECK-LABEL: func @main
// CHECK-SAME: tessera.arena_bytes = 768 : i64, tessera.lower_bound_bytes = 768
// CHECK: %[[ALL:.*]] = tsr.alloc {offset = 0 : i64, size = 512 : i64}
// CHECK: %[[HALF:.*]] = tsr.view %[[ALL]] {offset = 256 : i64} : <tensor<8x16xf32>> -> <tensor<4x16xf32>>
// CHECK: %[[A:.*]] = tsr.view %[[HALF]] : <tensor<4x16xf32>> -> <tensor<2x16xf32>>
// CHECK: tsr.call @r {{.*}} outs(%[[A]]
// CHECK: %[[B:.*]] = tsr.view %[[HALF]] {offset = 128 : i64}
// CHECK: tsr.call @r ins(%[[A]]{{.*}} outs(%[[B]]
// CHECK: %[[C:.*]] = tsr.view %[[ALL]] : <tensor<8x16xf32>> -> <tensor<64xf32>>
// CHECK: tsr.call @s {{.*}} outs(%[[C]]
// CHECK-NOT: tsr.copy_buffer
// CHECK: %[[D:.*]] = tsr.alloc {offset = 512 : i64, size = 256 : i64}
// CHECK: tsr.call @t ins(%[[ALL]]{{.*}} outs(%[[D]]
func.func private @r(%x: tensor<2x16xf32>) -> tensor<2x16xf32> attributes {tessera.target = #tsr.target<"native">}
func.func private @s(%x: tensor<2x16xf32>) -> tensor<64xf32> attributes {tessera.target = #tsr.target<"native">}
func.func private @t(%x: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {tessera.target = #tsr.target<"native">}
func.func private @u(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<2x16xf32>) -> tensor<4x16xf32> {
  %shape = tsr.constant dense<[4, 16]> : tensor<2xi64> -> tensor<2xi64>
  %a = call @r(%x) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %b = call @r(%a) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %ab = tsr.concat %a, %b {axis = 0 : i64} : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>
  %flat = call @s(%b) : (tensor<2x16xf32>) -> tensor<64xf32>
  %c = tsr.reshape %flat, %shape : (tensor<64xf32>, tensor<2xi64>) -> tensor<4x16xf32>
  %all = tsr.concat %c, %ab {axis = 0 : i64} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %t = call @t(%all) : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %u = call @u(%t) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %u : tensor<4x16xf32>
}

// -----

// What cannot be computed in place is copied: an input, a value that is a part already, a part of another value.
// CHECK-LABEL: func @main
// CHECK: %[[ALL:.*]] = tsr.alloc {output = 0 : i64, size = 640 : i64}
// CHECK: %[[A:.*]] = tsr.view %[[ALL]] {offset = 128 : i64}
// CHECK: tsr.call @r {{.*}} outs(%[[A]]
// CHECK: %[[X:.*]] = tsr.view %[[ALL]] : <tensor<10x16xf32>> -> <tensor<2x16xf32>>
// CHECK: tsr.copy_buffer %arg0 to %[[X]]
// CHECK: %[[TWICE:.*]] = tsr.view %[[ALL]] {offset = 256 : i64}
// CHECK: tsr.copy_buffer %[[A]] to %[[TWICE]]
// CHECK: %[[PART:.*]] = tsr.view %[[ALL]] {offset = 384 : i64}
// CHECK: tsr.copy_buffer %{{.*}} to %[[PART]]
// CHECK: return %[[ALL]]
func.func private @r(%x: tensor<2x16xf32>) -> tensor<2x16xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<2x16xf32>, %y: tensor<8x16xf32>) -> tensor<10x16xf32> {
  %sizes = tsr.constant dense<4> : tensor<2xi64> -> tensor<2xi64>
  %a = call @r(%x) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %b:2 = tsr.split %y, %sizes : (tensor<8x16xf32>, tensor<2xi64>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  %0 = tsr.concat %x, %a, %a, %b#1 {axis = 0 : i64} : (tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<4x16xf32>) -> tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}

// -----

// A region that may overwrite its operand must not while a part of that memory is read later: softmax of `a` as a
// whole, then of its first rows.
// CHECK-LABEL: func @main
// CHECK: %[[A:.*]] = tsr.alloc {offset = [[AT:[0-9]+]] : i64
// CHECK: tsr.call @r {{.*}} outs(%[[A]]
// CHECK-NOT: tsr.alloc {offset = [[AT]] : i64
// CHECK: tsr.call @r ins(%[[A]]
// CHECK: tsr.call @s
func.func private @r(%x: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {tessera.target = #tsr.target<"native">} {
  %0 = tsr.relu %x : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
func.func private @s(%x: tensor<2x16xf32>, %y: tensor<4x16xf32>) -> tensor<2x16xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<4x16xf32>) -> tensor<2x16xf32> {
  %sizes = tsr.constant dense<2> : tensor<2xi64> -> tensor<2xi64>
  %a = call @r(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %p:2 = tsr.split %a, %sizes : (tensor<4x16xf32>, tensor<2xi64>) -> (tensor<2x16xf32>, tensor<2x16xf32>)
  %b = call @r(%a) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = call @s(%p#1, %b) : (tensor<2x16xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
  return %c : tensor<2x16xf32>
}

// -----

// What becomes an output under another type is computed right there; of two that would, one; not where the model returns
// the value itself, too.
// CHECK-LABEL: func @main
// CHECK: %[[Y:.*]] = tsr.alloc {output = 0 : i64, size = 128 : i64} : <tensor<4x8xf32>>
// CHECK: %[[A:.*]] = tsr.view %[[Y]] : <tensor<4x8xf32>> -> <tensor<2x16xf32>>
// CHECK: tsr.call @r ins(%arg0 {{.*}} outs(%[[A]]
// CHECK: %[[Z:.*]] = tsr.view %[[A]] : <tensor<2x16xf32>> -> <tensor<32xf32>>
// CHECK: %[[B:.*]] = tsr.alloc {output = 2 : i64, size = 128 : i64} : <tensor<2x16xf32>>
// CHECK: tsr.call @r ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK: %[[V:.*]] = tsr.view %[[B]] : <tensor<2x16xf32>> -> <tensor<32xf32>>
// CHECK-NOT: tsr.copy_buffer
// CHECK: return %[[Y]], %[[Z]], %[[B]], %[[V]]
func.func private @r(%x: tensor<2x16xf32>) -> tensor<2x16xf32> attributes {tessera.target = #tsr.target<"native">}
func.func @main(%x: tensor<2x16xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<2x16xf32>, tensor<32xf32>) {
  %shape = tsr.constant dense<[4, 8]> : tensor<2xi64> -> tensor<2xi64>
  %a = call @r(%x) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %y = tsr.reshape %a, %shape : (tensor<2x16xf32>, tensor<2xi64>) -> tensor<4x8xf32>
  %all = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %z = tsr.reshape %a, %all : (tensor<2x16xf32>, tensor<1xi64>) -> tensor<32xf32>
  %b = call @r(%a) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %v = tsr.reshape %b, %all : (tensor<2x16xf32>, tensor<1xi64>) -> tensor<32xf32>
  return %y, %z, %b, %v : tensor<4x8xf32>, tensor<32xf32>, tensor<2x16xf32>, tensor<32xf32>
}
