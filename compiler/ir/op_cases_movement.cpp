#include "compiler/ir/op_cases.h"

namespace tessera::ir::test {

static const char* const kNamed = "?x4xf32, #tsr.layout<dims = [\"n\", \"\"]>";

static std::vector<OpCase> shapeCases() {
  return {
      {"shape", "shape", {"2x?x4xf32"}, "", {"3xi64"}, ""},
      {"shape_part", "shape", {"2x?x4xf32"}, "end = -1 : i64, start = 1 : i64", {"1xi64"}, ""},
      {"shape_far", "shape", {"2x3xf32"}, "start = -9223372036854775808 : i64", {"2xi64"}, ""},
      {"size", "size", {"2x?xf32"}, "", {"i64"}, ""},
      {"reshape", "reshape", {"2x3x4xf32", "2xi64=[0, -1]"}, "", {"2x12xf32"}, ""},
      {"reshape_scalar", "reshape", {"1x1xf32", "0xi64="}, "", {"f32"}, ""},
      {"reshape_symbol", "reshape", {kNamed, "3xi64=[0, 2, -1]"}, "", {"?x2x2xf32, #tsr.layout<dims = [\"n\", \"\", \"\"]>"}, ""},
      {"reshape_infers_symbol", "reshape", {kNamed, "2xi64=[-1, 4]"}, "", {kNamed}, ""},
      {"reshape_empty", "reshape", {"0x3xf32", "2xi64=[0, 5]"}, "allowzero = 1 : i64", {"0x5xf32"}, ""},
      {"reshape_of_argument", "reshape", {"2x3xf32", "2xi64"}, "", {"?x?xf32"}, ""},
      {"reshape_c1", "reshape", {"2x3xf32", "?xi64"}, "", {"6xf32"}, "(C1)"},
      {"reshape_c1_rank", "reshape", {"2x3xf32", "1x1xi64"}, "", {"6xf32"}, "(C1)"},
      {"reshape_c2", "reshape", {"2x3xf32", "2xi64=[-1, -1]"}, "", {"2x3xf32"}, "(C2)"},
      {"reshape_c2_negative", "reshape", {"2x3xf32", "2xi64=[-2, 3]"}, "", {"2x3xf32"}, "(C2)"},
      {"reshape_c2_copy", "reshape", {"6xf32", "2xi64=[6, 0]"}, "", {"6x1xf32"}, "(C2)"},
      {"reshape_c3", "reshape", {"2x3xf32", "2xi64=[2, 4]"}, "", {"2x4xf32"}, "(C3)"},
      {"reshape_c3_inferred", "reshape", {"2x3xf32", "2xi64=[-1, 4]"}, "", {"1x4xf32"}, "(C3)"},
      {"reshape_c3_zero", "reshape", {"2x3xf32", "2xi64=[-1, 0]"}, "allowzero = 1 : i64", {"1x0xf32"}, "(C3)"},
      {"reshape_c3_overflow", "reshape", {"2x3xf32", "2xi64=[4611686018427387904, 4]"}, "", {"2x3xf32"}, "(C3)"},
      {"flatten", "flatten", {"2x3x4xf32"}, "axis = -1 : i64", {"6x4xf32"}, ""},
      {"flatten_symbol", "flatten", {kNamed}, "", {kNamed}, ""},
      {"flatten_all", "flatten", {"f32"}, "axis = 0 : i64", {"1x1xf32"}, ""},
      {"flatten_c1", "flatten", {"2x3xf32"}, "axis = 3 : i64", {"6x1xf32"}, "(C1)"},
      {"squeeze", "squeeze", {"1x3x1xf32", "1xi64=[-1]"}, "", {"1x3xf32"}, ""},
      {"squeeze_all", "squeeze", {"1x3x1xf32"}, "", {"3xf32"}, ""},
      {"squeeze_c1", "squeeze", {"1x3xf32", "2xi64=[0, -2]"}, "", {"3xf32"}, "(C1)"},
      {"squeeze_c1_argument", "squeeze", {"1x3xf32", "1xi64"}, "", {"3xf32"}, "(C1)"},
      {"squeeze_c2", "squeeze", {"1x3xf32", "1xi64=[1]"}, "", {"1xf32"}, "(C2)"},
      {"squeeze_c2_dynamic", "squeeze", {"?x3xf32"}, "", {"3xf32"}, "(C2)"},
      {"unsqueeze", "unsqueeze", {"3x4xf32", "2xi64=[-1, 0]"}, "", {"1x3x4x1xf32"}, ""},
      {"unsqueeze_c1", "unsqueeze", {"3xf32", "1xi64=[2]"}, "", {"3x1xf32"}, "(C1)"},
      {"unsqueeze_c1_twice", "unsqueeze", {"3xf32", "2xi64=[0, 0]"}, "", {"1x1x3xf32"}, "(C1)"},
      {"expand", "expand", {"3x1xf32", "3xi64=[2, 1, 4]"}, "", {"2x3x4xf32"}, ""},
      {"expand_unknown", "expand", {"3x1xf32", "2xi64"}, "", {"3x?xf32"}, ""},
      {"expand_c1", "expand", {"3xf32", "?xi64"}, "", {"3xf32"}, "(C1)"},
      {"expand_c2", "expand", {"3xf32", "1xi64=[2]"}, "", {"3xf32"}, "(C2)"},
      {"tile", "tile", {"2x3xf32", "2xi64=[1, 4]"}, "", {"2x12xf32"}, ""},
      {"tile_unknown", "tile", {"2x3xf32", "2xi64"}, "", {"?x?xf32"}, ""},
      {"tile_c1", "tile", {"2x3xf32", "1xi64=[2]"}, "", {"4x3xf32"}, "(C1)"},
      {"tile_c1_negative", "tile", {"2xf32", "1xi64=[-1]"}, "", {"2xf32"}, "(C1)"},
      {"transpose", "transpose", {"2x3x4xf32"}, "perm = array<i64: 2, 0, 1>", {"4x2x3xf32"}, ""},
      {"transpose_reverse", "transpose", {kNamed}, "", {"4x?xf32, #tsr.layout<dims = [\"\", \"n\"]>"}, ""},
      {"transpose_c1", "transpose", {"2x3xf32"}, "perm = array<i64: 0, 0>", {"2x2xf32"}, "(C1)"},
      {"transpose_c1_short", "transpose", {"2x3xf32"}, "perm = array<i64: 0>", {"2xf32"}, "(C1)"},
      {"transpose_c1_long", "transpose", {"2x3xf32"}, "perm = array<i64: 0, 1, 2>", {"2x3xf32"}, "(C1)"},
  };
}

static std::vector<OpCase> cuttingCases() {
  return {
      {"concat", "concat", {"2x3xf32", "2x4xf32"}, "axis = -1 : i64", {"2x7xf32"}, ""},
      {"concat_symbol", "concat", {kNamed, kNamed}, "axis = 1 : i64", {"?x8xf32, #tsr.layout<dims = [\"n\", \"\"]>"}, ""},
      {"concat_c1", "concat", {}, "axis = 0 : i64", {"2xf32"}, "(C1)"},
      {"concat_c1_rank", "concat", {"2xf32", "2x1xf32"}, "axis = 0 : i64", {"4xf32"}, "(C1)"},
      {"concat_c2", "concat", {"2xf32", "2xf32"}, "axis = 1 : i64", {"4xf32"}, "(C2)"},
      {"concat_c3", "concat", {"2x3xf32", "2x4xf32"}, "axis = 0 : i64", {"4x3xf32"}, "(C3)"},
      {"split", "split", {"6x2xf32", "2xi64=[2, 4]"}, "", {"2x2xf32", "4x2xf32"}, ""},
      {"split_equal", "split", {"7xf32"}, "num_outputs = 3 : i64", {"3xf32", "3xf32", "1xf32"}, ""},
      {"split_dynamic", "split", {"?xf32"}, "num_outputs = 2 : i64", {"?xf32", "?xf32"}, ""},
      {"split_c1", "split", {"6xf32"}, "axis = 1 : i64, num_outputs = 1 : i64", {"6xf32"}, "(C1)"},
      {"split_c2", "split", {"6xf32", "2xi64=[2, 3]"}, "", {"2xf32", "3xf32"}, "(C2)"},
      {"split_c2_count", "split", {"6xf32"}, "num_outputs = 3 : i64", {"3xf32", "3xf32"}, "(C2)"},
      {"split_c2_many", "split", {"5xf32"}, "num_outputs = 4 : i64", {"2xf32", "2xf32", "2xf32", "2xf32"}, "(C2)"},
      {"slice", "slice", {"10x4xf32", "1xi64=[1]", "1xi64=[-1]", "1xi64=[0]", "1xi64=[3]"}, "", {"3x4xf32"}, ""},
      {"slice_back",
       "slice",
       {"10xf32", "1xi64=[-1]", "1xi64=[-9223372036854775808]", "1xi64=[0]", "1xi64=[-1]"},
       "",
       {"10xf32"},
       ""},
      {"slice_steps_without_axes", "slice", {"10xf32", "1xi64=[0]", "1xi64=[10]", "-", "1xi64=[4]"}, "", {"3xf32"}, ""},
      {"slice_symbol", "slice", {kNamed, "1xi64=[0]", "1xi64=[9223372036854775807]"}, "", {kNamed}, ""},
      {"slice_unknown", "slice", {"10x4xf32", "1xi64", "1xi64", "1xi64=[1]"}, "", {"10x?xf32"}, ""},
      {"slice_c1", "slice", {"10xf32", "1xi64=[1]", "2xi64=[2, 3]"}, "", {"1xf32"}, "(C1)"},
      {"slice_c2", "slice", {"10xf32", "1xi64=[1]", "1xi64=[2]", "1xi64=[1]"}, "", {"1xf32"}, "(C2)"},
      {"slice_c3", "slice", {"10xf32", "1xi64=[1]", "1xi64=[2]", "1xi64=[0]", "1xi64=[0]"}, "", {"1xf32"}, "(C3)"},
      {"pad", "pad", {"2x3xf32", "4xi64=[0, 1, 0, 2]"}, "", {"2x6xf32"}, ""},
      {"pad_axes", "pad", {"2x3xf32", "2xi64=[-1, 0]", "f32", "1xi64=[-1]"}, "", {"2x2xf32"}, ""},
      {"pad_unknown", "pad", {"2x3xf32", "4xi64"}, "", {"?x?xf32"}, ""},
      {"pad_c1", "pad", {"2x3xf32", "2xi64=[1, 1]"}, "", {"2x3xf32"}, "(C1)"},
      {"pad_c2", "pad", {"3xf32", "2xi64=[1, 1]", "2xf32"}, "", {"5xf32"}, "(C2)"},
      {"pad_c3", "pad", {"3xf32", "2xi64=[1, 1]"}, "mode = \"mirror\"", {"5xf32"}, "(C3)"},
      {"pad_c4", "pad", {"3xf32", "2xi64=[1, 1]", "-", "1xi64=[1]"}, "", {"5xf32"}, "(C4)"},
      {"pad_c5", "pad", {"3xf32", "2xi64=[-2, -2]"}, "", {"1xf32"}, "(C5)"},
      {"pad_c5_huge", "pad", {"3xf32", "2xi64=[-9223372036854775808, 1]"}, "", {"1xf32"}, "(C5)"},
      {"pad_c6", "pad", {"3xf32", "2xi64=[3, 0]"}, "mode = \"reflect\"", {"6xf32"}, "(C6)"},
      {"depth_to_space", "depth_to_space", {"1x8x2x3xf32"}, "blocksize = 2 : i64", {"1x2x4x6xf32"}, ""},
      {"depth_to_space_c1", "depth_to_space", {"1x6x2x3xf32"}, "blocksize = 2 : i64", {"1x2x4x6xf32"}, "(C1)"},
      {"depth_to_space_c1_zero", "depth_to_space", {"1x6x2x3xf32"}, "blocksize = 0 : i64", {"1x2x4x6xf32"}, "(C1)"},
      {"depth_to_space_c2",
       "depth_to_space",
       {"1x8x2x3xf32"},
       "blocksize = 2 : i64, mode = \"RCD\"",
       {"1x2x4x6xf32"},
       "(C2)"},
      {"space_to_depth", "space_to_depth", {"1x2x4x6xf32"}, "blocksize = 2 : i64", {"1x8x2x3xf32"}, ""},
      {"space_to_depth_c1", "space_to_depth", {"1x2x4x5xf32"}, "blocksize = 2 : i64", {"1x8x2x3xf32"}, "(C1)"},
  };
}

std::vector<OpCase> movementCases() {
  std::vector<OpCase> cases = shapeCases();
  for (OpCase& opCase : cuttingCases()) cases.push_back(std::move(opCase));
  return cases;
}

}  // namespace tessera::ir::test
