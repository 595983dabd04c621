// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-lower-allocations))' | FileCheck %s

// Memory of run-time size comes from the host, asked for its bytes (or too many, where their number overflows); a null address fails the kernel.
// CHECK-LABEL: func.func @open_size(
// CHECK-SAME:    , %[[N:[a-z0-9]+]]: index)
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[BYTES:.*]], %[[HIGH:.*]] = arith.mului_extended %{{.*}}, %[[SIZE]] : i64
// CHECK:         %[[ASKED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[BYTES]] : i64
// CHECK:         %[[MEMORY:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[ASKED]]) {tessera.may_fail} : !llvm.ptr, (!llvm.ptr, i64) -> !llvm.ptr
// CHECK-NOT:     memref.dealloc
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
func.func @open_size(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr, %n: index) -> i32 attributes {tessera.kernel} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %m = memref.alloc(%n) : memref<?x3xf32>
  memref.store %one, %m[%c0, %c0] : memref<?x3xf32>
  memref.dealloc %m : memref<?x3xf32>
  return %c0_i32 : i32
}

// Must not fire: the body of a parallel loop has a small temporary of static size on its stack.
// CHECK-LABEL: func.func @small_in_body(
// CHECK:         memref.alloc() : memref<8xf32>
// CHECK-NOT:     llvm.call
func.func @small_in_body(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %c0_i32 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (4) {
    %m = memref.alloc() : memref<8xf32>
    memref.store %one, %m[%i] : memref<8xf32>
  }
  return %c0_i32 : i32
}
