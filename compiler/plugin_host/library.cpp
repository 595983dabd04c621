#include "compiler/plugin_host/library.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/shared_object.h"
#include "compiler/plugin_host/known_part.h"

namespace tessera::plugin_host {

static Status checkHalf(const tessera_backend_compile& half) {
  constexpr uint32_t kOurs = TESSERA_BACKEND_COMPILE_ABI_VERSION;
  if (half.abi_version == 0) return invalidInput("it says that it has ABI version 0");
  const uint32_t least = half.least_abi_version != 0 ? half.least_abi_version : half.abi_version;
  if (least > kOurs)
    return invalidInput("it needs a compiler of ABI version " + std::to_string(least) +
                        " or later, this one has version " + std::to_string(kOurs));
  if (half.name == nullptr || half.version == nullptr)
    return invalidInput("it has no name or no version");
  if (half.query == nullptr || half.compile == nullptr)
    return invalidInput("it lacks functions that are not optional");
  if (half.num_attributes > 0 && half.attributes == nullptr)
    return invalidInput("it declares attributes and has none");
  return {};
}

Result<tessera_backend_compile> loadCompileHalf(const std::string& file) {
  // Without a slash the loader would look for it in the folders of libraries.
  const std::string path = std::filesystem::absolute(file).string();
  if (base::isCutShort(path)) return invalidInput("it is cut short");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return invalidInput(std::string("cannot load it: ") + (reason != nullptr ? reason : "unknown"));
  }
  const auto entry = reinterpret_cast<decltype(&tessera_backend_compile_entry)>(
      dlsym(library, "tessera_backend_compile_entry"));
  if (entry == nullptr)
    return invalidInput("it is no plugin: it does not export tessera_backend_compile_entry");
  const tessera_backend_compile* given = entry(TESSERA_BACKEND_COMPILE_ABI_VERSION);
  if (given == nullptr)
    return invalidInput("it cannot work with a compiler of ABI version " +
                        std::to_string(TESSERA_BACKEND_COMPILE_ABI_VERSION));
  const tessera_backend_compile half = knownPart(*given);
  TESSERA_TRY_VOID(checkHalf(half));
  return half;
}

}  // namespace tessera::plugin_host
