// Which instructions run beside the host, and what each waits for.
// RUN: tessera-opt %s -split-input-file -tessera-link-assign-events | FileCheck %s

!h = !tsr.buffer<tensor<16xf32>>
!d = !tsr.buffer<tensor<16xf32, #tsr.layout<space = "far:0">>>
!e = !tsr.buffer<tensor<16xf32, #tsr.layout<space = "far:1">>>

// What an event implies is not waited for again: the copy over follows the call, which follows the copy up.
// CHECK-LABEL: func @main
// CHECK: tsr.copy_buffer %arg0 to %[[UP:.*]] signals 0
// CHECK: tsr.call @r ins(%[[UP]] {{.*}} after [0] signals 1
// CHECK: tsr.copy_buffer %{{.*}} to %[[OVER:.*]] after [1] signals 2
// CHECK: tsr.call @s ins(%[[UP]], %{{[0-9]+}} {{.*}} after [1] signals 3
// CHECK: tsr.copy_buffer %[[OVER]] to %{{.*}} after [2] signals 4
func.func private @r(tensor<16xf32, #tsr.layout<space = "far:0">>) -> tensor<16xf32, #tsr.layout<space = "far:0">>
func.func private @s(tensor<16xf32, #tsr.layout<space = "far:0">>, tensor<16xf32, #tsr.layout<space = "far:0">>) -> tensor<16xf32, #tsr.layout<space = "far:0">>
func.func @main(%x: !h) -> !h {
  %up = tsr.alloc {offset = 0 : i64, size = 64 : i64} : <tensor<16xf32, #tsr.layout<space = "far:0">>>
  %once = tsr.alloc {offset = 64 : i64, size = 64 : i64} : <tensor<16xf32, #tsr.layout<space = "far:0">>>
  %twice = tsr.alloc {offset = 128 : i64, size = 64 : i64} : <tensor<16xf32, #tsr.layout<space = "far:0">>>
  %over = tsr.alloc {offset = 0 : i64, size = 64 : i64} : <tensor<16xf32, #tsr.layout<space = "far:1">>>
  %y = tsr.alloc {output = 0 : i64, size = 64 : i64} : <tensor<16xf32>>
  tsr.copy_buffer %x to %up : <tensor<16xf32>>, <tensor<16xf32, #tsr.layout<space = "far:0">>>
  tsr.call @r ins(%up : !d) outs(%once : !d)
  tsr.copy_buffer %once to %over : <tensor<16xf32, #tsr.layout<space = "far:0">>>, <tensor<16xf32, #tsr.layout<space = "far:1">>>
  tsr.call @s ins(%up, %once : !d, !d) outs(%twice : !d)
  tsr.copy_buffer %over to %y : <tensor<16xf32, #tsr.layout<space = "far:1">>>, <tensor<16xf32>>
  return %y : !h
}

// -----

!h = !tsr.buffer<tensor<16xf32>>
!d = !tsr.buffer<tensor<16xf32, #tsr.layout<space = "far:0">>>

// The host writes where a copy may still read, as the plan gives both values one place: it waits. What the host waited for
// nobody waits for again. Work of the host signals nothing.
// CHECK-LABEL: func @main
// CHECK: tsr.call @r ins(%arg0 {{.*}} outs(%[[FIRST:[0-9]+]] : !tsr.buffer<tensor<16xf32>>){{$}}
// CHECK: tsr.copy_buffer %[[FIRST]] to %[[UP:.*]] signals 0
// CHECK: tsr.call @r ins(%arg0 {{.*}} outs(%[[SECOND:[0-9]+]] : !tsr.buffer<tensor<16xf32>>) after [0]{{$}}
// CHECK: tsr.copy_buffer %[[UP]] to %{{.*}} signals 1
func.func private @r(tensor<16xf32>) -> tensor<16xf32>
func.func @main(%x: !h) -> (!h, !h) {
  %first = tsr.alloc {offset = 0 : i64, size = 64 : i64} : <tensor<16xf32>>
  %second = tsr.alloc {offset = 0 : i64, size = 64 : i64} : <tensor<16xf32>>
  %up = tsr.alloc {offset = 0 : i64, size = 64 : i64} : <tensor<16xf32, #tsr.layout<space = "far:0">>>
  %y = tsr.alloc {output = 0 : i64, size = 64 : i64} : <tensor<16xf32>>
  tsr.call @r ins(%x : !h) outs(%first : !h)
  tsr.copy_buffer %first to %up : <tensor<16xf32>>, <tensor<16xf32, #tsr.layout<space = "far:0">>>
  tsr.call @r ins(%x : !h) outs(%second : !h)
  tsr.copy_buffer %up to %y : <tensor<16xf32, #tsr.layout<space = "far:0">>>, <tensor<16xf32>>
  return %y, %second : !h, !h
}

// -----

!h = !tsr.buffer<tensor<16xf32>>

// Parts of one buffer that do not overlap are written in any order; whoever reads the whole waits for both.
// CHECK-LABEL: func @main
// CHECK: tsr.copy_buffer %arg0 to %{{.*}} signals 0 :
// CHECK: tsr.copy_buffer %arg0 to %{{.*}} signals 1 :
// CHECK: tsr.copy_buffer %{{.*}} to %{{.*}} after [0, 1] signals 2
func.func @main(%x: !h) -> !tsr.buffer<tensor<32xf32>> {
  %whole = tsr.alloc {offset = 0 : i64, size = 128 : i64} : <tensor<32xf32, #tsr.layout<space = "far:0">>>
  %y = tsr.alloc {output = 0 : i64, size = 128 : i64} : <tensor<32xf32>>
  %a = tsr.view %whole : <tensor<32xf32, #tsr.layout<space = "far:0">>> -> <tensor<16xf32, #tsr.layout<space = "far:0">>>
  %b = tsr.view %whole {offset = 64 : i64} : <tensor<32xf32, #tsr.layout<space = "far:0">>> -> <tensor<16xf32, #tsr.layout<space = "far:0">>>
  tsr.copy_buffer %x to %a : <tensor<16xf32>>, <tensor<16xf32, #tsr.layout<space = "far:0">>>
  tsr.copy_buffer %x to %b : <tensor<16xf32>>, <tensor<16xf32, #tsr.layout<space = "far:0">>>
  tsr.copy_buffer %whole to %y : <tensor<32xf32, #tsr.layout<space = "far:0">>>, <tensor<32xf32>>
  return %y : !tsr.buffer<tensor<32xf32>>
}

// -----

// The runtime moves buffers of open sizes as it sees fit: nothing that touches one runs beside the host.
// CHECK-LABEL: func @main
// CHECK: tsr.copy_buffer %arg0 to %{{[0-9]+}} :
// CHECK: tsr.copy_buffer %{{[0-9]+}} to %{{[0-9]+}} :
func.func @main(%x: !tsr.buffer<tensor<?xf32>>) -> !tsr.buffer<tensor<?xf32>> {
  %up = tsr.alloc {size = -1 : i64} : <tensor<?xf32, #tsr.layout<space = "far:0">>>
  %y = tsr.alloc {output = 0 : i64, size = -1 : i64} : <tensor<?xf32>>
  tsr.copy_buffer %x to %up : <tensor<?xf32>>, <tensor<?xf32, #tsr.layout<space = "far:0">>>
  tsr.copy_buffer %up to %y : <tensor<?xf32, #tsr.layout<space = "far:0">>>, <tensor<?xf32>>
  return %y : !tsr.buffer<tensor<?xf32>>
}
