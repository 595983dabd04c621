// RUN: tessera-opt %s -pass-pipeline='builtin.module(tessera-lowering-fuse-elementwise)' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#row = affine_map<(d0) -> (d0)>

// The division for each of many short rows stays by itself.
// CHECK-LABEL: func.func @short_rows(
// CHECK:         linalg.generic
// CHECK:           arith.divf
// CHECK:         linalg.generic
// CHECK:           arith.mulf
func.func @short_rows(%x: tensor<64x49xf32>, %sums: tensor<64xf32>) -> tensor<64x49xf32> {
  %one = arith.constant 1.0 : f32
  %a = tensor.empty() : tensor<64xf32>
  %b = tensor.empty() : tensor<64x49xf32>
  %share = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%sums : tensor<64xf32>) outs(%a : tensor<64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.divf %one, %v : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %share : tensor<64x49xf32>, tensor<64xf32>) outs(%b : tensor<64x49xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  } -> tensor<64x49xf32>
  return %y : tensor<64x49xf32>
}

// The same of an open number of rows.
// CHECK-LABEL: func.func @open_rows(
// CHECK:         linalg.generic
// CHECK:           math.sqrt
// CHECK:         linalg.generic
// CHECK:           arith.mulf
func.func @open_rows(%x: tensor<?x49xf32>, %sums: tensor<?xf32>, %a: tensor<?xf32>, %b: tensor<?x49xf32>) -> tensor<?x49xf32> {
  %root = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%sums : tensor<?xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = math.sqrt %v : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %root : tensor<?x49xf32>, tensor<?xf32>) outs(%b : tensor<?x49xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  } -> tensor<?x49xf32>
  return %y : tensor<?x49xf32>
}

// Must not fire: long rows, few rows, one for each element, what takes no longer than others.
// CHECK-LABEL: func.func @one_nest(
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @one_nest(%x: tensor<64x768xf32>, %sums: tensor<64xf32>, %few: tensor<3xf32>, %z: tensor<3x49xf32>, %w: tensor<64x49xf32>)
    -> (tensor<64x768xf32>, tensor<3x49xf32>, tensor<64x49xf32>, tensor<64x49xf32>) {
  %one = arith.constant 1.0 : f32
  %a = tensor.empty() : tensor<64xf32>
  %b = tensor.empty() : tensor<64x768xf32>
  %c = tensor.empty() : tensor<3xf32>
  %d = tensor.empty() : tensor<3x49xf32>
  %e = tensor.empty() : tensor<64x49xf32>
  %share = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%sums : tensor<64xf32>) outs(%a : tensor<64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.divf %one, %v : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  %long = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %share : tensor<64x768xf32>, tensor<64xf32>) outs(%b : tensor<64x768xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  } -> tensor<64x768xf32>
  %three = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%few : tensor<3xf32>) outs(%c : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.divf %one, %v : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  %short = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z, %three : tensor<3x49xf32>, tensor<3xf32>) outs(%d : tensor<3x49xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  } -> tensor<3x49xf32>
  %each = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x49xf32>) outs(%e : tensor<64x49xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.divf %one, %v : f32
    linalg.yield %q : f32
  } -> tensor<64x49xf32>
  %negative = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%each : tensor<64x49xf32>) outs(%e : tensor<64x49xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<64x49xf32>
  %shifts = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%sums : tensor<64xf32>) outs(%a : tensor<64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %q = arith.addf %one, %v : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  %shifted = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %shifts : tensor<64x49xf32>, tensor<64xf32>) outs(%e : tensor<64x49xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  } -> tensor<64x49xf32>
  return %long, %short, %negative, %shifted : tensor<64x768xf32>, tensor<3x49xf32>, tensor<64x49xf32>, tensor<64x49xf32>
}
