// RUN: tessera-opt %s -tessera-lowering-convert-to-llvm | FileCheck %s

// A requirement becomes a branch out of the kernel, after the host was told the node, the text and both numbers.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    , %[[FOUND:[a-z0-9]+]]: i64, %[[EXPECTED:[a-z0-9]+]]: i64) -> i32
// CHECK:         %[[EQUAL:.*]] = llvm.icmp "eq" %[[FOUND]], %[[EXPECTED]]
// CHECK:         llvm.cond_br %[[EQUAL]], ^[[TAKEN:.*]], ^[[REFUSE:.*]]
// CHECK:       ^[[TAKEN]]:
// CHECK:         llvm.store
// CHECK:       ^[[REFUSE]]:
// CHECK-DAG:     %[[NODE:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-DAG:     %[[TEXT:.*]] = llvm.mlir.addressof @[[GLOBAL:.*]] : !llvm.ptr
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[NODE]], %[[TEXT]], %[[FOUND]], %[[EXPECTED]]) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, i64, i64) -> ()
// CHECK:         llvm.return %{{.*}} : i32
// CHECK:       llvm.mlir.global internal constant @[[GLOBAL]]("a size is {0}, expected {1}\00")
// CHECK-NOT:   tessera_require
func.func @kernel(%services: !llvm.ptr, %buffers: !llvm.ptr, %sizes: !llvm.ptr, %found: index, %expected: index) -> i32 attributes {tessera.kernel} {
  %c0_i32 = arith.constant 0 : i32
  %equal = arith.cmpi eq, %found, %expected : index
  call @tessera_require(%equal, %found, %expected) {tessera.node = 2 : i32, tessera.text = "a size is {0}, expected {1}"} : (i1, index, index) -> ()
  llvm.store %c0_i32, %buffers : i32, !llvm.ptr
  return %c0_i32 : i32
}
func.func private @tessera_require(i1, index, index)
