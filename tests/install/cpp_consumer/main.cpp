// The compiler as a library: imports an ONNX model, runs to a phase, walks operators and their
// owners, compiles to memory, loads, runs on ones and prints each output's name, number of elements
// and sum. Public headers only.
#include <tessera/compile.h>
#include <tessera/status.h>
#include <tessera/runtime.hpp>

#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using tessera::Context;
using tessera::Executable;
using tessera::Module;
using tessera::Result;
using tessera::Status;

static size_t elementCount(const std::vector<int64_t>& shape) {
  return static_cast<size_t>(
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>()));
}

/// Partitions the model and prints who owns each of its operators.
static Status printOwners(Module& module) {
  TESSERA_TRY_VOID(module.runTo(tessera::Phase::kPartition));
  std::printf("phase %s\n", std::string(tessera::phaseName(module.phase())).c_str());
  for (const tessera::NodeInfo& node : module.nodes()) {
    const std::string source = node.sourceNodes.empty() ? "" : node.sourceNodes.front();
    std::printf("owner %s %s %s\n", node.op.c_str(), source.c_str(), node.owner.c_str());
  }
  return {};
}

/// Runs the artifact on ones, whatever the inputs are.
static Status runOnOnes(const std::vector<std::byte>& artifact,
                        const std::vector<tessera::PortInfo>& inputs) {
  TESSERA_TRY(const Executable executable, Executable::loadMemory(artifact, {.copyMemory = true}));
  TESSERA_TRY(Context context, Context::create(executable));
  std::vector<std::vector<float>> storage;
  for (const tessera::PortInfo& input : inputs) {
    storage.emplace_back(elementCount(input.shape), 1.0F);
    TESSERA_TRY_VOID(context.setInput(input.name, input.type, input.shape, storage.back().data()));
  }
  TESSERA_TRY_VOID(context.run());
  for (uint32_t i = 0; i < executable.info().num_outputs; ++i) {
    TESSERA_TRY(const tessera_dltensor output, context.output(i));
    const auto* data = reinterpret_cast<const float*>(static_cast<const std::byte*>(output.data) +
                                                      output.byte_offset);
    const size_t count = elementCount({output.shape, output.shape + output.ndim});
    std::printf("%s %zu %.6f\n", executable.info().outputs[i]->name, count,
                std::accumulate(data, data + count, 0.0));
  }
  return {};
}

static Status compileAndRun(const std::string& path) {
  TESSERA_TRY(Module module, Module::load(path, {}));
  const std::vector<tessera::PortInfo> inputs = module.inputs();
  TESSERA_TRY_VOID(printOwners(module));
  TESSERA_TRY(const std::vector<std::byte> artifact, module.compileToMemory());
  return runOnOnes(artifact, inputs);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s model.onnx\n", argv[0]);
    return 2;
  }
  if (const Status status = compileAndRun(argv[1]); !status) {
    std::fprintf(stderr, "%s\n", status.error().toString().c_str());
    return static_cast<int>(status.error().code);
  }
  return 0;
}
