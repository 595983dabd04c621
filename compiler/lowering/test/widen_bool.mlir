// RUN: tessera-opt %s -tessera-lowering-widen-bool | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @invert(
// CHECK-SAME:    %[[A:.*]]: tensor<8xi8>) -> tensor<8xi8>
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[X:.*]]: i8, %{{.*}}: i8):
// CHECK:           %[[BIT:.*]] = arith.cmpi ne, %[[X]]
// CHECK:           %[[NOT:.*]] = arith.xori %[[BIT]]
// CHECK:           %[[BYTE:.*]] = arith.extui %[[NOT]] : i1 to i8
// CHECK:           linalg.yield %[[BYTE]] : i8
func.func @invert(%a: tensor<8xi1>) -> tensor<8xi1> {
  %true = arith.constant true
  %e = tensor.empty() : tensor<8xi1>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%a : tensor<8xi1>) outs(%e : tensor<8xi1>) {
  ^bb0(%x: i1, %o: i1):
    %y = arith.xori %x, %true : i1
    linalg.yield %y : i1
  } -> tensor<8xi1>
  return %r : tensor<8xi1>
}

// CHECK-LABEL: func.func @constant
// CHECK:         arith.constant dense<[1, 0]> : tensor<2xi8>
func.func @constant() -> tensor<2xi1> {
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  return %c : tensor<2xi1>
}

// Must not fire: scalars and other element types stay.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %{{.*}}: i1, %{{.*}}: tensor<4xi32>) -> tensor<4xi32>
func.func @scalars(%c: i1, %t: tensor<4xi32>) -> tensor<4xi32> {
  return %t : tensor<4xi32>
}
