#include "bench/passes/families.h"

namespace tessera::bench {
namespace {

Body softmax(const Body& body) { return Body(body).op("softmax", {}, "{axis = 1 : i64}"); }

Body cumulativeSum(const Body& body, int64_t axis) {
  return Body(body).whole("%axis", std::to_string(axis), {}).op("cumsum", {"%axis"});
}

std::vector<Family> elementwise() {
  return {
      {"scale_add_relu",
       [](int64_t c, int64_t s) {
         return affine(image(c, s), {c, 1, 1}).op("mul", {"%a"}).op("add", {"%b"}).op("relu");
       }},
      {"batch_norm",
       [](int64_t c, int64_t s) {
         return affine(image(c, s), {c}).op("batch_norm", {"%a", "%b", "%b", "%a"});
       }},
      {"columns_and_rows",
       [](int64_t c, int64_t s) {
         return rows(c, s)
             .constant("%a", {c * s * s / 768, 1}, "0.5")
             .constant("%b", {768}, "0.25")
             .op("mul", {"%a"})
             .op("add", {"%b"})
             .op("relu");
       }},
      {"gelu", [](int64_t c, int64_t s) { return image(c, s).op("gelu"); }, {33.6, 23.1}},
      {"sigmoid", [](int64_t c, int64_t s) { return image(c, s).op("sigmoid"); }, {15.2, 13.6}},
      {"where",
       [](int64_t c, int64_t s) {
         return affine(image(c, s), {c, 1, 1})
             .op("greater", {"%a"}, "", Type({1, c, s, s}, "i1"))
             .op("where", {"%x", "%b"}, "", Type({1, c, s, s}));
       }},
      {"cast_to_i32",
       [](int64_t c, int64_t s) {
         return image(c, s).op("cast", {}, "{to = 6 : i64}", Type({1, c, s, s}, "i32"));
       }},
  };
}

std::vector<Family> norms() {
  return {
      // Maxima, exponentials, sums and products: 1 + 12.3 + 1.3 + 2 with AVX2, 1.1 + 10.6 + 1.1 +
      // 1.4 with AVX-512. Short rows have more of maxima and sums, rows of 49 of vectors.
      {"softmax", [](int64_t c, int64_t s) { return softmax(rows(c, s)); }, {16.6, 14.2}},
      {"softmax_of_49", [](int64_t c, int64_t s) { return softmax(rows(c, s, 49)); }, {19.9, 19.9}},
      {"softmax_of_16", [](int64_t c, int64_t s) { return softmax(rows(c, s, 16)); }, {17.9, 17}},
      {"layer_norm",
       [](int64_t c, int64_t s) {
         return affine(rows(c, s), {768})
             .op("layer_norm", {"%a", "%b"}, "{resultSegmentSizes = array<i32: 1, 0, 0>}");
       },
       {5, 4.2}},
      {"rms_norm",
       [](int64_t c, int64_t s) {
         return rows(c, s).constant("%a", {768}, "0.5").op("rms_norm", {"%a"});
       },
       {5, 3}},
      {"instance_norm",
       [](int64_t c, int64_t s) {
         return affine(image(c, s), {c}).op("instance_norm", {"%a", "%b"});
       },
       {4, 4}},
      {"group_norm",
       [](int64_t c, int64_t s) {
         return affine(image(c, s), {c}).op("group_norm", {"%a", "%b"}, "{num_groups = 16 : i64}");
       },
       {4, 3}},
      {"lrn",
       [](int64_t c, int64_t s) { return image(c, s).op("lrn", {}, "{size = 5 : i64}"); },
       {26.2, 20}},
      {"cumulative_sum_of_rows",
       [](int64_t c, int64_t s) { return cumulativeSum(rows(c, s), 1); },
       {16.1, 16.1}},
      {"cumulative_sum_of_columns",
       [](int64_t c, int64_t s) { return cumulativeSum(rows(c, s), 0); },
       {6.9, 4.3}},
  };
}

}  // namespace

std::vector<Family> elementFamilies() {
  std::vector<Family> all = elementwise();
  for (Family& family : norms()) all.push_back(std::move(family));
  return all;
}

}  // namespace tessera::bench
