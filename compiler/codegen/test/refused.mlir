// What no host program can be made of has one clear message.
// REQUIRES: backend-native
// RUN: not tessera compile %s --disable-pass tessera-annotate-target -o %t.tsr 2>&1 | FileCheck %s --check-prefix=OWNERS
// RUN: not tessera compile %s --disable-pass tessera-fuse-regions -o %t.tsr 2>&1 | FileCheck %s --check-prefix=REGIONS
// RUN: not tessera compile %s --disable-pass tessera-link-build-host-program -o %t.tsr 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not test -e %t.tsr

// OWNERS: error: {{.*}}has no place in a host program: it is in no region and no view
// REGIONS: error: {{.*}}has no place in a host program: its region was not made
// PROGRAM: error: {{.*}}function @main works on tensors, expected a host program on buffers
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tsr.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
