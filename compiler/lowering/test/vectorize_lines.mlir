// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-vectorize-loops{lanes=8}))' | FileCheck %s

// Where a vector is half a line of the cache, the two halves of a row's line are read side by side.
// CHECK-LABEL: func.func @blocks_from_rows(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c100
// CHECK-COUNT-2:   vector.load
// CHECK-COUNT-2:   vector.store
// CHECK-NOT:       vector.store
// CHECK:         return
func.func @blocks_from_rows(%x: memref<100x2x8xf32>, %y: memref<2x100x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<100x2x8xf32>) outs(%y : memref<2x100x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Must not fire: what is written past the caches is written row by row.
// CHECK-LABEL: func.func @rows_past_caches(
// CHECK:         scf.if
// CHECK:           vector.load
// CHECK-NOT:       vector.load
// CHECK:           vector.store {{.*}} {nontemporal = true}
func.func @rows_past_caches(%x: memref<48x36864x8xf32>, %memory: memref<f32>) {
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [36864, 48, 8], strides: [384, 8, 1]
      : memref<f32> to memref<36864x48x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<48x36864x8xf32>) outs(%y : memref<36864x48x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Must not fire: parameters of blocks, which are no lines to share.
// CHECK-LABEL: func.func @parameters_of_blocks(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-1:     vector.store
// CHECK-NOT:         vector.store
// CHECK:         return
func.func @parameters_of_blocks(%x: memref<2x100x8xf32>, %a: memref<2x8xf32>, %y: memref<2x100x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %a : memref<2x100x8xf32>, memref<2x8xf32>) outs(%y : memref<2x100x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.mulf %v, %w : f32
    linalg.yield %p : f32
  }
  return
}
