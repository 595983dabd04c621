// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-vectorize-loops{lanes=16}))' | FileCheck %s

// Sixteen planes of multiples of 4 KB, lines of one set of the cache: four of them at a time, 128
// columns of each.
// CHECK-LABEL: func.func @planes_of_pages(
// CHECK:         scf.for %[[AT:.*]] = %c0{{.*}} to %c1024{{.*}} step %c128
// CHECK:           scf.for %[[PLANE:.*]] = %c0{{.*}} to %c16{{.*}} step %c4
// CHECK-COUNT-16:    vector.load %arg0{{.*}} vector<4xf32>
// CHECK-COUNT-8:     vector.shuffle
// CHECK:             vector.store {{.*}}, %arg1[%[[PLANE]], %[[AT]]]
// CHECK-COUNT-31:    vector.store
// CHECK-NOT:         vector.store
// CHECK:         return
func.func @planes_of_pages(%x: memref<1024x16xf32>, %y: memref<16x1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<1024x16xf32>) outs(%y : memref<16x1024xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Ends of columns are vectors, then a square of all planes.
// CHECK-LABEL: func.func @ends_of_pages(
// CHECK:         scf.for {{.*}} to %c896{{.*}} step %c128
// CHECK:         scf.for {{.*}} = %c896{{.*}} to %c992{{.*}} step %c16
// CHECK:           scf.for {{.*}} step %c4
// CHECK-COUNT-4:     vector.store
// CHECK-NOT:         vector.store
// CHECK-COUNT-16: vector.maskedstore
// CHECK:         return
func.func @ends_of_pages(%x: memref<1000x16xf32>, %y: memref<16x1000xf32, strided<[1024, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<1000x16xf32>) outs(%y : memref<16x1000xf32, strided<[1024, 1]>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Must not fire: planes whose lines are in several sets.
// CHECK-LABEL: func.func @other_planes(
// CHECK-NOT:     vector<4xf32>
// CHECK:         return
func.func @other_planes(%x: memref<784x16xf32>, %y: memref<16x784xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<784x16xf32>) outs(%y : memref<16x784xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}
