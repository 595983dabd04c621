// The runtime half: the functions of the C ABI (tessera/backend_runtime.h) that a backend without a
// device of its own has a use for. Plain loops: slow, and right.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "backends/null/format/program.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_null {
namespace {

/// One line of a program; `sizes` are rows, depth and columns of a product.
struct Step {
  std::string op;
  int64_t sizes[3] = {};
  std::vector<uint32_t> operands;
  int64_t count() const { return op == "matmul" ? sizes[0] * sizes[2] : sizes[0]; }
};

/// A region at one call.
struct Program {
  std::vector<Step> steps;
  std::vector<uint32_t> results;
};

/// What the code of one target shares. A half for hardware opens it here.
struct Device {
  bool isTraced = false;
};

/// A code blob: the text.
struct Instance {
  const Device& device;
  std::string text;
  std::vector<std::unique_ptr<Program>> programs;
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

/// Reads the lines behind `program NAME` into `program`; false when they make no sense.
bool readSteps(std::istream& lines, uint32_t numInputs, Program& program) {
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Step step;
    words >> step.op;
    if (step.op != kReturnWord) words >> step.sizes[0] >> step.sizes[1] >> step.sizes[2];
    for (uint32_t value = 0; words >> value;) {
      if (value >= numInputs + program.steps.size()) return false;
      step.operands.push_back(value);
    }
    if (step.op == kReturnWord) {
      program.results = std::move(step.operands);
      return true;
    }
    if (step.operands.size() != (step.op == "relu" ? 1U : 2U)) return false;
    program.steps.push_back(std::move(step));
  }
  return false;
}

void compute(const Step& step, const float* a, const float* b, float* out) {
  const auto [rows, depth, columns] = step.sizes;
  if (step.op != "matmul") {
    for (int64_t i = 0; i < step.count(); ++i)
      out[i] = step.op == "add"   ? a[i] + b[i]
               : step.op == "mul" ? a[i] * b[i]
               : a[i] < 0         ? 0
                                  : a[i];
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k) sum += double{a[i * depth + k]} * b[k * columns + j];
      out[i * columns + j] = static_cast<float>(sum);
    }
  }
}

/// Once for each target, before its code is loaded; the text has the attributes.
int32_t createDevice(const tessera_host_services* services, const tessera_target* target,
                     void** device) {
  if (target->device_number != 0) return fail(services, "there is one device of target 'null'");
  *device = new Device{.isTraced = std::strstr(target->text, "-trace=true") != nullptr};
  return 0;
}
void destroyDevice(void* device) { delete static_cast<Device*>(device); }

/// Once for each code blob.
int32_t create(void* device, const tessera_host_services* /*services*/, const void* blob,
               size_t size, void** instance) {
  *instance = new Instance{.device = *static_cast<const Device*>(device),
                           .text = {static_cast<const char*>(blob), size},
                           .programs = {}};
  return 0;
}
void destroy(void* instance) { delete static_cast<Instance*>(instance); }

/// Once for each call of a region in the host program.
int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  const std::string head =
      std::string(kProgramWord) + " " + name + " " + std::to_string(signature->num_inputs);
  std::istringstream lines(self.text);
  for (std::string line; std::getline(lines, line);) {
    auto program = std::make_unique<Program>();
    if (line != head || !readSteps(lines, signature->num_inputs, *program) ||
        program->results.size() != signature->num_outputs)
      continue;
    *symbol = self.programs.emplace_back(std::move(program)).get();
    return 0;
  }
  return fail(services, "there is no program '" + head + "' for this call");
}

/// Once for each context and call: says what scratch memory run needs, one buffer for each value.
int32_t prepare(void* /*instance*/, const tessera_host_services* /*services*/, void* symbol,
                void** /*state*/, uint64_t* workspaceBytes) {
  *workspaceBytes = 0;
  for (const Step& step : static_cast<const Program*>(symbol)->steps)
    *workspaceBytes += step.count() * sizeof(float);
  return 0;
}

/// Frees the state that prepare made: there is none.
void release(void* /*instance*/, void* /*symbol*/, void* /*state*/) {}

/// Computes every value in the workspace, then copies the results.
int32_t run(void* instance, const tessera_call* call) {
  const auto& program = *static_cast<const Program*>(call->symbol);
  const tessera_host_services* host = call->services;
  uint64_t bytes = 0;
  (void)prepare(instance, host, call->symbol, nullptr, &bytes);
  auto* free = static_cast<float*>(host->workspace(host->host, bytes));
  if (free == nullptr) return fail(host, "memory is short");
  std::vector<const float*> values;
  for (uint32_t i = 0; i < call->num_inputs; ++i)
    values.push_back(static_cast<const float*>(call->inputs[i]->data));
  for (const Step& step : program.steps) {
    if (static_cast<const Instance*>(instance)->device.isTraced)
      host->log(host->host, TESSERA_LOG_INFO, step.op.c_str());
    compute(step, values[step.operands.front()], values[step.operands.back()], free);
    values.push_back(free);
    free += step.count();
  }
  for (uint32_t i = 0; i < call->num_outputs; ++i) {
    const tessera_dltensor& out = *call->outputs[i];
    size_t count = 1;
    for (int32_t d = 0; d < out.ndim; ++d) count *= static_cast<size_t>(out.shape[d]);
    if (count > 0) std::memcpy(out.data, values[program.results[i]], count * sizeof(float));
  }
  return 0;
}

}  // namespace
}  // namespace tessera::backend_null

/// The one symbol of the library. Functions that it has no use for stay empty.
const tessera_backend_runtime* tessera_backend_entry() {
  using namespace tessera::backend_null;
  static const tessera_backend_runtime half = [] {
    tessera_backend_runtime made = {};
    made.size = sizeof(made);
    made.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
    made.name = "null";
    made.version = kVersion;
    made.device_create = createDevice;
    made.device_destroy = destroyDevice;
    made.create = create;
    made.destroy = destroy;
    made.find_symbol = findSymbol;
    made.prepare = prepare;
    made.release = release;
    made.run = run;
    return made;
  }();
  return &half;
}
