// Every operator that is taken, on edge shapes, agrees with the reference implementations, compiled
// for AVX2 and AVX-512, on one thread and on three. The cases are those of kernels/ here
// and those that the host target's kernels are tested with (test.dims, test.range and test.values
// there as here).
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "backends/csource/test/region_runner.h"
#include "base/mapped_file.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/object/llvm_target.h"
#include "tessera/tensor_compare.h"

namespace tessera::backend_csource {

using namespace mlir;
using reference::Tensor;

template <typename T>
static void fillElements(Tensor& tensor, const std::function<double(size_t)>& value) {
  size_t i = 0;
  for (T& element : tensor.as<T>()) element = static_cast<T>(value(i++));
}

static void fillTensor(Tensor& tensor, const std::function<double(size_t)>& value) {
  switch (tensor.type()) {
    case ElementType::kF32:
      return fillElements<float>(tensor, value);
    case ElementType::kF64:
      return fillElements<double>(tensor, value);
    case ElementType::kI8:
      return fillElements<int8_t>(tensor, value);
    case ElementType::kU8:
    case ElementType::kBool:
      return fillElements<uint8_t>(tensor, value);
    case ElementType::kI16:
      return fillElements<int16_t>(tensor, value);
    case ElementType::kU16:
      return fillElements<uint16_t>(tensor, value);
    case ElementType::kI32:
      return fillElements<int32_t>(tensor, value);
    case ElementType::kU32:
      return fillElements<uint32_t>(tensor, value);
    case ElementType::kI64:
      return fillElements<int64_t>(tensor, value);
    case ElementType::kU64:
      return fillElements<uint64_t>(tensor, value);
    default:
      FAIL() << "unexpected element type";
  }
}

static std::vector<double> givenNumbers(Attribute attribute) {
  std::vector<double> values;
  for (const Attribute entry : cast<ArrayAttr>(attribute)) {
    const auto number = dyn_cast<FloatAttr>(entry);
    values.push_back(number ? number.getValueAsDouble()
                            : static_cast<double>(cast<IntegerAttr>(entry).getInt()));
  }
  return values;
}

static Tensor randomInput(func::FuncOp function, unsigned argument, std::mt19937& random) {
  const auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  Tensor tensor(ir::toElementType(type.getElementType()), type.getShape().vec());
  if (const auto values = function.getArgAttr(argument, "test.values")) {
    const std::vector<double> given = givenNumbers(values);
    fillTensor(tensor, [&](size_t i) { return given[i % given.size()]; });
    return tensor;
  }
  const bool isFloat = isa<FloatType>(type.getElementType());
  double low = isFloat ? -2 : 0, high = isFloat ? 2 : 3;
  if (type.getElementType().isInteger(1)) high = 1;
  if (const auto range = function.getArgAttr(argument, "test.range")) {
    low = givenNumbers(range)[0];
    high = givenNumbers(range)[1];
  }
  std::uniform_real_distribution<double> real(low, high);
  std::uniform_int_distribution<int64_t> whole(static_cast<int64_t>(low),
                                               static_cast<int64_t>(high));
  fillTensor(tensor,
             [&](size_t) { return isFloat ? real(random) : static_cast<double>(whole(random)); });
  return tensor;
}

static HostTensor hostTensorOf(const Tensor& tensor) {
  const auto* bytes = static_cast<const std::byte*>(tensor.data());
  return {.name = "",
          .type = tensor.type(),
          .shape = tensor.shape(),
          .bytes = {bytes, tensor.sizeBytes()},
          .owner = nullptr};
}

/// Two orders of rounding n times differ by n units of the values rounded on the way; inputs lie in
/// [-2, 2], a product of two in [-4, 4].
static void expectCloseTo(const Tensor& actual, const Tensor& expected, int64_t roundings) {
  constexpr double kGreatestTerm = 4;
  const double unit = expected.type() == ElementType::kF64 ? 0x1p-53 : 0x1p-24;
  const double tolerance = static_cast<double>(roundings) * unit;
  const TensorDifference difference =
      compareTensors(hostTensorOf(actual), hostTensorOf(expected),
                     {.relative = tolerance, .absolute = kGreatestTerm * tolerance});
  ASSERT_EQ(difference.mismatch, "");
  EXPECT_TRUE(difference.isWithin)
      << "element " << difference.firstOutside << " of " << expected.count() << " is "
      << difference.firstValues << " after " << roundings << " roundings; "
      << difference.numNotFinite << " differ by a NaN or an infinity";
}

class RegionTest : public ::testing::Test {
 public:
  RegionTest(const RegionRunner& runner, size_t index, bool isRunnable)
      : runner_(runner), index_(index), isRunnable_(isRunnable) {}
  void TestBody() override {
    if (!isRunnable_) GTEST_SKIP() << "this machine lacks instructions";
    func::FuncOp function = runner_.regions()[index_];
    std::mt19937 random(std::hash<std::string>{}(function.getName().str()) & 0xffff);
    std::vector<Tensor> inputs;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      inputs.push_back(randomInput(function, i, random));
    const auto expected = runner_.evaluate(index_, inputs);
    ASSERT_TRUE(expected) << expected.error().toString();
    for (const int numThreads : {1, 3}) {
      const auto actual = runner_.run(index_, inputs, numThreads);
      ASSERT_TRUE(actual) << actual.error().toString();
      for (size_t i = 0; i < actual->size(); ++i) {
        SCOPED_TRACE("result " + std::to_string(i));
        expectCloseTo((*actual)[i], expected->tensors[i], expected->roundings);
      }
    }
  }

 private:
  const RegionRunner& runner_;
  size_t index_;
  bool isRunnable_;
};

/// Compiles a file and registers a test for each region of it that is taken; how many.
static Result<size_t> registerRegions(const std::string& path, const std::string& mcpu,
                                      std::vector<std::unique_ptr<RegionRunner>>& runners) {
  TESSERA_TRY(const std::string text, base::readFile(path));
  // Those with LANES in them are of layouts that are not taken.
  if (text.find("[LANES") != std::string::npos) return size_t{0};
  TESSERA_TRY(auto compiled,
              RegionRunner::compile(text, {.kind = "csource", .attributes = {{"mcpu", mcpu}}}));
  const RegionRunner& runner = *runners.emplace_back(std::move(compiled));
  static const std::string kHost = lowering::makeCpuTarget("native")->cpu;
  const bool isRunnable = kHost >= mcpu;
  const std::string suite = std::filesystem::path(path).stem().string() + "_" + mcpu;
  for (size_t i = 0; i < runner.regions().size(); ++i) {
    func::FuncOp region = runner.regions()[i];
    ::testing::RegisterTest(suite.c_str(), region.getName().str().c_str(), nullptr, nullptr,
                            __FILE__, __LINE__, [&runner, i, isRunnable]() -> ::testing::Test* {
                              return new RegionTest(runner, i, isRunnable);
                            });
  }
  return runner.regions().size();
}

}  // namespace tessera::backend_csource

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::vector<std::unique_ptr<tessera::backend_csource::RegionRunner>> runners;
  std::vector<std::string> paths;
  for (const char* folder : {TESSERA_REGION_CASES, TESSERA_KERNEL_CASES}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  size_t count = 0;
  for (const std::string& path : paths) {
    for (const char* mcpu : {"x86-64-v3", "x86-64-v4"}) {
      const auto registered = tessera::backend_csource::registerRegions(path, mcpu, runners);
      if (!registered) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), registered.error().toString().c_str());
        return 1;
      }
      count += *registered;
    }
  }
  // Were operators declined by mistake, nothing would be tested.
  constexpr size_t kLeastRegions = 500;
  if (count < kLeastRegions) {
    std::fprintf(stderr, "%zu regions are taken, expected at least %zu\n", count, kLeastRegions);
    return 1;
  }
  return RUN_ALL_TESTS();
}
