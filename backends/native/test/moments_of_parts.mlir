// The moments of a large group are joined from those of its channels, each summed up in one pass; those of planes of
// 2048 elements are not cut.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: module @kernel_
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT:     "reduction"
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<2x6x32x64xf32> {tessera.name = "x"}) -> (tensor<2x6x32x64xf32> {tessera.name = "y"}) {
    %a = tsr.constant dense<0.5> : tensor<6xf32> -> tensor<6xf32>
    %y = tsr.group_norm %x, %a, %a {num_groups = 2 : i64} : (tensor<2x6x32x64xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x32x64xf32>
    return %y : tensor<2x6x32x64xf32>
  }
}
