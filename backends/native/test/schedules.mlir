// A region is compiled as its schedule says, which a saved module keeps; what is no schedule is refused.
// RUN: tessera compile %s --targets "native -mcpu=x86-64-v4" --stop-after=post_partition --emit mlir -o %t.mlir
// RUN: sed 's/tessera.region_class/tessera.schedule = "tile=3x1", tessera.region_class/' %t.mlir > %t.small.mlir
// RUN: tessera compile %t.mlir --stop-after=lower --emit mlir -o %t.lowered.mlir
// RUN: tessera compile %t.small.mlir --stop-after=lower --emit mlir -o %t.small.lowered.mlir
// RUN: FileCheck %s --check-prefix=OWN --input-file %t.lowered.mlir
// RUN: FileCheck %s --check-prefix=SMALL --input-file %t.small.lowered.mlir
// RUN: sed 's/tile=3x1/tile=large/' %t.small.mlir > %t.wrong.mlir
// RUN: not tessera compile %t.wrong.mlir -o %t.tsr 2>&1 | FileCheck %s --check-prefix=WRONG

// OWN-COUNT-96: vector.fma
// OWN-NOT: vector.fma
// SMALL-COUNT-24: vector.fma
// SMALL-NOT: vector.fma
// WRONG: no schedule of native is "tile=large", expected tile=ROWSxPANELS (up to 32x8), unroll=STEPS (up to 32), outer=panels|rows, reduce=STEPS, split=PARTS (up to 64) and algorithm=winograd|direct, each at most once
func.func @main(%x: tensor<12x64xf32>, %w: tensor<64x64xf32>) -> tensor<12x64xf32> {
  %y = tsr.matmul %x, %w : (tensor<12x64xf32>, tensor<64x64xf32>) -> tensor<12x64xf32>
  return %y : tensor<12x64xf32>
}
