// Compiled code between the processes that compile: none does what another did.
#pragma once

#include "compiler/backend_api/code_cache.h"
#include "compiler/worker/channel.h"

namespace tessera::driver {

/// Entries of a code cache on their way: keys for a message's header, under kCodeKey, and their
/// code, its last payloads.
struct SharedCode {
  nlohmann::json keys = nlohmann::json::array();
  std::vector<std::pair<std::string, backend_api::CodeCache::Bytes>> entries;
};
inline constexpr char kCodeKey[] = "code";

/// What a cache has beyond its first `count` entries; counts them.
SharedCode shareCode(const backend_api::CodeCache& cache, size_t& count);

/// Takes the code that a message has out of it.
void takeSharedCode(worker::Message& message, backend_api::CodeCache& cache);

}  // namespace tessera::driver
