#include "compiler/conformance/abi.h"

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>

#include "base/plugin_path.h"
#include "tessera/runtime.h"

namespace tessera::conformance {

/// The library's half; null when it has none. The library stays loaded, as the runtime keeps it.
static const tessera_backend_runtime* halfIn(const std::filesystem::path& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto entry =
      reinterpret_cast<decltype(&tessera_backend_entry)>(dlsym(library, "tessera_backend_entry"));
  return entry == nullptr ? nullptr : entry();
}

static std::vector<std::filesystem::path> folders() {
  const std::vector<std::string> given = base::pluginFolders();
  std::vector<std::filesystem::path> all(given.begin(), given.end());
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&tessera_runtime_version), &info) != 0)
    all.push_back(std::filesystem::path(info.dli_fname).parent_path());
  return all;
}

static const tessera_backend_runtime* find(const std::string& kind,
                                           std::span<const tessera_backend_runtime* const> given) {
  for (const tessera_backend_runtime* half : given) {
    if (half->name != nullptr && half->name == kind) return half;
  }
  for (const std::filesystem::path& folder : folders()) {
    const std::filesystem::path file = folder / ("libtessera_backend_" + kind + ".so");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (const tessera_backend_runtime* half = halfIn(file)) return half;
  }
  return nullptr;
}

/// A field that the half's struct is long enough for; null otherwise.
#define TESSERA_FIELD(half, field)                                                               \
  ((half).size >= offsetof(tessera_backend_runtime, field) + sizeof((half).field) ? (half).field \
                                                                                  : nullptr)

/// Functions that come together: all, or none.
static void checkGroup(const std::string& what, std::initializer_list<bool> present,
                       std::vector<std::string>& wrong) {
  const auto count = std::count(present.begin(), present.end(), true);
  if (count != 0 && static_cast<size_t>(count) != present.size())
    wrong.push_back("of the functions for " + what + " it has some and lacks others");
}

std::vector<std::string> checkAbi(const std::string& kind,
                                  std::span<const tessera_backend_runtime* const> given) {
  const tessera_backend_runtime* half = find(kind, given);
  if (half == nullptr) return {};
  std::vector<std::string> wrong;
  const bool saysLeast = half->size >= offsetof(tessera_backend_runtime, least_abi_version) +
                                           sizeof(half->least_abi_version);
  const uint32_t least =
      saysLeast && half->least_abi_version != 0 ? half->least_abi_version : half->abi_version;
  if (least > TESSERA_BACKEND_RUNTIME_ABI_VERSION || half->abi_version == 0)
    wrong.push_back("its runtime half is of ABI version " + std::to_string(half->abi_version) +
                    ", expected " + std::to_string(TESSERA_BACKEND_RUNTIME_ABI_VERSION));
  if (half->size < offsetof(tessera_backend_runtime, device_create))
    return {"its runtime half has a struct of " + std::to_string(half->size) +
            " bytes, too short for the functions that are not optional"};
  if (half->name == nullptr || half->name != kind)
    wrong.push_back("its runtime half is named '" +
                    std::string(half->name == nullptr ? "" : half->name) + "', expected '" + kind +
                    "'");
  if (half->version == nullptr || *half->version == '\0')
    wrong.emplace_back("its runtime half has no version");
  if (half->create == nullptr || half->destroy == nullptr || half->find_symbol == nullptr ||
      half->run == nullptr)
    wrong.emplace_back("its runtime half lacks create, destroy, find_symbol or run");
  checkGroup("devices",
             {TESSERA_FIELD(*half, device_create) != nullptr,
              TESSERA_FIELD(*half, device_destroy) != nullptr},
             wrong);
  checkGroup("preparing",
             {TESSERA_FIELD(*half, prepare) != nullptr, TESSERA_FIELD(*half, release) != nullptr},
             wrong);
  checkGroup(
      "memory spaces",
      {TESSERA_FIELD(*half, find_space) != nullptr, TESSERA_FIELD(*half, space_alloc) != nullptr,
       TESSERA_FIELD(*half, space_free) != nullptr, TESSERA_FIELD(*half, copy_in) != nullptr,
       TESSERA_FIELD(*half, copy_out) != nullptr},
      wrong);
  checkGroup(
      "events",
      {TESSERA_FIELD(*half, event_create) != nullptr,
       TESSERA_FIELD(*half, event_destroy) != nullptr,
       TESSERA_FIELD(*half, event_record) != nullptr, TESSERA_FIELD(*half, event_wait) != nullptr,
       TESSERA_FIELD(*half, event_query) != nullptr},
      wrong);
  return wrong;
}

}  // namespace tessera::conformance
