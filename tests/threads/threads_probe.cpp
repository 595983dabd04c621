// One artifact run by several threads of a program at once, with contexts of different thread
// counts, while another thread loads it anew and lets it go. Each context has to answer the same
// inputs with the same bytes every time. Meant for ThreadSanitizer.
//   threads_probe artifact SIZES...     SIZES: 2x8,3 for inputs [2, 8] and [3]
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tessera/runtime.hpp"
#include "tests/harness/probe_inputs.h"

namespace {

using tessera::Context;
using tessera::Executable;
using tessera::Status;
using tessera::test::Shapes;
using tessera::test::sizeBytes;
using Bytes = std::vector<std::byte>;

constexpr std::array<int, 3> kNumThreads = {1, 2, 4};
constexpr int kRounds = 5;
constexpr int kLoads = 3;

/// Small numbers of either sign, or zeros where the input is not of f32.
Bytes inputOf(const tessera_tensor_info& tensor, const std::vector<int64_t>& shape) {
  const auto size = static_cast<size_t>(sizeBytes(tensor.dtype, shape));
  Bytes bytes(std::max<size_t>(size, 1));
  if (tessera::fromDtype(tensor.dtype) != tessera::ElementType::kF32) return bytes;
  for (size_t i = 0; i < size / sizeof(float); ++i) {
    const float value = (static_cast<float>(i % 13) - 6) / 8;
    std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  return bytes;
}

/// The outputs, one after another.
tessera::Result<Bytes> run(const Executable& executable, Context& context, const Shapes& shapes) {
  const tessera_executable_info& info = executable.info();
  if (shapes.size() != info.num_inputs) return tessera::usageError("each input needs a shape");
  std::vector<Bytes> inputs;
  for (uint32_t i = 0; i < info.num_inputs; ++i) {
    const tessera_tensor_info& tensor = *info.inputs[i];
    inputs.push_back(inputOf(tensor, shapes[i]));
    TESSERA_TRY_VOID(
        context.setInput(i, tessera::fromDtype(tensor.dtype), shapes[i], inputs[i].data()));
  }
  TESSERA_TRY_VOID(context.run());
  Bytes answer;
  for (uint32_t i = 0; i < info.num_outputs; ++i) {
    TESSERA_TRY(const tessera_dltensor output, context.output(i));
    const std::vector<int64_t> shape(output.shape, output.shape + output.ndim);
    const auto* data = static_cast<const std::byte*>(output.data) + output.byte_offset;
    answer.insert(answer.end(), data, data + sizeBytes(output.dtype, shape));
  }
  return answer;
}

/// Rounds over all sizes; the answers of the first are those of the others.
Status runRounds(const Executable& executable, const std::vector<Shapes>& sizes, int numThreads) {
  TESSERA_TRY(Context context, Context::create(executable, {.numThreads = numThreads}));
  std::vector<Bytes> first;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      TESSERA_TRY(Bytes answer, run(executable, context, sizes[i]));
      if (round == 0) {
        first.push_back(std::move(answer));
      } else if (answer != first[i]) {
        return tessera::usageError("run " + std::to_string(round) + " on " +
                                   std::to_string(numThreads) + " threads differs from the first");
      }
    }
  }
  return {};
}

Status loadOften(const std::string& path, const std::vector<Shapes>& sizes) {
  for (int i = 0; i < kLoads; ++i) {
    TESSERA_TRY(const Executable executable, Executable::loadFile(path));
    TESSERA_TRY(Context context, Context::create(executable, {.numThreads = 2}));
    TESSERA_TRY_VOID(run(executable, context, sizes.front()));
  }
  return {};
}

Status probe(const std::string& path, const std::vector<Shapes>& sizes) {
  TESSERA_TRY(const Executable executable, Executable::loadFile(path));
  std::vector<Status> outcomes(kNumThreads.size() + 1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kNumThreads.size(); ++i)
    threads.emplace_back([&, i] { outcomes[i] = runRounds(executable, sizes, kNumThreads[i]); });
  threads.emplace_back([&] { outcomes.back() = loadOften(path, sizes); });
  for (std::thread& thread : threads) thread.join();
  for (const Status& outcome : outcomes) TESSERA_TRY_VOID(outcome);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: threads_probe artifact sizes...\n", stderr);
    return 2;
  }
  std::vector<Shapes> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(tessera::test::parseShapes(argv[i]));
  const Status status = probe(argv[1], sizes);
  if (!status) std::fprintf(stderr, "error: %s\n", status.error().toString().c_str());
  return status ? 0 : static_cast<int>(status.error().code);
}
