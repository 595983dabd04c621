#include "compiler/driver/measuring/trial.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tessera/tensor_compare.h"

namespace tessera::driver {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<std::unique_ptr<Trial>> Trial::load(
    std::vector<std::byte> artifact, TrialData data,
    std::function<std::span<const std::byte>(const char*)> findConstant) {
  auto trial = std::unique_ptr<Trial>(new Trial);
  trial->artifact_ = std::move(artifact);
  trial->data_ = std::move(data);
  trial->options_ = {.copyMemory = true, .findConstant = std::move(findConstant)};
  const Clock::time_point start = Clock::now();
  TESSERA_TRY(trial->executable_, Executable::loadMemory(trial->artifact_, trial->options_));
  TESSERA_TRY(trial->context_,
              Context::create(*trial->executable_,
                              {.numThreads = static_cast<int32_t>(trial->data_.threads)}));
  TESSERA_TRY_VOID(trial->setInputs());
  TESSERA_TRY_VOID(trial->context_->run());
  trial->firstCallSeconds_ = secondsSince(start);
  return trial;
}

Status Trial::setInputs() {
  const tessera_executable_info& info = executable_->info();
  if (info.num_inputs != data_.inputs.size())
    return targetFailed("it has " + std::to_string(info.num_inputs) + " inputs, expected " +
                        std::to_string(data_.inputs.size()));
  for (uint32_t index = 0; index < info.num_inputs; ++index) {
    const HostTensor& input = data_.inputs[index];
    std::byte* own = inputs_.emplace_back(base::allocateAligned(input.bytes.size())).get();
    if (own == nullptr) return targetFailed("there is no memory for its inputs");
    std::ranges::copy(input.bytes, own);
    TESSERA_TRY_VOID(context_->setInput(index, input.type, input.shape, own));
  }
  return {};
}

Result<std::string> Trial::whatIsWrong() {
  for (uint32_t index = 0; index < data_.expected.size(); ++index) {
    const HostTensor& expected = data_.expected[index];
    TESSERA_TRY(const tessera_dltensor tensor, context_->output(index));
    const HostTensor actual{
        .name = "",
        .type = expected.type,
        .shape = {tensor.shape, tensor.shape + tensor.ndim},
        .bytes = {static_cast<const std::byte*>(tensor.data), expected.bytes.size()},
        .owner = nullptr};
    if (actual.shape != expected.shape)
      return "output " + std::to_string(index) + " has another shape";
    const TensorDifference difference = compareTensors(actual, expected, {.relative = 2e-3});
    if (difference.isWithin || difference.isWithinScaled) continue;
    return "output " + std::to_string(index) + " differs by up to " +
           std::to_string(difference.greatest);
  }
  return std::string();
}

/// What takes less is run twice: a run before it leaves threads awake, and its weights where they
/// are in a model that does nothing else. Of plans, which come in turns, those of others.
static constexpr double kShort = 5e-3, kShortWhole = 50e-3;

/// A run of its own, so that what a model keeps in caches is there; then what the others do.
Status Trial::comeBehindOthers() {
  if (data_.swept != placement::Caches::kAll && runSeconds_ < kShort)
    TESSERA_TRY_VOID(context_->run());
  const auto numThreads = static_cast<int32_t>(
      data_.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : data_.threads);
  data_.surroundings->sweep(data_.swept, numThreads);
  for (auto [own, input] : llvm::zip_equal(inputs_, data_.inputs))
    Surroundings::write({own.get(), input.bytes.size()}, input.bytes, numThreads);
  return {};
}

Result<double> Trial::time() {
  if (!data_.isWhole)
    TESSERA_TRY_VOID(comeBehindOthers());
  else if (runSeconds_ < kShortWhole)
    TESSERA_TRY_VOID(context_->run());
  if (!data_.isWhole) TESSERA_TRY_VOID(context_->setTracing(true));  // Forgets the run before.
  const Clock::time_point start = Clock::now();
  TESSERA_TRY_VOID(context_->run());
  runSeconds_ = secondsSince(start);
  if (data_.isWhole) return runSeconds_;
  uint64_t nanoseconds = 0;
  for (const tessera_trace_event& event : context_->trace()) {
    if (!data_.isBorder[event.instruction]) nanoseconds += event.end_ns - event.begin_ns;
  }
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace tessera::driver
