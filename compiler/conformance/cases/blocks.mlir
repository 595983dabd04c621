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

// Channels in another order, and blocks cut anew.
func.func private @between_blocks_shuffle_24(%x: tensor<2x24x7x9xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<2x24x3x5xf32> {
  %c = tsr.conv %x, %a : (tensor<2x24x7x9xf32>, tensor<24x24x3x3xf32>) -> tensor<2x24x5x7xf32>
  %i = tsr.constant dense<[0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5, 13, 21, 6, 14, 22, 7, 15, -1]> : tensor<24xi64> -> tensor<24xi64>
  %s = tsr.gather %c, %i {axis = 1 : i64} : (tensor<2x24x5x7xf32>, tensor<24xi64>) -> tensor<2x24x5x7xf32>
  %r = tsr.relu %s : (tensor<2x24x5x7xf32>) -> tensor<2x24x5x7xf32>
  %y = tsr.conv %r, %b : (tensor<2x24x5x7xf32>, tensor<24x24x3x3xf32>) -> tensor<2x24x3x5xf32>
  return %y : tensor<2x24x3x5xf32>
}

func.func private @between_blocks_chosen_40(%x: tensor<1x24x6x6xf32>, %a: tensor<40x24x1x1xf32> {test.range = [-0.3, 0.3]}, %b: tensor<16x5x1x1xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x6x6xf32> {
  %c = tsr.conv %x, %a : (tensor<1x24x6x6xf32>, tensor<40x24x1x1xf32>) -> tensor<1x40x6x6xf32>
  %i = tsr.constant dense<[39, 0, 17, 17, 3]> : tensor<5xi64> -> tensor<5xi64>
  %s = tsr.gather %c, %i {axis = 1 : i64} : (tensor<1x40x6x6xf32>, tensor<5xi64>) -> tensor<1x5x6x6xf32>
  %y = tsr.conv %s, %b : (tensor<1x5x6x6xf32>, tensor<16x5x1x1xf32>) -> tensor<1x16x6x6xf32>
  return %y : tensor<1x16x6x6xf32>
}

func.func private @between_blocks_concat_24_20(%x: tensor<?x16x6x7xf32> {test.dims = [3, 16, 6, 7]}, %a: tensor<24x16x1x1xf32> {test.range = [-0.3, 0.3]}, %b: tensor<20x16x1x1xf32> {test.range = [-0.3, 0.3]}, %w: tensor<16x44x1x1xf32> {test.range = [-0.3, 0.3]}) -> tensor<?x16x6x7xf32> {
  %p = tsr.conv %x, %a : (tensor<?x16x6x7xf32>, tensor<24x16x1x1xf32>) -> tensor<?x24x6x7xf32>
  %q = tsr.conv %x, %b : (tensor<?x16x6x7xf32>, tensor<20x16x1x1xf32>) -> tensor<?x20x6x7xf32>
  %s = tsr.concat %p, %q {axis = 1 : i64} : (tensor<?x24x6x7xf32>, tensor<?x20x6x7xf32>) -> tensor<?x44x6x7xf32>
  %r = tsr.relu %s : (tensor<?x44x6x7xf32>) -> tensor<?x44x6x7xf32>
  %y = tsr.conv %r, %w : (tensor<?x44x6x7xf32>, tensor<16x44x1x1xf32>) -> tensor<?x16x6x7xf32>
  return %y : tensor<?x16x6x7xf32>
}

func.func private @between_blocks_concat_3(%x: tensor<1x24x5x5xf32>, %a: tensor<24x24x1x1xf32> {test.range = [-0.3, 0.3]}, %w: tensor<16x72x1x1xf32> {test.range = [-0.3, 0.3]}) -> tensor<1x16x5x5xf32> {
  %p = tsr.conv %x, %a : (tensor<1x24x5x5xf32>, tensor<24x24x1x1xf32>) -> tensor<1x24x5x5xf32>
  %q = tsr.exp %p : (tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %s = tsr.concat %p, %q, %p {axis = 1 : i64} : (tensor<1x24x5x5xf32>, tensor<1x24x5x5xf32>, tensor<1x24x5x5xf32>) -> tensor<1x72x5x5xf32>
  %y = tsr.conv %s, %w : (tensor<1x72x5x5xf32>, tensor<16x72x1x1xf32>) -> tensor<1x16x5x5xf32>
  return %y : tensor<1x16x5x5xf32>
}

func.func private @between_blocks_shuffled_24(%x: tensor<2x24x7x9xf32>, %a: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}, %b: tensor<24x24x3x3xf32> {test.range = [-0.3, 0.3]}) -> tensor<2x24x3x5xf32> {
  %c = tsr.conv %x, %a : (tensor<2x24x7x9xf32>, tensor<24x24x3x3xf32>) -> tensor<2x24x5x7xf32>
  %split = tsr.constant dense<[2, 3, 8, 5, 7]> : tensor<5xi64> -> tensor<5xi64>
  %join = tsr.constant dense<[2, 24, 5, 7]> : tensor<4xi64> -> tensor<4xi64>
  %p = tsr.reshape %c, %split : (tensor<2x24x5x7xf32>, tensor<5xi64>) -> tensor<2x3x8x5x7xf32>
  %q = tsr.transpose %p {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x3x8x5x7xf32>) -> tensor<2x8x3x5x7xf32>
  %s = tsr.reshape %q, %join : (tensor<2x8x3x5x7xf32>, tensor<4xi64>) -> tensor<2x24x5x7xf32>
  %y = tsr.conv %s, %b : (tensor<2x24x5x7xf32>, tensor<24x24x3x3xf32>) -> tensor<2x24x3x5xf32>
  return %y : tensor<2x24x3x5xf32>
}
