// Two products that meet in a multiplication are two regions, each by the contraction emitter; a region that has plain
// loops although there is a product in it says why.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" -o %t.tsr
// RUN: tessera inspect %t.tsr | FileCheck %s --check-prefix=INSPECT
// RUN: tessera inspect --json %t.tsr | FileCheck %s --check-prefix=JSON
// RUN: tessera compare %s --targets "native -mcpu=x86-64-v3,reference" --input x=random:1 --input v=random:2 --input w=random:3

// CHECK: func.func private @native_0
// CHECK-NOT: tessera.remark
// CHECK: tsr.matmul
// CHECK-NOT: tsr.mul
// CHECK: func.func private @native_1
// CHECK-NOT: tessera.remark
// CHECK: tsr.matmul
// CHECK: tsr.mul
// CHECK: func.func private @native_2
// CHECK-SAME: tessera.remark = "plain loops: matmul has a vector for an operand"

// INSPECT-NOT: remark
// INSPECT: remark native_2 (matmul): plain loops: matmul has a vector for an operand
// INSPECT-NOT: remark
// JSON-COUNT-1: "remark": "plain loops: matmul has a vector for an operand"
func.func @main(%x: tensor<24x40xf32> {tessera.name = "x"}, %v: tensor<40x32xf32> {tessera.name = "v"}, %w: tensor<40x32xf32> {tessera.name = "w"}) -> (tensor<24x32xf32> {tessera.name = "y"}, tensor<24xf32> {tessera.name = "z"}) {
  %column = tsr.constant dense<0.5> : tensor<32xf32> -> tensor<32xf32>
  %a = tsr.matmul %x, %v : (tensor<24x40xf32>, tensor<40x32xf32>) -> tensor<24x32xf32>
  %b = tsr.matmul %x, %w : (tensor<24x40xf32>, tensor<40x32xf32>) -> tensor<24x32xf32>
  %y = tsr.mul %a, %b : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
  %z = tsr.matmul %y, %column : (tensor<24x32xf32>, tensor<32xf32>) -> tensor<24xf32>
  return %y, %z : tensor<24x32xf32>, tensor<24xf32>
}
