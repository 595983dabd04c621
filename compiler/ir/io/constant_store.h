// The bytes of large constants, by content hash.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ir {

/// Bytes with whatever keeps them alive: a heap block, a mapped file, a parsed model.
struct Blob {
  std::span<const std::byte> bytes;
  /// Shared by the store and by whoever uses the bytes beyond the store's life.
  std::shared_ptr<const void> owner;
};

/// Constants of one MLIRContext. Passes hand hashes around and never copy the bytes. Thread-safe.
class ConstantStore {
 public:
  /// Keeps `blob` under the hash of its bytes and returns the hash. Equal bytes are kept once.
  std::string add(Blob blob);
  /// As above, for bytes made here.
  std::string add(std::vector<std::byte> bytes);
  /// Keeps `blob` under a hash computed earlier; the bytes are not read.
  void addNamed(const std::string& hash, Blob blob);
  /// The bytes of `hash`; empty owner when it is unknown.
  Blob find(std::string_view hash) const;
  bool contains(std::string_view hash) const;
  /// Drops every blob for which `isLive` is false.
  void retain(const std::function<bool(std::string_view)>& isLive);
  /// Bytes held at present.
  size_t sizeBytes() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Blob, std::less<>> blobs_;
};

}  // namespace tessera::ir
