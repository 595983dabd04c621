// Sums of rows of neighbours go on in registers, in pieces of 256 elements with AVX-512. Of what is in no cache pieces have 384, and
// those of rows ahead are prefetched.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func @kernel_
// CHECK-SAME:  tensor<64x768xf32>
// CHECK:       scf.forall (%{{.*}}, %{{.*}}) in (1, 4)
// CHECK-NOT:   memref.prefetch
// CHECK-LABEL: func.func @kernel_
// CHECK-SAME:  tensor<18432x768xf32>
// CHECK:       scf.forall (%{{.*}}, %{{.*}}) in (1, 2)
// CHECK-COUNT-24: memref.prefetch
// CHECK-NOT:   memref.prefetch
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<64x768xf32> {tessera.name = "x"}, %y: tensor<18432x768xf32> {tessera.name = "y"})
      -> (tensor<64x768xf32> {tessera.name = "sx"}, tensor<18432x768xf32> {tessera.name = "sy"}) {
    %axis = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
    %sx = tsr.cumsum %x, %axis : (tensor<64x768xf32>, tensor<i64>) -> tensor<64x768xf32>
    %sy = tsr.cumsum %y, %axis : (tensor<18432x768xf32>, tensor<i64>) -> tensor<18432x768xf32>
    return %sx, %sy : tensor<64x768xf32>, tensor<18432x768xf32>
  }
}
