// The ways to run one call of a program.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "artifact/bundle.h"
#include "runtime/backend/device.h"

namespace tessera::runtime {

/// One implementation at one call site. What loading finds out is written before `state` says so
/// and stays.
struct Choice {
  enum class State : uint8_t { kNotLoaded, kLoaded, kFailed };

  const artifact::Implementation* implementation = nullptr;  ///< In the bundle.
  bool isCertain = false;  ///< All its guards hold for every run; otherwise they are checked.
  std::atomic<State> state = State::kNotLoaded;
  const Device* device = nullptr;
  void* instance = nullptr;
  void* symbol = nullptr;
  Outcome failure = {};  ///< Why it did not load.
};

/// A call instruction with the implementations that may run it, in their order.
struct CallSite {
  const artifact::CallInstruction* instruction = nullptr;  ///< In the bundle; null: no call.
  std::vector<std::unique_ptr<Choice>> choices;
};

/// The implementations whose guards no known dimension contradicts.
CallSite callSiteOf(const artifact::Bundle& bundle, const artifact::CallInstruction& call);

}  // namespace tessera::runtime
