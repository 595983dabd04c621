// runtime.h over Executable and Context.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "runtime/backend/parallel_for.h"
#include "runtime/context.h"
#include "runtime/executable.h"
#include "runtime/struct_size.h"
#include "tessera/runtime.h"

using tessera::runtime::Context;
using tessera::runtime::Executable;
using tessera::runtime::failure;
using tessera::runtime::knowsField;
using tessera::runtime::Outcome;

struct tessera_executable {
  std::unique_ptr<Executable> impl;
};

struct tessera_context {
  std::unique_ptr<Context> impl;
  mutable std::string message;
};

/// Writes a message into a caller's buffer that may be absent or too small.
static tessera_status report(const Outcome& outcome, char* message, size_t messageSize) {
  if (message != nullptr && messageSize > 0)
    std::snprintf(message, messageSize, "%s", outcome.message.c_str());
  return outcome.status;
}

/// Keeps the message of a failure in the context.
static tessera_status keep(const tessera_context* context, Outcome outcome) {
  if (!outcome.ok()) context->message = std::move(outcome.message);
  return outcome.status;
}

static Outcome nullArgument(const char* what) {
  return failure(TESSERA_ERROR_INVALID_ARGUMENT, std::string("the ") + what + " is null");
}

/// Checks a caller's options against the first version of their struct, which ended behind
/// `lastField`; callers built before later members have a shorter struct. Hence a new member begins
/// at the earlier sizeof, never in what was padding.
template <typename Options, typename Field>
static Outcome checkStructSize(const char* name, const Options& raw, Field Options::* lastField) {
  if (knowsField(raw, raw.struct_size, lastField)) return {};
  return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                 std::string(name) + " has struct_size " + std::to_string(raw.struct_size) +
                     ", expected " + std::to_string(sizeof(Options)));
}

static Outcome toOptions(const tessera_load_options* raw, Executable::Options& options) {
  if (raw == nullptr) return {};
  TESSERA_RUNTIME_TRY(
      checkStructSize("tessera_load_options", *raw, &tessera_load_options::copy_memory));
  if (raw->num_backends > 0 && raw->backends == nullptr) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                   "tessera_load_options counts backends but has none");
  }
  options.backends = {raw->backends, raw->num_backends};
  options.copyMemory = raw->copy_memory != 0;
  if (knowsField(*raw, raw->struct_size, &tessera_load_options::inspect_only))
    options.inspectOnly = raw->inspect_only != 0;
  if (knowsField(*raw, raw->struct_size, &tessera_load_options::constant_user)) {
    options.findConstant = raw->find_constant;
    options.findConstantUser = raw->constant_user;
  }
  return {};
}

static Outcome toNumThreads(const tessera_context_options* raw, int32_t& numThreads) {
  if (raw == nullptr) return {};
  TESSERA_RUNTIME_TRY(
      checkStructSize("tessera_context_options", *raw, &tessera_context_options::num_threads));
  numThreads = raw->num_threads;
  return {};
}

/// Index of the port with this name, or of the last one + 1.
static uint32_t indexOf(const std::vector<tessera::artifact::Port>& ports, const char* name) {
  const auto found =
      std::ranges::find(ports, std::string_view(name), &tessera::artifact::Port::name);
  return static_cast<uint32_t>(found - ports.begin());
}

static Outcome noSuchName(const char* kind, const char* name,
                          const std::vector<tessera::artifact::Port>& ports) {
  std::string known;
  for (const tessera::artifact::Port& port : ports) {
    if (!known.empty()) known += ", ";
    known += "'" + port.name + "'";
  }
  return failure(TESSERA_ERROR_NO_SUCH_NAME,
                 std::string("there is no ") + kind + " '" + name + "', expected one of " + known);
}

static Outcome checkIndex(const char* kind, uint32_t index, size_t count) {
  if (index < count) return {};
  return failure(TESSERA_ERROR_INDEX_RANGE, std::string("there is no ") + kind + " " +
                                                std::to_string(index) + ", the model has " +
                                                std::to_string(count));
}

extern "C" {

const char* tessera_status_name(tessera_status status) {
  switch (status) {
#define TESSERA_STATUS(name, number, meaning) \
  case name:                                  \
    return #name;
#include "tessera/status_codes.def"
#undef TESSERA_STATUS
    default:
      return "unknown status";
  }
}

const char* tessera_runtime_version(void) { return TESSERA_RUNTIME_VERSION; }

tessera_status tessera_executable_load_file(const char* path, const tessera_load_options* options,
                                            tessera_executable** executable, char* message,
                                            size_t message_size) {
  if (executable != nullptr) *executable = nullptr;
  if (path == nullptr || executable == nullptr)
    return report(nullArgument(path == nullptr ? "path" : "result"), message, message_size);
  Executable::Options parsed;
  std::unique_ptr<Executable> loaded;
  Outcome outcome = toOptions(options, parsed);
  if (outcome.ok()) outcome = Executable::loadFile(path, parsed, loaded);
  if (outcome.ok()) *executable = new tessera_executable{std::move(loaded)};
  return report(outcome, message, message_size);
}

tessera_status tessera_executable_load_memory(const void* data, size_t size,
                                              const tessera_load_options* options,
                                              tessera_executable** executable, char* message,
                                              size_t message_size) {
  if (executable != nullptr) *executable = nullptr;
  if (data == nullptr || executable == nullptr)
    return report(nullArgument(data == nullptr ? "data" : "result"), message, message_size);
  Executable::Options parsed;
  std::unique_ptr<Executable> loaded;
  Outcome outcome = toOptions(options, parsed);
  if (outcome.ok())
    outcome = Executable::loadMemory({static_cast<const std::byte*>(data), size}, parsed, loaded);
  if (outcome.ok()) *executable = new tessera_executable{std::move(loaded)};
  return report(outcome, message, message_size);
}

void tessera_executable_destroy(tessera_executable* executable) { delete executable; }

const tessera_executable_info* tessera_executable_describe(const tessera_executable* executable) {
  return executable == nullptr ? nullptr : &executable->impl->info();
}

tessera_status tessera_executable_verify(const tessera_executable* executable, char* message,
                                         size_t message_size) {
  if (executable == nullptr) return report(nullArgument("executable"), message, message_size);
  return report(executable->impl->verify(), message, message_size);
}

tessera_status tessera_context_create(const tessera_executable* executable,
                                      const tessera_context_options* options,
                                      tessera_context** context, char* message,
                                      size_t message_size) {
  if (context != nullptr) *context = nullptr;
  if (executable == nullptr || context == nullptr) {
    return report(nullArgument(executable == nullptr ? "executable" : "result"), message,
                  message_size);
  }
  std::unique_ptr<Context> created;
  int32_t numThreads = 0;
  Outcome outcome = toNumThreads(options, numThreads);
  if (outcome.ok()) outcome = Context::create(*executable->impl, numThreads, created);
  if (outcome.ok()) *context = new tessera_context{std::move(created), {}};
  return report(outcome, message, message_size);
}

void tessera_context_destroy(tessera_context* context) { delete context; }

const char* tessera_context_message(const tessera_context* context) {
  return context == nullptr ? "the context is null" : context->message.c_str();
}

tessera_status tessera_context_set_num_threads(tessera_context* context, int32_t num_threads) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  return keep(context, context->impl->setNumThreads(num_threads));
}

tessera_status tessera_context_set_input_at(tessera_context* context, uint32_t index,
                                            const tessera_dltensor* tensor) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  Outcome outcome = checkIndex("input", index, context->impl->executable().bundle().inputs.size());
  if (outcome.ok()) outcome = context->impl->setInput(index, tensor);
  return keep(context, std::move(outcome));
}

tessera_status tessera_context_set_input(tessera_context* context, const char* name,
                                         const tessera_dltensor* tensor) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  if (name == nullptr) return keep(context, nullArgument("name of the input"));
  const auto& inputs = context->impl->executable().bundle().inputs;
  const uint32_t index = indexOf(inputs, name);
  if (index == inputs.size()) return keep(context, noSuchName("input", name, inputs));
  return keep(context, context->impl->setInput(index, tensor));
}

tessera_status tessera_context_set_output_at(tessera_context* context, uint32_t index,
                                             const tessera_dltensor* tensor) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  Outcome outcome =
      checkIndex("output", index, context->impl->executable().bundle().outputs.size());
  if (outcome.ok()) outcome = context->impl->setOutput(index, tensor);
  return keep(context, std::move(outcome));
}

tessera_status tessera_context_set_output(tessera_context* context, const char* name,
                                          const tessera_dltensor* tensor) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  if (name == nullptr) return keep(context, nullArgument("name of the output"));
  const auto& outputs = context->impl->executable().bundle().outputs;
  const uint32_t index = indexOf(outputs, name);
  if (index == outputs.size()) return keep(context, noSuchName("output", name, outputs));
  return keep(context, context->impl->setOutput(index, tensor));
}

tessera_status tessera_context_run(tessera_context* context) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  return keep(context, context->impl->run());
}

tessera_status tessera_context_get_output_at(tessera_context* context, uint32_t index,
                                             tessera_dltensor* tensor) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  if (tensor == nullptr) return keep(context, nullArgument("tensor for the output"));
  Outcome outcome =
      checkIndex("output", index, context->impl->executable().bundle().outputs.size());
  if (outcome.ok()) outcome = context->impl->getOutput(index, *tensor);
  return keep(context, std::move(outcome));
}

tessera_status tessera_context_get_output(tessera_context* context, const char* name,
                                          tessera_dltensor* tensor) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  if (name == nullptr) return keep(context, nullArgument("name of the output"));
  if (tensor == nullptr) return keep(context, nullArgument("tensor for the output"));
  const auto& outputs = context->impl->executable().bundle().outputs;
  const uint32_t index = indexOf(outputs, name);
  if (index == outputs.size()) return keep(context, noSuchName("output", name, outputs));
  return keep(context, context->impl->getOutput(index, *tensor));
}

tessera_status tessera_context_set_profiling(tessera_context* context, int32_t enabled) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  context->impl->setProfiling(enabled != 0);
  return TESSERA_OK;
}

tessera_status tessera_context_set_tracing(tessera_context* context, int32_t enabled) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  context->impl->setTracing(enabled != 0);
  return TESSERA_OK;
}

tessera_status tessera_context_trace(const tessera_context* context,
                                     const tessera_trace_event** events, uint32_t* num_events) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  if (events == nullptr) return keep(context, nullArgument("place for the events"));
  if (num_events == nullptr) return keep(context, nullArgument("place for their number"));
  const auto trace = context->impl->trace();
  *events = trace.data();
  *num_events = static_cast<uint32_t>(trace.size());
  return TESSERA_OK;
}

tessera_status tessera_context_profile(const tessera_context* context,
                                       const tessera_profile_entry** entries,
                                       uint32_t* num_entries) {
  if (context == nullptr) return TESSERA_ERROR_INVALID_ARGUMENT;
  if (entries == nullptr) return keep(context, nullArgument("place for the entries"));
  if (num_entries == nullptr) return keep(context, nullArgument("place for their number"));
  *entries = context->impl->profile().data();
  *num_entries = static_cast<uint32_t>(context->impl->profile().size());
  return TESSERA_OK;
}

uint64_t tessera_context_memory_bytes(const tessera_context* context) {
  return context == nullptr ? 0 : context->impl->memoryBytes();
}

void tessera_parallel_for(int64_t n, int32_t num_threads,
                          void (*body)(void* ctx, int64_t begin, int64_t end), void* ctx) {
  if (body != nullptr) tessera::runtime::parallelFor(n, num_threads, body, ctx);
}

void tessera_context_touch_memory(const tessera_context* context) {
  if (context != nullptr) context->impl->touchMemory();
}

void tessera_context_fill_memory(tessera_context* context, uint8_t value) {
  if (context != nullptr) context->impl->fillMemory(value);
}

}  // extern "C"
