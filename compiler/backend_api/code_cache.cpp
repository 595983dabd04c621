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
  if (code_.try_emplace(key, std::move(bytes)).second) added_.push_back(std::move(key));
}

std::vector<std::pair<std::string, CodeCache::Bytes>> CodeCache::addedAfter(size_t count) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<std::string, Bytes>> added;
  for (size_t i = count; i < added_.size(); ++i)
    added.emplace_back(added_[i], code_.find(added_[i])->second);
  return added;
}

size_t CodeCache::hits() const {
  const std::scoped_lock lock(mutex_);
  return hits_;
}

}  // namespace tessera::backend_api
