#include "compiler/conformance/setting.h"

#include <unistd.h>

#include "compiler/backend_registry/registry.h"

namespace tessera::conformance {

namespace fs = std::filesystem;

static mlir::DialectRegistry dialects() {
  mlir::DialectRegistry registry;
  registry.insert<ir::TsrDialect, mlir::func::FuncDialect>();
  return registry;
}

static Result<BackendInfo> backendOf(const ConformanceOptions& options) {
  const std::string kind = kindOf(options.target);
  if (isInterpretedTarget(kind))
    return usageError("target '" + kind + "' is what others are compared with");
  std::string known;
  for (BackendInfo& info : options.session->backends()) {
    if (info.name == kind && info.whyMissing.empty()) return std::move(info);
    if (info.name == kind)
      return usageError("backend '" + kind + "' is not there: " + info.whyMissing);
    if (info.whyMissing.empty() && !isInterpretedTarget(info.name))
      known += (known.empty() ? "" : ", ") + info.name;
  }
  return usageError("there is no backend '" + kind + "', expected one of " + known);
}

Result<std::unique_ptr<Setting>> Setting::make(ConformanceOptions options, const fs::path& folder) {
  if (!options.session) options.session = std::make_shared<Session>();
  TESSERA_TRY(BackendInfo backend, backendOf(options));
  std::unique_ptr<Setting> setting(new Setting(std::move(options), std::move(backend)));
  setting->folder_ = folder;
  if (folder.empty()) {
    TESSERA_TRY_VOID(setting->openFolder());
  }
  TESSERA_TRY_VOID(setting->findOwner());
  return setting;
}

Setting::Setting(ConformanceOptions options, BackendInfo backend)
    : options_(std::move(options)),
      backend_(std::move(backend)),
      context_(dialects(), mlir::MLIRContext::Threading::DISABLED) {
  context_.loadAllAvailableDialects();
}

Setting::~Setting() {
  std::error_code ignored;
  if (isTemporary_) fs::remove_all(folder_, ignored);
}

Status Setting::openFolder() {
  std::error_code failure;
  std::string name = fs::temp_directory_path(failure) / "tessera_conformance_XXXXXX";
  if (failure) return invalidInput("there is no folder for temporary files: " + failure.message());
  if (mkdtemp(name.data()) == nullptr) return invalidInput("cannot make a folder in " + name);
  folder_ = name;
  isTemporary_ = true;
  return {};
}

/// See Kit::devices.
static Result<std::map<std::string, std::string>> devicesOf(
    const backend_api::BackendRegistry& registry, const BackendInfo& backend,
    const std::string& target) {
  const std::string kind = kindOf(target);
  const std::string rest = target.substr(kind.size());
  std::map<std::string, std::string> devices;
  if (rest.starts_with(':') || backend.memorySpaces.size() < 2) return devices;
  for (const std::string& space : backend.memorySpaces) {
    if (kindOf(space) != kind) continue;
    TESSERA_TRY(const backend_api::Owners owners,
                backend_registry::parseOwners(registry, space + rest));
    devices[space] = owners.front().target.toString();
  }
  return devices;
}

Status Setting::findOwner() {
  backend_registry::addBuiltinBackends(registry_);
  if (!backend_.library.empty()) {
    TESSERA_TRY([[maybe_unused]] const auto plugin,
                backend_registry::addPlugin(registry_, backend_.library));
  }
  TESSERA_TRY(const backend_api::Owners owners,
              backend_registry::parseOwners(registry_, options_.target));
  const size_t numHosts = backend_.isHost ? 0 : 1;  // The host target stands behind any other.
  if (owners.size() != 1 + numHosts)
    return usageError("found targets '" + options_.target + "', expected one");
  TESSERA_TRY(auto devices, devicesOf(registry_, backend_, options_.target));
  kit_.emplace(Kit{.context = context_,
                   .options = options_,
                   .kind = kindOf(options_.target),
                   .isHost = backend_.isHost,
                   .devices = std::move(devices),
                   .library = backend_.library,
                   .owner = owners.front(),
                   .folder = folder_});
  return {};
}

}  // namespace tessera::conformance
