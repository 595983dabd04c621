module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<2x20x5x6xf32> {tessera.name = "x"}) -> (tensor<2x20x5x6xf32> {tessera.name = "y"}) {
    %split = tsr.constant dense<[2, 4, 5, 5, 6]> : tensor<5xi64> -> tensor<5xi64>
    %join = tsr.constant dense<[2, 20, 5, 6]> : tensor<4xi64> -> tensor<4xi64>
    %a = tsr.reshape %x, %split : (tensor<2x20x5x6xf32>, tensor<5xi64>) -> tensor<2x4x5x5x6xf32>
    %b = tsr.transpose %a {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x4x5x5x6xf32>) -> tensor<2x5x4x5x6xf32>
    %y = tsr.reshape %b, %join : (tensor<2x5x4x5x6xf32>, tensor<4xi64>) -> tensor<2x20x5x6xf32>
    return %y : tensor<2x20x5x6xf32>
  }
}
