#include "tests/parity/parity_test.h"

#include <cstring>
#include <random>

#include "compiler/interpreter/interpret.h"
#include "mlir/IR/Verifier.h"

namespace tessera::tests {

using namespace mlir;
using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;

std::function<Support(Operation*)> allBut(std::vector<std::string> names) {
  return [names = std::move(names)](Operation* op) -> Support {
    const std::string name = op->getName().stripDialect().str();
    if (llvm::is_contained(names, name)) return Declined{"it takes no " + name};
    return Supported{};
  };
}

std::vector<Mock> fastBesideHost(std::function<Support(Operation*)> supports,
                                 backend_api::PatternTable patterns) {
  return {{.name = "fast",
           .supports = std::move(supports),
           .patterns = std::move(patterns),
           .rules = merging()},
          {.name = "host", .rules = {.takesViews = false}}};
}

std::vector<Mock> fastBesidePlainHost(std::vector<std::string> names,
                                      backend_api::PatternTable patterns) {
  std::vector<Mock> mocks = fastBesideHost(only(std::move(names)), std::move(patterns));
  mocks.back().supports = allBut({"if", "loop", "scan"});
  return mocks;
}

void ParityTest::load(const std::string& text) {
  module_ = parse(text);
  ASSERT_TRUE(module_) << text;
  original_ = module_->clone();
}

void ParityTest::runPasses(llvm::function_ref<void(OpPassManager&)> add) {
  const ScopedDiagnosticHandler handler(
      &context_, [&](Diagnostic& diagnostic) { diagnostics_ += diagnostic.str() + "\n"; });
  PassManager manager(&context_);
  add(manager);
  ASSERT_TRUE(succeeded(manager.run(*module_))) << diagnostics();
  expectEqualValues();
}

void ParityTest::partitioned(const std::string& bindConstants) {
  runPasses([&](OpPassManager& manager) {
    manager.addPass(partition::createConsumeMarksPass());
    manager.addPass(partition::createMergeCompositePass());
    manager.addPass(partition::createAnnotateTargetPass());
    manager.addPass(partition::createMergeCompilerRegionsPass());
    manager.addPass(partition::createPartitionGraphPass({.bindConstants = bindConstants}));
    manager.addPass(partition::createOptimizeRegionsPass());
  });
}

void ParityTest::placed() {
  ASSERT_TRUE(run(*module_)) << diagnostics();
  expectEqualValues();
}

static reference::Tensor makeInput(RankedTensorType type, bool condition, std::mt19937& engine) {
  reference::Shape shape(type.getShape());
  for (int64_t& size : shape) size = ShapedType::isDynamic(size) ? 3 : size;
  if (type.getElementType().isInteger(1)) {
    reference::Tensor tensor(ElementType::kBool, shape);
    std::memset(tensor.data(), condition ? 1 : 0, tensor.sizeBytes());
    return tensor;
  }
  reference::Tensor tensor(ElementType::kF32, shape);
  for (float& value : tensor.as<float>())
    value = static_cast<float>(static_cast<int>(engine() % 2001) - 1000) / 500.0F;
  return tensor;
}

static Result<std::vector<reference::Tensor>> answers(ModuleOp module, bool condition) {
  std::mt19937 engine(1);
  std::vector<reference::Tensor> inputs;
  for (const Type type : ir::entryFunction(module).getArgumentTypes())
    inputs.push_back(makeInput(cast<RankedTensorType>(type), condition, engine));
  std::vector<reference::TensorView> views;
  for (const reference::Tensor& input : inputs) views.push_back(input.view());
  return interpreter::interpret(module, ir::entryFunction(module).getName().str(), views);
}

static std::string bytesOf(const reference::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), tensor.sizeBytes()};
}

void ParityTest::expectEqualValues() {
  ASSERT_TRUE(succeeded(verify(*module_)));
  for (const bool condition : {false, true}) {
    const auto expected = answers(*original_, condition), found = answers(*module_, condition);
    ASSERT_TRUE(expected) << expected.error().toString();
    ASSERT_TRUE(found) << found.error().toString();
    ASSERT_LE(expected->size(), found->size());  // Results may be added behind.
    for (size_t i = 0; i < expected->size(); ++i)
      EXPECT_EQ(bytesOf((*expected)[i]), bytesOf((*found)[i])) << "result " << i;
  }
}

std::vector<std::vector<float>> ParityTest::values() {
  const auto results = answers(*module_, /*condition=*/true);
  EXPECT_TRUE(results) << results.error().toString();
  std::vector<std::vector<float>> lists;
  for (const reference::Tensor& tensor : *results)
    lists.emplace_back(tensor.as<float>().begin(), tensor.as<float>().end());
  return lists;
}

}  // namespace tessera::tests
