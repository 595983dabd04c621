#include "bench/passes/families.h"

namespace tessera::bench {
namespace {

Body relaidOut(const Body& body, Layout layout) { return Body(body).relayout(layout); }

std::vector<Family> conversions() {
  return {
      {"to_blocks", [](int64_t c, int64_t s) { return relaidOut(image(c, s), Layout::kBlocks); }},
      {"from_blocks",
       [](int64_t c, int64_t s) { return relaidOut(imageInBlocks(c, s), Layout::kPlain); }},
      {"from_blocks_7_8",
       [](int64_t c, int64_t s) { return relaidOut(imageInBlocks(c, s / 8 * 7), Layout::kPlain); }},
      {"rows_from_blocks",
       [](int64_t c, int64_t s) {
         return relaidOut(imageInBlocks(c, s), Layout::kPlain)
             .op("transpose", {}, "{perm = array<i64: 0, 2, 3, 1>}", Shape{1, s, s, c});
       }},
      {"blocks_from_rows",
       [](int64_t c, int64_t s) {
         return Body({1, s, s, c})
             .op("transpose", {}, "{perm = array<i64: 0, 3, 1, 2>}", Shape{1, c, s, s})
             .relayout(Layout::kBlocks);
       }},
  };
}

std::vector<Family> elementsInBlocks() {
  return {
      {"gates_in_blocks",
       [](int64_t c, int64_t s) {
         return imageInBlocks(c, s)
             .constant("%a", {1, c, 1, 1}, "0.5", Layout::kBlocks)
             .op("mul", {"%a"});
       }},
      {"batch_norm_in_blocks",
       [](int64_t c, int64_t s) {
         return affine(imageInBlocks(c, s), {c}).op("batch_norm", {"%a", "%b", "%b", "%a"});
       }},
      {"instance_norm_in_blocks",
       [](int64_t c, int64_t s) {
         return affine(imageInBlocks(c, s), {c}).op("instance_norm", {"%a", "%b"});
       }},
      {"mean_in_blocks",
       [](int64_t c, int64_t s) {
         return imageInBlocks(c, s)
             .whole("%axes", "[2, 3]", {2})
             .op("reduce_mean", {"%axes"}, "", Shape{1, c, 1, 1});
       }},
      {"concat_in_blocks",
       [](int64_t c, int64_t s) {
         return imageInBlocks(c, s).op("concat", {"%x"}, "{axis = 1 : i64}", Shape{1, 2 * c, s, s});
       }},
      {"split_in_blocks",
       [](int64_t c, int64_t s) {
         const Shape half = {2, 32, s, c * s / 128};
         return Body({2, 64, s, c * s / 128}, Layout::kBlocks)
             .pair("split", {}, "{axis = 1 : i64, num_outputs = 2 : i64}", half, half);
       }},
      {"pad_in_blocks",
       [](int64_t c, int64_t s) {
         return imageInBlocks(c, s)
             .whole("%p", "[0, 0, 1, 1, 0, 0, 1, 1]", {8})
             .op("pad", {"%p"}, "{operandSegmentSizes = array<i32: 1, 1, 0, 0>}",
                 Shape{1, c, s + 2, s + 2});
       }},
  };
}

std::vector<Family> poolsInBlocks() {
  constexpr auto kStepsOfOne = "{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}";
  constexpr auto kStepsOfTwo =
      "{kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, "
      "pads = array<i64: 1, 1, 1, 1>}";
  return {
      // Counted: 9 maxima and comparisons for four vectors.
      {"max_pool_in_blocks",
       [](int64_t c, int64_t s) {
         return imageInBlocks(c, s).op("max_pool", {}, kStepsOfTwo, Shape{1, c, s / 2, s / 2});
       },
       {2.3, 2.3}},
      // 30 for four vectors; 54 for eight of AVX-512.
      {"max_pool_3_1_in_blocks",
       [](int64_t c, int64_t s) { return imageInBlocks(c, s).op("max_pool", {}, kStepsOfOne); },
       {7.5, 4.3}},
      {"average_pool_in_blocks",
       [](int64_t c, int64_t s) { return imageInBlocks(c, s).op("average_pool", {}, kStepsOfOne); },
       {5, 4}},
  };
}

}  // namespace

std::vector<Family> blockFamilies() {
  std::vector<Family> all = conversions();
  for (const auto& more : {elementsInBlocks(), poolsInBlocks()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace tessera::bench
