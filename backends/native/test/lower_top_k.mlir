// 16 elements at once are compared with the last one kept. Where one may come before it, they become integers that hold
// their positions, of which 8 are sorted at once: a line is not gone through element by element.
// RUN: tessera compile %s --targets native --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<4x2000xf32>
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: scf.for %{{.*}} to %c125{{.*}} step
// CHECK: vector.transfer_read %[[X]]{{.*}} vector<16xf32>
// CHECK: arith.cmpi sle, {{.*}} : vector<16xi32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>
// CHECK: scf.if %[[ANY]]
// CHECK: arith.minsi {{.*}} : vector<8xi64>
func.func @main(%x: tensor<4x2000xf32>) -> (tensor<4x100xf32>, tensor<4x100xi64>) {
  %k = tsr.constant dense<[100]> : tensor<1xi64> -> tensor<1xi64>
  %r:2 = tsr.top_k %x, %k {axis = 1 : i64} : (tensor<4x2000xf32>, tensor<1xi64>) -> (tensor<4x100xf32>, tensor<4x100xi64>)
  return %r#0, %r#1 : tensor<4x100xf32>, tensor<4x100xi64>
}
