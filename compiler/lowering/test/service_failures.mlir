// RUN: tessera-opt %s -tessera-lowering-convert-to-llvm | FileCheck %s

// A service that fails ends the body of a parallel loop, which returns nothing, and the kernel with 1.
// CHECK-LABEL: llvm.func @body(
// CHECK:         %[[MEMORY:.*]] = llvm.call %{{.*}}() : !llvm.ptr, () -> !llvm.ptr
// CHECK:         %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[SHORT:.*]] = llvm.icmp "eq" %[[MEMORY]], %[[NULL]]
// CHECK:         llvm.cond_br %[[SHORT]], ^[[LEAVE:.*]], ^{{.*}}
// CHECK:       ^[[LEAVE]]:
// CHECK-NEXT:    llvm.return
func.func @body(%allocate: !llvm.ptr) {
  %memory = llvm.call %allocate() {tessera.may_fail} : !llvm.ptr, () -> !llvm.ptr
  %zero = arith.constant 0 : i32
  llvm.store %zero, %memory : i32, !llvm.ptr
  return
}

// CHECK-LABEL: llvm.func @kernel(
// CHECK:         %[[CODE:.*]] = llvm.call %{{.*}}() : !llvm.ptr, () -> i32
// CHECK:         %[[FAILED:.*]] = llvm.icmp "ne" %[[CODE]], %{{.*}}
// CHECK:         llvm.cond_br %[[FAILED]], ^[[LEAVE:.*]], ^{{.*}}
// CHECK:       ^[[LEAVE]]:
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK:         llvm.return %[[ONE]]
func.func @kernel(%parallel_for: !llvm.ptr) -> i32 attributes {tessera.kernel} {
  %code = llvm.call %parallel_for() {tessera.may_fail} : !llvm.ptr, () -> i32
  %zero = arith.constant 0 : i32
  return %zero : i32
}
