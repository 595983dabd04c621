// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-vectorize-loops))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// A result that is larger than caches is written past them where its vectors begin at multiples of
// their size.
// CHECK-LABEL: func.func @past_caches(
// CHECK:         %[[PLACE:.*]] = memref.extract_aligned_pointer_as_index
// CHECK:         scf.if
// CHECK:           vector.store {{.*}} {nontemporal = true}
// CHECK:         } else {
// CHECK:           vector.store
// CHECK-NOT:         nontemporal
func.func @past_caches(%x: memref<4096x4096xf32>, %memory: memref<f32>) {
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [4096, 4096], strides: [4096, 1]
      : memref<f32> to memref<4096x4096xf32>
  scf.forall (%i) in (4096) {
    %from = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<4096x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<4096x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%from : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) outs(%to : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) {
    ^bb0(%v: f32, %o: f32):
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    }
  }
  return
}

// Must not fire: what the kernel reads again; rows that are no whole vectors; what caches hold.
// CHECK-LABEL: func.func @in_caches(
// CHECK-NOT:     nontemporal
func.func @in_caches(%x: memref<4096x4096xf32>, %s: memref<4000x4001xf32>, %t: memref<512x512xf32>, %memory: memref<f32>) {
  %c0 = arith.constant 0 : index
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [4096, 4096], strides: [4096, 1]
      : memref<f32> to memref<4096x4096xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4096x4096xf32>) outs(%y : memref<4096x4096xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %z = memref.reinterpret_cast %memory to offset: [0], sizes: [4000, 4001], strides: [4001, 1]
      : memref<f32> to memref<4000x4001xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<4000x4001xf32>) outs(%z : memref<4000x4001xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %w = memref.reinterpret_cast %memory to offset: [0], sizes: [512, 512], strides: [512, 1]
      : memref<f32> to memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<512x512xf32>) outs(%w : memref<512x512xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %first = memref.load %y[%c0, %c0] : memref<4096x4096xf32>
  return
}

// Sums over rows: four rows at a time, each along all of the results.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c1024{{.*}} step %c16
// CHECK-COUNT-5:   vector.load
// CHECK:           vector.store
// CHECK:         scf.for %{{.*}} = %c4{{.*}} to %c100{{.*}} step %c4
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c1024{{.*}} step %c16
// CHECK-COUNT-5:     vector.load
// CHECK:             vector.store
func.func @sum_of_rows(%a: memref<100x1024xf32>, %y: memref<1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<100x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  }
  return
}

// Two rows at a time where vectors of parameters are the same for both.
// CHECK-LABEL: func.func @rows_share_parameters(
// CHECK:         scf.for
// CHECK-COUNT-2:   memref.load
// CHECK:           scf.for
// CHECK-COUNT-2:     vector.store
// CHECK-NOT:         vector.store
// CHECK:         return
func.func @rows_share_parameters(%x: memref<8x768xf32>, %m: memref<8xf32>, %a: memref<768xf32>, %b: memref<768xf32>, %y: memref<8x768xf32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %a, %b : memref<8x768xf32>, memref<8xf32>, memref<768xf32>, memref<768xf32>) outs(%y : memref<8x768xf32>) {
  ^bb0(%v: f32, %mean: f32, %scale: f32, %bias: f32, %o: f32):
    %d = arith.subf %v, %mean : f32
    %p = arith.mulf %d, %scale : f32
    %s = arith.addf %p, %bias : f32
    linalg.yield %s : f32
  }
  return
}

// Partial sums are added in the order that is written: of sums that may be reordered, LLVM makes one
// chain.
// CHECK-LABEL: func.func @partial_sums(
// CHECK:         scf.yield
// CHECK-NOT:     arith.addf {{.*}}reassoc{{.*}} : vector<16xf32>
// CHECK:         vector.reduction <add>
func.func @partial_sums(%x: memref<768xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<768xf32>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %v, %v fastmath<reassoc,contract> : f32
    %s = arith.addf %o, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}

// One vector of results is added up in four chains, so that no addition waits for the one before;
// three rows are left for the first three of them.
// CHECK-LABEL: func.func @chains(
// CHECK:         scf.for {{.*}} step %{{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}})
// CHECK-COUNT-4:   arith.addf
// CHECK:           scf.yield
// CHECK-COUNT-6: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         vector.store
func.func @chains(%x: memref<99x16xf32>, %y: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<99x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  }
  return
}

// Must not fire: sums whose order is theirs.
// CHECK-LABEL: func.func @one_chain(
// CHECK:         scf.for {{.*}} iter_args(%{{[^,]*}}) -> (vector<16xf32>)
func.func @one_chain(%x: memref<99x16xf32>, %y: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<99x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  return
}

// Short lines: the partial results of as many as a vector has lanes are combined at once, each step
// of two vectors; three lines are left. Numbers are compared, without a test for NaN.
// CHECK-LABEL: func.func @short_lines(
// CHECK:         scf.for
// CHECK:           arith.cmpf ogt
// CHECK:           vector.shuffle {{.*}} [0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30]
// CHECK:           vector.shuffle {{.*}} [1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31]
// CHECK:           vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK:           vector.shuffle {{.*}} [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31]
// CHECK:           vector.store
// CHECK:         scf.for
// CHECK:           memref.store
func.func @short_lines(%x: memref<35x49xf32>, %y: memref<35xf32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<35x49xf32>) outs(%y : memref<35xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maxnumf %o, %v : f32
    linalg.yield %s : f32
  }
  return
}

// Must not fire: results that do not lie side by side; long lines.
// CHECK-LABEL: func.func @other_lines(
// CHECK-NOT:     vector.shuffle {{.*}} [0, 2, 16,
func.func @other_lines(%x: memref<35x49xf32>, %y: memref<35x2xf32>, %z: memref<35x490xf32>, %w: memref<35xf32>) {
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<35x49xf32>) outs(%y : memref<35x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maxnumf %o, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%z : memref<35x490xf32>) outs(%w : memref<35xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maxnumf %o, %v : f32
    linalg.yield %s : f32
  }
  return
}

// The last vector of a row overlaps with the one before where results are in the kernel's own memory.
// CHECK-LABEL: func.func @odd_rows(
// CHECK-NOT:     masked
// CHECK:         vector.store
// CHECK-NOT:     masked
// CHECK:         arith.constant 5 : index
// CHECK-NOT:     masked
// CHECK:         vector.store
func.func @odd_rows(%x: memref<4x21xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %y = memref.alloc() : memref<4x21xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x21xf32>) outs(%y : memref<4x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %first = memref.load %y[%c0, %c0] : memref<4x21xf32>
  return %first : f32
}

// The same where the operand is memory that the kernel takes from its ABI.
// CHECK-LABEL: func.func @odd_rows_of_the_caller(
// CHECK-NOT:     masked
// CHECK:         return
func.func @odd_rows_of_the_caller(%descriptor: !llvm.struct<(ptr, ptr, i64)>) -> f32 {
  %c0 = arith.constant 0 : index
  %all = builtin.unrealized_conversion_cast %descriptor : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
  %x = memref.reinterpret_cast %all to offset: [0], sizes: [4, 21], strides: [21, 1] : memref<f32> to memref<4x21xf32>
  %y = memref.alloc() : memref<4x21xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x21xf32>) outs(%y : memref<4x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %first = memref.load %y[%c0, %c0] : memref<4x21xf32>
  return %first : f32
}

// Must not fire: results in the place of an operand, or where the caller, a loop or a view may have put them there; what
// depends on places; rows of less than a vector.
// CHECK-LABEL: func.func @rows_that_are_computed_once(
// CHECK-COUNT-6: vector.maskedstore
func.func @rows_that_are_computed_once(%a: memref<4x21xf32>, %b: memref<4x21xf32>, %y: memref<4x21xi32>, %z: memref<4x13xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x21xf32>) outs(%b : memref<4x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %w = memref.alloc() : memref<4x13xf32>
  %x = memref.alloc() : memref<4x21xf32>
  %part = memref.subview %x[0, 0] [4, 21] [1, 1] : memref<4x21xf32> to memref<4x21xf32, strided<[21, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%part : memref<4x21xf32, strided<[21, 1]>>) outs(%x : memref<4x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %c1 = arith.constant 1 : index
  %carried = scf.for %i = %c0 to %c1 step %c1 iter_args(%m = %x) -> (memref<4x21xf32>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%m : memref<4x21xf32>) outs(%x : memref<4x21xf32>) {
    ^bb0(%v: f32, %o: f32):
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    }
    scf.yield %m : memref<4x21xf32>
  }
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [4, 21], strides: [21, 1] : memref<4x21xf32> to memref<4x21xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%view : memref<4x21xf32>) outs(%x : memref<4x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<4x21xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<4x13xf32>) outs(%w : memref<4x13xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  %first = memref.load %w[%c0, %c0] : memref<4x13xf32>
  %second = memref.load %x[%c0, %c0] : memref<4x21xf32>
  return %first, %second : f32, f32
}

// Two nests that write the halves of one result both write past the caches.
// CHECK-LABEL: func.func @halves_past_caches(
// CHECK:         vector.store {{.*}} {nontemporal = true}
// CHECK:         vector.store {{.*}} {nontemporal = true}
func.func @halves_past_caches(%x: memref<4096x2048xf32>, %memory: memref<f32>) {
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [4096, 4096], strides: [4096, 1]
      : memref<f32> to memref<4096x4096xf32>
  %left = memref.subview %y[0, 0] [4096, 2048] [1, 1] : memref<4096x4096xf32> to memref<4096x2048xf32, strided<[4096, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4096x2048xf32>) outs(%left : memref<4096x2048xf32, strided<[4096, 1]>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  %right = memref.subview %y[0, 2048] [4096, 2048] [1, 1] : memref<4096x4096xf32> to memref<4096x2048xf32, strided<[4096, 1], offset: 2048>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4096x2048xf32>) outs(%right : memref<4096x2048xf32, strided<[4096, 1], offset: 2048>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Must not fire: halves of lines of the cache.
// CHECK-LABEL: func.func @parts_of_lines(
// CHECK-NOT:     nontemporal
// CHECK:         return
func.func @parts_of_lines(%x: memref<1048576x8xf32>, %memory: memref<f32>) {
  %y = memref.reinterpret_cast %memory to offset: [0], sizes: [1048576, 16], strides: [16, 1]
      : memref<f32> to memref<1048576x16xf32>
  %left = memref.subview %y[0, 0] [1048576, 8] [1, 1] : memref<1048576x16xf32> to memref<1048576x8xf32, strided<[16, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<1048576x8xf32>) outs(%left : memref<1048576x8xf32, strided<[16, 1]>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// The position of a row is read once for all of it.
// CHECK-LABEL: func.func @gather(
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:           scf.for
// CHECK-NOT:         memref.load
// CHECK:         return
func.func @gather(%x: memref<64x768xf32>, %rows: memref<32xi64>, %y: memref<32x768xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<32x768xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = memref.load %rows[%i] : memref<32xi64>
    %at = arith.index_cast %row : i64 to index
    %v = memref.load %x[%at, %j] : memref<64x768xf32>
    linalg.yield %v : f32
  }
  return
}

// Must not fire: the place may be one that was written.
// CHECK-LABEL: func.func @gather_by_numbers(
// CHECK:         scf.for
// CHECK-NOT:       memref.load
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:         return
func.func @gather_by_numbers(%x: memref<64x768xf32>, %rows: memref<32xf32>, %y: memref<32x768xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<32x768xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = memref.load %rows[%i] : memref<32xf32>
    %whole = arith.fptosi %row : f32 to i64
    %at = arith.index_cast %whole : i64 to index
    %v = memref.load %x[%at, %j] : memref<64x768xf32>
    linalg.yield %v : f32
  }
  return
}
