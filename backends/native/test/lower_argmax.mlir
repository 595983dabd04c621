// Best elements and their positions, lane by lane, go along together: once without asking for NaN, and again where there is one.
// Lanes are parts of a long line, or lines side by side, of which a task has a piece that stays in the first-level cache.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<40x1000xf32>{{.*}}) -> tensor<40xi64>
// CHECK: scf.forall (%{{.*}}) in (40)
// 15 pairs of 32 elements, whose two vectors are compared with each other first and asked for NaN together, and one more.
// CHECK: %[[PAIRS:.*]] = llvm.inline_asm {{.*}} (i64) -> i64
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>, vector<16xf32>, vector<16xi32>, vector<16xf32>)
// CHECK: %[[FIRST:.*]] = vector.transfer_read %[[X]]
// CHECK: %[[SECOND:.*]] = vector.transfer_read %[[X]]
// CHECK: arith.cmpf ogt, %[[SECOND]], %[[FIRST]]
// CHECK: arith.cmpf uno, %[[FIRST]], %[[SECOND]]
// CHECK-COUNT-2: vector.transfer_read %[[X]]
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>, vector<16xf32>, vector<16xi32>, vector<16xf32>)
// CHECK-COUNT-2: vector.transfer_read %[[X]]
// CHECK: vector.reduction <maximumf>, %{{.*}} fastmath<nnan>
// CHECK: vector.reduction <minsi>
// CHECK: %[[HAS_NAN:.*]] = vector.reduction <or>
// CHECK: scf.if %[[HAS_NAN]]
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>, vector<16xf32>, vector<16xi32>)
// CHECK: arith.cmpf ugt
// CHECK-NOT: fastmath<nnan>
// CHECK: vector.reduction <maximumf>
// CHECK: func.func @kernel_{{.*}}(%[[Y:.*]]: tensor<2x21x1024xf32>{{.*}}) -> tensor<2x1024xi64>
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (2, 4)
// The first 5 steps, then twice 8.
// CHECK: scf.for {{.*}} -> (tensor<256xf32>, tensor<256xi32>, vector<16xf32>)
// CHECK-COUNT-5: vector.transfer_read %[[Y]]
// CHECK-NOT: vector.transfer_read %[[Y]]
// CHECK: scf.for {{.*}} to %c2{{.*}} -> (tensor<256xf32>, tensor<256xi32>, vector<16xf32>)
// CHECK-COUNT-8: vector.transfer_read %[[Y]]
// CHECK-NOT: vector.transfer_read %[[Y]]
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (tensor<256xf32>, tensor<256xi32>)
// Those of short lines element by element.
// CHECK: func.func @kernel_{{.*}}: tensor<1000x4xf32>
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs({{.*}} : tensor<1000xf32>, tensor<1000xi64>)
func.func @main(%x: tensor<40x1000xf32>, %y: tensor<2x21x1024xf32>, %z: tensor<1000x4xf32>)
    -> (tensor<40xi64>, tensor<2x1024xi64>, tensor<1000xi64>) {
  %a = tsr.argmax %x {axis = 1 : i64, keepdims = 0 : i64} : (tensor<40x1000xf32>) -> tensor<40xi64>
  %b = tsr.argmax %y {axis = 1 : i64, keepdims = 0 : i64} : (tensor<2x21x1024xf32>) -> tensor<2x1024xi64>
  %c = tsr.argmax %z {axis = 1 : i64, keepdims = 0 : i64} : (tensor<1000x4xf32>) -> tensor<1000xi64>
  return %a, %b, %c : tensor<40xi64>, tensor<2x1024xi64>, tensor<1000xi64>
}
