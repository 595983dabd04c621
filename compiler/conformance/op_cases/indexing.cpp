#include "compiler/conformance/op_cases/op_cases.h"

namespace tessera::op_cases {

// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.

std::vector<OpCase> indexingCases() {
  return {
      {"gather", "gather", {"5x4xf32", "2x3xi64"}, "", {"2x3x4xf32"}, ""},
      {"gather_last", "gather", {"5x4xf32", "i32=-4"}, "axis = -1 : i64", {"5xf32"}, ""},
      {"gather_c1", "gather", {"5x4xf32", "2xi64"}, "axis = 2 : i64", {"5x2xf32"}, "(C1)"},
      {"gather_c2", "gather", {"5xf32", "2xi64=[0, 5]"}, "", {"2xf32"}, "(C2)"},
      {"gather_elements", "gather_elements", {"5x4xf32", "2x4xi64"}, "", {"2x4xf32"}, ""},
      {"gather_elements_c1", "gather_elements", {"5x4xf32", "2xi64"}, "", {"2xf32"}, "(C1)"},
      {"gather_elements_c2",
       "gather_elements",
       {"5x4xf32", "2x4xi64"},
       "axis = -3 : i64",
       {"2x4xf32"},
       "(C2)"},
      {"gather_elements_c3", "gather_elements", {"5x4xf32", "2x6xi64"}, "", {"2x6xf32"}, "(C3)"},
      {"gather_nd",
       "gather_nd",
       {"2x3x4xf32", "2x5x1xi64"},
       "batch_dims = 1 : i64",
       {"2x5x4xf32"},
       ""},
      {"gather_nd_c1", "gather_nd", {"2x3xf32", "5x3xi64"}, "", {"5xf32"}, "(C1)"},
      {"gather_nd_c1_dynamic", "gather_nd", {"2x3xf32", "5x?xi64"}, "", {"5xf32"}, "(C1)"},
      {"gather_nd_c2",
       "gather_nd",
       {"2x3xf32", "4x1xi64"},
       "batch_dims = 1 : i64",
       {"4xf32"},
       "(C2)"},
      {"gather_nd_c2_range",
       "gather_nd",
       {"2x3xf32", "4x1xi64"},
       "batch_dims = -1 : i64",
       {"4xf32"},
       "(C2)"},
      {"scatter_elements",
       "scatter_elements",
       {"3x3xf32", "2x3xi64", "2x3xf32"},
       "",
       {"3x3xf32"},
       ""},
      {"scatter_elements_c1",
       "scatter_elements",
       {"3x3xf32", "2x3xi64", "3x2xf32"},
       "",
       {"3x3xf32"},
       "(C1)"},
      {"scatter_elements_c2",
       "scatter_elements",
       {"3x3xf32", "2x3xi64", "2x3xf32"},
       "axis = 2 : i64",
       {"3x3xf32"},
       "(C2)"},
      {"scatter_elements_c3",
       "scatter_elements",
       {"3x3xf32", "2x3xi64", "2x3xf32"},
       R"(reduction = "sum")",
       {"3x3xf32"},
       "(C3)"},
      {"scatter_elements_c4",
       "scatter_elements",
       {"3x3xf32", "2x3xi64", "2x3xf64"},
       "",
       {"3x3xf32"},
       "(C4)"},
      {"scatter_nd",
       "scatter_nd",
       {"4x5xf32", "2x1xi64", "2x5xf32"},
       R"(reduction = "add")",
       {"4x5xf32"},
       ""},
      {"scatter_nd_c1", "scatter_nd", {"4x5xf32", "2x1xi64", "2x4xf32"}, "", {"4x5xf32"}, "(C1)"},
      {"scatter_nd_c2",
       "scatter_nd",
       {"4x5xf32", "2x1xi64", "2x5xf32"},
       R"(reduction = "sub")",
       {"4x5xf32"},
       "(C2)"},
      {"scatter_nd_c3", "scatter_nd", {"4x5xf32", "2x1xi64", "2x5xi64"}, "", {"4x5xf32"}, "(C3)"},
      {"compress", "compress", {"3x4xf32", "3xi1"}, "axis = 0 : i64", {"?x4xf32"}, ""},
      {"compress_flat", "compress", {"3x4xf32", "3xi1"}, "", {"?xf32"}, ""},
      {"compress_c1", "compress", {"3x4xf32", "3x1xi1"}, "", {"?xf32"}, "(C1)"},
      {"compress_c2", "compress", {"3x4xf32", "3xi1"}, "axis = 2 : i64", {"?x4xf32"}, "(C2)"},
  };
}

std::vector<OpCase> generatingCases() {
  return {
      {"constant_of_shape", "constant_of_shape", {"2xi64=[2, 3]"}, "", {"2x3xf32"}, ""},
      {"constant_of_shape_value",
       "constant_of_shape",
       {"1xi64=[2]"},
       "value = dense<7> : tensor<1xi64>",
       {"2xi64"},
       ""},
      {"constant_of_shape_c1", "constant_of_shape", {"?xi64"}, "", {"2xf32"}, "(C1)"},
      {"constant_of_shape_c2",
       "constant_of_shape",
       {"1xi64=[2]"},
       "value = dense<7> : tensor<2xi64>",
       {"2xi64"},
       "(C2)"},
      {"constant_of_shape_c3", "constant_of_shape", {"1xi64=[-2]"}, "", {"2xf32"}, "(C3)"},
      {"range", "range", {"i64=1", "i64=10", "i64=3"}, "", {"3xi64"}, ""},
      {"range_down", "range", {"f32=1.0", "f32=0.0", "f32=-0.25"}, "", {"4xf32"}, ""},
      {"range_empty", "range", {"i64=1", "i64=0", "i64=3"}, "", {"0xi64"}, ""},
      {"range_unknown", "range", {"i64=1", "i64", "i64=3"}, "", {"?xi64"}, ""},
      {"range_c1", "range", {"i64=1", "i64=10", "2xi64=3"}, "", {"3xi64"}, "(C1)"},
      {"range_c2", "range", {"i64=1", "i64=10", "i64=0"}, "", {"?xi64"}, "(C2)"},
      {"one_hot", "one_hot", {"2x3xi64", "i64=5", "2xf32"}, "axis = 1 : i64", {"2x5x3xf32"}, ""},
      {"one_hot_float_depth", "one_hot", {"2xi64", "1xf32=5.0", "2xi32"}, "", {"2x5xi32"}, ""},
      {"one_hot_c1", "one_hot", {"2xi64", "2xi64=5", "2xf32"}, "", {"2x5xf32"}, "(C1)"},
      {"one_hot_c1_negative", "one_hot", {"2xi64", "i64=-5", "2xf32"}, "", {"2x5xf32"}, "(C1)"},
      {"one_hot_c2", "one_hot", {"2xi64", "i64=5", "3xf32"}, "", {"2x5xf32"}, "(C2)"},
      {"one_hot_c3", "one_hot", {"2xi64", "i64=5", "2xf32"}, "axis = 2 : i64", {"2x5xf32"}, "(C3)"},
      {"eye_like", "eye_like", {"2x3xi1"}, "dtype = 1 : i64", {"2x3xf32"}, ""},
      {"eye_like_c1", "eye_like", {"2xf32"}, "", {"2xf32"}, "(C1)"},
      {"eye_like_c2", "eye_like", {"2x2xf32"}, "dtype = 20 : i64", {"2x2xf32"}, "(C2)"},
      {"trilu", "trilu", {"2x3x3xf32", "i64"}, "upper = 0 : i64", {"2x3x3xf32"}, ""},
      {"trilu_c1", "trilu", {"3xf32"}, "", {"3xf32"}, "(C1)"},
      {"trilu_c2", "trilu", {"3x3xf32", "2xi64"}, "", {"3x3xf32"}, "(C2)"},
      {"cumsum", "cumsum", {"2x3xf32", "i32=-1"}, "reverse = 1 : i64", {"2x3xf32"}, ""},
      {"cumsum_c1", "cumsum", {"2x3xf32", "i32=2"}, "", {"2x3xf32"}, "(C1)"},
      {"cumsum_c1_vector", "cumsum", {"2x3xf32", "2xi32"}, "", {"2x3xf32"}, "(C1)"},
      {"reverse_sequence", "reverse_sequence", {"4x2x3xf32", "2xi64"}, "", {"4x2x3xf32"}, ""},
      {"reverse_sequence_c1",
       "reverse_sequence",
       {"4x2xf32", "2xi64"},
       "time_axis = 1 : i64",
       {"4x2xf32"},
       "(C1)"},
      {"reverse_sequence_c2", "reverse_sequence", {"4x2xf32", "3xi64"}, "", {"4x2xf32"}, "(C2)"},
      {"top_k", "top_k", {"2x10xf32", "1xi64=[3]"}, "", {"2x3xf32", "2x3xi64"}, ""},
      {"top_k_unknown",
       "top_k",
       {"2x10xf32", "1xi64"},
       "axis = 0 : i64",
       {"?x10xf32", "?x10xi64"},
       ""},
      {"top_k_c1",
       "top_k",
       {"2x10xf32", "1xi64=[3]"},
       "axis = 2 : i64",
       {"2x3xf32", "2x3xi64"},
       "(C1)"},
      {"top_k_c2", "top_k", {"2x10xf32", "1xi64=[11]"}, "", {"2x11xf32", "2x11xi64"}, "(C2)"},
      {"nonzero", "nonzero", {"2x3xf32"}, "", {"2x?xi64"}, ""},
      {"dropout", "dropout", {"2xf32", "f32", "i1=false"}, "seed = 1 : i64", {"2xf32", "2xi1"}, ""},
      {"dropout_plain", "dropout", {"2xf32"}, "", {"2xf32"}, ""},
      {"dropout_of_nothing", "dropout", {"2xf32", "f32=0.0", "i1=true"}, "", {"2xf32", "2xi1"}, ""},
      {"dropout_of_nothing_whatever_mode",
       "dropout",
       {"2xf32", "f32=0.0", "i1"},
       "",
       {"2xf32"},
       ""},
      {"dropout_c1_ratio", "dropout", {"2xf32", "f32=0.5", "i1=true"}, "", {"2xf32"}, "(C1)"},
      {"dropout_c1", "dropout", {"2xf32", "-", "i1=true"}, "", {"2xf32"}, "(C1)"},
      {"dropout_c1_argument", "dropout", {"2xf32", "-", "i1"}, "", {"2xf32"}, "(C1)"},
  };
}

std::vector<OpCase> reductionCases() {
  std::vector<OpCase> cases;
  for (const std::string op :
       {"reduce_l1", "reduce_l2", "reduce_log_sum", "reduce_log_sum_exp", "reduce_max",
        "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "reduce_sum_square"}) {
    cases.push_back({op, op, {"2x3x4xf32", "2xi64=[0, -1]"}, "", {"1x3x1xf32"}, ""});
    cases.push_back({op + "_all", op, {"2x?xf32"}, "keepdims = 0 : i64", {"f32"}, ""});
    cases.push_back({op + "_c1", op, {"2x3xf32", "1xi64=[2]"}, "", {"2x1xf32"}, "(C1)"});
    cases.push_back(
        {op + "_c2", op, {"2x3xf32", "?xi64"}, "keepdims = 0 : i64", {"2xf32"}, "(C2)"});
  }
  cases.push_back({"reduce_sum_noop",
                   "reduce_sum",
                   {"2x3xf32", "0xi64="},
                   "noop_with_empty_axes = 1 : i64",
                   {"2x3xf32"},
                   ""});
  cases.push_back({"reduce_sum_unknown", "reduce_sum", {"2x3xf32", "1xi64"}, "", {"?x?xf32"}, ""});
  cases.push_back(
      {"reduce_sum_unknown_all", "reduce_sum", {"2x3xf32", "2xi64"}, "", {"1x1xf32"}, ""});
  cases.push_back({"reduce_sum_unknown_rank",
                   "reduce_sum",
                   {"2x3x4xf32", "1xi64"},
                   "keepdims = 0 : i64",
                   {"?x?xf32"},
                   ""});
  cases.push_back(
      {"reduce_sum_c1_many", "reduce_sum", {"2x3xf32", "3xi64"}, "", {"?x?xf32"}, "(C1)"});
  cases.push_back(
      {"reduce_sum_c1_twice", "reduce_sum", {"2x3xf32", "2xi64=[1, -1]"}, "", {"2x1xf32"}, "(C1)"});
  cases.push_back(
      {"reduce_sum_c2_rank", "reduce_sum", {"2x3xf32", "1x1xi64"}, "", {"2x1xf32"}, "(C2)"});
  for (const std::string op : {"argmax", "argmin"}) {
    cases.push_back({op, op, {"2x3xf32"}, "axis = -1 : i64, keepdims = 0 : i64", {"2xi64"}, ""});
    cases.push_back({op + "_c1", op, {"2x3xf32"}, "axis = 2 : i64", {"2x1xi64"}, "(C1)"});
  }
  for (const std::string op : {"hardmax", "log_softmax", "softmax"}) {
    cases.push_back({op, op, {"2x3xf32"}, "axis = 0 : i64", {"2x3xf32"}, ""});
    cases.push_back({op + "_c1", op, {"f32"}, "", {"f32"}, "(C1)"});
  }
  return cases;
}

// NOLINTEND(modernize-use-designated-initializers)

}  // namespace tessera::op_cases
