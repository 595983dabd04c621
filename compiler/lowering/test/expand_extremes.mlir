// RUN: tessera-opt %s -pass-pipeline='builtin.module(tessera-lowering-convert-to-llvm)' | FileCheck %s

// What there is so far stays where it is NaN; a NaN of the next element is all ones.
// CHECK-LABEL: llvm.func @maximum(
// CHECK-SAME:    %[[BEFORE:.*]]: vector<16xf32>, %[[NEXT:.*]]: vector<16xf32>)
// CHECK-DAG:     %[[NAN:.*]] = llvm.mlir.constant(dense<0xFFFFFFFF>
// CHECK:         %[[REPLACES:.*]] = llvm.fcmp "ogt" %[[NEXT]], %[[BEFORE]]
// CHECK:         %[[EXTREME:.*]] = llvm.select %[[REPLACES]], %[[NEXT]], %[[BEFORE]]
// CHECK:         %[[IS_NAN:.*]] = llvm.fcmp "uno" %[[NEXT]], %[[NEXT]]
// CHECK:         llvm.select %[[IS_NAN]], %[[NAN]], %[[EXTREME]]
func.func @maximum(%before: vector<16xf32>, %next: vector<16xf32>) -> vector<16xf32> {
  %0 = arith.maximumf %before, %next : vector<16xf32>
  return %0 : vector<16xf32>
}

// Of a constant nothing is asked, on whichever side it is.
// CHECK-LABEL: llvm.func @with_zero(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0.0
// CHECK:         %[[REPLACES:.*]] = llvm.fcmp "olt" %[[ZERO]], %[[X]]
// CHECK:         llvm.select %[[REPLACES]], %[[ZERO]], %[[X]]
// CHECK-NOT:     uno
// CHECK:         llvm.return
func.func @with_zero(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %0 = arith.minimumf %zero, %x : f32
  return %0 : f32
}

// Nor where no element is NaN.
// CHECK-LABEL: llvm.func @without_nan(
// CHECK-SAME:    %[[BEFORE:.*]]: vector<16xf32>, %[[NEXT:.*]]: vector<16xf32>)
// CHECK:         %[[REPLACES:.*]] = llvm.fcmp "ogt" %[[NEXT]], %[[BEFORE]]
// CHECK:         llvm.select %[[REPLACES]], %[[NEXT]], %[[BEFORE]]
// CHECK-NOT:     uno
// CHECK:         llvm.return
func.func @without_nan(%before: vector<16xf32>, %next: vector<16xf32>) -> f32 {
  %0 = arith.maximumf %before, %next fastmath<nnan> : vector<16xf32>
  %1 = vector.reduction <maximumf>, %0 fastmath<nnan> : vector<16xf32> into f32
  return %1 : f32
}

// Lanes by halves: LLVM takes them one by one.
// CHECK-LABEL: llvm.func @lanes
// CHECK-NOT:     reduce
// CHECK-COUNT-3: fcmp "uno"
// CHECK-NOT:     reduce
// CHECK:         llvm.return
func.func @lanes(%x: vector<8xf32>) -> f32 {
  %0 = vector.reduction <maximumf>, %x : vector<8xf32> into f32
  return %0 : f32
}
