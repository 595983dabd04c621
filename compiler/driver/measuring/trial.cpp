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

/// Relative: some roundings of the type, and sums in another order.
static double toleranceOf(ElementType type) {
  constexpr double kF16 = 5e-3, kBF16 = 4e-2, kOthers = 2e-3;
  if (type == ElementType::kF16) return kF16;
  return type == ElementType::kBF16 ? kBF16 : kOthers;
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
    const TensorDifference difference =
        compareTensors(actual, expected, {.relative = toleranceOf(expected.type)});
    if (difference.isWithin || difference.isWithinScaled) continue;
    return "output " + std::to_string(index) + " differs by up to " +
           std::to_string(difference.greatest);
  }
  return std::string();
}

Result<std::string> Trial::whatIsWrongByNow() {
  constexpr uint8_t kNobodys = 0xCD;  // Of no type a likely number: -4.3e8 as f32.
  context_->fillMemory(kNobodys);
  TESSERA_TRY_VOID(context_->run());
  return whatIsWrong();
}

/// The model comes round: the part ran, others had the caches since, and just wrote what it reads.
Status Trial::comeBehindOthers() {
  const auto numThreads = static_cast<int32_t>(
      data_.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : data_.threads);
  TESSERA_TRY_VOID(context_->run());
  data_.surroundings->sweep(data_.rest.bytes, numThreads);
  if (data_.rest.leavesBuffersNear) context_->touchMemory();
  for (auto [own, input] : llvm::zip_equal(inputs_, data_.inputs))
    Surroundings::write({own.get(), input.bytes.size()}, input.bytes, numThreads);
  return {};
}

/// Plans come in turns: runs before it leave threads awake and weights where they are in a model
/// that does nothing else. Last levels learn slowly what is used again: after another plan of 3 ms
/// the first run took 25 % longer than the fourth, the second 10 %; of 30 ms, 2 % and nothing.
Status Trial::warmUpWhole() {
  constexpr size_t kMostRuns = 3;
  constexpr double kEnough = 15e-3, kLong = 50e-3;
  double spent = runSeconds_ < kLong ? 0 : kEnough;
  for (size_t i = 0; i < kMostRuns && spent < kEnough; ++i) {
    TESSERA_TRY_VOID(context_->run());
    spent += runSeconds_;
  }
  return {};
}

Result<double> Trial::time() {
  TESSERA_TRY_VOID(data_.isWhole ? warmUpWhole() : comeBehindOthers());
  // Forgets the run before.
  TESSERA_TRY_VOID(context_->setTracing(!data_.isWhole));
  const Clock::time_point start = Clock::now();
  TESSERA_TRY_VOID(context_->run());
  runSeconds_ = secondsSince(start);
  if (data_.isWhole) return runSeconds_;
  uint64_t nanoseconds = 0;
  for (const tessera_trace_event& event : context_->trace()) {
    if (data_.program[event.instruction] != InstructionKind::kBorder)
      nanoseconds += event.end_ns - event.begin_ns;
  }
  return static_cast<double>(nanoseconds) * 1e-9;
}

Result<std::vector<double>> Trial::timeCalls() {
  TESSERA_TRY_VOID(warmUpWhole());
  TESSERA_TRY_VOID(context_->setTracing(true));
  TESSERA_TRY_VOID(context_->run());
  std::vector<double> seconds;
  for (const tessera_trace_event& event : context_->trace()) {
    if (data_.program[event.instruction] == InstructionKind::kCall)
      seconds.push_back(static_cast<double>(event.end_ns - event.begin_ns) * 1e-9);
  }
  return seconds;
}

}  // namespace tessera::driver
