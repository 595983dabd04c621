// RUN: tessera-opt %s -tessera-simplify-unify-reshapes -tessera-simplify-remove-dead-code -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @chain
// CHECK: [[S:%.*]] = tsr.constant dense<[2, 12]>
// CHECK-NEXT: [[Y:%.*]] = tsr.reshape %arg0, [[S]] : {{.*}} -> tensor<2x12xf32> loc(fused["a", "b", "c"])
// CHECK-NEXT: return [[Y]]
func.func @chain(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.unsqueeze %x, %axes : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x1x3x4xf32> loc("a")
  %b = tsr.squeeze %a, %axes : (tensor<2x1x3x4xf32>, tensor<1xi64>) -> tensor<2x3x4xf32> loc("b")
  %c = tsr.flatten %b {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x12xf32> loc("c")
  return %c : tensor<2x12xf32>
}

// CHECK-LABEL: func @one_dynamic_size
// CHECK: tsr.constant dense<[-1, 12]>
// CHECK: tsr.reshape
func.func @one_dynamic_size(%x: tensor<?x3x4xf32>) -> tensor<?x12xf32> {
  %y = tsr.flatten %x {axis = 1 : i64} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

// Must not fire: two sizes are not known.
// CHECK-LABEL: func @two_dynamic_sizes
// CHECK: tsr.unsqueeze
func.func @two_dynamic_sizes(%x: tensor<?x?xf32>) -> tensor<?x1x?xf32> {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %y = tsr.unsqueeze %x, %axes : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?x1x?xf32>
  return %y : tensor<?x1x?xf32>
}

// Must not fire: the shape at run time may not fit, the squeezed size may not be 1, and without axes
// a size may be 1 after all.
// CHECK-LABEL: func @may_be_refused
// CHECK: tsr.reshape %arg0, %arg2
// CHECK: tsr.squeeze %arg1
// CHECK: tsr.squeeze %arg3
func.func @may_be_refused(%x: tensor<?x10xf32>, %y: tensor<?x?xf32>, %s: tensor<2xi64>, %z: tensor<?x1xf32>) -> (tensor<?x5xf32>, tensor<?xf32>, tensor<?xf32>) {
  %axes = tsr.constant dense<0> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.reshape %x, %s : (tensor<?x10xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  %b = tsr.squeeze %y, %axes : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %c = tsr.squeeze %z : (tensor<?x1xf32>) -> tensor<?xf32>
  return %a, %b, %c : tensor<?x5xf32>, tensor<?xf32>, tensor<?xf32>
}

// Must not fire: 7 elements do not make rows of 5, but a vector.
// CHECK-LABEL: func @may_not_divide
// CHECK-COUNT-2: tsr.reshape
func.func @may_not_divide(%x: tensor<?xf32>) -> tensor<?xf32> {
  %rows = tsr.constant dense<[-1, 5]> : tensor<2xi64> -> tensor<2xi64>
  %flat = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.reshape %x, %rows : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  %b = tsr.reshape %a, %flat : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// Names tell that the sizes fit.
// CHECK-LABEL: func @named_sizes
// CHECK: tsr.constant dense<[-1, 12]>
// CHECK-NOT: tsr.reshape {{.*}} %arg1
func.func @named_sizes(%x: tensor<?x3x4xf32, #tsr.layout<dims = ["n", "", ""]>>, %s: tensor<2xi64>) -> tensor<?x12xf32, #tsr.layout<dims = ["n", ""]>> {
  %y = tsr.reshape %x, %s : (tensor<?x3x4xf32, #tsr.layout<dims = ["n", "", ""]>>, tensor<2xi64>) -> tensor<?x12xf32, #tsr.layout<dims = ["n", ""]>>
  return %y : tensor<?x12xf32, #tsr.layout<dims = ["n", ""]>>
}

// Several open sizes that are those of the operand at the same places are copied: the shape is a constant.
// CHECK-LABEL: func @copied_sizes
// CHECK: [[SHAPE:%.*]] = tsr.constant dense<[0, 0, 4, 2]>
// CHECK: tsr.reshape %arg0, [[SHAPE]]
!in = tensor<?x?x8xf32, #tsr.layout<dims = ["n", "s", ""]>>
!out = tensor<?x?x4x2xf32, #tsr.layout<dims = ["n", "s", "", ""]>>
func.func @copied_sizes(%x: !in, %shape: tensor<4xi64>) -> !out {
  %y = tsr.reshape %x, %shape : (!in, tensor<4xi64>) -> !out
  return %y : !out
}

// Must not fire: the second size is not known to be the operand's.
// CHECK-LABEL: func @other_size
// CHECK: tsr.reshape %arg0, %arg1
!other = tensor<?x?x4x2xf32, #tsr.layout<dims = ["n", "t", "", ""]>>
func.func @other_size(%x: !in, %shape: tensor<4xi64>) -> !other {
  %y = tsr.reshape %x, %shape : (!in, tensor<4xi64>) -> !other
  return %y : !other
}

// Must not fire: the first size may be 0, beside which -1 for the last one would tell nothing.
// CHECK-LABEL: func @size_beside_an_empty_one
// CHECK: tsr.unsqueeze
!flat = tensor<?x?xf32, #tsr.layout<dims = ["n", "s"]>>
!wide = tensor<?x1x?xf32, #tsr.layout<dims = ["n", "", "s"]>>
func.func @size_beside_an_empty_one(%x: !flat) -> !wide {
  %axes = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
  %y = tsr.unsqueeze %x, %axes : (!flat, tensor<1xi64>) -> !wide
  return %y : !wide
}
