// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-vectorize-loops))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// While the exponentials of a part are computed, the operand of the next part is fetched, which the sums of this one have read
// at the speed of memory, and what the last loop writes.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<4096x48xf32>, %[[Y:[a-z0-9]*]]: memref<4096x48xf32>)
// CHECK:         scf.forall (%[[I:.*]]) =
// CHECK-NOT:       memref.prefetch
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK:           %[[AHEAD:.*]] = memref.subview %[[X]][%[[NEXT]], 0]
// CHECK:           %[[RESULTS:.*]] = memref.subview %[[Y]][%[[I]], 0]
// CHECK:           memref.prefetch %[[AHEAD]]{{.*}}, read, locality<3>, data
// CHECK:           memref.prefetch %[[RESULTS]]{{.*}}, write, locality<3>, data
// CHECK:           math.exp
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @parts(%x: memref<4096x48xf32>, %y: memref<4096x48xf32>) {
  scf.forall (%i) = (0) to (4096) step (64) {
    %part = memref.subview %x[%i, 0] [64, 48] [1, 1] : memref<4096x48xf32> to memref<64x48xf32, strided<[48, 1], offset: ?>>
    %sums = memref.alloc() : memref<64xf32>
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%part : memref<64x48xf32, strided<[48, 1], offset: ?>>) outs(%sums : memref<64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.addf %o, %v : f32
      linalg.yield %s : f32
    }
    %powers = memref.alloc() : memref<64x48xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part : memref<64x48xf32, strided<[48, 1], offset: ?>>) outs(%powers : memref<64x48xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    %results = memref.subview %y[%i, 0] [64, 48] [1, 1] : memref<4096x48xf32> to memref<64x48xf32, strided<[48, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
        ins(%powers, %sums : memref<64x48xf32>, memref<64xf32>) outs(%results : memref<64x48xf32, strided<[48, 1], offset: ?>>) {
    ^bb0(%v: f32, %s: f32, %o: f32):
      %p = arith.mulf %v, %s : f32
      linalg.yield %p : f32
    }
  }
  return
}

// Must not fire: what is read once, little memory, a few instructions for each element.
// CHECK-LABEL: func.func @not_fetched(
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @not_fetched(%x: memref<4096x48xf32>, %y: memref<4096x48xf32>, %z: memref<128x48xf32>) {
  scf.forall (%i) = (0) to (4096) step (64) {
    %part = memref.subview %x[%i, 0] [64, 48] [1, 1] : memref<4096x48xf32> to memref<64x48xf32, strided<[48, 1], offset: ?>>
    %results = memref.subview %y[%i, 0] [64, 48] [1, 1] : memref<4096x48xf32> to memref<64x48xf32, strided<[48, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part : memref<64x48xf32, strided<[48, 1], offset: ?>>) outs(%results : memref<64x48xf32, strided<[48, 1], offset: ?>>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    %own = memref.alloc() : memref<64x48xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part : memref<64x48xf32, strided<[48, 1], offset: ?>>) outs(%own : memref<64x48xf32>) {
    ^bb0(%v: f32, %o: f32):
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    }
    %first = memref.alloc() : memref<64xf32>
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%own : memref<64x48xf32>) outs(%first : memref<64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.addf %o, %v : f32
      linalg.yield %s : f32
    }
  }
  scf.forall (%i) = (0) to (128) step (64) {
    %part = memref.subview %z[%i, 0] [64, 48] [1, 1] : memref<128x48xf32> to memref<64x48xf32, strided<[48, 1], offset: ?>>
    %sums = memref.alloc() : memref<64xf32>
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%part : memref<64x48xf32, strided<[48, 1], offset: ?>>) outs(%sums : memref<64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.addf %o, %v : f32
      linalg.yield %s : f32
    }
    %powers = memref.alloc() : memref<64x48xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%part : memref<64x48xf32, strided<[48, 1], offset: ?>>) outs(%powers : memref<64x48xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
  }
  return
}
