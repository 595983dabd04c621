#include "compiler/ir/op_cases.h"

namespace tessera::ir::test {

std::vector<OpCase> productCases() {
  return {
      {"gemm", "gemm", {"3x2xf32", "3x4xf32", "4xf32"}, "alpha = 2.0 : f32, transA = 1 : i64", {"2x4xf32"}, ""},
      {"gemm_c1", "gemm", {"2x3x1xf32", "3x4xf32"}, "", {"2x4xf32"}, "(C1)"},
      {"gemm_c2", "gemm", {"2x3xf32", "3x4xf32"}, "transB = 1 : i64", {"2x3xf32"}, "(C2)"},
      {"gemm_c3", "gemm", {"2x3xf32", "3x4xf32", "3xf32"}, "", {"2x4xf32"}, "(C3)"},
      {"gemm_c3_larger", "gemm", {"1x3xf32", "3x4xf32", "2x4xf32"}, "", {"2x4xf32"}, "(C3)"},
      {"gemm_c4", "gemm", {"2x3xf32", "3x4xf64"}, "", {"2x4xf32"}, "(C4)"},
      {"matmul", "matmul", {"5x1x2x3xf32", "4x3x6xf32"}, "", {"5x4x2x6xf32"}, ""},
      {"matmul_vectors", "matmul", {"3xf32", "3xf32"}, "", {"f32"}, ""},
      {"matmul_row", "matmul", {"3xf32", "2x3x4xf32"}, "", {"2x4xf32"}, ""},
      {"matmul_column", "matmul", {"2x5x3xf32", "3xf32"}, "", {"2x5xf32"}, ""},
      {"matmul_symbol",
       "matmul",
       {"?x3xf32, #tsr.layout<dims = [\"n\", \"\"]>", "3x4xf32"},
       "",
       {"?x4xf32, #tsr.layout<dims = [\"n\", \"\"]>"},
       ""},
      {"matmul_c1", "matmul", {"f32", "3xf32"}, "", {"f32"}, "(C1)"},
      {"matmul_c2", "matmul", {"2x3xf32", "4x3xf32"}, "", {"2x3xf32"}, "(C2)"},
      {"matmul_c3", "matmul", {"2x2x3xf32", "3x3x4xf32"}, "", {"2x2x4xf32"}, "(C3)"},
      {"matmul_c4", "matmul", {"2x3xf32", "3x4xi64"}, "", {"2x4xf32"}, "(C4)"},
      {"einsum", "einsum", {"2x3xf32", "3x4xf32"}, "equation = \"ij, jk -> ki\"", {"4x2xf32"}, ""},
      {"einsum_implicit", "einsum", {"2x3xf32", "3x4xf32"}, "equation = \"ca,ab\"", {"4x2xf32"}, ""},
      {"einsum_ellipsis", "einsum", {"5x2x3xf32", "1x3x4xf32"}, "equation = \"...ij,...jk->...ik\"", {"5x2x4xf32"}, ""},
      {"einsum_trace", "einsum", {"3x3xf32"}, "equation = \"ii->\"", {"f32"}, ""},
      {"einsum_c1", "einsum", {"2x3xf32"}, "equation = \"ij,jk->ik\"", {"2x3xf32"}, "(C1)"},
      {"einsum_c1_letters", "einsum", {"2x3xf32"}, "equation = \"ijk\"", {"2x3xf32"}, "(C1)"},
      {"einsum_c1_result", "einsum", {"2x3xf32"}, "equation = \"ij->ik\"", {"2x3xf32"}, "(C1)"},
      {"einsum_c1_character", "einsum", {"2x3xf32"}, "equation = \"i.j->ij\"", {"2x3xf32"}, "(C1)"},
      {"einsum_c2", "einsum", {"2x3xf32", "4x4xf32"}, "equation = \"ij,jk->ik\"", {"2x4xf32"}, "(C2)"},
      {"einsum_c3", "einsum", {"2x3xf32", "3x4xf64"}, "equation = \"ij,jk->ik\"", {"2x4xf32"}, "(C3)"},
  };
}

static void addConvolutions(std::vector<OpCase>& cases) {
  const std::vector<std::string> plain = {"1x4x8x8xf32", "6x2x3x3xf32", "6xf32"};
  const std::vector<OpCase> all = {
      {"conv", "conv", plain, "group = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>", {"1x6x4x4xf32"}, ""},
      {"conv_same", "conv", {"1x2x7xf32", "3x2x4xf32"}, "auto_pad = \"SAME_UPPER\", strides = array<i64: 2>", {"1x3x4xf32"}, ""},
      {"conv_dilated", "conv", {"1x2x9xf32", "3x2x3xf32"}, "dilations = array<i64: 3>, kernel_shape = array<i64: 3>", {"1x3x3xf32"}, ""},
      {"conv_symbol",
       "conv",
       {"?x2x?xf32, #tsr.layout<dims = [\"n\", \"\", \"t\"]>", "3x2x3xf32"},
       "pads = array<i64: 1, 1>",
       {"?x3x?xf32, #tsr.layout<dims = [\"n\", \"\", \"t\"]>"},
       ""},
      {"conv_c1", "conv", {"1x4xf32", "6x4xf32"}, "", {"1x6xf32"}, "(C1)"},
      {"conv_c1_rank", "conv", {"1x4x8xf32", "6x4x3x3xf32"}, "", {"1x6x6xf32"}, "(C1)"},
      {"conv_c2", "conv", plain, "", {"1x6x6x6xf32"}, "(C2)"},
      {"conv_c2_group", "conv", plain, "group = 0 : i64", {"1x6x6x6xf32"}, "(C2)"},
      {"conv_c2_outputs", "conv", {"1x4x8xf32", "5x2x3xf32"}, "group = 2 : i64", {"1x5x6xf32"}, "(C2)"},
      {"conv_c3", "conv", plain, "group = 2 : i64, strides = array<i64: 0, 1>", {"1x6x6x6xf32"}, "(C3)"},
      {"conv_c3_pads", "conv", plain, "group = 2 : i64, pads = array<i64: 1, 1>", {"1x6x6x6xf32"}, "(C3)"},
      {"conv_c3_huge", "conv", plain, "group = 2 : i64, dilations = array<i64: 4611686018427387904, 1>", {"1x6x6x6xf32"}, "(C3)"},
      {"conv_c4", "conv", {"1x2x8xf32", "3x2x3xf32", "4xf32"}, "", {"1x3x6xf32"}, "(C4)"},
      {"conv_c5", "conv", {"1x2x8xf32", "3x2x3xf32"}, "kernel_shape = array<i64: 2>", {"1x3x6xf32"}, "(C5)"},
      {"conv_c5_rank", "conv", {"1x2x8xf32", "3x2x3xf32"}, "kernel_shape = array<i64: 3, 3>", {"1x3x6xf32"}, "(C5)"},
      {"conv_c6", "conv", {"1x2x2xf32", "3x2x3xf32"}, "", {"1x3x0xf32"}, "(C6)"},
      {"conv_c7", "conv", {"1x2x8xf32", "3x2x3xf32"}, "auto_pad = \"SAME\"", {"1x3x8xf32"}, "(C7)"},
      {"conv_transpose", "conv_transpose", {"1x4x5xf32", "4x3x2xf32", "6xf32"},
       "group = 2 : i64, output_padding = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 3>", {"1x6x13xf32"}, ""},
      {"conv_transpose_sized", "conv_transpose", {"1x4x5xf32", "4x3x2xf32"}, "output_shape = array<i64: 9>, strides = array<i64: 2>", {"1x3x9xf32"}, ""},
      {"conv_transpose_same", "conv_transpose", {"1x4x5xf32", "4x3x2xf32"}, "auto_pad = \"SAME_LOWER\", strides = array<i64: 2>", {"1x3x10xf32"}, ""},
      {"conv_transpose_c1", "conv_transpose", {"4x5xf32", "4x3xf32"}, "", {"4x3xf32"}, "(C1)"},
      {"conv_transpose_c2", "conv_transpose", {"1x3x5xf32", "4x3x2xf32"}, "", {"1x3x6xf32"}, "(C2)"},
      {"conv_transpose_c3", "conv_transpose", {"1x4x5xf32", "4x3x2xf32"}, "output_padding = array<i64: -1>", {"1x3x6xf32"}, "(C3)"},
      {"conv_transpose_c4", "conv_transpose", {"1x4x5xf32", "4x3x2xf32"}, "kernel_shape = array<i64: 3>", {"1x3x6xf32"}, "(C4)"},
      {"conv_transpose_c5", "conv_transpose", {"1x4x5xf32", "4x3x2xf32", "4xf32"}, "", {"1x3x6xf32"}, "(C5)"},
      {"conv_transpose_c6", "conv_transpose", {"1x4x1xf32", "4x3x2xf32"}, "pads = array<i64: 2, 2>", {"1x3x0xf32"}, "(C6)"},
      {"conv_transpose_c6_overflow", "conv_transpose", {"1x1x1152921504606846976xf32", "1x3x2xf32"},
       "strides = array<i64: 1000>", {"1x3x6xf32"}, "(C6)"},
  };
  cases.insert(cases.end(), all.begin(), all.end());
}

std::vector<OpCase> windowCases() {
  std::vector<OpCase> cases;
  addConvolutions(cases);
  for (const std::string op : {"average_pool", "lp_pool", "max_pool"}) {
    cases.push_back({op, op, {"1x3x8x8xf32"}, "kernel_shape = array<i64: 2, 3>, strides = array<i64: 2, 1>", {"1x3x4x6xf32"}, ""});
    cases.push_back({op + "_ceil", op, {"1x3x8xf32"}, "ceil_mode = 1 : i64, kernel_shape = array<i64: 3>, strides = array<i64: 2>", {"1x3x4xf32"}, ""});
    cases.push_back({op + "_c1", op, {"3x8xf32"}, "kernel_shape = array<i64: 2>", {"3x7xf32"}, "(C1)"});
    cases.push_back({op + "_c2", op, {"1x3x8xf32"}, "kernel_shape = array<i64: 0>", {"1x3x7xf32"}, "(C2)"});
    cases.push_back({op + "_c2_pads", op, {"1x3x8xf32"}, "kernel_shape = array<i64: 2>, pads = array<i64: 1>", {"1x3x7xf32"}, "(C2)"});
    cases.push_back({op + "_c3", op, {"1x3x8xf32"}, "auto_pad = \"\", kernel_shape = array<i64: 2>", {"1x3x7xf32"}, "(C3)"});
    cases.push_back({op + "_c4", op, {"1x3x2xf32"}, "kernel_shape = array<i64: 3>", {"1x3x0xf32"}, "(C4)"});
  }
  // Without this rule, the last window would lie in the padding after the input only.
  cases.push_back({"max_pool_ceil_padding", "max_pool", {"1x1x3xf32"},
                   "ceil_mode = 1 : i64, kernel_shape = array<i64: 1>, pads = array<i64: 0, 2>, strides = array<i64: 4>", {"1x1x1xf32"}, ""});
  cases.push_back({"max_pool_indices", "max_pool", {"1x3x8xf32"}, "kernel_shape = array<i64: 2>", {"1x3x7xf32", "1x3x7xi64"}, ""});
  for (const std::string op : {"global_average_pool", "global_lp_pool", "global_max_pool"}) {
    cases.push_back({op, op, {"2x3x?x5xf32"}, "", {"2x3x1x1xf32"}, ""});
    cases.push_back({op + "_c1", op, {"2x3xf32"}, "", {"2x3xf32"}, "(C1)"});
  }
  return cases;
}

}  // namespace tessera::ir::test
