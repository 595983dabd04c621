#include "compiler/backend_api/code_cache.h"

namespace tessera::backend_api {

CodeCache::Bytes CodeCache::find(std::string_view key) const {
  const std::scoped_lock lock(mutex_);
  const auto it = code_.find(key);
  if (it == code_.end()) return nullptr;
  ++hits_;
  return it->second;
}

void CodeCache::add(std::string key, std::vector<std::byte> code) {
  auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(code));
  const std::scoped_lock lock(mutex_);
  code_.try_emplace(std::move(key), std::move(bytes));
}

size_t CodeCache::hits() const {
  const std::scoped_lock lock(mutex_);
  return hits_;
}

}  // namespace tessera::backend_api
