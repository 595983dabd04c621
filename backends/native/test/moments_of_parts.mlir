// The moments of a large group are joined from those of its channels, each summed up in one pass; those of planes of
// 2048 elements are not cut. Planes of 6144 elements are summed up in two parts each, and one block of channels in eight.
// Planes of an open number of images are parts of their channels.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: module @kernel_
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT:     "reduction"
// CHECK-LABEL: module @kernel_
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]{{.*}} ins(%{{.*}} : tensor<1x2x2x48x64xf32>
// CHECK-LABEL: module @kernel_
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]{{.*}} ins(%{{.*}} : tensor<1x1x8x4x32x16xf32>
// CHECK-LABEL: module @kernel_
// CHECK:         iterator_types = ["parallel", "parallel", "reduction", "reduction"]{{.*}} ins(%{{.*}} : tensor<?x6x48x64xf32>
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<2x6x32x64xf32> {tessera.name = "x"}, %planes: tensor<1x2x96x64xf32> {tessera.name = "planes"},
                  %block: tensor<1x16x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>> {tessera.name = "block"}, %open: tensor<?x6x48x64xf32> {tessera.name = "open"})
      -> (tensor<2x6x32x64xf32> {tessera.name = "y"}, tensor<1x2x96x64xf32> {tessera.name = "z"}, tensor<1x16x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>> {tessera.name = "w"}, tensor<?x6x48x64xf32> {tessera.name = "v"}) {
    %a = tsr.constant dense<0.5> : tensor<6xf32> -> tensor<6xf32>
    %y = tsr.group_norm %x, %a, %a {num_groups = 2 : i64} : (tensor<2x6x32x64xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x32x64xf32>
    %b = tsr.constant dense<0.5> : tensor<2xf32> -> tensor<2xf32>
    %z = tsr.instance_norm %planes, %b, %b : (tensor<1x2x96x64xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x96x64xf32>
    %c = tsr.constant dense<0.5> : tensor<16xf32> -> tensor<16xf32>
    %w = tsr.instance_norm %block, %c, %c : (tensor<1x16x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    %v = tsr.mean_variance_norm %open {axes = array<i64: 0, 2, 3>} : (tensor<?x6x48x64xf32>) -> tensor<?x6x48x64xf32>
    return %y, %z, %w, %v : tensor<2x6x32x64xf32>, tensor<1x2x96x64xf32>, tensor<1x16x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>, tensor<?x6x48x64xf32>
  }
}
