#include "compiler/driver/measuring/trial.h"

#include <chrono>

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
    TESSERA_TRY_VOID(context_->setInput(index, input.type, input.shape, input.bytes.data()));
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

/// What takes less is run twice: what comes before it in a model leaves threads awake, and caches
/// with code and data of its own.
static constexpr double kShort = 5e-3;

Result<double> Trial::time() {
  if (data_.sweep != nullptr) {
    data_.sweep->sweep();
    TESSERA_TRY_VOID(setInputs());  // What it reads was just written by others.
  } else if (runSeconds_ < kShort) {
    TESSERA_TRY_VOID(context_->run());
  }
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
