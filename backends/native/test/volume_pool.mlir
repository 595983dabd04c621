// Planes of volumes are combined first, for two depths of results at a time: three additions for two vectors. Windows of three rows
// that move by one are combined in the same loop, which keeps two rows. With AVX-512 rows of up to four vectors have their columns
// combined there, too; columns of what longer ones leave in memory are those of a pool of lines. The planes that the next two depths
// add are prefetched then, into the second level where they would drive those of this one out of the first, and so is where results
// go. What comes from memory is read row by row: two rows more are left.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=lower --emit mlir -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v3" --stop-after=lower --emit mlir -o %t.half.mlir
// RUN: FileCheck %s --input-file %t.half.mlir --check-prefix HALF

// CHECK-LABEL: func.func @kernel_
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.prefetch
// CHECK: scf.forall {{.*}} in (2, 2)
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-8: vector.shuffle
// CHECK: scf.yield

// Vectors of half a line look past the ends of rows in that memory.
// HALF: %[[PLANES:.*]] = memref.alloc() {{.*}} : memref<528xf32>
// HALF: memref.prefetch
// HALF: scf.yield
// HALF: %[[EDGE:.*]] = vector.load %[[PLANES]]
// HALF-NEXT: arith.select {{.*}}, %[[EDGE]]
// HALF-NOT: vector.shuffle

// CHECK-LABEL: func.func @kernel_
// CHECK: scf.forall {{.*}} in (64, 16, 8)
// CHECK: memref.alloc() {{.*}} : memref<2592xf32>
// CHECK-NOT: iter_args

// CHECK-LABEL: func.func @kernel_
// CHECK: memref.alloc() {{.*}} : memref<2592xf32>
// CHECK: memref.prefetch {{.*}}, read, locality<2>, data
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.prefetch {{.*}}, write, locality<3>, data
func.func @main(%x: tensor<1x2x6x16x16xf32>, %y: tensor<1x64x32x64x128xf32>, %z: tensor<1x2x4x32x80xf32>)
    -> (tensor<1x2x4x16x16xf32>, tensor<1x64x32x64x128xf32>, tensor<1x2x4x32x80xf32>) {
  %0 = tsr.average_pool %x {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 0, 1, 1, 0, 1, 1>} : (tensor<1x2x6x16x16xf32>) -> tensor<1x2x4x16x16xf32>
  %1 = tsr.average_pool %y {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x64x32x64x128xf32>) -> tensor<1x64x32x64x128xf32>
  %2 = tsr.max_pool %z {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x2x4x32x80xf32>) -> tensor<1x2x4x32x80xf32>
  return %0, %1, %2 : tensor<1x2x4x16x16xf32>, tensor<1x64x32x64x128xf32>, tensor<1x2x4x32x80xf32>
}
