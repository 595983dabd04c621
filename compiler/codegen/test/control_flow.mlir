// What chooses at run time has no place in an artifact yet, and the message says who evaluates it.
// REQUIRES: backend-native
// RUN: not tessera compile %s -o %t.tsr 2>&1 | FileCheck %s

// CHECK: error: {{.*}}if chooses or repeats at run time, which no target takes; --targets reference evaluates it
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tsr.if %c : (tensor<i1>) -> tensor<4xf32> {
    tsr.yield %x : tensor<4xf32>
  } else {
    %1 = tsr.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    tsr.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
