// RUN: tessera-opt %s -pass-pipeline='builtin.module(func.func(tessera-lowering-tile-parallel,canonicalize,cse))' | FileCheck %s

// One producer of several results is computed inside, once.
// CHECK-LABEL: func.func @two_sums(
// CHECK:         scf.forall
// CHECK:           linalg.generic {{.*}}"reduction"
// CHECK-NOT:       "reduction"
// CHECK-NOT:       scf.forall.in_parallel
// CHECK:           linalg.generic {{.*}}["parallel", "parallel"]
// CHECK-NOT:     "reduction"
// CHECK:         return
func.func @two_sums(%x: tensor<64x768xf32>, %z: tensor<64xf32>) -> tensor<64x768xf32> {
  %e = tensor.empty() : tensor<64x768xf32>
  %sums:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x768xf32>) outs(%z, %z : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32):
    %s = arith.addf %a, %in : f32
    %p = arith.mulf %in, %in : f32
    %q = arith.addf %b, %p : f32
    linalg.yield %s, %q : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums#0, %sums#1 : tensor<64x768xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x768xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %out: f32):
    %s = arith.addf %in, %a : f32
    %t = arith.mulf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<64x768xf32>
  return %r : tensor<64x768xf32>
}
