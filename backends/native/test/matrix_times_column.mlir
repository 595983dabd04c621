// Products with one column are no contraction of panels: nothing is packed, in the run or once for weights, and nothing is
// remarked.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" -o %t.tsr
// RUN: tessera inspect --json %t.tsr | FileCheck %s --check-prefix=JSON
// RUN: tessera compare %s --targets "native -mcpu=x86-64-v3,reference" --input a=random:1 --input b=random:2 --input c=random:3 --input d=random:4 --input e=random:5

// CHECK-NOT: tsr.layout
// CHECK-NOT: memref.alloc
// CHECK: func.func private @native_0
// CHECK-NOT: memref.alloc
// CHECK: func.func private @native_1
// CHECK-NOT: memref.alloc
// CHECK: func.func private @native_2
// CHECK-NOT: memref.alloc
// CHECK: func.func private @native_3
// CHECK-NOT: tsr.layout
// CHECK-NOT: memref.alloc
// JSON: "remarked_flops": 0
func.func @main(%a: tensor<3x37x45xf32> {tessera.name = "a"}, %b: tensor<3x45x1xf32> {tessera.name = "b"}, %c: tensor<1x45x1xf32> {tessera.name = "c"}, %d: tensor<45x29xf32> {tessera.name = "d"}, %e: tensor<45x1xf32> {tessera.name = "e"}) -> (tensor<3x37x1xf32> {tessera.name = "p"}, tensor<3x37x1xf32> {tessera.name = "q"}, tensor<29x1xf32> {tessera.name = "r"}, tensor<3x37x1xf32> {tessera.name = "s"}) {
  %w = tsr.constant dense<0.5> : tensor<45x1xf32> -> tensor<45x1xf32>
  %p = tsr.matmul %a, %b : (tensor<3x37x45xf32>, tensor<3x45x1xf32>) -> tensor<3x37x1xf32>
  %q = tsr.matmul %a, %c : (tensor<3x37x45xf32>, tensor<1x45x1xf32>) -> tensor<3x37x1xf32>
  %r = tsr.gemm %d, %e {transA = 1 : i64} : (tensor<45x29xf32>, tensor<45x1xf32>) -> tensor<29x1xf32>
  %t = tsr.matmul %a, %w : (tensor<3x37x45xf32>, tensor<45x1xf32>) -> tensor<3x37x1xf32>
  %s = tsr.relu %t : (tensor<3x37x1xf32>) -> tensor<3x37x1xf32>
  return %p, %q, %r, %s : tensor<3x37x1xf32>, tensor<3x37x1xf32>, tensor<29x1xf32>, tensor<3x37x1xf32>
}
