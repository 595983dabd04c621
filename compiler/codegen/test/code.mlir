// What code says of itself is checked.
// RUN: not tessera-opt %s 2>&1 | FileCheck %s

// CHECK: error: 'tsr.code' op (C2) abi 0 is less than 1
tsr.code @old for <"native"> abi 0 = <"0123456789abcdef0123456789abcdef">
