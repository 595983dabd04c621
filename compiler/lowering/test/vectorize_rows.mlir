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
