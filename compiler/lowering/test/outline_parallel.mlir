// RUN: tessera-opt %s -tessera-lowering-outline-parallel | FileCheck %s

// The body becomes a function over a share of the linear space; what it uses travels in a struct, constants do not.
// CHECK-LABEL: func.func private @two_dims_body0
// CHECK-SAME:    (%[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:         llvm.load
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK-LABEL: func.func @two_dims(
// CHECK:         llvm.alloca
// CHECK-NOT:     scf.forall
// CHECK:         llvm.call %{{.*}}(%{{.*}}) {tessera.may_fail} : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
func.func @two_dims(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %c0_i32 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<4x6xf32>
  scf.forall (%i, %j) in (4, 6) {
    memref.store %one, %m[%i, %j] : memref<4x6xf32>
  }
  return %c0_i32 : i32
}

// Must not fire: only kernels have host services; elsewhere a parallel loop becomes sequential.
// CHECK-LABEL: func.func @no_kernel(
// CHECK-NOT:     llvm.call
// CHECK:         scf.for
func.func @no_kernel(%m: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (4) {
    memref.store %one, %m[%i] : memref<4xf32>
  }
  return
}
