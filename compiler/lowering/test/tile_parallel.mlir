// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-tile-parallel))' | FileCheck %s

#full = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// A row sum and what divides by it: one loop over rows computes both.
// As each row is summed up while the one before is written (vectorize_rows.mlir), a tile has eight of them.
// CHECK-LABEL: func.func @normalize(
// CHECK:         scf.forall (%{{.*}}) = (0) to (128) step (8)
// CHECK-COUNT-3:   linalg.
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     linalg.
func.func @normalize(%a: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<128xf32>
  %e = tensor.empty() : tensor<128x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<128xf32>) -> tensor<128xf32>
  %sum = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<128x512xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  %r = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%a, %sum : tensor<128x512xf32>, tensor<128xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.divf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}

// Long lines are not cut where that would take their sums out of the loop, and put them in one of their
// own over all of memory.
// CHECK-LABEL: func.func @normalize_long(
// CHECK:         scf.forall (%{{.*}}) = (0) to (64) step (8)
// CHECK-COUNT-3:   linalg.
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     linalg.
func.func @normalize_long(%a: tensor<64x40000xf32>) -> tensor<64x40000xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x40000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<64x40000xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%a, %sum : tensor<64x40000xf32>, tensor<64xf32>) outs(%e : tensor<64x40000xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.divf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<64x40000xf32>
  return %r : tensor<64x40000xf32>
}

// What a sum reads far apart comes in pieces of some length.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK:         scf.forall (%{{.*}}) = (0) to (65536) step (1024)
func.func @sum_of_rows(%a: tensor<256x65536xf32>, %e: tensor<65536xf32>) -> tensor<65536xf32> {
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<256x65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<65536xf32>
  return %sum : tensor<65536xf32>
}

// Must not fire: too little work to share out.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     scf.forall
func.func @small(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Must not fire: a reduction of nothing is not computed inside the loop over what it is used for.
// CHECK-LABEL: func.func @producer_of_nothing(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<?x0xf32>)
func.func @producer_of_nothing(%x: tensor<?x0xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x0xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.sqrt %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Blocks whose neighbours in the input make a line of the cache together stay in one tile.
// CHECK-LABEL: func.func @blocks_from_rows(
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (24, 4096) step (2, 512)
func.func @blocks_from_rows(%a: tensor<4096x24x8xf32>) -> tensor<24x4096x8xf32> {
  %e = tensor.empty() : tensor<24x4096x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<4096x24x8xf32>) outs(%e : tensor<24x4096x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<24x4096x8xf32>
  return %r : tensor<24x4096x8xf32>
}

// Must not fire: parameters of blocks.
// CHECK-LABEL: func.func @parameters_of_blocks(
// CHECK:         scf.forall {{.*}} to (24, 4096) step (1, 1024)
func.func @parameters_of_blocks(%a: tensor<24x4096x8xf32>, %w: tensor<24x8xf32>) -> tensor<24x4096x8xf32> {
  %e = tensor.empty() : tensor<24x4096x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %w : tensor<24x4096x8xf32>, tensor<24x8xf32>) outs(%e : tensor<24x4096x8xf32>) {
  ^bb0(%v: f32, %p: f32, %o: f32):
    %s = arith.mulf %v, %p : f32
    linalg.yield %s : f32
  } -> tensor<24x4096x8xf32>
  return %r : tensor<24x4096x8xf32>
}

// An even number of threads has as much to do each: four tiles of 6144 elements, not three.
// CHECK-LABEL: func.func @even_number_of_tiles(
// CHECK:         scf.forall {{.*}} = (0) to (48) step (12)
func.func @even_number_of_tiles(%a: tensor<48x512xf32>) -> tensor<48x512xf32> {
  %e = tensor.empty() : tensor<48x512xf32>
  %r = linalg.exp ins(%a : tensor<48x512xf32>) outs(%e : tensor<48x512xf32>) -> tensor<48x512xf32>
  return %r : tensor<48x512xf32>
}

#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#ofblocks = affine_map<(d0, d1, d2) -> (d0, d2)>

// Short lines are not cut either, where there are a few of them: their sums are in the same loop.
// CHECK-LABEL: func.func @normalize_blocks(
// CHECK:         scf.forall (%{{.*}}) in (6)
// CHECK-COUNT-3:   linalg.
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     linalg.
func.func @normalize_blocks(%a: tensor<6x1024x8xf32>) -> tensor<6x1024x8xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x1024x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<6x8xf32>) -> tensor<6x8xf32>
  %sum = linalg.generic {indexing_maps = [#blocks, #ofblocks], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a : tensor<6x1024x8xf32>) outs(%z : tensor<6x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<6x8xf32>
  %r = linalg.generic {indexing_maps = [#blocks, #ofblocks, #blocks], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %sum : tensor<6x1024x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x1024x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.divf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<6x1024x8xf32>
  return %r : tensor<6x1024x8xf32>
}

#short = affine_map<(d0, d1) -> (d0, d1)>
#lines = affine_map<(d0, d1) -> (d0)>

// Short lines whose steps are kept for the tile: 2048 elements, which stay in the first-level cache with what is made of them.
// CHECK-LABEL: func.func @steps_of_short_lines
// CHECK:         scf.forall (%{{.*}}) = (0) to (4096) step (128)
func.func @steps_of_short_lines(%x: tensor<4096x16xf32>) -> tensor<4096x16xf32> {
  %zero = arith.constant 0.0 : f32
  %line = tensor.empty() : tensor<4096xf32>
  %element = tensor.empty() : tensor<4096x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%line : tensor<4096xf32>) -> tensor<4096xf32>
  %most = linalg.generic {indexing_maps = [#short, #lines], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4096x16xf32>) outs(%start : tensor<4096xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<4096xf32>
  %powers = linalg.generic {indexing_maps = [#short, #lines, #short], iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : tensor<4096x16xf32>, tensor<4096xf32>) outs(%element : tensor<4096x16xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<4096x16xf32>
  %sums = linalg.generic {indexing_maps = [#short, #lines], iterator_types = ["parallel", "reduction"]}
      ins(%powers : tensor<4096x16xf32>) outs(%start : tensor<4096xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %y = linalg.generic {indexing_maps = [#short, #lines, #short], iterator_types = ["parallel", "parallel"]}
      ins(%powers, %sums : tensor<4096x16xf32>, tensor<4096xf32>) outs(%element : tensor<4096x16xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %q = arith.divf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<4096x16xf32>
  return %y : tensor<4096x16xf32>
}

#three = affine_map<(d0) -> (d0)>

// Sums that two nests read stay outside of both loops, and what makes means of the three of them is not shared out for the work of
// the sums.
// CHECK-LABEL: func.func @means_of_sums_that_others_read
// CHECK:         scf.forall (%{{.*}}) in (3)
// CHECK:           iterator_types = ["parallel", "reduction"]
// CHECK:           scf.forall.in_parallel
// CHECK-NOT:     scf.forall
func.func @means_of_sums_that_others_read(%x: tensor<3x73728xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 73728.0 : f32
  %line = tensor.empty() : tensor<3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%line : tensor<3xf32>) -> tensor<3xf32>
  %sums = linalg.generic {indexing_maps = [#short, #lines], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x73728xf32>) outs(%start : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %means = linalg.generic {indexing_maps = [#three, #three], iterator_types = ["parallel"]}
      ins(%sums : tensor<3xf32>) outs(%line : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.divf %v, %count : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  %squares = linalg.generic {indexing_maps = [#three, #three], iterator_types = ["parallel"]}
      ins(%sums : tensor<3xf32>) outs(%line : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.mulf %v, %v : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  return %means, %squares : tensor<3xf32>, tensor<3xf32>
}

// Its producer would come inside of the loop that its own work alone asks for: the sums count, and columns are cut.
// CHECK-LABEL: func.func @quotients_of_long_sums
// CHECK:         scf.forall (%{{.*}}) in (3)
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (3, 8192) step (1, 1024)
func.func @quotients_of_long_sums(%x: tensor<3x73728xf32>, %y: tensor<3x8192xf32>) -> tensor<3x8192xf32> {
  %zero = arith.constant 0.0 : f32
  %line = tensor.empty() : tensor<3xf32>
  %element = tensor.empty() : tensor<3x8192xf32>
  %start = linalg.fill ins(%zero : f32) outs(%line : tensor<3xf32>) -> tensor<3xf32>
  %sums = linalg.generic {indexing_maps = [#short, #lines], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x73728xf32>) outs(%start : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %quotients = linalg.generic {indexing_maps = [#short, #lines, #short], iterator_types = ["parallel", "parallel"]}
      ins(%y, %sums : tensor<3x8192xf32>, tensor<3xf32>) outs(%element : tensor<3x8192xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %q = arith.divf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<3x8192xf32>
  return %quotients : tensor<3x8192xf32>
}
