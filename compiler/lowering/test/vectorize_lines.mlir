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
