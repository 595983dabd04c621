// Joined images may differ in number where that is open: a call with other numbers is refused.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: tsr.concat {{.*}}blockDims = [1]
// CHECK: "dimension 0 of operand 1 is {0}, expected {1}"
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<?x16x6x7xf32> {tessera.name = "x"}, %z: tensor<?x16x6x7xf32> {tessera.name = "z"}) -> (tensor<?x16x6x7xf32> {tessera.name = "y"}) {
    %a = tsr.constant dense<0.5> : tensor<24x16x1x1xf32> -> tensor<24x16x1x1xf32>
    %b = tsr.constant dense<0.25> : tensor<20x16x1x1xf32> -> tensor<20x16x1x1xf32>
    %w = tsr.constant dense<0.125> : tensor<16x44x1x1xf32> -> tensor<16x44x1x1xf32>
    %p = tsr.conv %x, %a : (tensor<?x16x6x7xf32>, tensor<24x16x1x1xf32>) -> tensor<?x24x6x7xf32>
    %q = tsr.conv %z, %b : (tensor<?x16x6x7xf32>, tensor<20x16x1x1xf32>) -> tensor<?x20x6x7xf32>
    %s = tsr.concat %p, %q {axis = 1 : i64} : (tensor<?x24x6x7xf32>, tensor<?x20x6x7xf32>) -> tensor<?x44x6x7xf32>
    %y = tsr.conv %s, %w : (tensor<?x44x6x7xf32>, tensor<16x44x1x1xf32>) -> tensor<?x16x6x7xf32>
    return %y : tensor<?x16x6x7xf32>
  }
}
