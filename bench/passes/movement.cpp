#include "bench/passes/families.h"

namespace tessera::bench {
namespace {

Body channelsLast(int64_t channels, int64_t size) {
  return image(channels, size)
      .op("transpose", {}, "{perm = array<i64: 0, 2, 3, 1>}", Shape{1, size, size, channels});
}

/// Every seventh of `rows` in turn, `count` of them.
std::string everySeventh(int64_t count, int64_t rows, const char* before = "",
                         const char* behind = "") {
  std::string indices = "[";
  for (int64_t i = 0; i < count; ++i)
    indices += (i == 0 ? "" : ", ") + (before + std::to_string(i * 7 % rows) + behind);
  return indices + "]";
}

std::vector<Family> transposes() {
  return {
      {"channels_last", channelsLast},
      // The same where planes are no multiples of 4 KB (28, 56 and 168 squared): what lies as far
      // apart shares few lines of a cache.
      {"channels_last_7_8", [](int64_t c, int64_t s) { return channelsLast(c, s / 8 * 7); }},
      {"heads",
       [](int64_t c, int64_t s) {
         return Body({c * s * s / 768, 12, 64})
             .op("transpose", {}, "{perm = array<i64: 1, 0, 2>}", Shape{12, c * s * s / 768, 64});
       }},
  };
}

std::vector<Family> parts() {
  return {
      {"pad",
       [](int64_t c, int64_t s) {
         return image(c, s)
             .whole("%p", "[0, 0, 1, 1, 0, 0, 1, 1]", {8})
             .op("pad", {"%p"}, "{operandSegmentSizes = array<i32: 1, 1, 0, 0>}",
                 Shape{1, c, s + 2, s + 2});
       }},
      {"concat_columns",
       [](int64_t c, int64_t s) {
         return image(c, s).op("concat", {"%x"}, "{axis = 3 : i64}", Shape{1, c, s, 2 * s});
       }},
      {"slice_columns",
       [](int64_t c, int64_t s) {
         return image(c, s)
             .whole("%from", "[3]", {1})
             .whole("%to", "[" + std::to_string(s - 5) + "]", {1})
             .op("slice", {"%from", "%to", "%from"},
                 "{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}", Shape{1, c, s, s - 8});
       }},
      {"split_columns",
       [](int64_t c, int64_t s) {
         const Shape half = {1, c, s, s / 2};
         return image(c, s).pair("split", {}, "{axis = 3 : i64, num_outputs = 2 : i64}", half,
                                 half);
       }},
      // Two images: the halves of one are views.
      {"split_channels",
       [](int64_t c, int64_t s) {
         const Shape half = {2, c / 2, s, s / 2};
         return Body({2, c, s, s / 2})
             .pair("split", {}, "{axis = 1 : i64, num_outputs = 2 : i64}", half, half);
       }},
      {"gather_rows",
       [](int64_t c, int64_t s) {
         const int64_t count = c * s * s / 768;
         return rows(c, s).whole("%i", everySeventh(count, count), {count}).op("gather", {"%i"});
       }},
      // A quarter of the rows come from another tensor.
      {"scatter_rows",
       [](int64_t c, int64_t s) {
         const int64_t all = c * s * s / 768, count = all / 4;
         return rows(c, s)
             .whole("%i", everySeventh(count, all, "[", "]"), {count, 1})
             .constant("%u", {count, 768}, "0.5")
             .op("scatter_nd", {"%i", "%u"}, "{reduction = \"none\"}");
       }},
  };
}

}  // namespace

std::vector<Family> movementFamilies() {
  std::vector<Family> all = transposes();
  for (Family& family : parts()) all.push_back(std::move(family));
  return all;
}

}  // namespace tessera::bench
