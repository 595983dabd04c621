// Getting the implementations of a context's calls ready: loaded by the executable, prepared by
// their backends for the context's number of threads.
#include "runtime/context.h"

namespace tessera::runtime {

Context::~Context() {
  for (size_t i = 0; i < calls_.size(); ++i) release(executable_.callSites()[i], calls_[i]);
}

Outcome Context::setNumThreads(int32_t numThreads) {
  if (numThreads < 0) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                   "the number of threads is " + std::to_string(numThreads));
  }
  const int32_t before = numThreads_;
  useThreads(numThreads);
  if (numThreads_ == before) return {};
  for (size_t i = 0; i < calls_.size(); ++i) release(executable_.callSites()[i], calls_[i]);
  return prepareCalls();
}

/// Readies what may run: for each call, choices up to the first that is ready and certain.
Outcome Context::prepareCalls() {
  for (size_t i = 0; i < calls_.size(); ++i) {
    const CallSite& site = executable_.callSites()[i];
    if (site.instruction == nullptr) continue;
    bool isAnyReady = false;
    for (size_t c = 0; c < site.choices.size(); ++c) {
      const bool isReady = makeReady(site, c, calls_[i].prepared[c]);
      isAnyReady |= isReady;
      if (isReady && site.choices[c]->isCertain) break;
    }
    if (!isAnyReady) return whyNotReady(site, calls_[i]);
  }
  return {};
}

bool Context::makeReady(const CallSite& site, size_t choice, Prepared& prepared) {
  if (prepared.state == Prepared::State::kNo) {
    prepared.failure = executable_.load(site, *site.choices[choice]);
    if (prepared.failure.ok())
      prepared.failure = prepare(*site.instruction, *site.choices[choice], prepared);
    prepared.state = prepared.failure.ok() ? Prepared::State::kYes : Prepared::State::kFailed;
  }
  return prepared.state == Prepared::State::kYes;
}

uint64_t Context::plannedWorkspaceBytes(const artifact::CallInstruction& call) const {
  return call.workspace == artifact::kNoBuffer
             ? 0
             : static_cast<uint64_t>(bundle_.buffers[call.workspace].sizeBytes);
}

Outcome Context::prepare(const artifact::CallInstruction& call, const Choice& choice,
                         Prepared& prepared) {
  uint64_t workspaceBytes = choice.implementation->workspaceBytes;
  const tessera_backend_runtime& table = choice.device->table();
  if (table.prepare != nullptr) {
    backendMessage_.clear();
    const int32_t code =
        table.prepare(choice.instance, &services_, choice.symbol, &prepared.own, &workspaceBytes);
    scratch_.releaseAll();
    if (code != 0) {
      prepared.own = nullptr;
      return failure(TESSERA_ERROR_BACKEND_LOAD,
                     !backendMessage_.empty()
                         ? backendMessage_
                         : std::string("backend '") + table.name + "' cannot prepare it");
    }
  }
  if (workspaceBytes <= plannedWorkspaceBytes(call) || workspace_.reserve(workspaceBytes))
    return {};
  if (table.release != nullptr) table.release(choice.instance, choice.symbol, prepared.own);
  return failure(TESSERA_ERROR_OUT_OF_MEMORY,
                 "no memory for a workspace of " + std::to_string(workspaceBytes) + " bytes");
}

/// Forgets what backends said, failures too: they may differ at another number of threads.
void Context::release(const CallSite& site, Call& call) {
  for (size_t c = 0; c < call.prepared.size(); ++c) {
    Prepared& prepared = call.prepared[c];
    const Choice& choice = *site.choices[c];
    if (prepared.state == Prepared::State::kYes && choice.device->table().release != nullptr)
      choice.device->table().release(choice.instance, choice.symbol, prepared.own);
    prepared = {};
  }
}

Outcome Context::whyNotReady(const CallSite& site, const Call& call) const {
  std::vector<std::pair<std::string, Outcome>> failures;
  for (size_t c = 0; c < call.prepared.size(); ++c) {
    if (!call.prepared[c].failure.ok())
      failures.emplace_back(site.choices[c]->implementation->target, call.prepared[c].failure);
  }
  return noImplementation(bundle_.regions[site.instruction->region], failures);
}

/// What may signal an event here gets one; implementations that are loaded later signal none, they
/// are done when they return.
Outcome Context::initEvents() {
  events_.resize(bundle_.numEvents);
  for (size_t i = 0; i < bundle_.program.size(); ++i) {
    if (const auto* copy = std::get_if<artifact::CopyInstruction>(&bundle_.program[i])) {
      const Device* device =
          copyDevice(executable_.spaceOf(copy->destination), executable_.spaceOf(copy->source));
      if (copy->signal != artifact::kNoEvent && device != nullptr)
        TESSERA_RUNTIME_TRY(events_.add(copy->signal, *device));
    }
    const CallSite& site = executable_.callSites()[i];
    if (site.instruction == nullptr || site.instruction->signal == artifact::kNoEvent) continue;
    for (size_t c = 0; c < site.choices.size(); ++c) {
      if (calls_[i].prepared[c].state == Prepared::State::kYes)
        TESSERA_RUNTIME_TRY(events_.add(site.instruction->signal, *site.choices[c]->device));
    }
  }
  return {};
}

}  // namespace tessera::runtime
