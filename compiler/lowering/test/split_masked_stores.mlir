// RUN: tessera-opt %s -split-input-file -pass-pipeline='builtin.module(tessera-lowering-convert-to-llvm)' | FileCheck %s

// The first 7 of 8 lanes of AVX2 are stores of 4, 2 and 1.
module attributes {tessera.vector_lanes = 8 : i64} {
  // CHECK-LABEL: llvm.func @pieces
  // CHECK-NOT:     masked
  // CHECK:         llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
  // CHECK:         llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr
  // CHECK:         llvm.store %{{.*}} : f32, !llvm.ptr
  // CHECK-NOT:     llvm.store
  // CHECK:         llvm.return
  func.func @pieces(%y: memref<?xf32>, %at: index, %v: vector<8xf32>) {
    %mask = arith.constant dense<[true, true, true, true, true, true, true, false]> : vector<8xi1>
    vector.maskedstore %y[%at], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
    return
  }

  // No lane: no store.
  // CHECK-LABEL: llvm.func @none
  // CHECK-NOT:     store
  // CHECK:         llvm.return
  func.func @none(%y: memref<?xf32>, %at: index, %v: vector<8xf32>) {
    %mask = arith.constant dense<false> : vector<8xi1>
    vector.maskedstore %y[%at], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
    return
  }

  // CHECK-LABEL: llvm.func @others
  // CHECK-COUNT-2: llvm.intr.masked.store
  func.func @others(%y: memref<?xf32>, %at: index, %v: vector<8xf32>, %mask: vector<8xi1>) {
    vector.maskedstore %y[%at], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
    %hole = arith.constant dense<[true, false, true, true, true, true, true, false]> : vector<8xi1>
    vector.maskedstore %y[%at], %hole, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
    return
  }
}

// -----

// AVX-512 stores them with a mask.
module attributes {tessera.vector_lanes = 16 : i64} {
  // CHECK-LABEL: llvm.func @whole
  // CHECK:         llvm.intr.masked.store
  func.func @whole(%y: memref<?xf32>, %at: index, %v: vector<16xf32>) {
    %mask = arith.constant dense<[true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false]> : vector<16xi1>
    vector.maskedstore %y[%at], %mask, %v : memref<?xf32>, vector<16xi1>, vector<16xf32>
    return
  }
}
