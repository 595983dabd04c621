#include "compiler/evaluate/relayout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "mlir/IR/MLIRContext.h"

namespace tessera::evaluate {

namespace {

struct Case {
  const char* name;
  std::vector<int64_t> shape, order, blockDims, blockSizes;
};

const Case kCases[] = {
    {.name = "nchw16c", .shape = {2, 19, 3, 5}, .order = {}, .blockDims = {1}, .blockSizes = {16}},
    {.name = "nhwc",
     .shape = {2, 7, 3, 5},
     .order = {0, 2, 3, 1},
     .blockDims = {},
     .blockSizes = {}},
    {.name = "OIhw4i8o",
     .shape = {9, 5, 3, 2},
     .order = {},
     .blockDims = {1, 0},
     .blockSizes = {4, 8}},
    {.name = "two_levels",
     .shape = {10, 13},
     .order = {1, 0},
     .blockDims = {1, 0, 1},
     .blockSizes = {2, 4, 3}},
    {.name = "no_padding", .shape = {8, 8}, .order = {}, .blockDims = {1}, .blockSizes = {4}},
    {.name = "empty", .shape = {0, 5}, .order = {}, .blockDims = {1}, .blockSizes = {4}},
};

/// Element `index` of the physical order by the definition of the layout: outer dimensions in
/// order, then blocks; -1 for padding.
int64_t plainOffset(const Case& c, std::span<const int64_t> physicalShape, int64_t index) {
  std::vector<int64_t> physical(physicalShape.size());
  for (size_t p = physical.size(); p-- > 0; index /= physicalShape[p]) {
    physical[p] = index % physicalShape[p];
  }
  int64_t offset = 0;
  const size_t rank = c.shape.size();
  for (size_t d = 0; d < rank; ++d) {
    size_t outer = d;
    for (size_t p = 0; p < c.order.size(); ++p) {
      if (c.order[p] == static_cast<int64_t>(d)) outer = p;
    }
    int64_t logical = physical[outer];
    for (size_t b = 0; b < c.blockDims.size(); ++b) {
      if (c.blockDims[b] == static_cast<int64_t>(d)) {
        logical = logical * c.blockSizes[b] + physical[rank + b];
      }
    }
    if (logical >= c.shape[d]) return -1;
    offset = offset * c.shape[d] + logical;
  }
  return offset;
}

template <typename T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

class Relayout : public testing::TestWithParam<Case> {
 protected:
  Relayout() { context_.loadDialect<ir::TsrDialect>(); }

  mlir::RankedTensorType blocked(mlir::Type element) {
    const Case& c = GetParam();
    const auto layout = ir::LayoutAttr::get(&context_, {}, c.order, c.blockDims, c.blockSizes, "");
    return mlir::RankedTensorType::get(c.shape, element, layout);
  }

  template <typename T>
  void check(mlir::Type element) {
    const Case& c = GetParam();
    const mlir::RankedTensorType type = blocked(element);
    const mlir::RankedTensorType plain = ir::withoutLayout(type);
    const mlir::RankedTensorType physical = ir::physicalType(type);
    std::vector<T> values(plain.getNumElements());
    std::iota(values.begin(), values.end(), T{1});
    const std::vector<std::byte> packed = relayout(bytesOf(values), plain, type);
    ASSERT_EQ(packed.size(), physical.getNumElements() * sizeof(T));
    for (int64_t i = 0; i < physical.getNumElements(); ++i) {
      const int64_t from = plainOffset(c, physical.getShape(), i);
      T found;
      std::memcpy(&found, packed.data() + i * sizeof(T), sizeof(T));
      EXPECT_EQ(found, from < 0 ? T{0} : values[from]) << "physical element " << i;
    }
    const std::vector<std::byte> back = relayout(packed, type, plain);
    EXPECT_TRUE(std::ranges::equal(back, bytesOf(values)));
  }

  mlir::MLIRContext context_;
};

TEST_P(Relayout, PacksAndUnpacksBytes) { check<int8_t>(mlir::IntegerType::get(&context_, 8)); }
TEST_P(Relayout, PacksAndUnpacksHalves) { check<uint16_t>(mlir::IntegerType::get(&context_, 16)); }
TEST_P(Relayout, PacksAndUnpacksFloats) { check<float>(mlir::Float32Type::get(&context_)); }
TEST_P(Relayout, PacksAndUnpacksInt64) { check<int64_t>(mlir::IntegerType::get(&context_, 64)); }

TEST_P(Relayout, GoesFromBlocksToOtherBlocks) {
  const mlir::Type f32 = mlir::Float32Type::get(&context_);
  const mlir::RankedTensorType from = blocked(f32);
  const mlir::RankedTensorType plain = ir::withoutLayout(from);
  const mlir::RankedTensorType to = ir::withBlocks(plain, {0}, {3});
  std::vector<float> values(plain.getNumElements());
  std::iota(values.begin(), values.end(), 1.0f);
  const std::vector<std::byte> packed = relayout(bytesOf(values), plain, from);
  EXPECT_EQ(relayout(packed, from, to), relayout(bytesOf(values), plain, to));
}

TEST_P(Relayout, ReadsUnalignedBytes) {
  const mlir::RankedTensorType type = blocked(mlir::Float32Type::get(&context_));
  const mlir::RankedTensorType plain = ir::withoutLayout(type);
  std::vector<float> values(plain.getNumElements());
  std::iota(values.begin(), values.end(), 1.0f);
  std::vector<std::byte> shifted(values.size() * sizeof(float) + 1);
  std::ranges::copy(bytesOf(values), shifted.begin() + 1);
  EXPECT_EQ(relayout(std::span(shifted).subspan(1), plain, type),
            relayout(bytesOf(values), plain, type));
}

TEST(RelayoutTest, LargeOnesAreThoseOfTheirParts) {
  mlir::MLIRContext context;
  context.loadDialect<ir::TsrDialect>();
  const auto plain = mlir::RankedTensorType::get({300, 130, 3}, mlir::Float32Type::get(&context));
  const mlir::RankedTensorType type = ir::withBlocks(plain, {1, 0}, {16, 16});
  std::vector<float> values(plain.getNumElements());
  std::iota(values.begin(), values.end(), 1.0f);
  const std::vector<std::byte> packed = relayout(bytesOf(values), plain, type);
  const ir::Blob blob = relayoutBlob(bytesOf(values), plain, type);
  EXPECT_TRUE(std::ranges::equal(packed, blob.bytes));
  EXPECT_TRUE(std::ranges::equal(relayout(packed, type, plain), bytesOf(values)));
  // [19, 9, 3, 16, 16]: what is behind element [299, 129, 2] is padding.
  const auto at = [&](int64_t row, int64_t column, int64_t k) {
    const int64_t block = ((row / 16 * 9 + column / 16) * 3 + k) * 256;
    float element;
    std::memcpy(&element, packed.data() + (block + column % 16 * 16 + row % 16) * sizeof(float),
                sizeof element);
    return element;
  };
  EXPECT_EQ(at(299, 129, 2), values.back());
  EXPECT_EQ(at(123, 45, 1), values[(123 * 130 + 45) * 3 + 1]);
  EXPECT_EQ(at(300, 129, 2), 0);
  EXPECT_EQ(at(299, 130, 2), 0);
}

INSTANTIATE_TEST_SUITE_P(Layouts, Relayout, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace

}  // namespace tessera::evaluate
