// What looks like attention and is not, or not for one kernel: scores that others read, a softmax over queries, constant
// keys.
// RUN: tessera partition %s --targets "native -mcpu=x86-64-v3" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @main
// CHECK-NOT: native.attention
!m = tensor<2x8x8xf32>
func.func @main(%q: !m, %k: !m, %v: !m) -> (!m, !m, !m, !m) {
  %seen = tsr.matmul %q, %k : (!m, !m) -> !m
  %p0 = tsr.softmax %seen : (!m) -> !m
  %y0 = tsr.matmul %p0, %v : (!m, !m) -> !m

  %s1 = tsr.matmul %k, %q : (!m, !m) -> !m
  %p1 = tsr.softmax %s1 {axis = 1 : i64} : (!m) -> !m
  %y1 = tsr.matmul %p1, %v : (!m, !m) -> !m

  %c = tsr.constant dense<0.5> : !m -> !m
  %s2 = tsr.matmul %v, %c : (!m, !m) -> !m
  %p2 = tsr.softmax %s2 : (!m) -> !m
  %y2 = tsr.matmul %p2, %q : (!m, !m) -> !m
  return %y0, %y1, %y2, %seen : !m, !m, !m, !m
}
