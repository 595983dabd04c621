!heads = tensor<2x5x3x16xf32>
!scores = tensor<2x3x5x5xf32>
module attributes {tessera.phase = "import"} {
  func.func @main(%q: !heads {tessera.name = "q"}, %k: !heads {tessera.name = "k"}, %v: !heads {tessera.name = "v"}, %mask: tensor<2x1x1x5xf32> {tessera.name = "mask"}) -> (!heads {tessera.name = "y"}) {
    %rows = tsr.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (!heads) -> tensor<2x3x5x16xf32>
    %columns = tsr.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (!heads) -> tensor<2x3x16x5xf32>
    %values = tsr.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (!heads) -> tensor<2x3x5x16xf32>
    %0 = tsr.matmul %rows, %columns : (tensor<2x3x5x16xf32>, tensor<2x3x16x5xf32>) -> !scores
    %four = tsr.constant dense<4.0> : tensor<f32> -> tensor<f32>
    %1 = tsr.div %0, %four : (!scores, tensor<f32>) -> !scores
    %2 = tsr.add %1, %mask : (!scores, tensor<2x1x1x5xf32>) -> !scores
    %3 = tsr.softmax %2 {axis = -1 : i64} : (!scores) -> !scores
    %4 = tsr.matmul %3, %values : (!scores, tensor<2x3x5x16xf32>) -> tensor<2x3x5x16xf32>
    %y = tsr.transpose %4 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x3x5x16xf32>) -> !heads
    return %y : !heads
  }
}
