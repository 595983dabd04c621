// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-plan-workspace))' | FileCheck %s

// Two buffers that are not alive together share one place.
// CHECK-LABEL: func.func @share(
// CHECK-SAME:    tessera.workspace_bytes = 8192 : i64
// CHECK-NOT:     memref.alloc
func.func @share(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<2048xf32>
  memref.store %one, %a[%c0] : memref<2048xf32>
  %b = memref.alloc() : memref<2000xf32>
  memref.store %one, %b[%c0] : memref<2000xf32>
  return %c0_i32 : i32
}

// CHECK-LABEL: func.func @together(
// CHECK-SAME:    tessera.workspace_bytes = 16384 : i64
func.func @together(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<2048xf32>
  %b = memref.alloc() : memref<2048xf32>
  memref.store %one, %b[%c0] : memref<2048xf32>
  memref.store %one, %a[%c0] : memref<2048xf32>
  return %c0_i32 : i32
}

// Small ones live on the stack.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     workspace_bytes
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<16xf32>
func.func @small(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  memref.store %one, %a[%c0] : memref<16xf32>
  return %c0_i32 : i32
}

// Must not fire: a buffer that one iteration hands to the next needs memory of its own.
// CHECK-LABEL: func.func @carried(
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<2048xf32>
func.func @carried(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c0_i32 = arith.constant 0 : i32
  %first = memref.alloc() : memref<2048xf32>
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%m = %first) -> memref<2048xf32> {
    %x = memref.load %m[%i] : memref<2048xf32>
    %next = memref.alloc() : memref<2048xf32>
    memref.store %x, %next[%c0] : memref<2048xf32>
    scf.yield %next : memref<2048xf32>
  }
  return %c0_i32 : i32
}
