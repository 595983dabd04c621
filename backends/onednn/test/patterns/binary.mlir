!rows = tensor<5x48xf32>
module attributes {tessera.phase = "import"} {
  func.func @main(%a: !rows {tessera.name = "a"}, %b: !rows {tessera.name = "b"}) -> (!rows {tessera.name = "y"}) {
    %h = tsr.sub %a, %b : (!rows, !rows) -> !rows
    %y = tsr.sigmoid %h : (!rows) -> !rows
    return %y : !rows
  }
}
