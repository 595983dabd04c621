!rows = tensor<5x48xf32>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<5x24xf32> {tessera.name = "x"}) -> (!rows {tessera.name = "y"}) {
    %w = tsr.constant dense<0.125> : tensor<24x48xf32> -> tensor<24x48xf32>
    %b = tsr.constant dense<-0.5> : tensor<48xf32> -> tensor<48xf32>
    %h = tsr.matmul %x, %w : (tensor<5x24xf32>, tensor<24x48xf32>) -> !rows
    %sum = tsr.add %h, %b : (!rows, tensor<48xf32>) -> !rows
    %y = tsr.gelu %sum {approximate = "tanh"} : (!rows) -> !rows
    return %y : !rows
  }
}
