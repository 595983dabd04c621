// A network of views gives the values of the reference: parts of an input and of values, parts computed in place at
// places that no vector is aligned to, a concatenation in a concatenation, parts that the model returns.
// REQUIRES: backend-native
// RUN: tessera compile %s --print-after link -o %t.tsr 2>&1 | FileCheck %s
// RUN: tessera compare %s --targets native,reference --input x=random:1

// CHECK-LABEL: func.func @main
// CHECK-NOT: tsr.concat
// CHECK-COUNT-10: tsr.view
// CHECK-NOT: tsr.view
// CHECK: tsr.copy_buffer
// CHECK-NOT: {{tsr.(view|copy_buffer)}}
// CHECK: return
func.func @main(%x: tensor<1x9x5x7xf32> {tessera.name = "x"}) -> (tensor<1x21x5x7xf32> {tessera.name = "all"}, tensor<1x2x5x7xf32> {tessera.name = "part"}, tensor<1x3x5x7xf32> {tessera.name = "end"}) {
  %sizes = tsr.constant dense<[2, 3, 4]> : tensor<3xi64> -> tensor<3xi64>
  %one = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %six = tsr.constant dense<6> : tensor<1xi64> -> tensor<1xi64>
  %nine = tsr.constant dense<9> : tensor<1xi64> -> tensor<1xi64>
  %s:3 = tsr.split %x, %sizes {axis = 1 : i64} : (tensor<1x9x5x7xf32>, tensor<3xi64>) -> (tensor<1x2x5x7xf32>, tensor<1x3x5x7xf32>, tensor<1x4x5x7xf32>)
  %a = tsr.softmax %s#0 : (tensor<1x2x5x7xf32>) -> tensor<1x2x5x7xf32>
  %b = tsr.softmax %s#1 {axis = 1 : i64} : (tensor<1x3x5x7xf32>) -> tensor<1x3x5x7xf32>
  %c = tsr.log_softmax %s#2 : (tensor<1x4x5x7xf32>) -> tensor<1x4x5x7xf32>
  %abc = tsr.concat %c, %a, %b {axis = 1 : i64} : (tensor<1x4x5x7xf32>, tensor<1x2x5x7xf32>, tensor<1x3x5x7xf32>) -> tensor<1x9x5x7xf32>
  %d = tsr.softmax %abc : (tensor<1x9x5x7xf32>) -> tensor<1x9x5x7xf32>
  %e = tsr.slice %d, %six, %nine, %one {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x9x5x7xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3x5x7xf32>
  %f = tsr.log_softmax %e : (tensor<1x3x5x7xf32>) -> tensor<1x3x5x7xf32>
  %all = tsr.concat %f, %abc, %d {axis = 1 : i64} : (tensor<1x3x5x7xf32>, tensor<1x9x5x7xf32>, tensor<1x9x5x7xf32>) -> tensor<1x21x5x7xf32>
  return %all, %s#0, %e : tensor<1x21x5x7xf32>, tensor<1x2x5x7xf32>, tensor<1x3x5x7xf32>
}
