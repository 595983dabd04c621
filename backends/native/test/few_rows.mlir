// For few rows a matrix that is known at run time only is read where it lies: none is packed, whatever its number of
// columns; rows of a transposed one are summed up along vectors, and so are the weights of a convolution to one position.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: func.func private @native_0
// CHECK-NOT: memref.alloc
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func private @native_1
// CHECK-NOT: memref.alloc
// CHECK: vector.load {{.*}} : memref<512512xf32>, vector<16xf32>
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func private @native_2
// CHECK-NOT: memref.alloc
// CHECK: vector.load {{.*}} : memref<512512xf32>, vector<16xf32>
// CHECK-NOT: memref.alloc
func.func @main(%a: tensor<1x512xf32>, %b: tensor<512x1001xf32>, %c: tensor<4x512xf32>, %d: tensor<1001x512xf32>, %e: tensor<2x32x4x4xf32>, %f: tensor<1001x32x4x4xf32>) -> (tensor<1x1001xf32>, tensor<4x1001xf32>, tensor<2x1001x1x1xf32>) {
  %p = tsr.matmul %a, %b : (tensor<1x512xf32>, tensor<512x1001xf32>) -> tensor<1x1001xf32>
  %q = tsr.gemm %c, %d {transB = 1 : i64} : (tensor<4x512xf32>, tensor<1001x512xf32>) -> tensor<4x1001xf32>
  %r = tsr.conv %e, %f : (tensor<2x32x4x4xf32>, tensor<1001x32x4x4xf32>) -> tensor<2x1001x1x1xf32>
  return %p, %q, %r : tensor<1x1001xf32>, tensor<4x1001xf32>, tensor<2x1001x1x1xf32>
}
