// What looks like attention and is not, or not for one kernel: scores that others read, a softmax over queries, constant
// keys, scores whose rows are reshaped, batches that have no common parts.
// RUN: tessera partition %s --targets "native -mcpu=x86-64-v3" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @main
// CHECK-NOT: native.attention
!m = tensor<2x8x8xf32>
!batch = tensor<6x4x5x8xf32>
!scores = tensor<6x4x5x5xf32>
!turned = tensor<4x6x5x5xf32>
func.func @main(%q: !m, %k: !m, %v: !m, %q4: !batch, %k4: tensor<6x4x8x5xf32>, %v4: !batch, %mask: tensor<4x1x5x5xf32>) -> (!m, !m, !m, !m, !m, !batch) {
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

  %s3 = tsr.matmul %q, %v : (!m, !m) -> !m
  %to_rows = tsr.constant dense<[2, 4, 16]> : tensor<3xi64> -> tensor<3xi64>
  %rows = tsr.reshape %s3, %to_rows : (!m, tensor<3xi64>) -> tensor<2x4x16xf32>
  %p3 = tsr.softmax %rows : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %from_rows = tsr.constant dense<[2, 8, 8]> : tensor<3xi64> -> tensor<3xi64>
  %w3 = tsr.reshape %p3, %from_rows : (tensor<2x4x16xf32>, tensor<3xi64>) -> !m
  %y3 = tsr.matmul %w3, %k : (!m, !m) -> !m

  %s4 = tsr.matmul %q4, %k4 : (!batch, tensor<6x4x8x5xf32>) -> !scores
  %to_turned = tsr.constant dense<[4, 6, 5, 5]> : tensor<4xi64> -> tensor<4xi64>
  %turned = tsr.reshape %s4, %to_turned : (!scores, tensor<4xi64>) -> !turned
  %masked = tsr.add %turned, %mask : (!turned, tensor<4x1x5x5xf32>) -> !turned
  %from_turned = tsr.constant dense<[6, 4, 5, 5]> : tensor<4xi64> -> tensor<4xi64>
  %6 = tsr.reshape %masked, %from_turned : (!turned, tensor<4xi64>) -> !scores
  %p4 = tsr.softmax %6 : (!scores) -> !scores
  %y4 = tsr.matmul %p4, %v4 : (!scores, !batch) -> !batch
  return %y0, %y1, %y2, %seen, %y3, %y4 : !m, !m, !m, !m, !m, !batch
}
