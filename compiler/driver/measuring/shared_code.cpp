#include "compiler/driver/measuring/shared_code.h"

namespace tessera::driver {

SharedCode shareCode(const backend_api::CodeCache& cache, size_t& count) {
  SharedCode shared{.entries = cache.addedAfter(count)};
  for (const auto& [key, code] : shared.entries) shared.keys.push_back(worker::validText(key));
  count += shared.entries.size();
  return shared;
}

void takeSharedCode(worker::Message& message, backend_api::CodeCache& cache) {
  const nlohmann::json keys = worker::listOf(message.header, kCodeKey);
  if (keys.size() > message.payloads.size()) return;
  const size_t first = message.payloads.size() - keys.size();
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i].is_string())
      cache.add(keys[i].get<std::string>(), std::move(message.payloads[first + i]));
  message.payloads.resize(first);
}

}  // namespace tessera::driver
