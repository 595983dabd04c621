// The runtime half: the functions of the C ABI (tessera/backend_runtime.h) that a backend without a
// device of its own has a use for. Plain loops: slow, and right.
#include <algorithm>
#include <cstring>
#include <memory>
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
  int64_t count() const { return sizes[0] * sizes[2]; }
};

/// A region at one call. Its values are the inputs, then what each step computes.
struct Program {
  std::vector<int64_t> counts;  ///< Elements of each value.
  std::vector<Step> steps;
  std::vector<uint32_t> results;
  uint64_t workspaceBytes = 0;  ///< For what the steps compute.
  bool isTraced = false;
};

/// A code blob: the text.
struct Instance {
  std::string text;
  std::vector<std::unique_ptr<Program>> programs;
};

/// What a context keeps for one call: where the values are.
using State = std::vector<const float*>;

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

std::vector<int64_t> countsOf(const tessera_argument_type* const* types, uint32_t number) {
  std::vector<int64_t> counts;
  counts.reserve(number);
  for (uint32_t i = 0; i < number; ++i)
    counts.push_back(types[i]->size_bytes / int64_t{sizeof(float)});
  return counts;
}

/// How many elements the operands of a step have.
std::vector<int64_t> operandCounts(const Step& step) {
  const auto [rows, depth, columns] = step.sizes;
  if (step.op == "matmul") return {rows * depth, depth * columns};
  return std::vector<int64_t>(step.op == "relu" ? 1 : 2, rows);
}

/// Reads the lines behind the program's name; false when they make no sense or do not fit the call.
bool readProgram(std::istream& lines, const tessera_signature& call, Program& program) {
  program.counts = countsOf(call.inputs, call.num_inputs);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Step step;
    words >> step.op >> step.sizes[0] >> step.sizes[1] >> step.sizes[2];
    std::vector<int64_t> counts;
    for (uint32_t value = 0; words >> value; step.operands.push_back(value)) {
      if (value >= program.counts.size()) return false;
      counts.push_back(program.counts[value]);
    }
    program.results = step.operands;
    if (step.op == kReturnWord) return counts == countsOf(call.outputs, call.num_outputs);
    if (counts != operandCounts(step)) return false;
    program.counts.push_back(step.count());
    program.workspaceBytes += step.count() * sizeof(float);
    program.steps.push_back(std::move(step));
  }
  return false;
}

void compute(const Step& step, const float* a, const float* b, float* out) {
  const auto [rows, depth, columns] = step.sizes;
  for (int64_t i = 0; i < step.count() && step.op != "matmul"; ++i)
    out[i] = step.op == "add" ? a[i] + b[i] : step.op == "mul" ? a[i] * b[i] : std::max(a[i], 0.0F);
  for (int64_t i = 0; i < step.count() && step.op == "matmul"; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum += double{a[i / columns * depth + k]} * b[k * columns + i % columns];
    out[i] = static_cast<float>(sum);
  }
}

/// Once for each code blob. A half with hardware has opened it in device_create.
int32_t create(void*, const tessera_host_services*, const void* blob, size_t size,
               void** instance) {
  *instance = new Instance{.text = {static_cast<const char*>(blob), size}, .programs = {}};
  return 0;
}
void destroy(void* instance) { delete static_cast<Instance*>(instance); }

/// Once for each call of a region in the host program.
int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  std::istringstream lines(self.text);
  for (std::string line; std::getline(lines, line);) {
    auto program = std::make_unique<Program>();
    program->isTraced = line == std::string(kTracedWord) + " " + name;
    if (!program->isTraced && line != std::string(kProgramWord) + " " + name) continue;
    if (!readProgram(lines, *signature, *program)) break;
    *symbol = self.programs.emplace_back(std::move(program)).get();
    return 0;
  }
  return fail(services, "there is no program '" + std::string(name) + "' for this call");
}

/// Once for each context and call: makes what run would allocate otherwise.
int32_t prepare(void*, const tessera_host_services*, void* symbol, void** state,
                uint64_t* workspaceBytes) {
  const auto& program = *static_cast<const Program*>(symbol);
  *state = new State(program.counts.size());
  *workspaceBytes = program.workspaceBytes;
  return 0;
}
void release(void*, void*, void* state) { delete static_cast<State*>(state); }

/// Computes every value in the workspace, then copies the results.
int32_t run(void*, const tessera_call* call) {
  const auto& program = *static_cast<const Program*>(call->symbol);
  const tessera_host_services* host = call->services;
  auto* free = static_cast<float*>(host->workspace(host->host, program.workspaceBytes));
  if (free == nullptr) return fail(host, "memory is short");
  State& values = *static_cast<State*>(call->state);
  for (uint32_t i = 0; i < call->num_inputs; ++i)
    values[i] = static_cast<const float*>(call->inputs[i]->data);
  size_t next = call->num_inputs;
  for (const Step& step : program.steps) {
    if (program.isTraced) host->log(host->host, TESSERA_LOG_INFO, step.op.c_str());
    compute(step, values[step.operands.front()], values[step.operands.back()], free);
    values[next++] = free;
    free += step.count();
  }
  for (uint32_t i = 0; i < call->num_outputs; ++i) {
    const uint32_t result = program.results[i];
    const size_t bytes = program.counts[result] * sizeof(float);
    if (bytes > 0) std::memcpy(call->outputs[i]->data, values[result], bytes);
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
