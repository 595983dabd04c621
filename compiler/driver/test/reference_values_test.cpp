// The reference runs once for a model and a seed, as long as what it computed is there unharmed.
#include "compiler/driver/measuring/reference_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>

#include "base/half.h"
#include "compiler/ir/module_attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

namespace tessera::driver {
namespace {

namespace fs = std::filesystem;

class ReferenceValuesTest : public testing::Test {
 protected:
  ReferenceValuesTest() {
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @main(%x: tensor<4xf32>, %y: tensor<16xf16>) -> (tensor<4xf32>, tensor<16xf16>) {
        %0 = tsr.neg %x : (tensor<4xf32>) -> tensor<4xf32>
        %1 = tsr.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
        return %1, %y : tensor<4xf32>, tensor<16xf16>
      })",
                                                      &context_);
    graph_.emplace(ir::entryFunction(*module_));
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  ~ReferenceValuesTest() override { fs::remove_all(folder_); }

  ReferenceCache cache(uint64_t mostBytes = 1 << 20) const { return {folder_.string(), mostBytes}; }

  template <typename T>
  std::vector<T> bytesOf(mlir::Value value, uint64_t seed = 1, uint64_t mostBytes = 1 << 20) {
    auto memory = SharedMemory::create();
    const ReferenceCache kept = cache(mostBytes);
    const auto values = ReferenceValues::make(*graph_, *memory, seed, &kept);
    EXPECT_TRUE(values);
    const auto bytes = view_.emplace_back().read(memory->path(), values->find(value)->extent);
    const auto* data = reinterpret_cast<const T*>(bytes->data());
    return {data, data + bytes->size() / sizeof(T)};
  }

  std::vector<fs::path> files() const {
    if (!fs::exists(folder_)) return {};
    return {fs::directory_iterator(folder_), fs::directory_iterator()};
  }

  mlir::Value input(unsigned index) { return graph_->entry().getArgument(index); }
  mlir::Value result(uint32_t node) { return graph_->operation(node)->getResult(0); }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::optional<placement::OperatorGraph> graph_;
  fs::path folder_;
  std::deque<SharedView> view_;
};

TEST_F(ReferenceValuesTest, EqualSeedsGiveEqualValues) {
  const std::vector<float> x = bytesOf<float>(input(0));
  EXPECT_EQ(bytesOf<float>(input(0)), x);
  EXPECT_NE(bytesOf<float>(input(0), 2), x);
  EXPECT_EQ(bytesOf<float>(result(1)), x);
  EXPECT_EQ(files().size(), 2U);
}

TEST_F(ReferenceValuesTest, HalvesAreNumbersOfOrdinarySize) {
  double most = 0;
  for (const uint16_t bits : bytesOf<uint16_t>(input(1))) {
    EXPECT_LT(std::abs(base::decodeF16(bits)), 1.001);
    most = std::max(most, std::abs(base::decodeF16(bits)));
  }
  EXPECT_GT(most, 0.2);
}

TEST_F(ReferenceValuesTest, WhatWasKeptIsNotComputedAgain) {
  bytesOf<float>(input(0));
  const std::string name = files().front().stem().string();
  const std::vector<float> others = {1, 2, 3, 4};
  const NumberedBytes kept{.number = 3, .bytes = std::as_bytes(std::span(others))};
  cache().keep(name, {&kept, 1});
  EXPECT_EQ(bytesOf<float>(result(1)), others);
}

TEST_F(ReferenceValuesTest, WhatIsDamagedOrAnothersIsComputedAgain) {
  const std::vector<float> x = bytesOf<float>(input(0));
  const fs::path file = files().front();
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (const std::streamoff at : {std::streamoff(3), std::streamoff(40), size - 1}) {
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put('\x7f');
    EXPECT_EQ(bytesOf<float>(result(1)), x);
  }
  fs::resize_file(file, 20);
  EXPECT_EQ(bytesOf<float>(result(1)), x);
  const std::vector<float> tooMany(5);
  for (const uint64_t number : {3, 77}) {
    const NumberedBytes kept{.number = number, .bytes = std::as_bytes(std::span(tooMany))};
    cache().keep(file.stem().string(), {&kept, 1});
    EXPECT_EQ(bytesOf<float>(result(1)), x);
  }
}

}  // namespace
}  // namespace tessera::driver
