// What follows and precedes convolutions in networks: where those work on blocks of channels, and belong to somebody else, values may
// be taken and given as they lie there.

func.func private @between_blocks_relu_16(%x: tensor<1x16x12x12xf32>, %a: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  %z = tsr.relu %v : (tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x16x10x10xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %r : tensor<1x16x8x8xf32>
}

func.func private @between_blocks_residual_16(%x: tensor<1x16x12x12xf32>, %a: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  %s = tsr.sigmoid %v : (tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
  %t = tsr.tanh %s : (tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
  %z = tsr.add %t, %v : (tensor<1x16x10x10xf32>, tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x16x10x10xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %r : tensor<1x16x8x8xf32>
}

func.func private @between_blocks_max_pool_16(%x: tensor<1x16x12x12xf32>, %a: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x3x3xf32> {
  %v = tsr.conv %x, %a : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  %z = tsr.max_pool %v {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x16x10x10xf32>) -> tensor<1x16x5x5xf32>
  %r = tsr.conv %z, %b : (tensor<1x16x5x5xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x3x3xf32>
  return %r : tensor<1x16x3x3xf32>
}

func.func private @between_blocks_average_pool_16(%x: tensor<1x16x12x12xf32>, %a: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  %z = tsr.average_pool %v {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x16x10x10xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %r : tensor<1x16x8x8xf32>
}

func.func private @between_blocks_gate_16(%x: tensor<1x16x12x12xf32>, %a: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  %g = tsr.global_average_pool %v : (tensor<1x16x10x10xf32>) -> tensor<1x16x1x1xf32>
  %s = tsr.sigmoid %g : (tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  %z = tsr.mul %v, %s : (tensor<1x16x10x10xf32>, tensor<1x16x1x1xf32>) -> tensor<1x16x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x16x10x10xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %r : tensor<1x16x8x8xf32>
}

func.func private @between_blocks_softmax_16(%x: tensor<1x16x12x12xf32>, %a: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x16x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  %z = tsr.softmax %v {axis = 1 : i64} : (tensor<1x16x10x10xf32>) -> tensor<1x16x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x16x10x10xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %r : tensor<1x16x8x8xf32>
}

func.func private @between_blocks_relu_24(%x: tensor<1x24x12x12xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x24x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x24x12x12xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x10x10xf32>
  %z = tsr.relu %v : (tensor<1x24x10x10xf32>) -> tensor<1x24x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x24x10x10xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x8x8xf32>
  return %r : tensor<1x24x8x8xf32>
}

func.func private @between_blocks_residual_24(%x: tensor<1x24x12x12xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x24x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x24x12x12xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x10x10xf32>
  %s = tsr.sigmoid %v : (tensor<1x24x10x10xf32>) -> tensor<1x24x10x10xf32>
  %t = tsr.tanh %s : (tensor<1x24x10x10xf32>) -> tensor<1x24x10x10xf32>
  %z = tsr.add %t, %v : (tensor<1x24x10x10xf32>, tensor<1x24x10x10xf32>) -> tensor<1x24x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x24x10x10xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x8x8xf32>
  return %r : tensor<1x24x8x8xf32>
}

func.func private @between_blocks_max_pool_24(%x: tensor<1x24x12x12xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x24x3x3xf32> {
  %v = tsr.conv %x, %a : (tensor<1x24x12x12xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x10x10xf32>
  %z = tsr.max_pool %v {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x24x10x10xf32>) -> tensor<1x24x5x5xf32>
  %r = tsr.conv %z, %b : (tensor<1x24x5x5xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x3x3xf32>
  return %r : tensor<1x24x3x3xf32>
}

func.func private @between_blocks_average_pool_24(%x: tensor<1x24x12x12xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x24x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x24x12x12xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x10x10xf32>
  %z = tsr.average_pool %v {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x24x10x10xf32>) -> tensor<1x24x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x24x10x10xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x8x8xf32>
  return %r : tensor<1x24x8x8xf32>
}

func.func private @between_blocks_gate_24(%x: tensor<1x24x12x12xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x24x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x24x12x12xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x10x10xf32>
  %g = tsr.global_average_pool %v : (tensor<1x24x10x10xf32>) -> tensor<1x24x1x1xf32>
  %s = tsr.sigmoid %g : (tensor<1x24x1x1xf32>) -> tensor<1x24x1x1xf32>
  %z = tsr.mul %v, %s : (tensor<1x24x10x10xf32>, tensor<1x24x1x1xf32>) -> tensor<1x24x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x24x10x10xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x8x8xf32>
  return %r : tensor<1x24x8x8xf32>
}

func.func private @between_blocks_softmax_24(%x: tensor<1x24x12x12xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x24x8x8xf32> {
  %v = tsr.conv %x, %a : (tensor<1x24x12x12xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x10x10xf32>
  %z = tsr.softmax %v {axis = 1 : i64} : (tensor<1x24x10x10xf32>) -> tensor<1x24x10x10xf32>
  %r = tsr.conv %z, %b : (tensor<1x24x10x10xf32>, tensor<24x24x3x3xf32>) -> tensor<1x24x8x8xf32>
  return %r : tensor<1x24x8x8xf32>
}
