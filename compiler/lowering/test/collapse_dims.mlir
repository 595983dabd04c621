// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-collapse-dims))' | FileCheck %s

#lines = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#sums = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// The sums of channels are summed up by groups: loops over both stay apart, so that groups can be tiled.
// CHECK-LABEL: func.func @groups_of_channels(
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         iterator_types = ["parallel", "parallel"]
// CHECK:         iterator_types = ["parallel", "reduction"]
func.func @groups_of_channels(%x: tensor<16x12x4096xf32>, %zeros: tensor<16x12xf32>, %none: tensor<16xf32>) -> tensor<16xf32> {
  %sums = linalg.generic {indexing_maps = [#lines, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<16x12x4096xf32>) outs(%zeros : tensor<16x12xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x12xf32>
  %squares = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<16x12xf32>) outs(%zeros : tensor<16x12xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x12xf32>
  %all = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<16x12xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %all : tensor<16xf32>
}

// Must not fire: no one tells groups from channels.
// CHECK-LABEL: func.func @channels(
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         iterator_types = ["parallel"]
func.func @channels(%x: tensor<16x12x4096xf32>, %zeros: tensor<16x12xf32>) -> tensor<16x12xf32> {
  %sums = linalg.generic {indexing_maps = [#lines, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<16x12x4096xf32>) outs(%zeros : tensor<16x12xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x12xf32>
  %squares = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<16x12xf32>) outs(%zeros : tensor<16x12xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x12xf32>
  return %squares : tensor<16x12xf32>
}
