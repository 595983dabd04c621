#include "bench/passes/families.h"

namespace tessera::bench {

std::vector<Family> reductionFamilies() {
  return {
      {"mean_of_image",
       [](int64_t c, int64_t s) {
         return image(c, s)
             .whole("%axes", "[2, 3]", {2})
             .op("reduce_mean", {"%axes"}, "", Shape{1, c, 1, 1});
       }},
      {"global_max_pool",
       [](int64_t c, int64_t s) {
         return image(c, s).op("global_max_pool", {}, "", Shape{1, c, 1, 1});
       },
       {3, 2.2}},
      {"max_of_rows",
       [](int64_t c, int64_t s) {
         return rows(c, s)
             .whole("%axes", "[1]", {1})
             .op("reduce_max", {"%axes"}, "", Shape{c * s * s / 768, 1});
       },
       {3, 2.2}},
      {"sum_of_channels",
       [](int64_t c, int64_t s) {
         return image(c, s)
             .whole("%axes", "[1]", {1})
             .op("reduce_sum", {"%axes"}, "", Shape{1, 1, s, s});
       }},
      {"arg_max_of_channels",
       [](int64_t c, int64_t s) {
         return image(c, s).op("argmax", {}, "{axis = 1 : i64}", Type({1, 1, s, s}, "i64"));
       },
       {4, 2.7}},
      {"arg_max_of_rows",
       [](int64_t c, int64_t s) {
         return rows(c, s).op("argmax", {}, "{axis = 1 : i64}", Type({c * s * s / 768, 1}, "i64"));
       },
       {4, 2.7}},
      {"top_16_of_rows",
       [](int64_t c, int64_t s) {
         const Shape shape = {c * s * s / 768, 16};
         return rows(c, s)
             .whole("%k", "[16]", {1})
             .pair("top_k", {"%k"}, "{axis = 1 : i64}", shape, Type(shape, "i64"));
       },
       // Cycles for the 48 lines of a random row, with AVX2 and AVX-512: 92 and 82 for extremes and
       // their bound, 134 and 165 for what reaches it; of those 21 that pass, 62 and 36 for keys,
       // 102 and 113 for comparing each with each, 26 and 44 for moving them, 28 and 27 for the
       // results.
       {9.3, 9.7}},
  };
}

}  // namespace tessera::bench
