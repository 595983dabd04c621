#include "compiler/backend_api/code_cache.h"

namespace tessera::backend_api {

CodeCache::Bytes CodeCache::find(std::string_view key) {
  {
    const std::scoped_lock lock(mutex_);
    const auto it = code_.find(key);
    if (it != code_.end()) {
      ++hits_;
      return it->second;
    }
  }
  auto kept = folder_ ? folder_->find(key) : std::nullopt;
  if (!kept) return nullptr;
  auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(*kept));
  const std::scoped_lock lock(mutex_);
  ++hits_;
  return code_.try_emplace(std::string(key), std::move(bytes)).first->second;
}

void CodeCache::add(std::string key, std::vector<std::byte> code) {
  auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(code));
  if (folder_) folder_->keep(key, *bytes);
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
