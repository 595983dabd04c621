// Short lines side by side: as many as a vector has lanes, then one by one.
func.func private @softmax_of_37_lines(%a: tensor<37x49xf32>) -> tensor<37x49xf32> {
  %r = tsr.softmax %a {axis = 1 : i64} : (tensor<37x49xf32>) -> tensor<37x49xf32>
  return %r : tensor<37x49xf32>
}

func.func private @softmax_of_9_lines(%a: tensor<9x16xf32>) -> tensor<9x16xf32> {
  %r = tsr.softmax %a {axis = 1 : i64} : (tensor<9x16xf32>) -> tensor<9x16xf32>
  return %r : tensor<9x16xf32>
}

func.func private @softmax_of_70_lines(%a: tensor<70x5xf32>) -> tensor<70x5xf32> {
  %r = tsr.softmax %a {axis = 1 : i64} : (tensor<70x5xf32>) -> tensor<70x5xf32>
  return %r : tensor<70x5xf32>
}

func.func private @reduce_sum_of_45_lines(%a: tensor<45x19xf32>) -> tensor<45xf32> {
  %k = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_sum %a, %k {keepdims = 0 : i64} : (tensor<45x19xf32>, tensor<1xi64>) -> tensor<45xf32>
  return %r : tensor<45xf32>
}

func.func private @reduce_max_of_33_lines(%a: tensor<33x16xf32>) -> tensor<33xf32> {
  %k = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_max %a, %k {keepdims = 0 : i64} : (tensor<33x16xf32>, tensor<1xi64>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @reduce_min_of_21_lines(%a: tensor<21x50xf32>) -> tensor<21xf32> {
  %k = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.reduce_min %a, %k {keepdims = 0 : i64} : (tensor<21x50xf32>, tensor<1xi64>) -> tensor<21xf32>
  return %r : tensor<21xf32>
}

func.func private @softmax_of_open_lines(%a: tensor<?x24xf32> {test.dims = [27, 24]}) -> tensor<?x24xf32> {
  %r = tsr.softmax %a {axis = 1 : i64} : (tensor<?x24xf32>) -> tensor<?x24xf32>
  return %r : tensor<?x24xf32>
}
