!image = tensor<1x16x6x6xf32>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<1x8x3x3xf32> {tessera.name = "x"}) -> (!image {tessera.name = "y"}) {
    %w = tsr.constant dense<0.125> : tensor<8x16x2x2xf32> -> tensor<8x16x2x2xf32>
    %h = tsr.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x8x3x3xf32>, tensor<8x16x2x2xf32>) -> !image
    %y = tsr.tanh %h : (!image) -> !image
    return %y : !image
  }
}
