#include "compiler/driver/added_passes.h"

#include <filesystem>
#include <map>
#include <mutex>

#include "base/shared_object.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace tessera::driver {

static Error atFile(const std::string& file, std::string message) {
  Error error = invalidInput(std::move(message));
  error.file = file;
  return error;
}

Status loadPassPlugins(const std::vector<std::string>& files) {
  static std::mutex mutex;
  static std::map<std::string, mlir::PassPlugin> loaded;
  const std::lock_guard lock(mutex);
  for (const std::string& file : files) {
    std::error_code failure;
    const std::string path = std::filesystem::canonical(file, failure).string();
    if (failure) return atFile(file, "there is no such file");
    if (loaded.contains(path)) continue;
    if (base::isCutShort(path)) return atFile(file, "it is cut short");
    auto plugin = mlir::PassPlugin::load(path);
    if (!plugin) return atFile(file, "it holds no passes: " + llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
    loaded.emplace(path, *plugin);
  }
  return {};
}

Status addPipeline(const std::string& text, mlir::OpPassManager& manager) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (mlir::succeeded(mlir::parsePassPipeline(text, manager, stream))) return {};
  const llvm::StringRef first = llvm::StringRef(message).trim().split('\n').first;
  return usageError("cannot add passes '" + text + "': " + first.str());
}

}  // namespace tessera::driver
