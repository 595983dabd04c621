#include "compiler/ir/io/constant_store.h"

#include "base/content_hash.h"

namespace tessera::ir {

// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from.
std::string ConstantStore::add(Blob blob) {
  std::string hash = base::contentHash(blob.bytes);
  const std::scoped_lock lock(mutex_);
  blobs_.try_emplace(hash, std::move(blob));
  return hash;
}

std::string ConstantStore::add(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view = *owner;
  return add(Blob{.bytes = view, .owner = std::move(owner)});
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from.
void ConstantStore::addNamed(const std::string& hash, Blob blob) {
  const std::scoped_lock lock(mutex_);
  blobs_.try_emplace(hash, std::move(blob));
}

Blob ConstantStore::find(std::string_view hash) const {
  const std::scoped_lock lock(mutex_);
  const auto it = blobs_.find(hash);
  return it == blobs_.end() ? Blob{} : it->second;
}

bool ConstantStore::contains(std::string_view hash) const {
  const std::scoped_lock lock(mutex_);
  return blobs_.contains(hash);
}

void ConstantStore::retain(const std::function<bool(std::string_view)>& isLive) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(blobs_, [&](const auto& entry) { return !isLive(entry.first); });
}

size_t ConstantStore::sizeBytes() const {
  const std::scoped_lock lock(mutex_);
  size_t total = 0;
  for (const auto& [hash, blob] : blobs_) total += blob.bytes.size();
  return total;
}

}  // namespace tessera::ir
