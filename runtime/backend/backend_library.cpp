#include "runtime/backend/backend_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "base/plugin_path.h"
#include "base/shared_object.h"
#include "runtime/backend/linked_backends.h"
#include "runtime/backend/parallel_for.h"

namespace tessera::runtime {
namespace {

/// Folder of the library or program that this code is in; "." when nobody knows.
std::string ownFolder() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&ownFolder), &info) == 0 || info.dli_fname == nullptr)
    return ".";
  const std::string_view path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

std::vector<std::string> folders() {
  std::vector<std::string> list = base::pluginFolders();
  list.push_back(ownFolder());
  return list;
}

Outcome openLibrary(const std::string& path, const tessera_backend_runtime*& half) {
  if (base::isCutShort(path)) return failure(TESSERA_ERROR_BACKEND, path + " is cut short");
  // Before anything that may load libgomp.
  limitSpinning();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return failure(TESSERA_ERROR_BACKEND,
                   "cannot load " + path + ": " + (reason != nullptr ? reason : "unknown reason"));
  }
  const auto entry =
      reinterpret_cast<decltype(&tessera_backend_entry)>(dlsym(library, "tessera_backend_entry"));
  half = entry != nullptr ? entry() : nullptr;
  if (half != nullptr) return {};
  return failure(TESSERA_ERROR_BACKEND,
                 path + " is no backend: " +
                     (entry == nullptr ? "it does not export tessera_backend_entry"
                                       : "its tessera_backend_entry returns nothing"));
}

}  // namespace

Outcome BackendLibrary::find(const std::string& kind, const Half*& half) {
  auto known = found_.find(kind);
  if (known == found_.end()) known = found_.emplace(kind, search(kind)).first;
  half = known->second.half.get();
  return known->second.outcome;
}

BackendLibrary::Found BackendLibrary::search(const std::string& kind) const {
  const auto need = std::ranges::find(bundle_.backends, kind, &artifact::BackendNeed::kind);
  const auto accept = [&](const tessera_backend_runtime& half, const std::string& from) {
    Found found;
    found.outcome =
        acceptHalf(half, kind, need == bundle_.backends.end() ? nullptr : &*need, from, found.half);
    return found;
  };
  const auto isNamed = [&](const tessera_backend_runtime* half) {
    return half != nullptr && half->size >= offsetof(tessera_backend_runtime, version) &&
           half->name != nullptr && kind == half->name;
  };
  for (const tessera_backend_runtime* half : given_) {
    if (isNamed(half)) return accept(*half, "of the caller");
  }
  for (const tessera_backend_runtime* half : linkedBackends()) {
    if (isNamed(half)) return accept(*half, "of this library");
  }
  const std::string name = "libtessera_backend_" + kind + ".so";
  std::optional<Outcome> firstFailure;
  for (const std::string& folder : folders()) {
    std::string path = folder;
    path.append("/").append(name);
    if (access(path.c_str(), F_OK) != 0) continue;
    const tessera_backend_runtime* half = nullptr;
    Found found{.outcome = openLibrary(path, half), .half = nullptr};
    if (found.outcome.ok()) found = accept(*half, "in " + path);
    if (found.outcome.ok()) return found;
    if (!firstFailure) firstFailure = std::move(found.outcome);
  }
  if (firstFailure) return {.outcome = std::move(*firstFailure), .half = nullptr};
  return {.outcome = failure(TESSERA_ERROR_BACKEND,
                             "backend '" + kind + "' is not in this library, and " + name +
                                 " is neither in TESSERA_PLUGIN_PATH nor beside the runtime"),
          .half = nullptr};
}

}  // namespace tessera::runtime
