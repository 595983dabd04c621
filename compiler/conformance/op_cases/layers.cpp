#include "compiler/conformance/op_cases/op_cases.h"

namespace tessera::op_cases {

// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.

static std::vector<OpCase> resizeCases() {
  return {
      {"resize_scales",
       "resize",
       {"1x3x4x5xf32", "-", "4xf32=[1.0, 1.0, 2.0, 0.5]"},
       "",
       {"1x3x8x2xf32"},
       ""},
      {"resize_scales_rounded",
       "resize",
       {"20x30x10xf32", "-", "3xf32=[0.7, 1.3, 3.3]"},
       "",
       {"14x39x33xf32"},
       ""},
      {"resize_sizes",
       "resize",
       {"1x3x4x5xf32", "-", "-", "2xi64=[7, 9]"},
       "axes = array<i64: 2, 3>",
       {"1x3x7x9xf32"},
       ""},
      {"resize_aspect",
       "resize",
       {"1x3x4x8xf32", "-", "-", "2xi64=[7, 9]"},
       R"(axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_larger")",
       {"1x3x5x9xf32"},
       ""},
      {"resize_unknown", "resize", {"1x3x4x5xf32", "-", "4xf32"}, "", {"?x?x?x?xf32"}, ""},
      {"resize_empty_scales",
       "resize",
       {"1x3xf32", "0xf32=", "0xf32=", "2xi64=[1, 6]"},
       "",
       {"1x6xf32"},
       ""},
      {"resize_of_nothing", "resize", {"0x3xf32", "-", "-", "2xi64=[0, 6]"}, "", {"0x6xf32"}, ""},
      {"resize_c1_to_nothing",
       "resize",
       {"1x3xf32", "-", "-", "2xi64=[1, 0]"},
       "",
       {"1x0xf32"},
       "(C1)"},
      {"resize_c1",
       "resize",
       {"1x3xf32", "-", "2xf32=1.0", "2xi64=[1, 3]"},
       "",
       {"1x3xf32"},
       "(C1)"},
      {"resize_c1_neither", "resize", {"1x3xf32"}, "", {"1x3xf32"}, "(C1)"},
      {"resize_c1_count", "resize", {"1x3xf32", "-", "-", "1xi64=[1]"}, "", {"1x3xf32"}, "(C1)"},
      {"resize_c1_scale", "resize", {"1x3xf32", "-", "2xf32=[1.0, -1.0]"}, "", {"1x3xf32"}, "(C1)"},
      {"resize_c1_huge",
       "resize",
       {"1x3xf32", "-", "2xf32=[1.0e+38, 1.0]"},
       "",
       {"1x3xf32"},
       "(C1)"},
      {"resize_c2",
       "resize",
       {"1x3xf32", "-", "2xf32=1.0"},
       R"(mode = "bilinear")",
       {"1x3xf32"},
       "(C2)"},
      {"resize_c3",
       "resize",
       {"1x3xf32", "2xf32", "2xf32=1.0"},
       R"(coordinate_transformation_mode = "tf_crop_and_resize")",
       {"1x3xf32"},
       "(C3)"},
  };
}

std::vector<OpCase> normCases() {
  std::vector<OpCase> cases = resizeCases();
  const std::vector<OpCase> norms = {
      {"batch_norm",
       "batch_norm",
       {"2x3x4xf32", "3xf32", "3xf32", "3xf32", "3xf32"},
       "",
       {"2x3x4xf32"},
       ""},
      {"batch_norm_c1",
       "batch_norm",
       {"2x3xf32", "3xf32", "3xf32", "2xf32", "3xf32"},
       "",
       {"2x3xf32"},
       "(C1)"},
      {"batch_norm_c2",
       "batch_norm",
       {"2x3xf32", "3xf32", "3xf32", "3xf32", "3xf32"},
       "training_mode = 1 : i64",
       {"2x3xf32"},
       "(C2)"},
      {"instance_norm", "instance_norm", {"2x3x4xf32", "3xf32", "3xf32"}, "", {"2x3x4xf32"}, ""},
      {"instance_norm_c1", "instance_norm", {"2x3xf32", "3xf32", "3xf32"}, "", {"2x3xf32"}, "(C1)"},
      {"instance_norm_c2",
       "instance_norm",
       {"2x3x4xf32", "3xf64", "3xf32"},
       "",
       {"2x3x4xf32"},
       "(C2)"},
      {"group_norm",
       "group_norm",
       {"2x6x4xf32", "6xf32", "6xf32"},
       "num_groups = 3 : i64",
       {"2x6x4xf32"},
       ""},
      {"group_norm_c1",
       "group_norm",
       {"2x6x4xf32", "6xf32", "6xf32"},
       "num_groups = 4 : i64",
       {"2x6x4xf32"},
       "(C1)"},
      {"group_norm_c1_zero",
       "group_norm",
       {"2x6x4xf32", "6xf32", "6xf32"},
       "num_groups = 0 : i64",
       {"2x6x4xf32"},
       "(C1)"},
      {"group_norm_c2",
       "group_norm",
       {"2x6x4xf32", "6xf32", "6xf64"},
       "num_groups = 3 : i64",
       {"2x6x4xf32"},
       "(C2)"},
      {"layer_norm", "layer_norm", {"2x3x4xf32", "4xf32"}, "", {"2x3x4xf32"}, ""},
      {"layer_norm_all",
       "layer_norm",
       {"2x3x4xf16", "3x4xf16", "4xf16"},
       "axis = 1 : i64",
       {"2x3x4xf16", "2x1x1xf32", "2x1x1xf32"},
       ""},
      {"layer_norm_deviation",
       "layer_norm",
       {"2x3xf32", "3xf32"},
       "",
       {"2x3xf32", "-", "2x1xf32"},
       ""},
      {"layer_norm_c1", "layer_norm", {"2x3xf32", "3xf32"}, "axis = 2 : i64", {"2x3xf32"}, "(C1)"},
      {"layer_norm_c2", "layer_norm", {"2x3xf32", "2xf32"}, "", {"2x3xf32"}, "(C2)"},
      {"layer_norm_c3",
       "layer_norm",
       {"2x3xf32", "3xf32"},
       "stash_type = 7 : i64",
       {"2x3xf32"},
       "(C3)"},
      {"layer_norm_c4", "layer_norm", {"2x3xf32", "3xf64"}, "", {"2x3xf32"}, "(C4)"},
      {"rms_norm", "rms_norm", {"2x3xf32", "3xf32"}, "", {"2x3xf32"}, ""},
      {"rms_norm_c1", "rms_norm", {"2x3xf32", "3xf32"}, "axis = -3 : i64", {"2x3xf32"}, "(C1)"},
      {"rms_norm_c2", "rms_norm", {"2x3xf32", "2x3xf32"}, "", {"2x3xf32"}, "(C2)"},
      {"lrn", "lrn", {"2x3x4xf32"}, "size = 3 : i64", {"2x3x4xf32"}, ""},
      {"lrn_c1", "lrn", {"3xf32"}, "size = 3 : i64", {"3xf32"}, "(C1)"},
      {"lrn_c2", "lrn", {"2x3x4xf32"}, "size = 0 : i64", {"2x3x4xf32"}, "(C2)"},
      {"lp_norm", "lp_norm", {"2x3xf32"}, "p = 1 : i64", {"2x3xf32"}, ""},
      {"lp_norm_c1", "lp_norm", {"2x3xf32"}, "axis = 2 : i64", {"2x3xf32"}, "(C1)"},
      {"lp_norm_c2", "lp_norm", {"2x3xf32"}, "p = 3 : i64", {"2x3xf32"}, "(C2)"},
      {"mean_variance_norm", "mean_variance_norm", {"2x3x4x5xf32"}, "", {"2x3x4x5xf32"}, ""},
      {"mean_variance_norm_c1", "mean_variance_norm", {"2x3xf32"}, "", {"2x3xf32"}, "(C1)"},
      {"quantize_linear", "quantize_linear", {"2x3xf32", "f32", "i8"}, "", {"2x3xi8"}, ""},
      {"quantize_linear_axis",
       "quantize_linear",
       {"2x3xf32", "3xf32"},
       "output_dtype = 3 : i64",
       {"2x3xi8"},
       ""},
      {"quantize_linear_default", "quantize_linear", {"4xf32", "1xf32"}, "", {"4xui8"}, ""},
      {"quantize_linear_c1", "quantize_linear", {"2x3xf32", "2xf32"}, "", {"2x3xui8"}, "(C1)"},
      {"quantize_linear_c2",
       "quantize_linear",
       {"2x3xf32", "3xf32"},
       "axis = 2 : i64",
       {"2x3xui8"},
       "(C2)"},
      {"quantize_linear_c3",
       "quantize_linear",
       {"2x3xf32", "f32", "i8"},
       "output_dtype = 2 : i64",
       {"2x3xi8"},
       "(C3)"},
      {"dequantize_linear", "dequantize_linear", {"2x3xui8", "f16", "ui8"}, "", {"2x3xf16"}, ""},
      {"dequantize_linear_blocks",
       "dequantize_linear",
       {"2x5xi8", "2x3xf32"},
       "block_size = 2 : i64",
       {"2x5xf32"},
       ""},
      {"dequantize_linear_c1",
       "dequantize_linear",
       {"2x5xi8", "2x2xf32"},
       "block_size = 2 : i64",
       {"2x5xf32"},
       "(C1)"},
      {"dequantize_linear_c2",
       "dequantize_linear",
       {"2x3xi8", "3xf32"},
       "axis = -3 : i64",
       {"2x3xf32"},
       "(C2)"},
      {"dequantize_linear_c3",
       "dequantize_linear",
       {"2x3xi8", "f32", "ui8"},
       "",
       {"2x3xf32"},
       "(C3)"},
      {"dynamic_quantize_linear",
       "dynamic_quantize_linear",
       {"2x3xf32"},
       "",
       {"2x3xui8", "f32", "ui8"},
       ""},
  };
  cases.insert(cases.end(), norms.begin(), norms.end());
  return cases;
}

std::vector<OpCase> recurrentCases() {
  std::vector<OpCase> cases;
  const auto add = [&](const std::string& op, int gates, const std::vector<std::string>& results) {
    // T = 5, N = 2, I = 3, H = 4.
    const std::string rows = std::to_string(4 * gates);
    const std::string w = "1x" + rows + "x3xf32", r = "1x" + rows + "x4xf32";
    const std::string b = "1x" + std::to_string(8 * gates) + "xf32";
    cases.push_back(
        {op, op, {"5x2x3xf32", w, r, b, "2xi32"}, "hidden_size = 4 : i64", results, ""});
    cases.push_back({op + "_no_results", op, {"5x2x3xf32", w, r}, "", {}, ""});
    cases.push_back({op + "_batch_first",
                     op,
                     {"2x5x3xf32", w, r, "-", "-", "2x1x4xf32"},
                     "layout = 1 : i64",
                     {"2x5x1x4xf32"},
                     ""});
    cases.push_back({op + "_bidirectional",
                     op,
                     {"5x2x3xf32", "2x" + rows + "x3xf32", "2x" + rows + "x4xf32"},
                     R"(direction = "bidirectional")",
                     {"-", "2x2x4xf32"},
                     ""});
    cases.push_back({op + "_c1", op, {"5x2xf32", w, r}, "", results, "(C1)"});
    cases.push_back(
        {op + "_c2", op, {"5x2x3xf32", w, r}, "hidden_size = 5 : i64", results, "(C2)"});
    cases.push_back({op + "_c2_input", op, {"5x2x7xf32", w, r}, "", results, "(C2)"});
    cases.push_back(
        {op + "_c2_state", op, {"5x2x3xf32", w, r, "-", "-", "1x3x4xf32"}, "", results, "(C2)"});
    cases.push_back(
        {op + "_c3", op, {"5x2x3xf32", w, r}, R"(direction = "backward")", results, "(C3)"});
    cases.push_back(
        {op + "_c3_layout", op, {"5x2x3xf32", w, r}, "layout = 2 : i64", results, "(C3)"});
    cases.push_back({op + "_c4", op, {"5x2x3xf64", w, r}, "", results, "(C4)"});
    cases.push_back(
        {op + "_c4_state", op, {"5x2x3xf32", w, r, "-", "-", "1x2x4xf64"}, "", results, "(C4)"});
  };
  cases.push_back({"lstm_c4_peepholes",
                   "lstm",
                   {"5x2x3xf32", "1x16x3xf32", "1x16x4xf32", "-", "-", "-", "-", "1x12xf64"},
                   "",
                   {"5x1x2x4xf32", "1x2x4xf32", "1x2x4xf32"},
                   "(C4)"});
  add("gru", 3, {"5x1x2x4xf32", "1x2x4xf32"});
  add("lstm", 4, {"5x1x2x4xf32", "1x2x4xf32", "1x2x4xf32"});
  add("rnn", 1, {"5x1x2x4xf32", "1x2x4xf32"});
  return cases;
}

// NOLINTEND(modernize-use-designated-initializers)

}  // namespace tessera::op_cases
