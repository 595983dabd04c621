// Norms of rows that are long enough to be summed up while the row before is written, in parts of several rows.

func.func private @rows_of_whole_vectors(%a: tensor<64x288xf32>, %b: tensor<288xf32>, %c: tensor<288xf32>) -> tensor<64x288xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<64x288xf32>, tensor<288xf32>, tensor<288xf32>) -> tensor<64x288xf32>
  return %r : tensor<64x288xf32>
}

func.func private @rows_with_a_rest(%a: tensor<63x301xf32> {test.range = [5.0, 9.0]}, %b: tensor<301xf32>, %c: tensor<301xf32>) -> tensor<63x301xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<63x301xf32>, tensor<301xf32>, tensor<301xf32>) -> tensor<63x301xf32>
  return %r : tensor<63x301xf32>
}

func.func private @rows_of_squares(%a: tensor<40x523xf32>, %b: tensor<523xf32>) -> tensor<40x523xf32> {
  %r = tsr.rms_norm %a, %b : (tensor<40x523xf32>, tensor<523xf32>) -> tensor<40x523xf32>
  return %r : tensor<40x523xf32>
}

func.func private @rows_by_lengths(%a: tensor<48x531xf32>) -> tensor<48x531xf32> {
  %r = tsr.lp_norm %a {axis = 1 : i64, p = 2 : i64} : (tensor<48x531xf32>) -> tensor<48x531xf32>
  return %r : tensor<48x531xf32>
}

func.func private @planes(%a: tensor<2x24x17x19xf32>, %b: tensor<24xf32>, %c: tensor<24xf32>) -> tensor<2x24x17x19xf32> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<2x24x17x19xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<2x24x17x19xf32>
  return %r : tensor<2x24x17x19xf32>
}

func.func private @groups_of_planes(%a: tensor<2x32x15x17xf32>, %b: tensor<32xf32>, %c: tensor<32xf32>) -> tensor<2x32x15x17xf32> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 16 : i64} : (tensor<2x32x15x17xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x32x15x17xf32>
  return %r : tensor<2x32x15x17xf32>
}

func.func private @groups_of_long_planes(%a: tensor<1x48x32x33xf32> {test.range = [5.0, 9.0]}, %b: tensor<48xf32>, %c: tensor<48xf32>) -> tensor<1x48x32x33xf32> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 16 : i64} : (tensor<1x48x32x33xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<1x48x32x33xf32>
  return %r : tensor<1x48x32x33xf32>
}

func.func private @planes_in_blocks(%a: tensor<2x128x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<128xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<128xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x128x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<2x128x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<128xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<128xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x128x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %r : tensor<2x128x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @groups_of_short_planes(%a: tensor<20x100x2x3xf32>, %b: tensor<100xf32>, %c: tensor<100xf32>) -> tensor<20x100x2x3xf32> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 2 : i64} : (tensor<20x100x2x3xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<20x100x2x3xf32>
  return %r : tensor<20x100x2x3xf32>
}

func.func private @groups_of_short_planes_between_others(%a: tensor<20x100x2x3xf32>, %b: tensor<100xf32>, %c: tensor<100xf32>) -> tensor<20x100x3x2xf32> {
  %x = tsr.relu %a : (tensor<20x100x2x3xf32>) -> tensor<20x100x2x3xf32>
  %n = tsr.group_norm %x, %b, %c {num_groups = 2 : i64} : (tensor<20x100x2x3xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<20x100x2x3xf32>
  %r = tsr.transpose %n {perm = array<i64: 0, 1, 3, 2>} : (tensor<20x100x2x3xf32>) -> tensor<20x100x3x2xf32>
  return %r : tensor<20x100x3x2xf32>
}

// Parts of lines that are too long for one pass.
func.func private @instance_norm_parts_of_planes(%a: tensor<1x32x96x64xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {test.range = [5.0, 9.0]}, %b: tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x96x64xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<1x32x96x64xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x96x64xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %r : tensor<1x32x96x64xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @layer_norm_parts(%a: tensor<3x20000xf32> {test.range = [5.0, 9.0]}, %b: tensor<20000xf32>, %c: tensor<20000xf32>) -> tensor<3x20000xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x20000xf32>, tensor<20000xf32>, tensor<20000xf32>) -> tensor<3x20000xf32>
  return %r : tensor<3x20000xf32>
}

// No divisor makes parts.
func.func private @layer_norm_prime(%a: tensor<3x4099xf32>, %b: tensor<4099xf32>, %c: tensor<4099xf32>) -> tensor<3x4099xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x4099xf32>, tensor<4099xf32>, tensor<4099xf32>) -> tensor<3x4099xf32>
  return %r : tensor<3x4099xf32>
}

// Parts of lines that are too few.
func.func private @instance_norm_few_blocks(%a: tensor<1x40x40x26xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {test.range = [5.0, 9.0]}, %b: tensor<40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x40x40x26xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<1x40x40x26xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x40x40x26xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %r : tensor<1x40x40x26xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

// Parts of lines whose outermost dimension is open.
func.func private @mean_variance_norm_open(%a: tensor<?x3x48x64xf32> {test.dims = [2, 3, 48, 64], test.range = [5.0, 9.0]}) -> tensor<?x3x48x64xf32> {
  %r = tsr.mean_variance_norm %a {axes = array<i64: 0, 2, 3>} : (tensor<?x3x48x64xf32>) -> tensor<?x3x48x64xf32>
  return %r : tensor<?x3x48x64xf32>
}

func.func private @mean_variance_norm_thin(%a: tensor<1x4x1x3000xf32> {test.range = [5.0, 9.0]}) -> tensor<1x4x1x3000xf32> {
  %r = tsr.mean_variance_norm %a {axes = array<i64: 0, 2, 3>} : (tensor<1x4x1x3000xf32>) -> tensor<1x4x1x3000xf32>
  return %r : tensor<1x4x1x3000xf32>
}
