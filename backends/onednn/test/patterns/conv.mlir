// A residual block's end: convolution, bias, sum, activation.
!image = tensor<1x16x6x6xf32>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<1x8x6x6xf32> {tessera.name = "x"}, %residual: !image {tessera.name = "residual"}) -> (!image {tessera.name = "y"}) {
    %w = tsr.constant dense<0.125> : tensor<16x8x3x3xf32> -> tensor<16x8x3x3xf32>
    %b = tsr.constant dense<-0.5> : tensor<16xf32> -> tensor<16xf32>
    %h = tsr.conv %x, %w, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x8x6x6xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> !image
    %sum = tsr.add %residual, %h : (!image, !image) -> !image
    %y = tsr.relu %sum : (!image) -> !image
    return %y : !image
  }
}
