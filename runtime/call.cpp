// Calling a region: its implementations in their order, until one runs.
#include <algorithm>

#include "runtime/backend/parallel_for.h"
#include "runtime/backend/refusal_text.h"
#include "runtime/context.h"

namespace tessera::runtime {

void Context::initServices() {
  services_.size = sizeof(services_);
  services_.host = this;
  services_.parallel_for = [](void* host, int64_t n, void (*body)(void*, int64_t, int64_t),
                              void* context) -> int32_t {
    parallelFor(n, static_cast<Context*>(host)->numThreads_, body, context);
    return static_cast<Context*>(host)->scratch_.wasShort() ? 1 : 0;
  };
  services_.alloc_output = [](void* host, uint32_t index, uint32_t rank, const int64_t* dims) {
    return static_cast<Context*>(host)->allocOutput(index, rank, dims);
  };
  services_.workspace = [](void* host, size_t bytes) {
    return static_cast<Context*>(host)->workspace(bytes);
  };
  services_.log = [](void* host, int32_t level, const char* message) {
    if (level == TESSERA_LOG_ERROR && message != nullptr)
      static_cast<Context*>(host)->backendMessage_ = message;
  };
  services_.num_threads = [](void* host) { return static_cast<Context*>(host)->numThreads_; };
  services_.refuse = [](void* host, uint32_t node, const char* text, int64_t found,
                        int64_t expected) {
    static_cast<Context*>(host)->refuse(node, text != nullptr ? text : "", found, expected);
  };
  services_.allocate = [](void* host, size_t bytes) {
    return static_cast<Context*>(host)->scratch_.own().allocate(bytes);
  };
  services_.release = [](void* host, void* memory) {
    static_cast<Context*>(host)->scratch_.own().release(memory);
  };
}

bool Context::holds(const CallSite& site, const Choice& choice) const {
  return choice.isCertain ||
         std::ranges::all_of(
             choice.implementation->dimGuards, [&](const artifact::DimGuard& guard) {
               const int64_t dim = tensors_[site.instruction->inputs[guard.input]].shape[guard.dim];
               return dim >= guard.minimum && dim <= guard.maximum;
             });
}

/// The ONNX nodes that a region comes from: " (node 'a')", " (nodes 'a' to 'b')", or nothing.
static std::string nodesText(const artifact::Region& region) {
  const std::vector<std::string>& names = region.nodeNames;
  if (names.empty()) return "";
  if (names.size() == 1) return " (node '" + names[0] + "')";
  return " (nodes '" + names.front() + "' to '" + names.back() + "')";
}

/// Whether the input of the run is to blame, so that no other implementation would do better.
static bool isOfInput(const Outcome& outcome) { return outcome.status == TESSERA_ERROR_SHAPE; }

Outcome Context::call(const CallSite& site, Call& call) {
  refusal_ = {};
  std::vector<std::pair<size_t, Outcome>> failures;  // Empty in most runs, which allocate nothing.
  for (size_t i = 0; i < site.choices.size(); ++i) {
    if (!holds(site, *site.choices[i]) || !makeReady(site, i, call.prepared[i])) continue;
    Outcome outcome = attempt(site, *site.choices[i], call.prepared[i], call);
    // Work that came before failed: another implementation would read what it left.
    if (outcome.ok() || events_.hasFailed()) return outcome;
    failures.emplace_back(i, std::move(outcome));
    if (isOfInput(failures.back().second)) break;
  }
  return whyNone(site, call, failures);
}

/// Of all choices for the sizes of this run: why they could not be used, or what became of them.
Outcome Context::whyNone(const CallSite& site, const Call& call,
                         std::span<const std::pair<size_t, Outcome>> failures) const {
  const artifact::Region& region = bundle_.regions[site.instruction->region];
  Outcome result = failure(TESSERA_ERROR_BACKEND, "");
  size_t count = 0;
  for (size_t i = 0; i < site.choices.size(); ++i) {
    const auto tried = std::ranges::find(failures, i, &std::pair<size_t, Outcome>::first);
    const Outcome& outcome = tried != failures.end() ? tried->second : call.prepared[i].failure;
    if (outcome.ok() || !holds(site, *site.choices[i])) continue;
    const std::string& target = site.choices[i]->implementation->target;
    const std::string text = site.choices.size() == 1 ? "" : target + ": ";
    result.status = outcome.status;
    result.message += (count++ == 0 ? "" : "; ") + text + outcome.message;
  }
  if (count == 0) {
    result.message =
        "no implementation of region '" + region.name + "' accepts the shapes of this run";
    return result;
  }
  const std::string nodes = refusal_.ok() ? nodesText(region) : "";
  result.message = "region '" + region.name + "'" + nodes + ": " + result.message;
  return result;
}

Outcome Context::attempt(const CallSite& site, const Choice& choice, const Prepared& prepared,
                         Call& call) {
  Sync sync;
  TESSERA_RUNTIME_TRY(
      events_.begin(site.instruction->waits, site.instruction->signal, choice.device, sync));
  current_ = site.instruction;
  backendMessage_.clear();
  allocationFailure_ = {};
  refusal_ = {};
  if (call.hasDynamicOutput) {
    for (const uint32_t output : current_->outputs) {
      if (!isStatic(output)) tensors_[output].data = nullptr;
    }
  }
  Outcome outcome = runChoice(choice, prepared, call, sync);
  for (size_t i = 0; i < call.outputs.size() && outcome.ok() && call.hasDynamicOutput; ++i) {
    if (call.outputs[i]->data == nullptr)
      outcome =
          failure(TESSERA_ERROR_KERNEL, "it did not allocate its output " + std::to_string(i));
  }
  current_ = nullptr;
  if (outcome.ok()) {
    events_.end(site.instruction->signal, choice.device,
                &bundle_.regions[site.instruction->region].name);
  } else {
    events_.drain(*choice.device);  // Part of the work may have begun.
  }
  return outcome;
}

Outcome Context::runChoice(const Choice& choice, const Prepared& prepared, Call& call,
                           const Sync& sync) {
  const tessera_call raw = {.size = sizeof(raw),
                            .num_inputs = static_cast<uint32_t>(call.inputs.size()),
                            .num_outputs = static_cast<uint32_t>(call.outputs.size()),
                            .num_wait_events = static_cast<uint32_t>(sync.waits.size()),
                            .services = &services_,
                            .symbol = choice.symbol,
                            .state = prepared.own,
                            .inputs = call.inputs.data(),
                            .outputs = call.outputs.data(),
                            .wait_events = sync.waits.data(),
                            .signal_event = sync.signal};
  if (call.hasDynamicOutput) TESSERA_RUNTIME_TRY(inferShapes(choice, raw, call));
  const tessera_backend_runtime& table = choice.device->table();
  const int32_t code = table.run(choice.instance, &raw);
  const bool wasShort = scratch_.wasShort();
  scratch_.releaseAll();
  if (!refusal_.ok()) return refusal_;
  if (wasShort)
    return failure(TESSERA_ERROR_OUT_OF_MEMORY, "no memory for the temporaries of a kernel");
  if (!allocationFailure_.ok()) return allocationFailure_;
  if (code == 0) return {};
  if (!backendMessage_.empty()) return failure(TESSERA_ERROR_KERNEL, backendMessage_);
  return failure(TESSERA_ERROR_KERNEL, std::string("backend '") + table.name + "' returned error " +
                                           std::to_string(code));
}

Outcome Context::inferShapes(const Choice& choice, const tessera_call& raw, Call& call) {
  const tessera_backend_runtime& table = choice.device->table();
  if (table.infer_shapes == nullptr) return {};
  if (table.infer_shapes(choice.instance, &raw, call.dynamicDims.data()) != 0) {
    if (!refusal_.ok()) return refusal_;
    return failure(TESSERA_ERROR_KERNEL,
                   !backendMessage_.empty() ? backendMessage_ : "it cannot infer its shapes");
  }
  for (const uint32_t output : current_->outputs) {
    const tessera_dltensor& tensor = tensors_[output];
    TESSERA_RUNTIME_TRY(allocateBuffer(output, static_cast<uint32_t>(tensor.ndim), tensor.shape));
  }
  return {};
}

void Context::refuse(uint32_t node, std::string_view text, int64_t found, int64_t expected) {
  if (current_ == nullptr) return;
  const std::vector<std::string>& names = bundle_.regions[current_->region].nodeNames;
  const std::string place = node < names.size() ? "node '" + names[node] + "': " : "";
  refusal_ = failure(TESSERA_ERROR_SHAPE, place + refusalText(text, found, expected));
}

/// What the plan has for the running call where that is enough.
void* Context::workspace(size_t bytes) {
  const bool hasPlanned = current_ != nullptr && current_->workspace != artifact::kNoBuffer;
  if (hasPlanned && bytes <= plannedWorkspaceBytes(*current_))
    return tensors_[current_->workspace].data;
  return workspace_.reserve(bytes) ? workspace_.data() : nullptr;
}

void* Context::allocOutput(uint32_t index, uint32_t rank, const int64_t* dims) {
  if (current_ == nullptr || index >= current_->outputs.size() || (rank > 0 && dims == nullptr))
    return nullptr;
  const uint32_t buffer = current_->outputs[index];
  allocationFailure_ = allocateBuffer(buffer, rank, dims);
  return allocationFailure_.ok() ? tensors_[buffer].data : nullptr;
}

}  // namespace tessera::runtime
