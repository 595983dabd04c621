// A module that was placed by what this compiler does not have is refused.
// REQUIRES: backend-native
// RUN: not tessera compile %s -o %t.tsr 2>&1 | FileCheck %s
// RUN: not test -e %t.tsr

// CHECK: unknown placement 'annealed', expected greedy
module attributes {tessera.placement = "annealed"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
