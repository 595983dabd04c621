#include "compiler/driver/measuring/code_version.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/content_hash.h"
#include "base/mapped_file.h"
#include "base/plugin_path.h"
#include "base/shared_object.h"
#include "compiler/driver/measuring/linked_files.h"
#include "llvm-c/Core.h"
#include "mlir/IR/MLIRContext.h"
#include "tessera/compile.h"

namespace tessera::driver {

namespace fs = std::filesystem;

/// The file that a function is in; empty where it cannot be told.
static fs::path fileOf(const void* function) {
  Dl_info info = {};
  return dladdr(function, &info) == 0 ? "" : info.dli_fname;
}

static fs::path thisLibrary() { return fileOf(reinterpret_cast<const void*>(&thisLibrary)); }

/// Empty for a file that cannot be read.
static std::string hashOf(const fs::path& path) {
  const auto file = base::MappedFile::open(path.string());
  return file ? base::contentHash(file->bytes()) : "";
}

const std::string& compilerHash() {
  static const std::string hash = [] {
    // Reading the file, symbols for debuggers included, takes longer than compiling a small model.
    std::string id = base::buildIdOf(reinterpret_cast<const void*>(&thisLibrary));
    return id.empty() ? hashOf(thisLibrary()) : id;
  }();
  return hash;
}

/// The library of a function by size and time: it is large, and an update gives its file others.
static std::string stampOf(const void* function) {
  const fs::path file = fileOf(function);
  std::error_code ignored;
  return " " + std::to_string(fs::file_size(file, ignored)) + " " +
         std::to_string(fs::last_write_time(file, ignored).time_since_epoch().count());
}

const std::string& codeGenerator() {
  // Asked for each kernel; telling a function's library takes a millisecond where that is large.
  static const std::string libraries =
      stampOf(reinterpret_cast<const void*>(&LLVMGetVersion)) +
      stampOf(reinterpret_cast<const void*>(&mlir::registerMLIRContextCLOptions));
  static const std::string version = compilerHash().empty() ? "" : compilerHash() + libraries;
  return version;
}

/// Where the runtime looks for it (runtime/backend/backend_library.h); empty: it has no file.
static fs::path runtimeHalf(const std::string& kind) {
  const std::string name = "libtessera_backend_" + kind + ".so";
  for (const std::string& folder : base::pluginFolders()) {
    std::error_code ignored;
    if (fs::exists(fs::path(folder) / name, ignored)) return fs::path(folder) / name;
  }
  return thisLibrary().parent_path() / name;
}

const std::string& CodeVersions::of(const backend_api::Owner& owner) const {
  const auto [it, isNew] = hashes_.try_emplace(owner.target.toString());
  if (!isNew) return it->second;
  const std::string& kind = owner.target.kind;
  const fs::path half = runtimeHalf(kind);
  std::string text = std::string(version()) + codeGenerator() + hashOf(half);
  for (const fs::path& file : linkedFiles(half)) text += hashOf(file);
  for (const std::string& file : owner.backend->usedFiles(owner.target))
    text += hashOf(findSharedLibrary(file));
  for (const backend_registry::Plugin& plugin : plugins_)
    if (plugin.kind == kind) text += hashOf(plugin.file);
  it->second = base::contentHash(text);
  return it->second;
}

std::string CodeVersions::of(const backend_api::Owners& owners) const {
  std::string text;
  for (const backend_api::Owner& owner : owners) text += of(owner);
  return base::contentHash(text);
}

}  // namespace tessera::driver
