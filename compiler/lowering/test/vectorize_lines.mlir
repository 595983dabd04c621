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

// Squares whose lines are two vectors: both halves of a line are read one behind the other, then
// the next eight rows; each shuffle stays within quarters of vectors until quarters are exchanged.
// CHECK-LABEL: func.func @squares(
// CHECK:         scf.for %[[AT:.*]] = {{.*}} step %c16
// CHECK-COUNT-8:   vector.load %arg0[{{.*}}, %[[AT]]]
// CHECK:           vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK:           vector.shuffle {{.*}} [2, 10, 3, 11, 6, 14, 7, 15]
// CHECK:           vector.shuffle {{.*}} [0, 1, 8, 9, 4, 5, 12, 13]
// CHECK:           vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK-COUNT-8:   vector.store
// CHECK:           %[[HALF:.*]] = arith.addi %[[AT]], %c8
// CHECK-NEXT:      vector.load %arg0[{{.*}}, %[[HALF]]]
// CHECK-COUNT-8:   vector.store
// CHECK:           vector.load %arg0[%c8{{.*}}, %[[AT]]]
func.func @squares(%x: memref<16x32xf32>, %y: memref<32x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x32xf32>) outs(%y : memref<32x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// One vector of channels: two squares are read, and each line of results is written at once.
// CHECK-LABEL: func.func @planes_from_blocks(
// CHECK:         scf.for %[[AT:.*]] = {{.*}} step %c16
// CHECK-COUNT-16:  vector.load
// CHECK:           vector.store {{.*}}, %arg1[%c0{{.*}}, %[[AT]]]
// CHECK:           %[[HALF:.*]] = arith.addi %[[AT]], %c8
// CHECK-NEXT:      vector.store {{.*}}, %arg1[%c0{{.*}}, %[[HALF]]]
// CHECK:           vector.store {{.*}}, %arg1[%c1{{.*}}, %[[AT]]]
func.func @planes_from_blocks(%x: memref<32x8xf32>, %y: memref<8x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<32x8xf32>) outs(%y : memref<8x32xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// The same beyond the caches, past which whole lines are written.
// CHECK-LABEL: func.func @planes_past_caches(
// CHECK:         scf.if
// CHECK-COUNT-16:  vector.load
// CHECK-COUNT-16:  vector.store {{.*}} {nontemporal = true}
// CHECK-NOT:       vector.store {{.*}} {nontemporal = true}
// CHECK:         } else {
func.func @planes_past_caches(%x: memref<3000000x8xf32>, %memory: memref<f32>) {
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [8, 3000000], strides: [3000000, 1]
      : memref<f32> to memref<8x3000000xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3000000x8xf32>) outs(%y : memref<8x3000000xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Must not fire: halves of lines of many channels.
// CHECK-LABEL: func.func @halves_past_caches(
// CHECK-NOT:     nontemporal
// CHECK:         return
func.func @halves_past_caches(%x: memref<24x1000000xf32>, %memory: memref<f32>) {
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [1000000, 24], strides: [24, 1]
      : memref<f32> to memref<1000000x24xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<24x1000000xf32>) outs(%y : memref<1000000x24xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}
