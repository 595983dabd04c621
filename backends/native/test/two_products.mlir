// Two products that meet in a multiplication are two regions, each by the contraction emitter; a region that has plain
// loops although there is a product in it says why.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" -o %t.tsr
// RUN: tessera inspect %t.tsr | FileCheck %s --check-prefix=INSPECT
// RUN: tessera inspect --json %t.tsr | FileCheck %s --check-prefix=JSON
// RUN: tessera compare %s --targets "native -mcpu=x86-64-v3,reference" --input x=random:1 --input v=random:2 --input w=random:3 --input d=random:4 --input e=random:5

// CHECK: func.func private @native_0
// CHECK-NOT: tessera.remark
// CHECK: tsr.matmul
// CHECK-NOT: tsr.mul
// CHECK: func.func private @native_1
// CHECK-NOT: tessera.remark
// CHECK: tsr.matmul
// CHECK: tsr.mul
// CHECK: func.func private @native_2
// CHECK-SAME: tessera.remark = "plain loops: the region's result is not f32"

// INSPECT: work 0.19 MFLOP, 0.06 of them in regions with a remark
// INSPECT-NOT: remark
// INSPECT: remark native_2 (matmul): plain loops: the region's result is not f32
// INSPECT-NOT: remark
// JSON-COUNT-1: "remark": "plain loops: the region's result is not f32"
func.func @main(%x: tensor<24x40xf32> {tessera.name = "x"}, %v: tensor<40x32xf32> {tessera.name = "v"}, %w: tensor<40x32xf32> {tessera.name = "w"}, %d: tensor<24x40xf64> {tessera.name = "d"}, %e: tensor<40x32xf64> {tessera.name = "e"}) -> (tensor<24x32xf32> {tessera.name = "y"}, tensor<24x32xf64> {tessera.name = "z"}) {
  %a = tsr.matmul %x, %v : (tensor<24x40xf32>, tensor<40x32xf32>) -> tensor<24x32xf32>
  %b = tsr.matmul %x, %w : (tensor<24x40xf32>, tensor<40x32xf32>) -> tensor<24x32xf32>
  %y = tsr.mul %a, %b : (tensor<24x32xf32>, tensor<24x32xf32>) -> tensor<24x32xf32>
  %z = tsr.matmul %d, %e : (tensor<24x40xf64>, tensor<40x32xf64>) -> tensor<24x32xf64>
  return %y, %z : tensor<24x32xf32>, tensor<24x32xf64>
}
