// Reductions along axes, softmax and its kin, top_k.

func.func private @sum_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @sum_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @sum_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_sum %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @sum_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_sum %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @sum_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_sum %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @sum_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @sum_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @sum_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @mean_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_mean %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @mean_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_mean %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @mean_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_mean %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @mean_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_mean %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @mean_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_mean %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @mean_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_mean %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @mean_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_mean %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @mean_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_mean %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @max_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @max_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @max_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @max_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_max %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @max_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_max %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @max_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @max_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @max_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @min_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @min_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @min_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @min_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_min %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @min_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_min %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @min_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @min_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @min_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @prod_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_prod %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @prod_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_prod %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @prod_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_prod %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @prod_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_prod %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @prod_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_prod %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @prod_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_prod %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @prod_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_prod %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @prod_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_prod %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @l1_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l1 %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @l1_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l1 %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @l1_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_l1 %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @l1_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_l1 %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @l1_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_l1 %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @l1_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l1 %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @l1_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l1 %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @l1_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l1 %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @l2_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l2 %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @l2_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l2 %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @l2_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_l2 %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @l2_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_l2 %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @l2_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_l2 %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @l2_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l2 %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @l2_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l2 %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @l2_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_l2 %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @log_sum_last(%a: tensor<3x4x37xf32> {test.range = [0.1, 2.0]}) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @log_sum_first(%a: tensor<3x4x37xf32> {test.range = [0.1, 2.0]}) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @log_sum_two(%a: tensor<3x4x37xf32> {test.range = [0.1, 2.0]}) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_log_sum %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @log_sum_all(%a: tensor<3x4x3xf32> {test.range = [0.1, 2.0]}) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_log_sum %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @log_sum_none(%a: tensor<3x4x37xf32> {test.range = [0.1, 2.0]}) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_log_sum %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @log_sum_open(%a: tensor<?x5xf32> {test.dims = [7, 5], test.range = [0.1, 2.0]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @log_sum_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @log_sum_f64(%a: tensor<4x5xf64> {test.range = [0.1, 2.0]}) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @log_sum_exp_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum_exp %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @log_sum_exp_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum_exp %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @log_sum_exp_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_log_sum_exp %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @log_sum_exp_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_log_sum_exp %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @log_sum_exp_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_log_sum_exp %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @log_sum_exp_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum_exp %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @log_sum_exp_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum_exp %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @log_sum_exp_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_log_sum_exp %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @sum_square_last(%a: tensor<3x4x37xf32>) -> tensor<3x4x1xf32> {
  %k0 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum_square %a, %k0 : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<3x4x1xf32>
  return %r : tensor<3x4x1xf32>
}

func.func private @sum_square_first(%a: tensor<3x4x37xf32>) -> tensor<4x37xf32> {
  %k0 = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum_square %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<1xi64>) -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func private @sum_square_two(%a: tensor<3x4x37xf32>) -> tensor<4xf32> {
  %k0 = tsr.constant dense<[2, 0]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_sum_square %a, %k0 {keepdims = 0 : i64} : (tensor<3x4x37xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @sum_square_all(%a: tensor<3x4x3xf32>) -> tensor<1x1x1xf32> {
  %r = tsr.reduce_sum_square %a : (tensor<3x4x3xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func private @sum_square_none(%a: tensor<3x4x37xf32>) -> tensor<3x4x37xf32> {
  %r = tsr.reduce_sum_square %a {noop_with_empty_axes = 1 : i64} : (tensor<3x4x37xf32>) -> tensor<3x4x37xf32>
  return %r : tensor<3x4x37xf32>
}

func.func private @sum_square_open(%a: tensor<?x5xf32> {test.dims = [7, 5]}) -> tensor<?xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum_square %a, %k0 {keepdims = 0 : i64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @sum_square_i32(%a: tensor<4x5xi32> {test.range = [1, 3]}) -> tensor<4x1xi32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum_square %a, %k0 : (tensor<4x5xi32>, tensor<1xi64>) -> tensor<4x1xi32>
  return %r : tensor<4x1xi32>
}

func.func private @sum_square_f64(%a: tensor<4x5xf64>) -> tensor<4xf64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum_square %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xf64>, tensor<1xi64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func private @max_u8(%a: tensor<4x5xui8> {test.range = [0, 250]}) -> tensor<4xui8> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xui8>, tensor<1xi64>) -> tensor<4xui8>
  return %r : tensor<4xui8>
}

func.func private @min_u8(%a: tensor<4x5xui8> {test.range = [0, 250]}) -> tensor<4xui8> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xui8>, tensor<1xi64>) -> tensor<4xui8>
  return %r : tensor<4xui8>
}

func.func private @max_i8(%a: tensor<4x5xi8> {test.range = [-100, 100]}) -> tensor<4xi8> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xi8>, tensor<1xi64>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

func.func private @min_i8(%a: tensor<4x5xi8> {test.range = [-100, 100]}) -> tensor<4xi8> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xi8>, tensor<1xi64>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

func.func private @max_i64(%a: tensor<4x5xi64> {test.range = [-100, 100]}) -> tensor<4xi64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xi64>, tensor<1xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @min_i64(%a: tensor<4x5xi64> {test.range = [-100, 100]}) -> tensor<4xi64> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xi64>, tensor<1xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @max_bool(%a: tensor<4x5xi1>) -> tensor<4xi1> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xi1>, tensor<1xi64>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

func.func private @max_of_nothing(%a: tensor<2x0x3xf32>) -> tensor<2x1x3xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k0 : (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  return %r : tensor<2x1x3xf32>
}

func.func private @min_bool(%a: tensor<4x5xi1>) -> tensor<4xi1> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 {keepdims = 0 : i64} : (tensor<4x5xi1>, tensor<1xi64>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

func.func private @min_of_nothing(%a: tensor<2x0x3xf32>) -> tensor<2x1x3xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k0 : (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  return %r : tensor<2x1x3xf32>
}

func.func private @sum_of_nothing(%a: tensor<2x0x3xf32>) -> tensor<2x1x3xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 : (tensor<2x0x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  return %r : tensor<2x1x3xf32>
}

func.func private @sum_large(%a: tensor<64x1000xf32> {test.range = [0.0, 1.0]}) -> tensor<64xf32> {
  %k0 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k0 {keepdims = 0 : i64} : (tensor<64x1000xf32>, tensor<1xi64>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

func.func private @mean_blocked(%a: tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reduce_mean %a, %k0 : (tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<2xi64>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @softmax_0(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.softmax %a {axis = 0 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @softmax_1(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.softmax %a {axis = 1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @softmax_2(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.softmax %a {axis = -1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @softmax_open(%a: tensor<?x?xf32> {test.dims = [5, 23]}) -> tensor<?x?xf32> {
  %r = tsr.softmax %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @softmax_f64(%a: tensor<5x6xf64>) -> tensor<5x6xf64> {
  %r = tsr.softmax %a : (tensor<5x6xf64>) -> tensor<5x6xf64>
  return %r : tensor<5x6xf64>
}

func.func private @log_softmax_0(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.log_softmax %a {axis = 0 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @log_softmax_large(%a: tensor<4x19xf32> {test.range = [9990.0, 10000.0]}) -> tensor<4x19xf32> {
  %r = tsr.log_softmax %a {axis = 1 : i64} : (tensor<4x19xf32>) -> tensor<4x19xf32>
  return %r : tensor<4x19xf32>
}

func.func private @log_softmax_1(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.log_softmax %a {axis = 1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @log_softmax_2(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.log_softmax %a {axis = -1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @log_softmax_open(%a: tensor<?x?xf32> {test.dims = [5, 23]}) -> tensor<?x?xf32> {
  %r = tsr.log_softmax %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @log_softmax_f64(%a: tensor<5x6xf64>) -> tensor<5x6xf64> {
  %r = tsr.log_softmax %a : (tensor<5x6xf64>) -> tensor<5x6xf64>
  return %r : tensor<5x6xf64>
}

func.func private @hardmax_0(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.hardmax %a {axis = 0 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @hardmax_1(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.hardmax %a {axis = 1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @hardmax_2(%a: tensor<4x3x19xf32> {test.range = [-5.0, 5.0]}) -> tensor<4x3x19xf32> {
  %r = tsr.hardmax %a {axis = -1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x19xf32>
  return %r : tensor<4x3x19xf32>
}

func.func private @hardmax_open(%a: tensor<?x?xf32> {test.dims = [5, 23]}) -> tensor<?x?xf32> {
  %r = tsr.hardmax %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @hardmax_f64(%a: tensor<5x6xf64>) -> tensor<5x6xf64> {
  %r = tsr.hardmax %a : (tensor<5x6xf64>) -> tensor<5x6xf64>
  return %r : tensor<5x6xf64>
}

func.func private @softmax_large(%a: tensor<128x197xf32> {test.range = [-50.0, 50.0]}) -> tensor<128x197xf32> {
  %r = tsr.softmax %a : (tensor<128x197xf32>) -> tensor<128x197xf32>
  return %r : tensor<128x197xf32>
}

func.func private @argmax_0(%a: tensor<4x3x19xf32>) -> tensor<1x3x19xi64> {
  %r = tsr.argmax %a {axis = 0 : i64} : (tensor<4x3x19xf32>) -> tensor<1x3x19xi64>
  return %r : tensor<1x3x19xi64>
}

func.func private @argmax_1(%a: tensor<4x3x19xf32>) -> tensor<4x1x19xi64> {
  %r = tsr.argmax %a {axis = 1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x1x19xi64>
  return %r : tensor<4x1x19xi64>
}

func.func private @argmax_2(%a: tensor<4x3x19xf32>) -> tensor<4x3x1xi64> {
  %r = tsr.argmax %a {axis = -1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x1xi64>
  return %r : tensor<4x3x1xi64>
}

func.func private @argmax_i32(%a: tensor<4x30xi32> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xi32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_u8(%a: tensor<4x30xui8> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xui8>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_i8(%a: tensor<4x30xi8> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xi8>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_i64(%a: tensor<4x30xi64> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_last_index(%a: tensor<4x30xi32> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<4x30xi32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_open(%a: tensor<?x?xf32> {test.dims = [4, 9]}) -> tensor<?xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<?x?xf32>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func private @argmin_0(%a: tensor<4x3x19xf32>) -> tensor<1x3x19xi64> {
  %r = tsr.argmin %a {axis = 0 : i64} : (tensor<4x3x19xf32>) -> tensor<1x3x19xi64>
  return %r : tensor<1x3x19xi64>
}

func.func private @argmin_1(%a: tensor<4x3x19xf32>) -> tensor<4x1x19xi64> {
  %r = tsr.argmin %a {axis = 1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x1x19xi64>
  return %r : tensor<4x1x19xi64>
}

func.func private @argmin_2(%a: tensor<4x3x19xf32>) -> tensor<4x3x1xi64> {
  %r = tsr.argmin %a {axis = -1 : i64} : (tensor<4x3x19xf32>) -> tensor<4x3x1xi64>
  return %r : tensor<4x3x1xi64>
}

func.func private @argmin_i32(%a: tensor<4x30xi32> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xi32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_u8(%a: tensor<4x30xui8> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xui8>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_i8(%a: tensor<4x30xi8> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xi8>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_i64(%a: tensor<4x30xi64> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x30xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_last_index(%a: tensor<4x30xi32> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<4x30xi32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_open(%a: tensor<?x?xf32> {test.dims = [4, 9]}) -> tensor<?xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<?x?xf32>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// Long sums along outer dimensions, of lines that are no whole vectors.
func.func private @reduce_sum_channels(%a: tensor<2x37x13x17xf32>) -> tensor<2x1x13x17xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %axes : (tensor<2x37x13x17xf32>, tensor<1xi64>) -> tensor<2x1x13x17xf32>
  return %r : tensor<2x1x13x17xf32>
}

func.func private @reduce_mean_first(%a: tensor<64x300xf32>) -> tensor<300xf32> {
  %axes = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_mean %a, %axes {keepdims = 0 : i64} : (tensor<64x300xf32>, tensor<1xi64>) -> tensor<300xf32>
  return %r : tensor<300xf32>
}

func.func private @reduce_max_channels(%a: tensor<1x41x16x16xf32>) -> tensor<1x1x16x16xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %axes : (tensor<1x41x16x16xf32>, tensor<1xi64>) -> tensor<1x1x16x16xf32>
  return %r : tensor<1x1x16x16xf32>
}

func.func private @softmax_channels(%a: tensor<1x35x12x12xf32>) -> tensor<1x35x12x12xf32> {
  %r = tsr.softmax %a {axis = 1 : i64} : (tensor<1x35x12x12xf32>) -> tensor<1x35x12x12xf32>
  return %r : tensor<1x35x12x12xf32>
}

func.func private @argmax_channels(%a: tensor<2x39x10x15xf32>) -> tensor<2x1x10x15xi64> {
  %r = tsr.argmax %a {axis = 1 : i64} : (tensor<2x39x10x15xf32>) -> tensor<2x1x10x15xi64>
  return %r : tensor<2x1x10x15xi64>
}

// Lines of several vectors and a part of one, in which extremes are repeated.
func.func private @argmax_long(%a: tensor<4x3x77xf32>) -> tensor<4x3xi64> {
  %r = tsr.argmax %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 0 : i64} : (tensor<4x3x77xf32>) -> tensor<4x3xi64>
  return %r : tensor<4x3xi64>
}

func.func private @argmax_long_last_index(%a: tensor<4x150xi32> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<4x150xi32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_long_i64(%a: tensor<4x150xi64> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 0 : i64} : (tensor<4x150xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_long_u8(%a: tensor<4x150xui8> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmax %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<4x150xui8>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmax_long_open_last_index(%a: tensor<?x?xi32> {test.range = [0, 5], test.dims = [3, 77]}) -> tensor<?xi64> {
  %r = tsr.argmax %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x?xi32>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func private @argmin_long(%a: tensor<4x3x77xf32>) -> tensor<4x3xi64> {
  %r = tsr.argmin %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 0 : i64} : (tensor<4x3x77xf32>) -> tensor<4x3xi64>
  return %r : tensor<4x3xi64>
}

func.func private @argmin_long_last_index(%a: tensor<4x150xi32> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<4x150xi32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_long_i64(%a: tensor<4x150xi64> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 0 : i64} : (tensor<4x150xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_long_u8(%a: tensor<4x150xui8> {test.range = [0, 5]}) -> tensor<4xi64> {
  %r = tsr.argmin %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<4x150xui8>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func private @argmin_long_open_last_index(%a: tensor<?x?xi32> {test.range = [0, 5], test.dims = [3, 77]}) -> tensor<?xi64> {
  %r = tsr.argmin %a {axis = -1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x?xi32>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}
