// RUN: tessera-opt %s -split-input-file -pass-pipeline='builtin.module(tessera-lowering-wrap-kernel,tessera-lowering-bufferize-kernel,canonicalize,cse,func.func(tessera-lowering-expand-copies))' | FileCheck %s

// Two results of a loop, each of which starts from a tensor of its own, are written where they belong.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @apart(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = tensor.empty() : tensor<64xf32>
  %y:2 = scf.forall (%i) in (64) shared_outs(%p = %a, %q = %a) -> (tensor<64xf32>, tensor<64xf32>) {
    %v = tensor.extract %x[%i] : tensor<64xf32>
    %n = arith.negf %v : f32
    %c0 = arith.constant 0 : index
    %before = tensor.extract_slice %p[%i] [1] [1] : tensor<64xf32> to tensor<1xf32>
    %one = tensor.insert %v into %before[%c0] : tensor<1xf32>
    %also = tensor.extract_slice %q[%i] [1] [1] : tensor<64xf32> to tensor<1xf32>
    %other = tensor.insert %n into %also[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %p[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
      tensor.parallel_insert_slice %other into %q[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Must not fire: both start from one value.
// CHECK-LABEL: func.func @together(
// CHECK-COUNT-2: memref.alloc
// CHECK:         return
func.func @together(%x: tensor<64xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%a : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<64xf32>) outs(%start : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %greatest = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<64xf32>) outs(%start : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum, %greatest : tensor<f32>, tensor<f32>
}
