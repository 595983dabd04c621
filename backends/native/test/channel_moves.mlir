// A shuffle of channels, and a concatenation that cuts blocks anew, work on blocks: nothing is converted between convolutions.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: tsr.relayout
// CHECK-NOT: tsr.relayout
// CHECK-NOT: tsr.transpose
// CHECK: tsr.gather {{.*}}blockDims = [1]
// CHECK-NOT: tsr.relayout
// CHECK: tsr.concat {{.*}}blockDims = [1]
// CHECK-NOT: tsr.relayout
// CHECK: tsr.conv {{.*}}tensor<1x48x8x8xf32
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<1x24x8x8xf32> {tessera.name = "x"}) -> (tensor<1x16xf32> {tessera.name = "y"}) {
    %w = tsr.constant dense<0.5> : tensor<24x24x1x1xf32> -> tensor<24x24x1x1xf32>
    %v = tsr.constant dense<0.5> : tensor<16x48x8x8xf32> -> tensor<16x48x8x8xf32>
    %split = tsr.constant dense<[1, 4, 6, 8, 8]> : tensor<5xi64> -> tensor<5xi64>
    %join = tsr.constant dense<[1, 24, 8, 8]> : tensor<4xi64> -> tensor<4xi64>
    %flat = tsr.constant dense<[1, 16]> : tensor<2xi64> -> tensor<2xi64>
    %p = tsr.conv %x, %w : (tensor<1x24x8x8xf32>, tensor<24x24x1x1xf32>) -> tensor<1x24x8x8xf32>
    %a = tsr.reshape %p, %split : (tensor<1x24x8x8xf32>, tensor<5xi64>) -> tensor<1x4x6x8x8xf32>
    %b = tsr.transpose %a {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x4x6x8x8xf32>) -> tensor<1x6x4x8x8xf32>
    %c = tsr.reshape %b, %join : (tensor<1x6x4x8x8xf32>, tensor<4xi64>) -> tensor<1x24x8x8xf32>
    %q = tsr.conv %c, %w : (tensor<1x24x8x8xf32>, tensor<24x24x1x1xf32>) -> tensor<1x24x8x8xf32>
    %j = tsr.concat %p, %q {axis = 1 : i64} : (tensor<1x24x8x8xf32>, tensor<1x24x8x8xf32>) -> tensor<1x48x8x8xf32>
    %z = tsr.conv %j, %v : (tensor<1x48x8x8xf32>, tensor<16x48x8x8xf32>) -> tensor<1x16x1x1xf32>
    %y = tsr.reshape %z, %flat : (tensor<1x16x1x1xf32>, tensor<2xi64>) -> tensor<1x16xf32>
    return %y : tensor<1x16xf32>
  }
}
