#include "runtime/executable.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "artifact/target_name.h"
#include "runtime/backend_registry.h"
#include "runtime/cpu_features.h"
#include "runtime/describe.h"
#include "runtime/load_services.h"
#include "runtime/signature.h"
#include "runtime/struct_size.h"
#include "runtime/tensor_check.h"

namespace tessera::runtime {
namespace {

constexpr size_t kSmallestBackend = offsetof(tessera_backend_runtime, prepare_constants);

/// True when no guard is contradicted by a static dimension; dynamic ones are checked at each call.
bool mayHold(const artifact::Bundle& bundle, const artifact::CallInstruction& call,
             const artifact::Implementation& implementation) {
  return std::ranges::all_of(implementation.dimGuards, [&](const artifact::DimGuard& guard) {
    const int64_t dim = bundle.buffers[call.inputs[guard.input]].dims[guard.dim];
    return dim == artifact::kDynamic || (dim >= guard.minimum && dim <= guard.maximum);
  });
}

/// Target kind of an implementation of a valid bundle.
std::string kindOf(const artifact::Implementation& implementation) {
  return artifact::targetNameOf(implementation.target)->kind;
}

}  // namespace

Executable::~Executable() {
  for (const Instance& instance : instances_) instance.backend->destroy(instance.instance);
}

const tessera_executable_info& Executable::info() const { return description_->info(); }

static Outcome checksumOutcome(const Status& status) {
  return status ? Outcome{} : failure(TESSERA_ERROR_CHECKSUM, status.error().message);
}

Outcome Executable::verify() const { return checksumOutcome(artifact::verifyChecksums(artifact_)); }

Outcome Executable::verify(const artifact::Blob& blob) const {
  return checksumOutcome(artifact::verifyChecksum(artifact_, blob));
}

Outcome Executable::loadFile(const char* path, const Options& options,
                             std::unique_ptr<Executable>& executable) {
  auto mapped = base::MappedFile::open(path);
  if (!mapped) return failure(TESSERA_ERROR_FILE, mapped.error().message);
  std::unique_ptr<Executable> loaded(new Executable());
  loaded->file_.emplace(std::move(*mapped));
  TESSERA_RUNTIME_TRY(loaded->load(loaded->file_->bytes(), options));
  executable = std::move(loaded);
  return {};
}

Outcome Executable::loadMemory(std::span<const std::byte> bytes, const Options& options,
                               std::unique_ptr<Executable>& executable) {
  std::unique_ptr<Executable> loaded(new Executable());
  if (options.copyMemory) {
    if (!loaded->copy_.reserve(bytes.size())) {
      return failure(TESSERA_ERROR_OUT_OF_MEMORY, "no memory for a copy of the artifact");
    }
    std::memcpy(loaded->copy_.data(), bytes.data(), bytes.size());
    bytes = {static_cast<const std::byte*>(loaded->copy_.data()), bytes.size()};
  }
  TESSERA_RUNTIME_TRY(loaded->load(bytes, options));
  executable = std::move(loaded);
  return {};
}

Outcome Executable::load(std::span<const std::byte> bytes, const Options& options) {
  TESSERA_RUNTIME_TRY(parse(bytes));
  if (copy_.data() != nullptr) TESSERA_RUNTIME_TRY(verify());
  if (!options.inspectOnly) TESSERA_RUNTIME_TRY(makeRunnable(options));
  description_ = std::make_unique<Description>(*this, artifact_);
  return {};
}

Outcome Executable::parse(std::span<const std::byte> bytes) {
  auto parsed = artifact::parse(bytes);
  if (!parsed) {
    const std::optional<uint32_t> version = artifact::formatVersionOf(bytes);
    tessera_status status = TESSERA_ERROR_CORRUPT;
    if (version && *version > artifact::kFormatVersion) status = TESSERA_ERROR_VERSION;
    if (parsed.error().code == ErrorCode::kUsage) status = TESSERA_ERROR_INVALID_ARGUMENT;
    return failure(status, parsed.error().message);
  }
  artifact_ = std::move(*parsed);
  return {};
}

Outcome Executable::makeRunnable(const Options& options) {
  backends_.assign(options.backends.begin(), options.backends.end());
  backends_.insert(backends_.end(), builtinBackends().begin(), builtinBackends().end());
  for (uint32_t i = 0; i < bundle().buffers.size(); ++i) {
    const uint32_t space = bundle().buffers[i].memorySpace;
    if (space != 0) {
      return failure(TESSERA_ERROR_BACKEND, "buffer " + std::to_string(i) +
                                                " lives in memory space " + std::to_string(space) +
                                                ", which no backend of this library provides");
    }
    roots_.push_back(artifact::rootOf(bundle(), i));
  }
  memorySlots_ = assignMemorySlots(bundle(), roots_);
  callSites_.resize(bundle().program.size());
  for (size_t i = 0; i < callSites_.size(); ++i) {
    const auto* call = std::get_if<artifact::CallInstruction>(&bundle().program[i]);
    if (call != nullptr) TESSERA_RUNTIME_TRY(resolve(*call, callSites_[i]));
  }
  TESSERA_RUNTIME_TRY(prepareAllConstants());
  isRunnable_ = true;
  return {};
}

const tessera_backend_runtime* Executable::findBackend(const std::string& name) const {
  for (const tessera_backend_runtime* backend : backends_) {
    if (backend != nullptr && backend->size >= kSmallestBackend &&
        backend->abi_version == TESSERA_BACKEND_RUNTIME_ABI_VERSION && name == backend->name) {
      return backend;
    }
  }
  return nullptr;
}

Outcome Executable::resolve(const artifact::CallInstruction& call, CallSite& site) {
  site.instruction = &call;
  const artifact::Region& region = bundle().regions[call.region];
  Outcome refusal = failure(TESSERA_ERROR_BACKEND, "no implementation of region '" + region.name +
                                                       "' accepts the shapes of its inputs");
  for (const artifact::Implementation& implementation : region.implementations) {
    const std::string kind = kindOf(implementation);
    const tessera_backend_runtime* backend = findBackend(kind);
    if (backend == nullptr) {
      refusal = failure(TESSERA_ERROR_BACKEND, "region '" + region.name + "' needs backend '" +
                                                   kind + "', which this library does not have");
      continue;
    }
    const std::string missing = missingCpuFeatures(implementation.cpuFeatures);
    if (!missing.empty()) {
      refusal = failure(TESSERA_ERROR_CPU_FEATURE,
                        "region '" + region.name + "' needs " + missing + ", which this CPU lacks");
      continue;
    }
    if (!mayHold(bundle(), call, implementation)) continue;
    Choice choice;
    TESSERA_RUNTIME_TRY(resolveChoice(call, implementation, *backend, choice));
    workspaceBytes_ = std::max(workspaceBytes_, implementation.workspaceBytes);
    site.choices.push_back(choice);
  }
  return site.choices.empty() ? refusal : Outcome{};
}

Outcome Executable::resolveChoice(const artifact::CallInstruction& call,
                                  const artifact::Implementation& implementation,
                                  const tessera_backend_runtime& backend, Choice& choice) {
  choice.backend = &backend;
  choice.implementation = &implementation;
  TESSERA_RUNTIME_TRY(instanceFor(backend, implementation.codeBlob, choice.instance));
  LoadServices services;
  const Signature signature(bundle(), call);
  if (backend.find_symbol(choice.instance, services.services(), implementation.symbol.c_str(),
                          signature.raw(), &choice.symbol) != 0) {
    return failure(TESSERA_ERROR_BACKEND_LOAD,
                   "region '" + bundle().regions[call.region].name + "': " +
                       services.messageOr(std::string("backend '") + backend.name +
                                          "' has no symbol '" + implementation.symbol + "'"));
  }
  return {};
}

Outcome Executable::instanceFor(const tessera_backend_runtime& backend, uint32_t codeBlob,
                                void*& instance) {
  for (const Instance& known : instances_) {
    if (known.backend == &backend && known.codeBlob == codeBlob) {
      instance = known.instance;
      return {};
    }
  }
  // A backend makes code of it, somewhere else in memory.
  TESSERA_RUNTIME_TRY(verify(bundle().codeBlobs[codeBlob]));
  LoadServices services;
  const std::span<const std::byte> code = bundle().codeBlobs[codeBlob].bytes();
  if (backend.create(services.services(), code.data(), code.size(), &instance) != 0) {
    return failure(
        TESSERA_ERROR_BACKEND_LOAD,
        services.messageOr(std::string("backend '") + backend.name + "' refuses a code blob"));
  }
  instances_.push_back({.backend = &backend, .codeBlob = codeBlob, .instance = instance});
  return {};
}

Outcome Executable::prepareConstants(const artifact::CallInstruction& call, const Choice& choice,
                                     ConstantUses& uses) {
  const tessera_backend_runtime& backend = *choice.backend;
  const bool isKnown =
      knowsField(backend, backend.size, &tessera_backend_runtime::prepare_constants);
  if (!isKnown || backend.prepare_constants == nullptr) return {};
  std::vector<tessera_dltensor> tensors(call.inputs.size());
  std::vector<const tessera_dltensor*> inputs(call.inputs.size(), nullptr);
  std::vector<uint8_t> released(call.inputs.size(), 0);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const artifact::Root& root = roots_[call.inputs[i]];
    const artifact::Buffer& owner = bundle().buffers[root.buffer];
    if (owner.storage != artifact::Storage::kConstant) continue;
    const artifact::Buffer& buffer = bundle().buffers[call.inputs[i]];
    const std::byte* data = bundle().constants[owner.index].data.bytes().data() + root.offset;
    tensors[i] = {.data = const_cast<std::byte*>(data),
                  .device = {TESSERA_DEVICE_CPU, 0},
                  .ndim = static_cast<int32_t>(buffer.dims.size()),
                  .dtype = dtypeOf(buffer.elementType),
                  .shape = const_cast<int64_t*>(buffer.dims.data()),
                  .strides = nullptr,
                  .byte_offset = 0};
    inputs[i] = &tensors[i];
  }
  LoadServices services;
  if (backend.prepare_constants(choice.instance, services.services(), choice.symbol, inputs.data(),
                                static_cast<uint32_t>(inputs.size()), released.data()) != 0) {
    return failure(TESSERA_ERROR_BACKEND_LOAD,
                   "region '" + bundle().regions[call.region].name + "': " +
                       services.messageOr(std::string("backend '") + backend.name +
                                          "' cannot prepare its constants"));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || released[i] == 0) continue;
    const uint32_t constant = bundle().buffers[roots_[call.inputs[i]].buffer].index;
    TESSERA_RUNTIME_TRY(verify(bundle().constants[constant].data));  // It was just read in full.
    --uses[constant];
  }
  return {};
}

Executable::ConstantUses Executable::countConstantUses() const {
  const artifact::Bundle& all = bundle();
  ConstantUses uses(all.constants.size(), 0);
  const auto addUse = [&](uint32_t buffer, uint32_t count) {
    const artifact::Buffer& owner = all.buffers[roots_[buffer].buffer];
    if (owner.storage == artifact::Storage::kConstant) uses[owner.index] += count;
  };
  for (size_t i = 0; i < all.program.size(); ++i) {
    if (const auto* call = std::get_if<artifact::CallInstruction>(&all.program[i])) {
      for (const uint32_t input : call->inputs)
        addUse(input, static_cast<uint32_t>(callSites_[i].choices.size()));
    } else if (const auto* copy = std::get_if<artifact::CopyInstruction>(&all.program[i])) {
      addUse(copy->source, 1);
    } else if (const auto* view = std::get_if<artifact::ViewInstruction>(&all.program[i])) {
      addUse(view->view, 1);
      if (view->shapeBuffer != artifact::kNoBuffer) addUse(view->shapeBuffer, 1);
    }
  }
  for (const artifact::Port& output : all.outputs) addUse(output.buffer, 1);
  return uses;
}

void Executable::releaseUnusedConstants(const ConstantUses& before,
                                        const ConstantUses& after) const {
  for (size_t i = 0; i < after.size(); ++i) {
    const std::span<const std::byte> bytes = bundle().constants[i].data.bytes();
    const bool isReleased = before[i] > 0 && after[i] == 0;
    const bool isPaged = file_ && bytes.size() >= artifact::kPageSize;
    // A mapped blob of a page or more starts at a page; its last page may hold the next blob and
    // stays correct if dropped.
    if (isReleased && isPaged)
      madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_DONTNEED);
  }
}

/// Lets backends re-pack their constants, then gives back the pages of those that nobody reads any
/// more.
Outcome Executable::prepareAllConstants() {
  const ConstantUses before = countConstantUses();
  ConstantUses after = before;
  for (const CallSite& site : callSites_) {
    for (const Choice& choice : site.choices) {
      TESSERA_RUNTIME_TRY(prepareConstants(*site.instruction, choice, after));
    }
  }
  releaseUnusedConstants(before, after);
  return {};
}

const artifact::Implementation& Executable::firstImplementationOf(uint32_t region) const {
  for (const CallSite& site : callSites_) {
    if (site.instruction != nullptr && site.instruction->region == region)
      return *site.choices.front().implementation;
  }
  return bundle().regions[region].implementations.front();
}

}  // namespace tessera::runtime
