#include "compiler/conformance/exercise.h"

#include <cstring>
#include <thread>

#include "tessera/runtime.hpp"
#include "tessera/tensor_compare.h"

namespace tessera::conformance {

using reference::Tensor;

std::string differenceOf(const void* data, const Tensor& expected,
                         const std::vector<int64_t>& shape, double relative, double absolute) {
  const auto host = [&](const void* bytes, const std::vector<int64_t>& dims) {
    const size_t size =
        static_cast<size_t>(reference::elementCount(dims)) * elementSizeBytes(expected.type());
    return HostTensor{.name = "",
                      .type = expected.type(),
                      .shape = dims,
                      .bytes = {static_cast<const std::byte*>(bytes), size},
                      .owner = nullptr};
  };
  const TensorDifference difference =
      compareTensors(host(data, shape), host(expected.data(), expected.shape()),
                     {.relative = relative, .absolute = absolute});
  if (!difference.mismatch.empty()) return difference.mismatch;
  if (difference.isWithin) return {};
  return "element " + std::to_string(difference.firstOutside) + " of " +
         std::to_string(expected.count()) + " is " + difference.firstValues;
}

namespace {

/// Bytes of all outputs of a run.
using Outputs = std::vector<std::vector<std::byte>>;

/// One context of an artifact of joined cases.
class Runner {
 public:
  static Result<Runner> create(const Executable& executable, std::span<const Case* const> cases,
                               int32_t numThreads) {
    TESSERA_TRY(Context context, Context::create(executable, {.numThreads = numThreads}));
    uint32_t index = 0;
    for (const Case* one : cases) {
      for (const Tensor& input : one->inputs)
        TESSERA_TRY_VOID(context.setInput(index++, input.type(), input.shape(), input.data()));
    }
    return Runner(std::move(context), cases);
  }

  Status setNumThreads(int32_t count) { return context_.setNumThreads(count); }

  /// Runs, and says of each wrong output what is wrong, for the check `check`.
  Result<Outputs> run(const std::string& check, const std::string& when,
                      std::vector<Finding>& findings) {
    TESSERA_TRY_VOID(context_.run());
    Outputs outputs;
    uint32_t number = 0;
    for (size_t i = 0; i < cases_.size(); ++i) {
      for (size_t k = 0; k < cases_[i]->expected.size(); ++k) {
        const Tensor& expected = cases_[i]->expected[k];
        TESSERA_TRY(const tessera_dltensor tensor, context_.output(number++));
        const std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
        const std::string wrong =
            differenceOf(tensor.data, expected, shape, cases_[i]->relativeTolerance,
                         cases_[i]->absoluteTolerance);
        if (!wrong.empty())
          findings.push_back({.check = check,
                              .index = i,
                              .what = "output " + std::to_string(k) + when + ": " + wrong});
        const auto* bytes = static_cast<const std::byte*>(tensor.data);
        outputs.emplace_back(bytes, bytes + (wrong.empty() ? expected.sizeBytes() : 0));
      }
    }
    return outputs;
  }

 private:
  Runner(Context context, std::span<const Case* const> cases)
      : context_(std::move(context)), cases_(cases) {}

  Context context_;
  std::span<const Case* const> cases_;
};

/// Runs that should give the same bits.
void compareBits(const Outputs& first, const Outputs& second, std::span<const Case* const> cases,
                 const std::string& check, const std::string& what,
                 std::vector<Finding>& findings) {
  size_t number = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    for (size_t k = 0; k < cases[i]->expected.size(); ++k, ++number) {
      const auto &a = first[number], &b = second[number];
      if (a.size() != b.size() || a.empty()) continue;  // Said already, or nothing to compare.
      if (a != b)
        findings.push_back(
            {.check = check,
             .index = i,
             .what = "output " + std::to_string(k) + " differs in its bits " + what});
    }
  }
}

/// Two contexts at once, one on one thread and one on three.
Status runTwoAtOnce(const Executable& executable, std::span<const Case* const> cases,
                    const Outputs& alone, std::vector<Finding>& findings) {
  struct Side {
    int32_t numThreads;
    std::vector<Finding> findings = {};
    Result<Outputs> outputs = Outputs{};
  };
  Side sides[] = {{.numThreads = 1}, {.numThreads = 3}};
  const auto work = [&](Side& side) {
    auto runner = Runner::create(executable, cases, side.numThreads);
    for (int round = 0; runner && side.outputs && round < 2; ++round)
      side.outputs = runner->run("contexts", " beside another context", side.findings);
    if (!runner) side.outputs = std::move(runner).error();
  };
  std::thread other(work, std::ref(sides[1]));
  work(sides[0]);
  other.join();
  for (Side& side : sides) {
    if (!side.outputs) return std::move(side.outputs).error();
    findings.insert(findings.end(), side.findings.begin(), side.findings.end());
  }
  compareBits(alone, *sides[0].outputs, cases, "contexts", "while another context runs", findings);
  return {};
}

}  // namespace

Result<std::vector<Finding>> exercise(const Kit& kit, std::span<const std::byte> artifact,
                                      std::span<const Case* const> cases) {
  const Executable::LoadOptions load{.backends = kit.options.runtimes, .copyMemory = true};
  std::vector<Finding> findings;
  Outputs first;
  {
    TESSERA_TRY(const Executable executable, Executable::loadMemory(artifact, load));
    TESSERA_TRY(Runner runner, Runner::create(executable, cases, 1));
    TESSERA_TRY(first, runner.run("values", "", findings));
    TESSERA_TRY(const Outputs again, runner.run("life cycle", " of a second run", findings));
    compareBits(first, again, cases, "determinism", "when it runs again", findings);
    for (const int32_t count : {2, 4}) {
      const std::string where = " on " + std::to_string(count) + " threads";
      TESSERA_TRY_VOID(runner.setNumThreads(count));
      TESSERA_TRY(const Outputs some, runner.run("threads", where, findings));
      TESSERA_TRY(const Outputs more, runner.run("threads", where, findings));
      compareBits(some, more, cases, "determinism", "when it runs again" + where, findings);
    }
    TESSERA_TRY_VOID(runner.setNumThreads(1));
    TESSERA_TRY(const Outputs back, runner.run("threads", " back on one thread", findings));
    compareBits(first, back, cases, "determinism", "back on one thread", findings);
    TESSERA_TRY_VOID(runTwoAtOnce(executable, cases, first, findings));
    TESSERA_TRY(const Executable second, Executable::loadMemory(artifact, load));
    TESSERA_TRY(Runner other, Runner::create(second, cases, 1));
    TESSERA_TRY(const Outputs twice, other.run("life cycle", " when loaded twice", findings));
    compareBits(first, twice, cases, "life cycle", "when it is loaded twice", findings);
  }
  TESSERA_TRY(const Executable executable, Executable::loadMemory(artifact, load));
  TESSERA_TRY(Runner runner, Runner::create(executable, cases, 1));
  TESSERA_TRY(const Outputs reloaded, runner.run("life cycle", " when loaded again", findings));
  compareBits(first, reloaded, cases, "life cycle", "when it is loaded again", findings);
  return findings;
}

}  // namespace tessera::conformance
