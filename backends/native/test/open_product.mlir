// Products of matrices of open sizes are computed by the micro-kernel, with what follows in their regions; sizes that do not fit are refused when the kernel runs.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --implicit-check-not "plain loops" --implicit-check-not linalg.generic

// CHECK: tsr.matmul
// CHECK-NEXT: tsr.relu
// CHECK-NEXT: return
// CHECK: the number of rows of operand 1 is {0}, expected {1}
// CHECK: scf.forall
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<12288xf32>
// CHECK: vector.fma
// CHECK: vector.maskedstore

// CHECK: tsr.gemm
// CHECK-NEXT: return
// CHECK: vector.fma
!a = tensor<?x?xf32, #tsr.layout<dims = ["m", "k"]>>
!b = tensor<?x?xf32, #tsr.layout<dims = ["k", "n"]>>
!c = tensor<?x?xf32, #tsr.layout<dims = ["m", "n"]>>
!d = tensor<?x?xf32, #tsr.layout<dims = ["n", "n"]>>
module attributes {tessera.phase = "import"} {
  func.func @main(%a: !a {tessera.name = "a"}, %b: !b {tessera.name = "b"}) -> (!d {tessera.name = "d"}) {
    %0 = tsr.matmul %a, %b : (!a, !b) -> !c
    %1 = tsr.relu %0 : (!c) -> !c
    %2 = tsr.gemm %1, %1 {transA = 1 : i64} : (!c, !c) -> !d
    return %2 : !d
  }
}
