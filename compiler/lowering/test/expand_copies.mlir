// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-expand-copies))' | FileCheck %s

// Two results that start with the same number: both are filled, none is copied.
// CHECK-LABEL: func.func @same_number(
// CHECK-NOT:     linalg.copy
// CHECK:         linalg.fill {{.*}} outs(%arg1
// CHECK-NEXT:    linalg.fill {{.*}} outs(%arg2
// CHECK-NOT:     linalg.copy
func.func @same_number(%v: f32, %a: memref<4xf32>, %b: memref<4xf32>) {
  %zeros = memref.alloc() : memref<4xf32>
  linalg.fill ins(%v : f32) outs(%zeros : memref<4xf32>)
  memref.copy %zeros, %a : memref<4xf32> to memref<4xf32>
  memref.copy %zeros, %b : memref<4xf32> to memref<4xf32>
  return
}

// Must not fire: what else is written there is copied, too.
// CHECK-LABEL: func.func @more_than_a_number(
// CHECK:         linalg.copy
func.func @more_than_a_number(%v: f32, %a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %zeros = memref.alloc() : memref<4xf32>
  linalg.fill ins(%v : f32) outs(%zeros : memref<4xf32>)
  memref.store %v, %zeros[%c0] : memref<4xf32>
  memref.copy %zeros, %a : memref<4xf32> to memref<4xf32>
  return
}

// An even number of threads has as much to do each: 3 x 8192 elements are two shares, not three.
// CHECK-LABEL: func.func @even_shares(
// CHECK:         scf.forall {{.*}} = (0) to (48) step (24)
func.func @even_shares(%a: memref<48x512xf32>, %b: memref<48x512xf32>) {
  memref.copy %a, %b : memref<48x512xf32> to memref<48x512xf32>
  return
}

// Must not fire: a copy that is done before another thread has begun.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     scf.forall
// CHECK:         linalg.copy
func.func @small(%a: memref<31x512xf32>, %b: memref<31x512xf32>) {
  memref.copy %a, %b : memref<31x512xf32> to memref<31x512xf32>
  return
}
