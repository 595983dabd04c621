// Matrix products and einsum.

func.func private @matmul_f32(%a: tensor<5x7xf32>, %b: tensor<7x9xf32>) -> tensor<5x9xf32> {
  %r = tsr.matmul %a, %b : (tensor<5x7xf32>, tensor<7x9xf32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

func.func private @matmul_f64(%a: tensor<5x7xf64>, %b: tensor<7x9xf64>) -> tensor<5x9xf64> {
  %r = tsr.matmul %a, %b : (tensor<5x7xf64>, tensor<7x9xf64>) -> tensor<5x9xf64>
  return %r : tensor<5x9xf64>
}

func.func private @matmul_i32(%a: tensor<5x7xi32>, %b: tensor<7x9xi32>) -> tensor<5x9xi32> {
  %r = tsr.matmul %a, %b : (tensor<5x7xi32>, tensor<7x9xi32>) -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}

func.func private @matmul_i64(%a: tensor<5x7xi64>, %b: tensor<7x9xi64>) -> tensor<5x9xi64> {
  %r = tsr.matmul %a, %b : (tensor<5x7xi64>, tensor<7x9xi64>) -> tensor<5x9xi64>
  return %r : tensor<5x9xi64>
}

func.func private @matmul_batch_f32(%a: tensor<3x5x7xf32>, %b: tensor<3x7x9xf32>) -> tensor<3x5x9xf32> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xf32>, tensor<3x7x9xf32>) -> tensor<3x5x9xf32>
  return %r : tensor<3x5x9xf32>
}

func.func private @matmul_batch_f64(%a: tensor<3x5x7xf64>, %b: tensor<3x7x9xf64>) -> tensor<3x5x9xf64> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xf64>, tensor<3x7x9xf64>) -> tensor<3x5x9xf64>
  return %r : tensor<3x5x9xf64>
}

func.func private @matmul_batch_i32(%a: tensor<3x5x7xi32>, %b: tensor<3x7x9xi32>) -> tensor<3x5x9xi32> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xi32>, tensor<3x7x9xi32>) -> tensor<3x5x9xi32>
  return %r : tensor<3x5x9xi32>
}

func.func private @matmul_batch_i64(%a: tensor<3x5x7xi64>, %b: tensor<3x7x9xi64>) -> tensor<3x5x9xi64> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xi64>, tensor<3x7x9xi64>) -> tensor<3x5x9xi64>
  return %r : tensor<3x5x9xi64>
}

func.func private @matmul_broadcast_f32(%a: tensor<2x1x5x7xf32>, %b: tensor<3x7x9xf32>) -> tensor<2x3x5x9xf32> {
  %r = tsr.matmul %a, %b : (tensor<2x1x5x7xf32>, tensor<3x7x9xf32>) -> tensor<2x3x5x9xf32>
  return %r : tensor<2x3x5x9xf32>
}

func.func private @matmul_broadcast_f64(%a: tensor<2x1x5x7xf64>, %b: tensor<3x7x9xf64>) -> tensor<2x3x5x9xf64> {
  %r = tsr.matmul %a, %b : (tensor<2x1x5x7xf64>, tensor<3x7x9xf64>) -> tensor<2x3x5x9xf64>
  return %r : tensor<2x3x5x9xf64>
}

func.func private @matmul_broadcast_i32(%a: tensor<2x1x5x7xi32>, %b: tensor<3x7x9xi32>) -> tensor<2x3x5x9xi32> {
  %r = tsr.matmul %a, %b : (tensor<2x1x5x7xi32>, tensor<3x7x9xi32>) -> tensor<2x3x5x9xi32>
  return %r : tensor<2x3x5x9xi32>
}

func.func private @matmul_broadcast_i64(%a: tensor<2x1x5x7xi64>, %b: tensor<3x7x9xi64>) -> tensor<2x3x5x9xi64> {
  %r = tsr.matmul %a, %b : (tensor<2x1x5x7xi64>, tensor<3x7x9xi64>) -> tensor<2x3x5x9xi64>
  return %r : tensor<2x3x5x9xi64>
}

func.func private @matmul_vector_f32(%a: tensor<7xf32>, %b: tensor<7x9xf32>) -> tensor<9xf32> {
  %r = tsr.matmul %a, %b : (tensor<7xf32>, tensor<7x9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

func.func private @matmul_vector_f64(%a: tensor<7xf64>, %b: tensor<7x9xf64>) -> tensor<9xf64> {
  %r = tsr.matmul %a, %b : (tensor<7xf64>, tensor<7x9xf64>) -> tensor<9xf64>
  return %r : tensor<9xf64>
}

func.func private @matmul_vector_i32(%a: tensor<7xi32>, %b: tensor<7x9xi32>) -> tensor<9xi32> {
  %r = tsr.matmul %a, %b : (tensor<7xi32>, tensor<7x9xi32>) -> tensor<9xi32>
  return %r : tensor<9xi32>
}

func.func private @matmul_vector_i64(%a: tensor<7xi64>, %b: tensor<7x9xi64>) -> tensor<9xi64> {
  %r = tsr.matmul %a, %b : (tensor<7xi64>, tensor<7x9xi64>) -> tensor<9xi64>
  return %r : tensor<9xi64>
}

func.func private @matmul_by_vector_f32(%a: tensor<3x5x7xf32>, %b: tensor<7xf32>) -> tensor<3x5xf32> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xf32>, tensor<7xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @matmul_by_vector_f64(%a: tensor<3x5x7xf64>, %b: tensor<7xf64>) -> tensor<3x5xf64> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xf64>, tensor<7xf64>) -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}

func.func private @matmul_by_vector_i32(%a: tensor<3x5x7xi32>, %b: tensor<7xi32>) -> tensor<3x5xi32> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xi32>, tensor<7xi32>) -> tensor<3x5xi32>
  return %r : tensor<3x5xi32>
}

func.func private @matmul_by_vector_i64(%a: tensor<3x5x7xi64>, %b: tensor<7xi64>) -> tensor<3x5xi64> {
  %r = tsr.matmul %a, %b : (tensor<3x5x7xi64>, tensor<7xi64>) -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func private @matmul_dot_f32(%a: tensor<7xf32>, %b: tensor<7xf32>) -> tensor<f32> {
  %r = tsr.matmul %a, %b : (tensor<7xf32>, tensor<7xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func private @matmul_dot_f64(%a: tensor<7xf64>, %b: tensor<7xf64>) -> tensor<f64> {
  %r = tsr.matmul %a, %b : (tensor<7xf64>, tensor<7xf64>) -> tensor<f64>
  return %r : tensor<f64>
}

func.func private @matmul_dot_i32(%a: tensor<7xi32>, %b: tensor<7xi32>) -> tensor<i32> {
  %r = tsr.matmul %a, %b : (tensor<7xi32>, tensor<7xi32>) -> tensor<i32>
  return %r : tensor<i32>
}

func.func private @matmul_dot_i64(%a: tensor<7xi64>, %b: tensor<7xi64>) -> tensor<i64> {
  %r = tsr.matmul %a, %b : (tensor<7xi64>, tensor<7xi64>) -> tensor<i64>
  return %r : tensor<i64>
}

func.func private @matmul_shared_f32(%a: tensor<2x3x5x7xf32>, %b: tensor<7x9xf32>) -> tensor<2x3x5x9xf32> {
  %r = tsr.matmul %a, %b : (tensor<2x3x5x7xf32>, tensor<7x9xf32>) -> tensor<2x3x5x9xf32>
  return %r : tensor<2x3x5x9xf32>
}

func.func private @matmul_shared_f64(%a: tensor<2x3x5x7xf64>, %b: tensor<7x9xf64>) -> tensor<2x3x5x9xf64> {
  %r = tsr.matmul %a, %b : (tensor<2x3x5x7xf64>, tensor<7x9xf64>) -> tensor<2x3x5x9xf64>
  return %r : tensor<2x3x5x9xf64>
}

func.func private @matmul_shared_i32(%a: tensor<2x3x5x7xi32>, %b: tensor<7x9xi32>) -> tensor<2x3x5x9xi32> {
  %r = tsr.matmul %a, %b : (tensor<2x3x5x7xi32>, tensor<7x9xi32>) -> tensor<2x3x5x9xi32>
  return %r : tensor<2x3x5x9xi32>
}

func.func private @matmul_shared_i64(%a: tensor<2x3x5x7xi64>, %b: tensor<7x9xi64>) -> tensor<2x3x5x9xi64> {
  %r = tsr.matmul %a, %b : (tensor<2x3x5x7xi64>, tensor<7x9xi64>) -> tensor<2x3x5x9xi64>
  return %r : tensor<2x3x5x9xi64>
}

func.func private @matmul_row_f32(%a: tensor<1x64xf32>, %b: tensor<64x100xf32>) -> tensor<1x100xf32> {
  %r = tsr.matmul %a, %b : (tensor<1x64xf32>, tensor<64x100xf32>) -> tensor<1x100xf32>
  return %r : tensor<1x100xf32>
}

func.func private @matmul_row_f64(%a: tensor<1x64xf64>, %b: tensor<64x100xf64>) -> tensor<1x100xf64> {
  %r = tsr.matmul %a, %b : (tensor<1x64xf64>, tensor<64x100xf64>) -> tensor<1x100xf64>
  return %r : tensor<1x100xf64>
}

func.func private @matmul_row_i32(%a: tensor<1x64xi32>, %b: tensor<64x100xi32>) -> tensor<1x100xi32> {
  %r = tsr.matmul %a, %b : (tensor<1x64xi32>, tensor<64x100xi32>) -> tensor<1x100xi32>
  return %r : tensor<1x100xi32>
}

func.func private @matmul_row_i64(%a: tensor<1x64xi64>, %b: tensor<64x100xi64>) -> tensor<1x100xi64> {
  %r = tsr.matmul %a, %b : (tensor<1x64xi64>, tensor<64x100xi64>) -> tensor<1x100xi64>
  return %r : tensor<1x100xi64>
}

func.func private @matmul_open(%a: tensor<?x?x7xf32> {test.dims = [2, 3, 7]}, %b: tensor<7x?xf32> {test.dims = [7, 4]}) -> tensor<?x?x?xf32> {
  %r = tsr.matmul %a, %b : (tensor<?x?x7xf32>, tensor<7x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func private @matmul_open_batch(%a: tensor<?x3x7xf32> {test.dims = [2, 3, 7]}, %b: tensor<?x7x4xf32> {test.dims = [2, 7, 4]}) -> tensor<?x3x4xf32> {
  %r = tsr.matmul %a, %b : (tensor<?x3x7xf32>, tensor<?x7x4xf32>) -> tensor<?x3x4xf32>
  return %r : tensor<?x3x4xf32>
}

func.func private @matmul_open_broadcast(%a: tensor<?x3x7xf32> {test.dims = [1, 3, 7]}, %b: tensor<?x7x4xf32> {test.dims = [2, 7, 4]}) -> tensor<?x3x4xf32> {
  %r = tsr.matmul %a, %b : (tensor<?x3x7xf32>, tensor<?x7x4xf32>) -> tensor<?x3x4xf32>
  return %r : tensor<?x3x4xf32>
}

func.func private @gemm_00(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>, %c: tensor<7xf32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b, %c {transA = 0 : i64, transB = 0 : i64, alpha = 0.5 : f32, beta = 2.0 : f32} : (tensor<5x6xf32>, tensor<6x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_01(%a: tensor<5x6xf32>, %b: tensor<7x6xf32>, %c: tensor<7xf32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b, %c {transA = 0 : i64, transB = 1 : i64, alpha = 0.5 : f32, beta = 2.0 : f32} : (tensor<5x6xf32>, tensor<7x6xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_10(%a: tensor<6x5xf32>, %b: tensor<6x7xf32>, %c: tensor<7xf32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b, %c {transA = 1 : i64, transB = 0 : i64, alpha = 0.5 : f32, beta = 2.0 : f32} : (tensor<6x5xf32>, tensor<6x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_11(%a: tensor<6x5xf32>, %b: tensor<7x6xf32>, %c: tensor<7xf32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64, alpha = 0.5 : f32, beta = 2.0 : f32} : (tensor<6x5xf32>, tensor<7x6xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_plain(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b : (tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_column(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>, %c: tensor<5x1xf32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b, %c : (tensor<5x6xf32>, tensor<6x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_scalar(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>, %c: tensor<f32>) -> tensor<5x7xf32> {
  %r = tsr.gemm %a, %b, %c : (tensor<5x6xf32>, tensor<6x7xf32>, tensor<f32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @gemm_f64(%a: tensor<5x6xf64>, %b: tensor<6x7xf64>, %c: tensor<5x7xf64>) -> tensor<5x7xf64> {
  %r = tsr.gemm %a, %b, %c : (tensor<5x6xf64>, tensor<6x7xf64>, tensor<5x7xf64>) -> tensor<5x7xf64>
  return %r : tensor<5x7xf64>
}

func.func private @gemm_i32(%a: tensor<5x6xi32>, %b: tensor<6x7xi32>, %c: tensor<5x7xi32>) -> tensor<5x7xi32> {
  %r = tsr.gemm %a, %b, %c : (tensor<5x6xi32>, tensor<6x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}

// Factors of integers: whole ones, and others.
func.func private @gemm_i32_whole(%a: tensor<5x6xi32> {test.range = [-9.0, 9.0]}, %b: tensor<6x7xi32> {test.range = [-9.0, 9.0]}, %c: tensor<5x7xi32> {test.range = [-9.0, 9.0]}) -> tensor<5x7xi32> {
  %r = tsr.gemm %a, %b, %c {alpha = 3.0 : f32, beta = -2.0 : f32} : (tensor<5x6xi32>, tensor<6x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}

func.func private @gemm_i32_scaled(%a: tensor<5x6xi32> {test.range = [-9.0, 9.0]}, %b: tensor<6x7xi32> {test.range = [-9.0, 9.0]}, %c: tensor<5x7xi32> {test.range = [-9.0, 9.0]}) -> tensor<5x7xi32> {
  %r = tsr.gemm %a, %b, %c {alpha = 1.5 : f32, beta = 2.25 : f32} : (tensor<5x6xi32>, tensor<6x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  return %r : tensor<5x7xi32>
}

func.func private @gemm_i64_half(%a: tensor<5x6xi64> {test.range = [-9.0, 9.0]}, %b: tensor<6x7xi64> {test.range = [-9.0, 9.0]}) -> tensor<5x7xi64> {
  %r = tsr.gemm %a, %b {alpha = 0.5 : f32} : (tensor<5x6xi64>, tensor<6x7xi64>) -> tensor<5x7xi64>
  return %r : tensor<5x7xi64>
}

func.func private @gemm_i64_not_added(%a: tensor<5x6xi64> {test.range = [-9.0, 9.0]}, %b: tensor<6x7xi64> {test.range = [-9.0, 9.0]}, %c: tensor<7xi64> {test.range = [-9.0, 9.0]}) -> tensor<5x7xi64> {
  %r = tsr.gemm %a, %b, %c {alpha = -0.3 : f32, beta = 0.0 : f32} : (tensor<5x6xi64>, tensor<6x7xi64>, tensor<7xi64>) -> tensor<5x7xi64>
  return %r : tensor<5x7xi64>
}

func.func private @gemm_open(%a: tensor<?x6xf32> {test.dims = [5, 6]}, %b: tensor<7x6xf32>, %c: tensor<7xf32>) -> tensor<?x7xf32> {
  %r = tsr.gemm %a, %b, %c {transB = 1 : i64} : (tensor<?x6xf32>, tensor<7x6xf32>, tensor<7xf32>) -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

func.func private @einsum_0(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %r = tsr.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @einsum_1(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %r = tsr.einsum %a, %b {equation = "bij,bjk->bik"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

func.func private @einsum_2(%a: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %r = tsr.einsum %a {equation = "ij->ji"} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func private @einsum_3(%a: tensor<3x4xf32>) -> tensor<f32> {
  %r = tsr.einsum %a {equation = "ij->"} : (tensor<3x4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func private @einsum_4(%a: tensor<3x4xf32>) -> tensor<3xf32> {
  %r = tsr.einsum %a {equation = "ij->i"} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func private @einsum_5(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %r = tsr.einsum %a {equation = "ii->i"} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func private @einsum_6(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  %r = tsr.einsum %a, %b {equation = "...ij,...jk->...ik"} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

func.func private @einsum_7(%a: tensor<2x1x3x4xf32>, %b: tensor<3x4x5xf32>) -> tensor<2x3x3x5xf32> {
  %r = tsr.einsum %a, %b {equation = "...ij,...jk->...ik"} : (tensor<2x1x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x3x5xf32>
  return %r : tensor<2x3x3x5xf32>
}

func.func private @einsum_8(%a: tensor<2x3x4x5xf32>, %b: tensor<3x6x5xf32>) -> tensor<2x3x4x6xf32> {
  %r = tsr.einsum %a, %b {equation = "bhwc,hkc->bhwk"} : (tensor<2x3x4x5xf32>, tensor<3x6x5xf32>) -> tensor<2x3x4x6xf32>
  return %r : tensor<2x3x4x6xf32>
}

func.func private @einsum_9(%a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  %r = tsr.einsum %a, %b {equation = "i,j->ij"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func private @einsum_10(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %r = tsr.einsum %a, %b {equation = "ij,jk"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @einsum_11(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<3x4xf32>) -> tensor<3xf32> {
  %r = tsr.einsum %a, %b, %c {equation = "ij,ij,ij->i"} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func private @einsum_12(%a: tensor<2x3x3xf32>) -> tensor<2x3xf32> {
  %r = tsr.einsum %a {equation = "...ii->...i"} : (tensor<2x3x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func private @einsum_open(%a: tensor<?x?x4xf32> {test.dims = [2, 3, 4]}, %b: tensor<4x?xf32> {test.dims = [4, 5]}) -> tensor<?x?x?xf32> {
  %r = tsr.einsum %a, %b {equation = "bij,jk->bik"} : (tensor<?x?x4xf32>, tensor<4x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func private @einsum_i64(%a: tensor<3x4xi64>, %b: tensor<4x5xi64>) -> tensor<3x5xi64> {
  %r = tsr.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<3x4xi64>, tensor<4x5xi64>) -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func private @matmul_with_itself(%a: tensor<3x17x17xf32>) -> tensor<3x17x17xf32> {
  %r = tsr.matmul %a, %a : (tensor<3x17x17xf32>, tensor<3x17x17xf32>) -> tensor<3x17x17xf32>
  return %r : tensor<3x17x17xf32>
}

func.func private @gemm_with_itself(%a: tensor<9x35xf32>) -> tensor<35x35xf32> {
  %r = tsr.gemm %a, %a {alpha = 0.5 : f32, transA = 1 : i64} : (tensor<9x35xf32>, tensor<9x35xf32>) -> tensor<35x35xf32>
  return %r : tensor<35x35xf32>
}

func.func private @matmul_batch_of_weights(%a: tensor<1x5x3xf32>) -> tensor<2x5x17xf32> {
  %b = tsr.constant dense<"0x0000B0BF0000C03E000040BF0000803F000000BE0000A0BF0000003F000020BF0000903F00000000000090BF0000203F000000BF0000A03F0000003E000080BF0000403F0000C0BE0000B03F0000803E000060BF0000603F000080BE0000B0BF0000C03E000040BF0000803F000000BE0000A0BF0000003F000020BF0000903F00000000000090BF0000203F000000BF0000A03F0000003E000080BF0000403F0000C0BE0000B03F0000803E000060BF0000603F000080BE0000B0BF0000C03E000040BF0000803F000000BE0000A0BF0000003F000020BF0000903F00000000000090BF0000203F000000BF0000A03F0000003E000080BF0000403F0000C0BE0000B03F0000803E000060BF0000603F000080BE0000B0BF0000C03E000040BF0000803F000000BE0000A0BF0000003F000020BF0000903F00000000000090BF0000203F000000BF0000A03F0000003E000080BF0000403F0000C0BE0000B03F0000803E000060BF0000603F000080BE0000B0BF0000C03E000040BF0000803F000000BE0000A0BF0000003F000020BF0000903F00000000"> : tensor<2x3x17xf32> -> tensor<2x3x17xf32>
  %r = tsr.matmul %a, %b : (tensor<1x5x3xf32>, tensor<2x3x17xf32>) -> tensor<2x5x17xf32>
  return %r : tensor<2x5x17xf32>
}

func.func private @masked_scores(%a: tensor<2x5x8xf32>, %b: tensor<2x8x19xf32>, %mask: tensor<2x5x19xi1>, %low: tensor<1xf32>) -> tensor<2x5x19xf32> {
  %scores = tsr.matmul %a, %b : (tensor<2x5x8xf32>, tensor<2x8x19xf32>) -> tensor<2x5x19xf32>
  %r = tsr.where %mask, %scores, %low : (tensor<2x5x19xi1>, tensor<2x5x19xf32>, tensor<1xf32>) -> tensor<2x5x19xf32>
  return %r : tensor<2x5x19xf32>
}

func.func private @masked_columns(%a: tensor<3x5x8xf32>, %b: tensor<3x8x19xf32>, %mask: tensor<5x1xi1>, %columns: tensor<19xi1>, %low: tensor<1xf32>) -> tensor<3x5x19xf32> {
  %scores = tsr.matmul %a, %b : (tensor<3x5x8xf32>, tensor<3x8x19xf32>) -> tensor<3x5x19xf32>
  %rows = tsr.where %mask, %scores, %low : (tensor<5x1xi1>, tensor<3x5x19xf32>, tensor<1xf32>) -> tensor<3x5x19xf32>
  %r = tsr.where %columns, %low, %rows : (tensor<19xi1>, tensor<1xf32>, tensor<3x5x19xf32>) -> tensor<3x5x19xf32>
  return %r : tensor<3x5x19xf32>
}

// Recognised before the backend sees it.
func.func private @composite_attention(%q: tensor<2x3x5x16xf32>, %k: tensor<2x3x16x7xf32>, %v: tensor<2x3x7x16xf32>, %mask: tensor<2x1x1x7xf32>) -> tensor<2x3x5x16xf32> {
  %0 = tsr.composite "attention"(%q, %k, %v, %mask) {k_transposed = true, mask_kind = "add", scale = 2.500000e-01 : f64} : (tensor<2x3x5x16xf32>, tensor<2x3x16x7xf32>, tensor<2x3x7x16xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x5x16xf32> {
  ^bb0(%a: tensor<2x3x5x16xf32>, %b: tensor<2x3x16x7xf32>, %c: tensor<2x3x7x16xf32>, %m: tensor<2x1x1x7xf32>):
    %1 = tsr.matmul %a, %b : (tensor<2x3x5x16xf32>, tensor<2x3x16x7xf32>) -> tensor<2x3x5x7xf32>
    %2 = tsr.constant dense<4.000000e+00> : tensor<f32> -> tensor<f32>
    %3 = tsr.div %1, %2 : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5x7xf32>
    %4 = tsr.add %3, %m : (tensor<2x3x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x5x7xf32>
    %5 = tsr.softmax %4 : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
    %6 = tsr.matmul %5, %c : (tensor<2x3x5x7xf32>, tensor<2x3x7x16xf32>) -> tensor<2x3x5x16xf32>
    tsr.yield %6 : tensor<2x3x5x16xf32>
  }
  return %0 : tensor<2x3x5x16xf32>
}
