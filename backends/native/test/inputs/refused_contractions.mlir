// Regions that the contraction emitters do not take, each with the reason, for vectors of 16 lanes. Those that they take
// say "". contraction_plan_test.cpp reads this file.
!x = tensor<1x32x7x9xf32>
!xb = tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
!x8 = tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
!w = tensor<48x32x3x3xf32>
!wb = tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [16, 16]>>
!b = tensor<48xf32>
!bb = tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [16]>>
!y = tensor<1x48x5x7xf32>
!yb = tensor<1x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
!y8 = tensor<1x48x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
!m = tensor<8x8xf32>
!mb = tensor<8x8xf32, #tsr.layout<blockDims = [0], blockSizes = [16]>>

// ---- taken

func.func private @conv(%x: !xb, %w: !wb, %b: !bb) -> !yb attributes {test.remark = ""} {
  %0 = tsr.conv %x, %w, %b : (!xb, !wb, !bb) -> !yb
  return %0 : !yb
}

func.func private @conv_plain(%x: !x, %w: !w) -> !y attributes {test.remark = ""} {
  %0 = tsr.conv %x, %w : (!x, !w) -> !y
  return %0 : !y
}

func.func private @matmul_open_columns(%x: !m, %w: tensor<8x?xf32>) -> tensor<8x?xf32> attributes {test.remark = ""} {
  %0 = tsr.matmul %x, %w : (!m, tensor<8x?xf32>) -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

func.func private @matmul_open_batch(%x: tensor<?x8x8xf32>, %w: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> attributes {test.remark = ""} {
  %0 = tsr.matmul %x, %w : (tensor<?x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %0 : tensor<2x8x8xf32>
}

func.func private @gemm_open_rows(%x: tensor<8x?xf32>, %w: !m) -> tensor<?x8xf32> attributes {test.remark = ""} {
  %0 = tsr.gemm %x, %w {transA = 1 : i64} : (tensor<8x?xf32>, !m) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

func.func private @matmul_add(%x: !m, %w: !m, %r: tensor<8xf32>) -> !m attributes {test.remark = ""} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.add %0, %r : (!m, tensor<8xf32>) -> !m
  return %1 : !m
}

// ---- the region

func.func private @two_results(%x: !m, %w: !m) -> (!m, !m)
    attributes {test.remark = "the region has 2 results"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.relu %0 : (!m) -> !m
  return %0, %1 : !m, !m
}

func.func private @result_no_f32(%x: !m, %w: !m) -> tensor<8x8xi32>
    attributes {test.remark = "the region's result is not f32"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.cast %0 {to = 6 : i64} : (!m) -> tensor<8x8xi32>
  return %1 : tensor<8x8xi32>
}

func.func private @two_contractions(%x: !m, %w: !m, %v: !m) -> !m
    attributes {test.remark = "matmul and matmul are in one region: an emitter takes one contraction"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.matmul %x, %v : (!m, !m) -> !m
  %2 = tsr.mul %0, %1 : (!m, !m) -> !m
  return %2 : !m
}

func.func private @operator_before(%x: !m, %w: !m) -> !m
    attributes {test.remark = "relu precedes the contraction"} {
  %0 = tsr.relu %x : (!m) -> !m
  %1 = tsr.matmul %0, %w : (!m, !m) -> !m
  return %1 : !m
}

func.func private @tail_not_elementwise(%x: !m, %w: !m) -> !m
    attributes {test.remark = "softmax is not elementwise"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.softmax %0 : (!m) -> !m
  return %1 : !m
}

func.func private @tail_of_other_layout(%x: !m, %w: !m, %r: !mb) -> !m
    attributes {test.remark = "relu has another rank or layout than the region's result"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.relu %r : (!mb) -> !mb
  %2 = tsr.add %0, %1 : (!m, !mb) -> !m
  return %2 : !m
}

func.func private @result_of_other_layout(%x: !m, %w: !m) -> !mb
    attributes {test.remark = "the result of matmul has another rank or layout than the region's"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.relu %0 : (!m) -> !mb
  return %1 : !mb
}

func.func private @operand_made_inside(%x: !m) -> !m
    attributes {test.remark = "operand 1 of matmul is no argument of the region"} {
  %w = tsr.constant dense<1.0> : !m -> !m
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  return %0 : !m
}

func.func private @tail_unreadable(%x: !m, %w: !m, %r: !mb) -> !m
    attributes {test.remark = "operand 1 of add cannot be read beside the accumulators"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  %1 = tsr.add %0, %r : (!m, !mb) -> !m
  return %1 : !m
}

func.func private @result_from_elsewhere(%x: !m, %w: !m) -> !m
    attributes {test.remark = "the region's result is not computed in it"} {
  %0 = tsr.matmul %x, %w : (!m, !m) -> !m
  return %x : !m
}

func.func private @pool_of_another(%x: !xb, %w: !wb, %y: !yb) -> tensor<1x48x2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    attributes {test.remark = "the region's result is not computed in it"} {
  %0 = tsr.conv %x, %w : (!xb, !wb) -> !yb
  %1 = tsr.max_pool %y {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!yb) -> tensor<1x48x2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %1 : tensor<1x48x2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// ---- convolutions

func.func private @pool_behind_few_squares(%x: !xb, %w: !wb) -> tensor<1x48x2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    attributes {test.remark = "conv is computed in a way that takes no such pool behind it"} {
  %0 = tsr.conv %x, %w : (!xb, !wb) -> !yb
  %1 = tsr.max_pool %0 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!yb) -> tensor<1x48x2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %1 : tensor<1x48x2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

func.func private @conv_of_f64(%x: tensor<1x4x5x5xf64>, %w: tensor<4x4x1x1xf64>) -> tensor<1x4x5x5xf32>
    attributes {test.remark = "conv is not of f32"} {
  %0 = tsr.conv %x, %w : (tensor<1x4x5x5xf64>, tensor<4x4x1x1xf64>) -> tensor<1x4x5x5xf64>
  %1 = tsr.cast %0 {to = 1 : i64} : (tensor<1x4x5x5xf64>) -> tensor<1x4x5x5xf32>
  return %1 : tensor<1x4x5x5xf32>
}

func.func private @conv_4d_plain(%x: tensor<1x4x5x5x5x5xf32>, %w: tensor<4x4x2x1x1x1xf32>) -> tensor<1x4x4x5x5x5xf32>
    attributes {test.remark = "the result of conv is row-major and its steps or windows are long"} {
  %0 = tsr.conv %x, %w : (tensor<1x4x5x5x5x5xf32>, tensor<4x4x2x1x1x1xf32>) -> tensor<1x4x4x5x5x5xf32>
  return %0 : tensor<1x4x4x5x5x5xf32>
}

func.func private @conv_transpose_plain_steps(%x: tensor<1x4x5x5xf32>, %w: tensor<4x4x2x2xf32>) -> tensor<1x4x6x38xf32>
    attributes {test.remark = "the result of conv_transpose is row-major and its steps or windows are long"} {
  %0 = tsr.conv_transpose %x, %w {strides = array<i64: 1, 9>} : (tensor<1x4x5x5xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x6x38xf32>
  return %0 : tensor<1x4x6x38xf32>
}

func.func private @conv_of_open_size(%x: tensor<1x4x?x5xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x?x5xf32>
    attributes {test.remark = ""} {
  %0 = tsr.conv %x, %w : (tensor<1x4x?x5xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x?x5xf32>
  return %0 : tensor<1x4x?x5xf32>
}

func.func private @conv_of_open_weights(%x: tensor<1x4x?x5xf32>, %w: tensor<4x4x?x1xf32>) -> tensor<1x4x?x5xf32>
    attributes {test.remark = "conv has weights or a bias of sizes known at run time only"} {
  %0 = tsr.conv %x, %w : (tensor<1x4x?x5xf32>, tensor<4x4x?x1xf32>) -> tensor<1x4x?x5xf32>
  return %0 : tensor<1x4x?x5xf32>
}

func.func private @conv_of_open_channels(%x: tensor<1x?x?x5xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x?x5xf32>
    attributes {test.remark = "conv has channels whose number is known at run time only"} {
  %0 = tsr.conv %x, %w : (tensor<1x?x?x5xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x?x5xf32>
  return %0 : tensor<1x4x?x5xf32>
}

func.func private @conv_of_four_open_dimensions(%x: tensor<1x4x?x5x5x5xf32>, %w: tensor<4x4x1x1x1x1xf32>) -> tensor<1x4x?x5x5x5xf32>
    attributes {test.remark = "conv has more than three spatial dimensions of open sizes"} {
  %0 = tsr.conv %x, %w : (tensor<1x4x?x5x5x5xf32>, tensor<4x4x1x1x1x1xf32>) -> tensor<1x4x?x5x5x5xf32>
  return %0 : tensor<1x4x?x5x5x5xf32>
}

func.func private @conv_transpose_of_open_pads(%x: tensor<1x4x?x5xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<1x4x?x10xf32>
    attributes {test.remark = "conv_transpose has pads known at run time only"} {
  %0 = tsr.conv_transpose %x, %w {auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>} : (tensor<1x4x?x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x?x10xf32>
  return %0 : tensor<1x4x?x10xf32>
}

func.func private @conv_empty(%x: tensor<0x4x5x5xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<0x4x5x5xf32>
    attributes {test.remark = "conv has no elements"} {
  %0 = tsr.conv %x, %w : (tensor<0x4x5x5xf32>, tensor<4x4x1x1xf32>) -> tensor<0x4x5x5xf32>
  return %0 : tensor<0x4x5x5xf32>
}

func.func private @conv_plain_steps(%x: !x, %w: !w) -> tensor<1x48x5x4xf32>
    attributes {test.remark = "the result of conv is row-major and its steps or windows are long"} {
  %0 = tsr.conv %x, %w {strides = array<i64: 1, 2>} : (!x, !w) -> tensor<1x48x5x4xf32>
  return %0 : tensor<1x48x5x4xf32>
}

func.func private @conv_pointwise_mixed(%x: !xb, %w: tensor<48x32x1x1xf32>) -> tensor<1x48x7x9xf32>
    attributes {test.remark = "the result of conv is row-major and its operands are not"} {
  %0 = tsr.conv %x, %w : (!xb, tensor<48x32x1x1xf32>) -> tensor<1x48x7x9xf32>
  return %0 : tensor<1x48x7x9xf32>
}

func.func private @conv_result_8(%x: !xb, %w: !wb) -> !y8
    attributes {test.remark = "the result of conv does not lie in blocks of 16 channels"} {
  %0 = tsr.conv %x, %w : (!xb, !wb) -> !y8
  return %0 : !y8
}

func.func private @conv_input_8(%x: !x8, %w: !wb) -> !yb
    attributes {test.remark = "the input of conv is neither row-major nor in blocks of 16 channels"} {
  %0 = tsr.conv %x, %w : (!x8, !wb) -> !yb
  return %0 : !yb
}

func.func private @conv_groups(%x: !xb, %w: tensor<48x8x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [16, 16]>>) -> !yb
    attributes {test.remark = "the weights of conv are not packed in blocks of 16 channels"} {
  %0 = tsr.conv %x, %w {group = 4 : i64} : (!xb, tensor<48x8x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [16, 16]>>) -> !yb
  return %0 : !yb
}

func.func private @conv_weights(%x: !xb, %w: !w) -> !yb
    attributes {test.remark = "the weights of conv are not packed in blocks of 16 channels"} {
  %0 = tsr.conv %x, %w : (!xb, !w) -> !yb
  return %0 : !yb
}

func.func private @conv_bias(%x: !xb, %w: !wb, %b: !b) -> !yb
    attributes {test.remark = "the bias of conv does not lie in blocks of 16 channels"} {
  %0 = tsr.conv %x, %w, %b : (!xb, !wb, !b) -> !yb
  return %0 : !yb
}

// ---- products

func.func private @matmul_of_f64(%x: tensor<8x8xf64>, %w: tensor<8x8xf64>) -> !m
    attributes {test.remark = "matmul is not of f32"} {
  %0 = tsr.matmul %x, %w : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = tsr.cast %0 {to = 1 : i64} : (tensor<8x8xf64>) -> !m
  return %1 : !m
}

func.func private @matmul_of_vector(%x: !m, %w: tensor<8xf32>) -> tensor<8xf32>
    attributes {test.remark = "matmul has a vector for an operand"} {
  %0 = tsr.matmul %x, %w : (!m, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @matmul_blocked(%x: !mb, %w: !m) -> !m
    attributes {test.remark = "an operand or the result of matmul is not row-major"} {
  %0 = tsr.matmul %x, %w : (!mb, !m) -> !m
  return %0 : !m
}

func.func private @conv_with_itself(%x: tensor<1x1x3x3xf32>) -> tensor<1x1x1x1xf32>
    attributes {test.remark = "both operands of conv are one value"} {
  %0 = tsr.conv %x, %x : (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

func.func private @matmul_open_packed(%x: tensor<8x?xf32>, %w: tensor<?x8xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [16]>>) -> !m
    attributes {test.remark = "the second operand of matmul of open sizes is not row-major"} {
  %0 = tsr.matmul %x, %w : (tensor<8x?xf32>, tensor<?x8xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [16]>>) -> !m
  return %0 : !m
}

func.func private @matmul_panels_of_8(%x: !m, %w: tensor<8x8xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [8]>>) -> !m
    attributes {test.remark = "the second operand of matmul is neither row-major nor packed"} {
  %0 = tsr.matmul %x, %w : (!m, tensor<8x8xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [8]>>) -> !m
  return %0 : !m
}

func.func private @gemm_bias(%x: !m, %w: !m, %c: tensor<8x?xf32>) -> !m
    attributes {test.remark = "operand 2 of gemm cannot be read beside the accumulators"} {
  %0 = tsr.gemm %x, %w, %c : (!m, !m, tensor<8x?xf32>) -> !m
  return %0 : !m
}

func.func private @resize_channels(%x: tensor<1x2x8x8xf32>) -> tensor<1x4x8x8xf32>
    attributes {test.remark = "resize is not of f32 along one or two last dimensions of known sizes"} {
  %k = tsr.constant dense<[1, 4, 8, 8]> : tensor<4xi64> -> tensor<4xi64>
  %0 = tsr.resize %x, %k {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x8x8xf32>, tensor<4xi64>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

func.func private @resize_far_apart(%x: tensor<1x2x8x64xf32>) -> tensor<1x2x8x16xf32>
    attributes {test.remark = "neighbours in the result of resize lie far apart in its input"} {
  %k = tsr.constant dense<[1, 2, 8, 16]> : tensor<4xi64> -> tensor<4xi64>
  %0 = tsr.resize %x, %k {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x8x64xf32>, tensor<4xi64>) -> tensor<1x2x8x16xf32>
  return %0 : tensor<1x2x8x16xf32>
}

func.func private @resize_blocked(%x: tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x16x8x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    attributes {test.remark = "the input or result of resize is not row-major"} {
  %k = tsr.constant dense<[1, 16, 8, 8]> : tensor<4xi64> -> tensor<4xi64>
  %0 = tsr.resize %x, %k {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<4xi64>) -> tensor<1x16x8x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %0 : tensor<1x16x8x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// The power of a response that grows with it may be infinite, and 0 times that is no padding.
func.func private @growing_response(%x: tensor<1x20x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x20x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    attributes {test.remark = "the window of lrn is wider than two blocks, or its sum may be 0 or less, or its power infinite"} {
  %0 = tsr.lrn %x {beta = -3.0 : f32, size = 5 : i64} : (tensor<1x20x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x20x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %0 : tensor<1x20x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// ---- what is in front

!xs = tensor<1x32x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
!ws = tensor<32x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [16, 16]>>

func.func private @head(%x: !xs, %w: !ws) -> !xs attributes {test.remark = ""} {
  %0 = tsr.relu %x : (!xs) -> !xs
  %1 = tsr.conv %0, %w : (!xs, !ws) -> !xs
  %2 = tsr.add %1, %x : (!xs, !xs) -> !xs
  return %2 : !xs
}

func.func private @head_in_the_tail(%x: !xs, %w: !ws) -> !xs
    attributes {test.remark = "operand 1 of add cannot be read beside the accumulators"} {
  %0 = tsr.relu %x : (!xs) -> !xs
  %1 = tsr.conv %0, %w : (!xs, !ws) -> !xs
  %2 = tsr.add %1, %0 : (!xs, !xs) -> !xs
  return %2 : !xs
}

func.func private @head_of_a_window(%x: !xb, %w: !wb) -> !yb
    attributes {test.remark = "conv is computed in a way that takes nothing in front of it"} {
  %0 = tsr.relu %x : (!xb) -> !xb
  %1 = tsr.conv %0, %w : (!xb, !wb) -> !yb
  return %1 : !yb
}

// A Split is a kernel of its own.
func.func private @split_and_tail(%x: !xs) -> tensor<1x16x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    attributes {test.remark = "split has no emitter"} {
  %0, %1 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (!xs) -> (tensor<1x16x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<1x16x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>)
  %2 = tsr.exp %0 : (tensor<1x16x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x16x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %2 : tensor<1x16x14x14xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

// ---- pools of open heights and widths

!xo = tensor<1x8x?x?xf32>

func.func private @open_pool(%x: !xo) -> !xo attributes {test.remark = ""} {
  %0 = tsr.max_pool %x {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (!xo) -> !xo
  return %0 : !xo
}

func.func private @open_pool_widest(%x: !xo) -> !xo attributes {test.remark = ""} {
  %0 = tsr.max_pool %x {dilations = array<i64: 1, 103>, kernel_shape = array<i64: 3, 3>} : (!xo) -> !xo
  return %0 : !xo
}

func.func private @open_pool_wide(%x: !xo) -> !xo attributes {test.remark = "max_pool has long windows over open sizes"} {
  %0 = tsr.max_pool %x {dilations = array<i64: 1, 104>, kernel_shape = array<i64: 1, 3>} : (!xo) -> !xo
  return %0 : !xo
}

func.func private @open_pool_of_many_columns(%x: !xo) -> !xo attributes {test.remark = "average_pool has long windows over open sizes"} {
  %0 = tsr.average_pool %x {kernel_shape = array<i64: 1, 33>} : (!xo) -> !xo
  return %0 : !xo
}

func.func private @open_pool_in_long_steps(%x: !xo) -> !xo attributes {test.remark = "max_pool has long steps over open sizes"} {
  %0 = tsr.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 1, 5>} : (!xo) -> !xo
  return %0 : !xo
}

func.func private @open_pool_of_far_taps(%x: !xo) -> !xo attributes {test.remark = "average_pool has taps far apart over open sizes"} {
  %0 = tsr.average_pool %x {dilations = array<i64: 1048576, 1>, kernel_shape = array<i64: 2, 1>} : (!xo) -> !xo
  return %0 : !xo
}

func.func private @open_pool_of_four_dimensions(%x: tensor<1x8x?x?x?x?xf32>) -> tensor<1x8x?x?x?x?xf32> attributes {test.remark = "max_pool has more than three spatial dimensions of open sizes"} {
  %0 = tsr.max_pool %x {kernel_shape = array<i64: 1, 1, 1, 2>} : (tensor<1x8x?x?x?x?xf32>) -> tensor<1x8x?x?x?x?xf32>
  return %0 : tensor<1x8x?x?x?x?xf32>
}
