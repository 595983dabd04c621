// RUN: tessera-opt %s -tessera-lowering-wrap-kernel | FileCheck %s

#id = affine_map<(i) -> (i)>

// What is required of sizes is tested before the loops, in order, and only then is the memory of the result asked for.
// CHECK-LABEL: func.func @sizes(
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq
// CHECK:         call @tessera_require(%[[FIRST]], {{.*}}) {{{.*}}tessera.text = "first {0}"
// CHECK:         call @tessera_require({{.*}}) {{{.*}}tessera.text = "second {0}"
// CHECK:         llvm.call
// CHECK:         linalg.generic
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %equal = arith.cmpi eq, %n, %m : index
  call @tessera_require(%equal, %m, %n) {tessera.node = 0 : i32, tessera.text = "first {0}"} : (i1, index, index) -> ()
  %less = arith.cmpi slt, %n, %c9 : index
  call @tessera_require(%less, %n, %c9) {tessera.node = 0 : i32, tessera.text = "second {0}"} : (i1, index, index) -> ()
  return %sum : tensor<?xf32>
}

// Must not fire: a requirement on what a loop computes stays behind it, and so does the next one.
// CHECK-LABEL: func.func @data(
// CHECK:         linalg.generic
// CHECK:         call @tessera_require({{.*}}) {{{.*}}tessera.text = "datum {0}"
// CHECK:         call @tessera_require({{.*}}) {{{.*}}tessera.text = "size {0}"
func.func @data(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %init = tensor.empty() : tensor<i64>
  %start = linalg.fill ins(%zero : i64) outs(%init : tensor<i64>) -> tensor<i64>
  %greatest = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xi64>) outs(%start : tensor<i64>) {
  ^bb0(%a: i64, %o: i64):
    %0 = arith.maxsi %a, %o : i64
    linalg.yield %0 : i64
  } -> tensor<i64>
  %datum = tensor.extract %greatest[] : tensor<i64>
  %position = arith.index_cast %datum : i64 to index
  %inside = arith.cmpi slt, %position, %n : index
  call @tessera_require(%inside, %position, %n) {tessera.node = 0 : i32, tessera.text = "datum {0}"} : (i1, index, index) -> ()
  %less = arith.cmpi slt, %n, %c9 : index
  call @tessera_require(%less, %n, %c9) {tessera.node = 0 : i32, tessera.text = "size {0}"} : (i1, index, index) -> ()
  return %x : tensor<?xi64>
}
func.func private @tessera_require(i1, index, index)
