// Every function of the .mlir files beside this one is compiled, for AVX2 and AVX-512, and must
// agree with the reference implementations on random inputs.
//
// A file in which LANES stands for a number is compiled for vectors of 8 and of 16 lanes.
//
// Attributes of arguments:
//   test.dims    sizes where the type has '?'
//   test.range   [low, high] of the values; default [-2, 2] for floats, [0, 3] for integers
//   test.values  the values
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "backends/native/test/kernel_runner.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/object/llvm_target.h"
#include "tessera/tensor_compare.h"

namespace tessera::backend_native {

using namespace mlir;
using reference::Tensor;

static std::vector<double> numbers(Attribute attribute) {
  std::vector<double> values;
  for (const Attribute entry : cast<ArrayAttr>(attribute)) {
    if (const auto number = dyn_cast<FloatAttr>(entry))
      values.push_back(number.getValueAsDouble());
    else
      values.push_back(static_cast<double>(cast<IntegerAttr>(entry).getInt()));
  }
  return values;
}

template <typename T>
static void fill(Tensor& tensor, const std::function<double(size_t)>& value) {
  size_t i = 0;
  for (T& element : tensor.as<T>()) element = static_cast<T>(value(i++));
}

static void fillWith(Tensor& tensor, const std::function<double(size_t)>& value) {
  switch (tensor.type()) {
    case ElementType::kF32:
      fill<float>(tensor, value);
      break;
    case ElementType::kF64:
      fill<double>(tensor, value);
      break;
    case ElementType::kI8:
      fill<int8_t>(tensor, value);
      break;
    case ElementType::kU8:
      fill<uint8_t>(tensor, value);
      break;
    case ElementType::kI32:
      fill<int32_t>(tensor, value);
      break;
    case ElementType::kI64:
      fill<int64_t>(tensor, value);
      break;
    case ElementType::kBool:
      fill<uint8_t>(tensor, value);
      break;
    default:
      FAIL() << "unexpected element type";
  }
}

static Tensor makeInput(func::FuncOp function, unsigned argument, std::mt19937& random) {
  const auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  reference::Shape shape = type.getShape().vec();
  if (const auto dims = function.getArgAttr(argument, "test.dims")) {
    const std::vector<double> given = numbers(dims);
    for (size_t d = 0; d < shape.size(); ++d) shape[d] = static_cast<int64_t>(given.at(d));
  }
  Tensor tensor(ir::toElementType(type.getElementType()), shape);
  if (const auto values = function.getArgAttr(argument, "test.values")) {
    const std::vector<double> given = numbers(values);
    fillWith(tensor, [&](size_t i) { return given[i % given.size()]; });
    return tensor;
  }
  const bool isFloat = isa<FloatType>(type.getElementType());
  double low = isFloat ? -2 : 0, high = isFloat ? 2 : 3;
  if (type.getElementType().isInteger(1)) high = 1;
  if (const auto range = function.getArgAttr(argument, "test.range")) {
    low = numbers(range)[0];
    high = numbers(range)[1];
  }
  std::uniform_real_distribution<double> real(low, high);
  std::uniform_int_distribution<int64_t> whole(static_cast<int64_t>(low),
                                               static_cast<int64_t>(high));
  fillWith(tensor,
           [&](size_t) { return isFloat ? real(random) : static_cast<double>(whole(random)); });
  return tensor;
}

static HostTensor hostTensor(const Tensor& tensor) {
  const auto* bytes = static_cast<const std::byte*>(tensor.data());
  return {.name = "",
          .type = tensor.type(),
          .shape = tensor.shape(),
          .bytes = {bytes, tensor.sizeBytes()},
          .owner = nullptr};
}

/// Two orders of rounding n times differ by n units of the values rounded on the way: the result
/// itself or, where terms cancel, one of them. The tests' inputs lie in [-2, 2], a product of two
/// in
/// [-4, 4]. A region that rounds nothing gives equal results.
static Tolerance toleranceOf(ElementType type, int64_t roundings) {
  constexpr double kGreatestTerm = 4;
  const double unit = type == ElementType::kF64 ? 0x1p-53 : 0x1p-24;
  const double tolerance = static_cast<double>(roundings) * unit;
  return {.relative = tolerance, .absolute = kGreatestTerm * tolerance};
}

static void expectClose(const Tensor& actual, const Tensor& expected, int64_t roundings) {
  const Tolerance tolerance = toleranceOf(expected.type(), roundings);
  const TensorDifference difference =
      compareTensors(hostTensor(actual), hostTensor(expected), tolerance);
  ASSERT_EQ(difference.mismatch, "");
  EXPECT_TRUE(difference.isWithin)
      << "element " << difference.firstOutside << " of " << expected.count() << " is "
      << difference.firstValues << ", tolerance " << tolerance.absolute << " after " << roundings
      << " roundings; " << difference.numNotFinite << " differ by a NaN or an infinity";
}

/// One compiled text for one CPU, shared by its tests.
struct Library {
  std::string name, text, mcpu;
  std::unique_ptr<KernelRunner> runner;
};

class KernelTest : public ::testing::Test {
 public:
  KernelTest(Library& library, std::string name) : library_(library), name_(std::move(name)) {}
  void TestBody() override {
    if (!lowering::runsHere(library_.mcpu)) GTEST_SKIP() << "this machine has no " << library_.mcpu;
    KernelRunner& runner = *library_.runner;
    func::FuncOp function = runner.region(name_);
    std::mt19937 random(std::hash<std::string>{}(name_) & 0xffff);
    std::vector<Tensor> inputs;
    inputs.reserve(function.getNumArguments());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      inputs.push_back(makeInput(function, i, random));
    const auto expected = runner.evaluate(name_, inputs);
    ASSERT_TRUE(expected) << expected.error().toString();
    for (const int numThreads : {1, 3}) {
      const auto actual = runner.run(name_, inputs, numThreads);
      ASSERT_TRUE(actual) << actual.error().toString();
      ASSERT_EQ(actual->size(), expected->tensors.size());
      for (size_t i = 0; i < actual->size(); ++i) {
        SCOPED_TRACE("result " + std::to_string(i));
        expectClose((*actual)[i], expected->tensors[i], expected->roundings);
      }
    }
  }

 private:
  Library& library_;
  std::string name_;
};

static std::string readText(const std::string& path) {
  const std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The texts of a file by name: itself, or one for each number that LANES stands for.
static std::vector<std::pair<std::string, std::string>> textsOf(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem().string(), text = readText(path);
  if (text.find("[LANES") == std::string::npos) return {{name, text}};
  std::vector<std::pair<std::string, std::string>> texts;
  for (const char* lanes : {"8", "16"}) {
    std::string& filled = texts.emplace_back(name + "_" + lanes, text).second;
    for (size_t at = 0; (at = filled.find("LANES", at)) != std::string::npos;)
      filled.replace(at, 5, lanes);
  }
  return texts;
}

/// Compiles every file and registers a test for each of its functions; false when one does not
/// compile.
static bool registerKernelTests(std::vector<Library>& libraries) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_KERNEL_CASES))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  const char* only = std::getenv("TESSERA_KERNEL_FILE");
  for (const std::string& path : paths) {
    if (only && path.find(only) == std::string::npos) continue;
    for (const auto& [name, text] : textsOf(path)) {
      for (const char* mcpu : {"x86-64-v3", "x86-64-v4"})
        libraries.push_back({name, text, mcpu, nullptr});
    }
  }
  for (Library& library : libraries) {
    auto runner = KernelRunner::compile(library.text, library.mcpu);
    if (!runner) {
      std::fprintf(stderr, "%s: %s\n", library.name.c_str(), runner.error().toString().c_str());
      return false;
    }
    library.runner = std::move(*runner);
    const std::string suite = library.name + "_" + library.mcpu;
    for (const std::string& name : library.runner->regions()) {
      ::testing::RegisterTest(
          suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [&library, name]() -> ::testing::Test* { return new KernelTest(library, name); });
    }
  }
  return true;
}

}  // namespace tessera::backend_native

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::vector<tessera::backend_native::Library> libraries;
  if (!tessera::backend_native::registerKernelTests(libraries)) return 1;
  return RUN_ALL_TESTS();
}
