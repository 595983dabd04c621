// Sums of rows of neighbours go on in registers, in pieces of up to 256 elements with AVX-512, of up to 384 of what is in no cache,
// where those of rows ahead are prefetched, line by line. Of f64 pieces are half as long.
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
// CHECK-LABEL: func.func @kernel_
// CHECK-SAME:  tensor<9216x768xf64>
// CHECK:       scf.forall (%{{.*}}, %{{.*}}) in (1, 4)
// CHECK-COUNT-24: memref.prefetch
// CHECK-NOT:   memref.prefetch
module attributes {tessera.phase = "import"} {
  func.func @main(%x: tensor<64x768xf32> {tessera.name = "x"}, %y: tensor<18432x768xf32> {tessera.name = "y"},
                  %z: tensor<9216x768xf64> {tessera.name = "z"})
      -> (tensor<64x768xf32> {tessera.name = "sx"}, tensor<18432x768xf32> {tessera.name = "sy"}, tensor<9216x768xf64> {tessera.name = "sz"}) {
    %axis = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
    %sx = tsr.cumsum %x, %axis : (tensor<64x768xf32>, tensor<i64>) -> tensor<64x768xf32>
    %sy = tsr.cumsum %y, %axis : (tensor<18432x768xf32>, tensor<i64>) -> tensor<18432x768xf32>
    %sz = tsr.cumsum %z, %axis : (tensor<9216x768xf64>, tensor<i64>) -> tensor<9216x768xf64>
    return %sx, %sy, %sz : tensor<64x768xf32>, tensor<18432x768xf32>, tensor<9216x768xf64>
  }
}
