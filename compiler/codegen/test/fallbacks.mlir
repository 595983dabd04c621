// Regions that the host target can run, too.
// REQUIRES: backend-native, backend-null
// RUN: tessera-opt %s -split-input-file -tessera-add-fallbacks | FileCheck %s

// The copy is the host target's, and nobody calls it. Regions of the host target need none.
// CHECK-LABEL: func private @a_0(
// CHECK-SAME: tessera.target = #tsr.target<"null">
// CHECK-LABEL: func private @native_0(
// CHECK-LABEL: func private @a_0_fallback(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf32>
// CHECK-SAME: tessera.fallback_of = @a_0
// CHECK-SAME: tessera.target = #tsr.target<"native"
// CHECK: tsr.relu
// CHECK-NOT: @native_0_fallback
module attributes {tessera.targets = [#tsr.target<"null">, #tsr.target<"native">], tessera.with_fallback} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @a_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @native_0(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @a_0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"null">} {
    %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @native_0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"native">} {
    %0 = tsr.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Nobody asked.
// CHECK-LABEL: func private @b_0(
// CHECK-NOT: fallback_of
module attributes {tessera.targets = [#tsr.target<"null">, #tsr.target<"native">]} {
  func.func private @b_0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tessera.target = #tsr.target<"null">} {
    %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// The host target does not reach what lies in a device's memory.
// CHECK-LABEL: func private @c_0(
// CHECK-NOT: fallback_of
!d = tensor<4xf32, #tsr.layout<space = "far:0">>
module attributes {tessera.targets = [#tsr.target<"null">, #tsr.target<"native">], tessera.with_fallback} {
  func.func private @c_0(%x: !d) -> !d attributes {tessera.target = #tsr.target<"null">} {
    %0 = tsr.relu %x : (!d) -> !d
    return %0 : !d
  }
}
