#include "bench/passes/families.h"

namespace tessera::bench {
namespace {

/// Volumes of as many elements.
Body volume(int64_t channels, int64_t size) {
  return Body({1, 8 * channels / size, size / 2, size / 2, size / 2});
}

Body doubled(int64_t channels, int64_t size, const std::string& how) {
  const std::string edge = std::to_string(2 * size);
  return image(channels, size)
      .whole("%s", "[1, " + std::to_string(channels) + ", " + edge + ", " + edge + "]", {4})
      .op("resize", {"%s"}, "{" + how + ", operandSegmentSizes = array<i32: 1, 0, 0, 1>}",
          Shape{1, channels, 2 * size, 2 * size});
}

std::vector<Family> pools() {
  constexpr auto kStepsOfTwo =
      "{kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, "
      "pads = array<i64: 1, 1, 1, 1>}";
  constexpr auto kLine = "{kernel_shape = array<i64: 3>, pads = array<i64: 1, 1>}";
  constexpr auto kLineStepsOfTwo =
      "{kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>}";
  constexpr auto kVolume =
      "{kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>}";
  constexpr auto kVolumeStepsOfTwo =
      "{kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>}";
  return {
      {"max_pool_3_2",
       [](int64_t c, int64_t s) {
         return image(c, s).op("max_pool", {}, kStepsOfTwo, Shape{1, c, s / 2, s / 2});
       },
       {6, 3.2}},
      {"average_pool_3_1",
       [](int64_t c, int64_t s) {
         return image(c, s).op("average_pool", {},
                               "{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}");
       },
       {4.8, 4.2}},
      {"max_pool_1d_3_2",
       [](int64_t c, int64_t s) {
         return Body({1, c, s * s}).op("max_pool", {}, kLineStepsOfTwo, Shape{1, c, s * s / 2});
       },
       {5.5, 2.3}},
      {"average_pool_1d_3_1",
       [](int64_t c, int64_t s) { return Body({1, c, s * s}).op("average_pool", {}, kLine); },
       {4, 2.7}},
      {"max_pool_3d_2_2",
       [](int64_t c, int64_t s) {
         return volume(c, s).op("max_pool", {}, kVolumeStepsOfTwo,
                                Shape{1, 8 * c / s, s / 4, s / 4, s / 4});
       },
       {2.3, 2.4}},
      {"max_pool_3d_3_1",
       [](int64_t c, int64_t s) { return volume(c, s).op("max_pool", {}, kVolume); },
       {8.9, 7.3}},
      {"average_pool_3d_3_1",
       [](int64_t c, int64_t s) { return volume(c, s).op("average_pool", {}, kVolume); },
       {7.5, 5.6}},
  };
}

std::vector<Family> resizes() {
  return {
      {"resize_nearest",
       [](int64_t c, int64_t s) {
         return doubled(c, s,
                        "mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
                        "nearest_mode = \"floor\"");
       }},
      {"resize_linear",
       [](int64_t c, int64_t s) {
         return doubled(c, s, "mode = \"linear\", coordinate_transformation_mode = \"half_pixel\"");
       },
       {3.4, 2.5}},
      // Of the last vectors of rows with AVX2: the loop between the ends, which does the same,
      // takes 8.4. Multiplications and additions alone are 5.3.
      {"resize_cubic",
       [](int64_t c, int64_t s) {
         return doubled(c, s, "mode = \"cubic\", coordinate_transformation_mode = \"half_pixel\"");
       },
       {6.5, 5.5}},
  };
}

}  // namespace

std::vector<Family> windowFamilies() {
  std::vector<Family> all = pools();
  for (Family& family : resizes()) all.push_back(std::move(family));
  return all;
}

}  // namespace tessera::bench
