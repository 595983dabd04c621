// Normalisations.

func.func private @layer_norm(%a: tensor<4x3x37xf32>, %b: tensor<37xf32>, %c: tensor<37xf32>) -> tensor<4x3x37xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4x3x37xf32>, tensor<37xf32>, tensor<37xf32>) -> tensor<4x3x37xf32>
  return %r : tensor<4x3x37xf32>
}

func.func private @layer_norm_axis(%a: tensor<4x3x7xf32>, %b: tensor<3x7xf32>, %c: tensor<3x7xf32>) -> tensor<4x3x7xf32> {
  %r = tsr.layer_norm %a, %b, %c {axis = 1 : i64, epsilon = 0.1 : f32, resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4x3x7xf32>, tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<4x3x7xf32>
  return %r : tensor<4x3x7xf32>
}

func.func private @layer_norm_no_bias(%a: tensor<4x37xf32>, %b: tensor<37xf32>) -> tensor<4x37xf32> {
  %r = tsr.layer_norm %a, %b {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4x37xf32>, tensor<37xf32>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @layer_norm_statistics(%a: tensor<4x3x37xf32>, %b: tensor<37xf32>, %c: tensor<37xf32>) -> (tensor<4x3x37xf32>, tensor<4x3x1xf32>, tensor<4x3x1xf32>) {
  %r:3 = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<4x3x37xf32>, tensor<37xf32>, tensor<37xf32>) -> (tensor<4x3x37xf32>, tensor<4x3x1xf32>, tensor<4x3x1xf32>)
  return %r#0, %r#1, %r#2 : tensor<4x3x37xf32>, tensor<4x3x1xf32>, tensor<4x3x1xf32>
}

func.func private @layer_norm_f64(%a: tensor<4x37xf64>, %b: tensor<37xf64>, %c: tensor<37xf64>) -> (tensor<4x37xf64>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %r:3 = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<4x37xf64>, tensor<37xf64>, tensor<37xf64>) -> (tensor<4x37xf64>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %r#0, %r#1, %r#2 : tensor<4x37xf64>, tensor<4x1xf32>, tensor<4x1xf32>
}

func.func private @layer_norm_open(%a: tensor<?x?x37xf32> {test.dims = [2, 5, 37]}, %b: tensor<37xf32>, %c: tensor<37xf32>) -> tensor<?x?x37xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<?x?x37xf32>, tensor<37xf32>, tensor<37xf32>) -> tensor<?x?x37xf32>
  return %r : tensor<?x?x37xf32>
}

func.func private @layer_norm_large(%a: tensor<1x128x768xf32> {test.range = [5.0, 9.0]}, %b: tensor<768xf32>, %c: tensor<768xf32>) -> tensor<1x128x768xf32> {
  %r = tsr.layer_norm %a, %b, %c {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x128x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x128x768xf32>
  return %r : tensor<1x128x768xf32>
}

func.func private @rms_norm(%a: tensor<4x3x37xf32>, %b: tensor<37xf32>) -> tensor<4x3x37xf32> {
  %r = tsr.rms_norm %a, %b : (tensor<4x3x37xf32>, tensor<37xf32>) -> tensor<4x3x37xf32>
  return %r : tensor<4x3x37xf32>
}

func.func private @rms_norm_axis(%a: tensor<4x3x7xf32>, %b: tensor<1x7xf32>) -> tensor<4x3x7xf32> {
  %r = tsr.rms_norm %a, %b {axis = 1 : i64} : (tensor<4x3x7xf32>, tensor<1x7xf32>) -> tensor<4x3x7xf32>
  return %r : tensor<4x3x7xf32>
}

func.func private @instance_norm(%a: tensor<2x3x5x7xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<2x3x5x7xf32> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<2x3x5x7xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x5x7xf32>
  return %r : tensor<2x3x5x7xf32>
}

func.func private @instance_norm_1d(%a: tensor<2x3x35xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<2x3x35xf32> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<2x3x35xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x35xf32>
  return %r : tensor<2x3x35xf32>
}

func.func private @instance_norm_open(%a: tensor<?x3x?x7xf32> {test.dims = [2, 3, 5, 7]}, %b: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<?x3x?x7xf32> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<?x3x?x7xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x?x7xf32>
  return %r : tensor<?x3x?x7xf32>
}

func.func private @group_norm(%a: tensor<2x6x5x7xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<2x6x5x7xf32> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 3 : i64} : (tensor<2x6x5x7xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5x7xf32>
  return %r : tensor<2x6x5x7xf32>
}

func.func private @group_norm_open(%a: tensor<?x6x?xf32> {test.dims = [2, 6, 9]}, %b: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<?x6x?xf32> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 2 : i64} : (tensor<?x6x?xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x?xf32>
  return %r : tensor<?x6x?xf32>
}

func.func private @lrn(%a: tensor<2x7x4x5xf32>) -> tensor<2x7x4x5xf32> {
  %r = tsr.lrn %a {size = 5 : i64} : (tensor<2x7x4x5xf32>) -> tensor<2x7x4x5xf32>
  return %r : tensor<2x7x4x5xf32>
}

func.func private @lrn_lines(%a: tensor<1x9x6x20xf32>) -> tensor<1x9x6x20xf32> {
  %r = tsr.lrn %a {size = 5 : i64, alpha = 0.5 : f32} : (tensor<1x9x6x20xf32>) -> tensor<1x9x6x20xf32>
  return %r : tensor<1x9x6x20xf32>
}

// More channels than are written out.
func.func private @lrn_many(%a: tensor<1x9x6x20xf32>) -> tensor<1x9x6x20xf32> {
  %r = tsr.lrn %a {size = 11 : i64, alpha = 0.5 : f32} : (tensor<1x9x6x20xf32>) -> tensor<1x9x6x20xf32>
  return %r : tensor<1x9x6x20xf32>
}

func.func private @lrn_open(%a: tensor<?x?x?xf32> {test.dims = [2, 9, 20]}) -> tensor<?x?x?xf32> {
  %r = tsr.lrn %a {size = 5 : i64, alpha = 0.5 : f32} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func private @lrn_even(%a: tensor<2x7x4x5xf32>) -> tensor<2x7x4x5xf32> {
  %r = tsr.lrn %a {size = 4 : i64, alpha = 0.1 : f32, beta = 0.6 : f32, bias = 2.0 : f32} : (tensor<2x7x4x5xf32>) -> tensor<2x7x4x5xf32>
  return %r : tensor<2x7x4x5xf32>
}

func.func private @lrn_wide(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = tsr.lrn %a {size = 9 : i64, alpha = 0.1 : f32, beta = 0.5 : f32} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func private @lp_norm_1_0(%a: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = tsr.lp_norm %a {axis = 0 : i64, p = 1 : i64} : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

func.func private @lp_norm_1_1(%a: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = tsr.lp_norm %a {axis = 1 : i64, p = 1 : i64} : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

func.func private @lp_norm_1_2(%a: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = tsr.lp_norm %a {axis = -1 : i64, p = 1 : i64} : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

func.func private @lp_norm_2_0(%a: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = tsr.lp_norm %a {axis = 0 : i64, p = 2 : i64} : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

func.func private @lp_norm_2_1(%a: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = tsr.lp_norm %a {axis = 1 : i64, p = 2 : i64} : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

func.func private @lp_norm_2_2(%a: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = tsr.lp_norm %a {axis = -1 : i64, p = 2 : i64} : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

func.func private @lp_norm_zeros(%a: tensor<2x3xf32> {test.values = [0.0, 0.0, 0.0, 1.0, 2.0, -2.0]}) -> tensor<2x3xf32> {
  %r = tsr.lp_norm %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func private @mean_variance_norm(%a: tensor<3x4x5x6xf32>) -> tensor<3x4x5x6xf32> {
  %r = tsr.mean_variance_norm %a : (tensor<3x4x5x6xf32>) -> tensor<3x4x5x6xf32>
  return %r : tensor<3x4x5x6xf32>
}

func.func private @mean_variance_norm_axes(%a: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = tsr.mean_variance_norm %a {axes = array<i64: 1, -1>} : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

// More lines than are shared out, each as long as all work that is worth sharing out.
func.func private @instance_norm_long(%a: tensor<1x20x100x100xf32>, %scale: tensor<20xf32>, %bias: tensor<20xf32>) -> tensor<1x20x100x100xf32> {
  %r = tsr.instance_norm %a, %scale, %bias : (tensor<1x20x100x100xf32>, tensor<20xf32>, tensor<20xf32>) -> tensor<1x20x100x100xf32>
  return %r : tensor<1x20x100x100xf32>
}

// An odd number of lines, where two at a time share scale and bias.
func.func private @layer_norm_odd(%a: tensor<7x200xf32>, %scale: tensor<200xf32>, %bias: tensor<200xf32>) -> tensor<7x200xf32> {
  %r = tsr.layer_norm %a, %scale, %bias {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<7x200xf32>, tensor<200xf32>, tensor<200xf32>) -> tensor<7x200xf32>
  return %r : tensor<7x200xf32>
}

func.func private @lrn_root(%a: tensor<1x9x6x20xf32>) -> tensor<1x9x6x20xf32> {
  %r = tsr.lrn %a {size = 3 : i64, alpha = 0.5 : f32, beta = 0.5 : f32} : (tensor<1x9x6x20xf32>) -> tensor<1x9x6x20xf32>
  return %r : tensor<1x9x6x20xf32>
}

func.func private @instance_norm_blocked(%a: tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<12xf32, #tsr.layout<blockDims = [0], blockSizes = [8]>>, %c: tensor<12xf32, #tsr.layout<blockDims = [0], blockSizes = [8]>>) -> tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.instance_norm %a, %b, %c : (tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<12xf32, #tsr.layout<blockDims = [0], blockSizes = [8]>>, tensor<12xf32, #tsr.layout<blockDims = [0], blockSizes = [8]>>) -> tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

// Groups that cut blocks.
func.func private @group_norm_blocked(%a: tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {test.range = [4.0, 6.0]}, %b: tensor<48xf32>, %c: tensor<48xf32>) -> tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 4 : i64} : (tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

// Blocks that are not filled.
func.func private @group_norm_blocked_padded(%a: tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<12xf32>, %c: tensor<12xf32>) -> tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 4 : i64} : (tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x12x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @group_norm_blocked_small(%a: tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<48xf32>, %c: tensor<48xf32>) -> tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 24 : i64} : (tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @lrn_blocked_8(%a: tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.lrn %a {size = 5 : i64, alpha = 0.5 : f32} : (tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @lrn_blocked_16(%a: tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>> {
  %r = tsr.lrn %a {size = 5 : i64, alpha = 0.5 : f32} : (tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %r : tensor<2x48x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

func.func private @lrn_blocked_padded_8(%a: tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.lrn %a {size = 7 : i64, alpha = 0.5 : f32} : (tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @lrn_blocked_padded_16(%a: tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>> {
  %r = tsr.lrn %a {size = 7 : i64, alpha = 0.5 : f32} : (tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %r : tensor<2x20x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

func.func private @lrn_blocked_wide_8(%a: tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.lrn %a {size = 33 : i64, alpha = 0.5 : f32} : (tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @lrn_blocked_wide_16(%a: tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>> {
  %r = tsr.lrn %a {size = 33 : i64, alpha = 0.5 : f32} : (tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %r : tensor<2x40x9x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// Groups of several thousand elements, whose moments are joined from those of channels.
func.func private @group_norm_of_large_groups(%a: tensor<2x6x32x48xf32> {test.range = [4.0, 6.0]}, %b: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<2x6x32x48xf32> {
  %r = tsr.group_norm %a, %b, %c {num_groups = 2 : i64} : (tensor<2x6x32x48xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x32x48xf32>
  return %r : tensor<2x6x32x48xf32>
}
