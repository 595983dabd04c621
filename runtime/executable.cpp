#include "runtime/executable.h"

#include <cstring>

#include "runtime/backend/cpu_features.h"
#include "runtime/backend/load_services.h"
#include "runtime/backend/parallel_for.h"
#include "runtime/describe.h"
#include "runtime/signature.h"

namespace tessera::runtime {

Executable::~Executable() = default;

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
  if (!options.inspectOnly) {
    TESSERA_RUNTIME_TRY(provideConstants(options));
    TESSERA_RUNTIME_TRY(makeRunnable(options));
  }
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

Outcome Executable::provideConstants(const Options& options) {
  const Status status = artifact::provideConstants(
      artifact_, [&](const artifact::Constant& constant) -> std::span<const std::byte> {
        const uint64_t size = constant.data.sizeBytes();
        if (options.findConstant == nullptr) return {};
        const void* data =
            options.findConstant(options.findConstantUser, constant.contentHash.c_str(), size);
        return {static_cast<const std::byte*>(data), data != nullptr ? size : 0};
      });
  return status ? Outcome{} : failure(TESSERA_ERROR_CONSTANT, status.error().message);
}

Outcome Executable::makeRunnable(const Options& options) {
  limitSpinning();
  for (uint32_t i = 0; i < bundle().buffers.size(); ++i)
    roots_.push_back(artifact::rootOf(bundle(), i));
  memorySlots_ = assignMemorySlots(bundle(), roots_);
  resources_ = std::make_unique<Resources>(artifact_, options.backends);
  for (const artifact::Instruction& instruction : bundle().program) {
    const auto* call = std::get_if<artifact::CallInstruction>(&instruction);
    callSites_.push_back(call != nullptr ? callSiteOf(bundle(), *call) : CallSite{});
  }
  constants_ = std::make_unique<Constants>(bundle(), roots_, callSites_);
  for (const CallSite& site : callSites_) {
    if (site.instruction != nullptr) TESSERA_RUNTIME_TRY(resolve(site));
  }
  TESSERA_RUNTIME_TRY(openSpaces());
  TESSERA_RUNTIME_TRY(constants_->placeOnDevices(spaces_));
  if (file_) constants_->dropUnread(file_->bytes());
  isRunnable_ = true;
  return {};
}

Outcome Executable::openSpaces() {
  spaces_ = {{.name = artifact::kHostSpace}};
  for (size_t i = 1; i < bundle().memorySpaces.size(); ++i)
    TESSERA_RUNTIME_TRY(resources_->space(bundle().memorySpaces[i], spaces_.emplace_back()));
  return {};
}

Outcome Executable::resolve(const CallSite& site) const {
  std::vector<std::pair<std::string, Outcome>> failures;
  bool isAnyLoaded = false;
  for (const std::unique_ptr<Choice>& choice : site.choices) {
    Outcome outcome = load(site, *choice);
    isAnyLoaded |= outcome.ok();
    if (outcome.ok() && choice->isCertain) break;
    if (!outcome.ok()) failures.emplace_back(choice->implementation->target, std::move(outcome));
  }
  if (isAnyLoaded) return {};
  return noImplementation(bundle().regions[site.instruction->region], failures);
}

Outcome Executable::load(const CallSite& site, Choice& choice) const {
  const Choice::State before = choice.state.load(std::memory_order_acquire);
  if (before == Choice::State::kLoaded) return {};
  const std::lock_guard lock(loading_);
  if (choice.state.load(std::memory_order_relaxed) == Choice::State::kNotLoaded) {
    choice.failure = tryLoad(*site.instruction, choice);
    choice.state.store(choice.failure.ok() ? Choice::State::kLoaded : Choice::State::kFailed,
                       std::memory_order_release);
  }
  return choice.failure;
}

Outcome Executable::tryLoad(const artifact::CallInstruction& call, Choice& choice) const {
  const artifact::Implementation& implementation = *choice.implementation;
  const std::string missing = missingCpuFeatures(implementation.cpuFeatures);
  if (!missing.empty())
    return failure(TESSERA_ERROR_CPU_FEATURE, "it needs " + missing + ", which this CPU lacks");
  TESSERA_RUNTIME_TRY(resources_->device(implementation.target, choice.device));
  TESSERA_RUNTIME_TRY(checkSpaces(call, *choice.device));
  TESSERA_RUNTIME_TRY(
      resources_->instance(*choice.device, implementation.codeBlob, choice.instance));
  const tessera_backend_runtime& table = choice.device->table();
  LoadServices services;
  const Signature signature(bundle(), call);
  if (table.find_symbol(choice.instance, services.services(), implementation.symbol.c_str(),
                        signature.raw(), &choice.symbol) != 0) {
    return failure(TESSERA_ERROR_BACKEND_LOAD,
                   services.messageOr(std::string("backend '") + table.name + "' has no symbol '" +
                                      implementation.symbol + "'"));
  }
  std::vector<uint32_t> packed;
  TESSERA_RUNTIME_TRY(constants_->prepare(call, choice, packed));
  for (const uint32_t constant : packed)  // They were just read in full.
    TESSERA_RUNTIME_TRY(verify(bundle().constants[constant].data));
  return {};
}

Outcome Executable::checkSpaces(const artifact::CallInstruction& call, const Device& device) const {
  for (const std::vector<uint32_t>* buffers : {&call.inputs, &call.outputs}) {
    for (const uint32_t buffer : *buffers) {
      const uint32_t index = bundle().buffers[buffer].memorySpace;
      const std::string& name = bundle().memorySpaces[index].name;
      Space unused;
      if (index != 0 && !findSpace(device, name, unused))
        return failure(TESSERA_ERROR_BACKEND, "target '" + device.target() +
                                                  "' has no access to memory space '" + name + "'");
    }
  }
  return {};
}

const artifact::Implementation& Executable::firstImplementationOf(uint32_t region) const {
  for (const CallSite& site : callSites_) {
    if (site.instruction == nullptr || site.instruction->region != region) continue;
    for (const std::unique_ptr<Choice>& choice : site.choices) {
      if (choice->state == Choice::State::kLoaded) return *choice->implementation;
    }
  }
  return bundle().regions[region].implementations.front();
}

Outcome noImplementation(const artifact::Region& region,
                         std::span<const std::pair<std::string, Outcome>> failures) {
  if (failures.empty()) {
    return failure(TESSERA_ERROR_BACKEND, "no implementation of region '" + region.name +
                                              "' accepts the shapes of its inputs");
  }
  const Outcome& last = failures.back().second;
  if (failures.size() == 1)
    return failure(last.status, "region '" + region.name + "': " + last.message);
  std::string reasons;
  for (const auto& [target, outcome] : failures)
    reasons += (reasons.empty() ? "" : "; ") + target + ": " + outcome.message;
  return failure(last.status,
                 "no implementation of region '" + region.name + "' can run: " + reasons);
}

}  // namespace tessera::runtime
