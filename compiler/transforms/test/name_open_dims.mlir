// RUN: tessera-opt %s -tessera-simplify-name-open-dims -split-input-file | FileCheck %s
// RUN: tessera-opt %s -tessera-simplify-name-open-dims -tessera-simplify-name-open-dims -split-input-file | FileCheck %s

// An open dimension is named where it arises, and what follows from it has its name; that of an input is left alone.
// CHECK-LABEL: @origin(
// CHECK-SAME:    %{{.*}}: tensor<?xf32>,
// CHECK:         tsr.add {{.*}} -> tensor<?xf32, #tsr.layout<dims = ["?0"]>>
// CHECK:         tsr.relu {{.*}} -> tensor<?xf32, #tsr.layout<dims = ["?0"]>>
// CHECK:         tsr.mul {{.*}} -> tensor<?xf32, #tsr.layout<dims = ["?1"]>>
func.func @origin(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = tsr.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tsr.relu %0 : (tensor<?xf32>) -> tensor<?xf32>
  %2 = tsr.mul %1, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Must not fire: what has a name keeps it, and what has a size needs none.
// CHECK-LABEL: @named(
// CHECK:         tsr.relu {{.*}} -> tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>
// CHECK-NOT:     "?
func.func @named(%x: tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>> {
  %0 = tsr.relu %x : (tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>
  return %0 : tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>
}
