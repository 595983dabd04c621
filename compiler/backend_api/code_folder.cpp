// Codes are told apart by a hash, whose first digits name a folder: so few files are in each that
// looking for the oldest ones costs little.
#include "compiler/backend_api/code_folder.h"

#include <filesystem>

#include "base/content_hash.h"
#include "base/kept_files.h"

namespace tessera::backend_api {

static base::KeptFiles filesFor(const std::string& folder, const std::string& name,
                                uint64_t mostBytes) {
  constexpr size_t kNumDigits = 2;
  constexpr uint64_t kNumFolders = 256;
  if (name.empty()) return {"", ".code", 0};
  const std::filesystem::path own = std::filesystem::path(folder) / name.substr(0, kNumDigits);
  return {folder.empty() ? "" : own.string(), ".code", mostBytes / kNumFolders};
}

std::string CodeFolder::nameOf(std::string_view key) const {
  const std::string version = version_();
  return version.empty() ? "" : base::contentHash(version + " " + std::string(key));
}

std::optional<std::vector<std::byte>> CodeFolder::find(std::string_view key) const {
  const std::string name = nameOf(key);
  const auto found = filesFor(folder_, name, mostBytes_).find(name);
  if (!found) return std::nullopt;
  return std::vector<std::byte>(found->bytes.begin(), found->bytes.end());
}

void CodeFolder::keep(std::string_view key, std::span<const std::byte> code) const {
  const std::string name = nameOf(key);
  const base::KeptFiles files = filesFor(folder_, name, mostBytes_);
  if (!files.find(name)) files.keep(name, code);
}

}  // namespace tessera::backend_api
