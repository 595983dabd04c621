// Extremes along long lines, or of lines side by side, are found in two passes of one result each, which become vectors:
// the extreme, then the first position of it.
// RUN: tessera compile %s --targets native --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK: func.func @kernel_{{.*}}(%[[X:.*]]: tensor<4x1000xf32>{{.*}}) -> tensor<4xi64>
// CHECK: %[[GREATEST:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]] : tensor<4x1000xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[GREATEST]] : tensor<4x1000xf32>, tensor<4xf32>)
// CHECK: arith.minsi {{.*}} : i32
// CHECK: linalg.generic
// CHECK: arith.extsi
// CHECK: func.func @kernel_{{.*}}(%[[Y:.*]]: tensor<21x40xf32>{{.*}}) -> tensor<40xi64>
// CHECK: %[[GREATEST:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<21x40xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[GREATEST]] : tensor<21x40xf32>, tensor<40xf32>)
// CHECK: arith.minsi {{.*}} : i32
// Those of short lines in one pass.
// CHECK: func.func @kernel_{{.*}}: tensor<1000x4xf32>
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs({{.*}} : tensor<1000xf32>, tensor<1000xi64>)
func.func @main(%x: tensor<4x1000xf32>, %y: tensor<21x40xf32>, %z: tensor<1000x4xf32>)
    -> (tensor<4xi64>, tensor<40xi64>, tensor<1000xi64>) {
  %a = tsr.argmax %x {axis = 1 : i64, keepdims = 0 : i64} : (tensor<4x1000xf32>) -> tensor<4xi64>
  %b = tsr.argmax %y {axis = 0 : i64, keepdims = 0 : i64} : (tensor<21x40xf32>) -> tensor<40xi64>
  %c = tsr.argmax %z {axis = 1 : i64, keepdims = 0 : i64} : (tensor<1000x4xf32>) -> tensor<1000xi64>
  return %a, %b, %c : tensor<4xi64>, tensor<40xi64>, tensor<1000xi64>
}
