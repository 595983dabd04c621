// Reductions of what lies in blocks of channels, to results that do not.

func.func private @reduced_blocks_max(%a: tensor<2x32x5x7xf32>) -> tensor<2x32xf32> {
  %axes = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
  %0 = tsr.relayout %a : (tensor<2x32x5x7xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relayout %0 : (tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x32x5x7xf32>
  %r = tsr.reduce_max %1, %axes {keepdims = 0 : i64} : (tensor<2x32x5x7xf32>, tensor<2xi64>) -> tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}

func.func private @reduced_blocks_mean_rest(%a: tensor<2x20x5x7xf32>) -> tensor<2x20xf32> {
  %axes = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
  %0 = tsr.relayout %a : (tensor<2x20x5x7xf32>) -> tensor<2x20x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relayout %0 : (tensor<2x20x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x20x5x7xf32>
  %r = tsr.reduce_mean %1, %axes {keepdims = 0 : i64} : (tensor<2x20x5x7xf32>, tensor<2xi64>) -> tensor<2x20xf32>
  return %r : tensor<2x20xf32>
}

func.func private @reduced_blocks_kept(%a: tensor<2x20x5x7xf32>) -> tensor<2x20x5x1xf32> {
  %axes = tsr.constant dense<[3]> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.relayout %a : (tensor<2x20x5x7xf32>) -> tensor<2x20x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relayout %0 : (tensor<2x20x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x20x5x7xf32>
  %r = tsr.reduce_sum %1, %axes {keepdims = 1 : i64} : (tensor<2x20x5x7xf32>, tensor<1xi64>) -> tensor<2x20x5x1xf32>
  return %r : tensor<2x20x5x1xf32>
}

func.func private @reduced_blocks_outer(%a: tensor<2x24x5x7xf32>) -> tensor<24x5xf32> {
  %axes = tsr.constant dense<[0, 3]> : tensor<2xi64> -> tensor<2xi64>
  %0 = tsr.relayout %a : (tensor<2x24x5x7xf32>) -> tensor<2x24x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relayout %0 : (tensor<2x24x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x24x5x7xf32>
  %r = tsr.reduce_l2 %1, %axes {keepdims = 0 : i64} : (tensor<2x24x5x7xf32>, tensor<2xi64>) -> tensor<24x5xf32>
  return %r : tensor<24x5xf32>
}

func.func private @reduced_blocks_channels(%a: tensor<2x24x5x7xf32>) -> tensor<2x5x7xf32> {
  %axes = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.relayout %a : (tensor<2x24x5x7xf32>) -> tensor<2x24x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relayout %0 : (tensor<2x24x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x24x5x7xf32>
  %r = tsr.reduce_max %1, %axes {keepdims = 0 : i64} : (tensor<2x24x5x7xf32>, tensor<1xi64>) -> tensor<2x5x7xf32>
  return %r : tensor<2x5x7xf32>
}

func.func private @reduced_blocks_exponentials(%a: tensor<2x24x5x7xf32>) -> tensor<2x24x7xf32> {
  %axes = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
  %0 = tsr.relayout %a : (tensor<2x24x5x7xf32>) -> tensor<2x24x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relayout %0 : (tensor<2x24x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x24x5x7xf32>
  %r = tsr.reduce_log_sum_exp %1, %axes {keepdims = 0 : i64} : (tensor<2x24x5x7xf32>, tensor<1xi64>) -> tensor<2x24x7xf32>
  return %r : tensor<2x24x7xf32>
}
