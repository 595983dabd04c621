// Regions that are one copy between memory spaces are instructions of the host program; copied constants are there from the
// beginning, once for each space.
// REQUIRES: backend-native
// RUN: tessera-opt %s -tessera-emit-regions -tessera-link-build-host-program | FileCheck %s

!h = tensor<16xf32>
!d = tensor<16xf32, #tsr.layout<space = "far:0">>

// CHECK: func @main
// CHECK-NOT: tsr.call @up
// CHECK: tsr.copy_buffer %arg0 to %[[UP:.*]] :
// CHECK: %[[C:.*]] = tsr.global dense<1.000000e+00> : tensor<16xf32> -> <tensor<16xf32, {{.*}}space = "far:0"
// CHECK-NOT: tsr.global
// CHECK: tsr.call @add ins(%[[UP]], %[[C]]
// CHECK: tsr.call @add ins(%{{.*}}, %[[C]]
// CHECK: tsr.copy_buffer %{{.*}} to %{{.*}} :
// CHECK: func private @up
// CHECK-NOT: tessera.refused
// CHECK-SAME: {
func.func @main(%x: !h) -> !h {
  %c = tsr.constant dense<1.0> : !h -> !h
  %up = call @up(%x) : (!h) -> !d
  %one = call @up(%c) : (!h) -> !d
  %sum = call @add(%up, %one) : (!d, !d) -> !d
  %other = call @up(%c) : (!h) -> !d
  %again = call @add(%sum, %other) : (!d, !d) -> !d
  %y = call @down(%again) : (!d) -> !h
  return %y : !h
}
func.func private @up(%x: !h) -> !d attributes {tessera.target = #tsr.target<"native">} {
  %0 = tsr.copy %x : (!h) -> !d
  return %0 : !d
}
func.func private @down(%x: !d) -> !h attributes {tessera.target = #tsr.target<"native">} {
  %0 = tsr.copy %x : (!d) -> !h
  return %0 : !h
}
func.func private @add(!d, !d) -> !d
