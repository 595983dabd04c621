// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-vectorize-loops))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#each = affine_map<(d0) -> (d0)>

// The first row is summed up, each other one while the row before is written, by one loop for both; the last row is written by
// itself. What lies between is done row by row.
// CHECK-LABEL: func.func @in_turn(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<6x272xf32>, %[[Y:[a-z0-9]*]]: memref<6x272xf32>)
// CHECK:         %[[FIRST:.*]] = memref.subview %[[X]][0, 0] [1, 272]
// CHECK:         vector.load %[[FIRST]]
// CHECK:         arith.divf
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[NEXT:.*]] = arith.addi %[[ROW]]
// CHECK:           %[[AGAIN:.*]] = memref.subview %[[X]][%[[ROW]], 0] [1, 272]
// CHECK:           %[[TO:.*]] = memref.subview %[[Y]][%[[ROW]], 0] [1, 272]
// CHECK:           %[[READ:.*]] = memref.subview %[[X]][%[[NEXT]], 0] [1, 272]
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.load %[[READ]]
// CHECK:             vector.load %[[READ]]
// CHECK:             vector.load %[[AGAIN]]
// CHECK:             vector.store %{{.*}}, %[[TO]]
// CHECK:             vector.store %{{.*}}, %[[TO]]
// CHECK:             scf.yield
// The last vector of the row.
// CHECK:           vector.load %[[READ]]
// CHECK:           vector.store %{{.*}}, %[[TO]]
// CHECK:           arith.divf
// CHECK:         %[[LAST:.*]] = memref.subview %[[Y]][5, 0] [1, 272]
// CHECK:         vector.store %{{.*}}, %[[LAST]]
// CHECK:         return
func.func @in_turn(%x: memref<6x272xf32>, %y: memref<6x272xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %sums = memref.alloc() : memref<6xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<6xf32>)
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x272xf32>) outs(%sums : memref<6xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  %shares = memref.alloc() : memref<6xf32>
  linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%sums : memref<6xf32>) outs(%shares : memref<6xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.divf %one, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %shares : memref<6x272xf32>, memref<6xf32>) outs(%y : memref<6x272xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  }
  return
}

// Must not fire: each row is divided by the sum of the row before, which lies in memory of another view.
// CHECK-LABEL: func.func @of_other_rows(
// CHECK-NOT:     memref.subview %{{.*}} [1, 272]
// CHECK:         return
func.func @of_other_rows(%x: memref<6x272xf32>, %y: memref<6x272xf32>, %memory: memref<7xf32>) {
  %sums = memref.subview %memory[1] [6] [1] : memref<7xf32> to memref<6xf32, strided<[1], offset: 1>>
  %before = memref.subview %memory[0] [6] [1] : memref<7xf32> to memref<6xf32, strided<[1]>>
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x272xf32>) outs(%sums : memref<6xf32, strided<[1], offset: 1>>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %before : memref<6x272xf32>, memref<6xf32, strided<[1]>>) outs(%y : memref<6x272xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.divf %v, %s : f32
    linalg.yield %p : f32
  }
  return
}

#parts = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#ofparts = affine_map<(d0, d1, d2) -> (d0, d1)>

// Each part of a row has sums of its own: its loop is one for both rows, and stores them.
// CHECK-LABEL: func.func @parts_in_turn(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<2x3x256xf32>, %[[Y:[a-z0-9]*]]: memref<2x3x256xf32>)
// CHECK:         %[[READ:.*]] = memref.subview %[[X]][%[[NEXT:[0-9]+]], 0, 0] [1, 3, 256]
// CHECK:         %[[SUMS:.*]] = memref.subview %{{.*}}[%[[NEXT]], 0] [1, 3]
// CHECK:         scf.for %[[PART:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.load %[[READ]][%{{.*}}, %[[PART]], %{{.*}}]
// CHECK:             vector.store
// CHECK:           memref.store %{{.*}}, %[[SUMS]][%{{.*}}, %[[PART]]]
// CHECK:         return
func.func @parts_in_turn(%x: memref<2x3x256xf32>, %y: memref<2x3x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<2x3xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<2x3xf32>)
  linalg.generic {indexing_maps = [#parts, #ofparts], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<2x3x256xf32>) outs(%sums : memref<2x3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#parts, #ofparts, #parts], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sums : memref<2x3x256xf32>, memref<2x3xf32>) outs(%y : memref<2x3x256xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.divf %v, %s : f32
    linalg.yield %p : f32
  }
  return
}

#whole = affine_map<(d0, d1, d2) -> (d0)>

// Parts that are shorter than a vector: no vector begins in front of them, though what is made twice in an own buffer is the same.
// CHECK-LABEL: func.func @short_parts(
// CHECK-NOT:     %c-
// CHECK:         vector.maskedstore
// CHECK:         return
func.func @short_parts(%x: memref<4x64x6xf32>, %sums: memref<4xf32>, %y: memref<4x64x6xf32>) {
  %own = memref.alloc() : memref<4x64x6xf32>
  %all = memref.collapse_shape %x [[0], [1, 2]] : memref<4x64x6xf32> into memref<4x384xf32>
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%all : memref<4x384xf32>) outs(%sums : memref<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#parts, #whole, #parts], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sums : memref<4x64x6xf32>, memref<4xf32>) outs(%own : memref<4x64x6xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.divf %v, %s : f32
    linalg.yield %p : f32
  }
  memref.copy %own, %y : memref<4x64x6xf32> to memref<4x64x6xf32>
  return
}

// Must not fire: a body may read the sum of any row.
// CHECK-LABEL: func.func @of_any_row(
// CHECK-NOT:     memref.subview %{{.*}} [1, 272]
// CHECK:         return
func.func @of_any_row(%x: memref<6x272xf32>, %rows: memref<6xindex>, %y: memref<6x272xf32>) {
  %sums = memref.alloc() : memref<6xf32>
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x272xf32>) outs(%sums : memref<6xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : memref<6x272xf32>, memref<6xindex>) outs(%y : memref<6x272xf32>) {
  ^bb0(%v: f32, %row: index, %o: f32):
    %s = memref.load %sums[%row] : memref<6xf32>
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  }
  return
}

#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#ofblocks = affine_map<(d0, d1, d2) -> (d0, d2)>

// Channels in blocks of a vector: two positions of either block at a time.
// CHECK-LABEL: func.func @blocks_in_turn(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<3x49x16xf32>, %[[Y:[a-z0-9]*]]: memref<3x49x16xf32>)
// CHECK:         %[[AGAIN:.*]] = memref.subview %[[X]][%[[ROW:arg[0-9]+]], 0, 0] [1, 49, 16]
// CHECK:         %[[TO:.*]] = memref.subview %[[Y]][%[[ROW]], 0, 0] [1, 49, 16]
// CHECK:         %[[READ:.*]] = memref.subview %[[X]][%{{[0-9]+}}, 0, 0] [1, 49, 16]
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-2:   vector.load %[[READ]]
// CHECK-COUNT-2:   vector.load %[[AGAIN]]
// CHECK-COUNT-2:   vector.store %{{.*}}, %[[TO]]
// CHECK:           scf.yield
// The last position.
// CHECK:         vector.load %[[READ]]
// CHECK:         vector.load %[[AGAIN]]
// CHECK:         vector.store %{{.*}}, %[[TO]]
// CHECK:         return
func.func @blocks_in_turn(%x: memref<3x49x16xf32>, %y: memref<3x49x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<3x16xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<3x16xf32>)
  linalg.generic {indexing_maps = [#blocks, #ofblocks], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : memref<3x49x16xf32>) outs(%sums : memref<3x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#blocks, #ofblocks, #blocks], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sums : memref<3x49x16xf32>, memref<3x16xf32>) outs(%y : memref<3x49x16xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.divf %v, %s : f32
    linalg.yield %p : f32
  }
  return
}

// Rows of results that are larger than caches are written past them, beside the sums as well.
// CHECK-LABEL: func.func @past_caches(
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             scf.for {{.*}} iter_args
// CHECK:               vector.store {{.*}} {nontemporal = true}
// CHECK:               scf.yield
// CHECK:           } else {
// CHECK:             scf.for {{.*}} iter_args
// CHECK-NOT:           nontemporal
// CHECK:               vector.store
// CHECK:               scf.yield
// CHECK:         return
func.func @past_caches(%x: memref<4096x4096xf32>, %given: !llvm.struct<(ptr, ptr, i64)>) {
  %memory = builtin.unrealized_conversion_cast %given : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [4096, 4096], strides: [4096, 1]
      : memref<f32> to memref<4096x4096xf32>
  %sums = memref.alloc() : memref<4096xf32>
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4096x4096xf32>) outs(%sums : memref<4096xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc> : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : memref<4096x4096xf32>, memref<4096xf32>) outs(%y : memref<4096x4096xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.divf %v, %s : f32
    linalg.yield %p : f32
  }
  return
}
