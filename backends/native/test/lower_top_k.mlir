// Many: 16 elements at once are compared with the last one kept. Where one may come before it, they become integers that hold
// their positions, of which 8 are sorted at once: a line is not gone through element by element.
// Some tens: what the extremes of 64 parts of a line reach, in each four lanes their share, bounds what passes, 64 bits at once.
// Two lines of 2000 elements stay in the first-level cache, and go through each step together. Lines from memory go one by one, and
// are prefetched while those before them are filtered and put in order.
// A few of lines side by side: vectors of neighbours, in order.
// Places are counted by additions that leave out lanes where the CPU has such: no vector is made of a condition.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.v4.mlir
// RUN: FileCheck %s --input-file %t.v4.mlir --check-prefix MASKED

// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<4x2000xf32>{{.*}} -> (tensor<4x200xf32>
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: scf.for %{{.*}} to %c125{{.*}} step
// CHECK: vector.transfer_read %[[X]]{{.*}} vector<16xf32>
// CHECK: arith.cmpi sle, {{.*}} : vector<16xi32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>
// CHECK: scf.if %[[ANY]]
// CHECK: arith.minsi {{.*}} : vector<8xi64>
// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<4x2000xf32>{{.*}} -> (tensor<4x16xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.for %{{.*}} to %c2{{.*}} -> (tensor<2xf32>)
// CHECK: scf.for %{{.*}} to %c31{{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: vector.shuffle {{.*}} [2, 3, 0, 1, 6, 7, 4, 5]
// CHECK: vector.shuffle {{.*}} [4, 5, 6, 7, 0, 1, 2, 3]
// CHECK-NOT: vector.shuffle
// CHECK: scf.for %{{.*}} to %c2{{.*}} -> (tensor<{{.*}}xi32>, tensor<2xi32>)
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %{{.*}} to %c31{{.*}} -> (tensor<{{.*}}xi32>, index, f32)
// CHECK: vector.transfer_read %[[X]]{{.*}} vector<8xf32>
// CHECK: arith.cmpf uge
// CHECK: vector.bitcast {{.*}} : vector<8xi1> to vector<1xi8>
// CHECK: math.ctpop
// CHECK-COUNT-3: math.cttz
// CHECK-NOT: math.cttz
// CHECK: scf.for
// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<1x64x3136xf32>
// CHECK-NOT: linalg.generic
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (1, 49)
// CHECK: scf.for %{{.*}} to %c8{{.*}} step
// CHECK-COUNT-5: vector.transfer_read %[[X]]{{.*}} vector<8xf32>
// CHECK: scf.for %{{.*}} to %c59
// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<12000x768xf32>
// CHECK: %[[MEMORY:.*]] = bufferization.to_memref %[[X]] read_only
// CHECK: scf.for %{{.*}} to %c1 step{{.*}} -> (tensor<{{.*}}xi32>, tensor<1xi32>)
// CHECK-COUNT-2: memref.prefetch %[[MEMORY]]
// CHECK: math.ctpop
// CHECK: scf.for %{{.*}} to %c1 step{{.*}} -> (tensor<{{.*}}xi32>)
// CHECK: scf.for %{{.*}} to %c1 step{{.*}} -> (tensor<{{.*}}xi32>)
// CHECK-COUNT-8: memref.prefetch %[[MEMORY]]
// MASKED: func.func @kernel_{{.*}}(%{{.*}}: tensor<4x2000xf32>{{.*}} -> (tensor<4x16xf32>
// MASKED: llvm.inline_asm
// MASKED-NOT: llvm.inline_asm
// MASKED-NOT: arith.extsi {{.*}} vector<16xi1>
// MASKED: arith.select {{.*}} vector<16xi32>
func.func @main(%x: tensor<4x2000xf32>, %y: tensor<1x64x3136xf32>, %z: tensor<12000x768xf32>)
    -> (tensor<4x200xf32>, tensor<4x200xi64>, tensor<4x16xf32>, tensor<4x16xi64>, tensor<1x5x3136xf32>, tensor<1x5x3136xi64>,
        tensor<12000x16xf32>, tensor<12000x16xi64>) {
  %many = tsr.constant dense<[200]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %x, %many {axis = 1 : i64} : (tensor<4x2000xf32>, tensor<1xi64>) -> (tensor<4x200xf32>, tensor<4x200xi64>)
  %some = tsr.constant dense<[16]> : tensor<1xi64> -> tensor<1xi64>
  %s:2 = tsr.top_k %x, %some {axis = 1 : i64} : (tensor<4x2000xf32>, tensor<1xi64>) -> (tensor<4x16xf32>, tensor<4x16xi64>)
  %few = tsr.constant dense<[5]> : tensor<1xi64> -> tensor<1xi64>
  %t:2 = tsr.top_k %y, %few {axis = 1 : i64} : (tensor<1x64x3136xf32>, tensor<1xi64>) -> (tensor<1x5x3136xf32>, tensor<1x5x3136xi64>)
  %u:2 = tsr.top_k %z, %some {axis = 1 : i64} : (tensor<12000x768xf32>, tensor<1xi64>) -> (tensor<12000x16xf32>, tensor<12000x16xi64>)
  return %r#0, %r#1, %s#0, %s#1, %t#0, %t#1, %u#0, %u#1 : tensor<4x200xf32>, tensor<4x200xi64>, tensor<4x16xf32>, tensor<4x16xi64>,
      tensor<1x5x3136xf32>, tensor<1x5x3136xi64>, tensor<12000x16xf32>, tensor<12000x16xi64>
}
