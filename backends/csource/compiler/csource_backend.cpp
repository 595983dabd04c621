// The compile half: what is taken, and the C of it.
#include "backends/csource/compiler/c_compiler.h"
#include "backends/csource/compiler/options.h"
#include "backends/csource/compiler/print/printers.h"
#include "backends/csource/compiler/print_unit.h"
#include "backends/csource/compiler/register.h"
#include "backends/csource/compiler/supports.h"
#include "backends/csource/format/region_abi.h"
#include "base/content_hash.h"
#include "base/mapped_file.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::backend_csource {

using namespace mlir;

/// Shape-like numbers and scalars are part of the code; all else is data.
static bool isInlineConstant(OpOperand& operand) {
  const auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !ir::isPlain(type)) return false;
  if (type.getNumElements() == 1) return true;
  if (isa<ir::ResizeOp>(operand.getOwner()) && operand.getOperandNumber() > 0)
    return true;  // Scales.
  const bool isInteger = type.getElementType().isInteger(64) || type.getElementType().isInteger(32);
  return isInteger && ir::physicalSizeBytes(type) <= static_cast<int64_t>(ir::kInlineConstantBytes);
}

/// A hash of the compiler's file; empty where there is none, which compiling says.
static std::string compilerHash(const Options& options) {
  const auto path = findCompiler(options.compiler);
  if (!path) return "";
  const auto file = base::MappedFile::open(*path);
  return file ? base::contentHash(file->bytes()) : "";
}

/// The library of a unit, from the cache when it was made before. What a header includes is not
/// known, nor what flags of the user's own name: units with such are compiled each time.
static Result<std::vector<std::byte>> libraryOf(const Unit& unit, const Options& options,
                                                backend_api::CodeCache& cache) {
  if (!options.header.empty() || !options.flags.empty()) return compileC(unit.source, options);
  const std::string key = std::string(kKindName) + " " + compilerHash(options) + " " +
                          llvm::join(codeFlags(options), " ") + " " +
                          base::contentHash(std::as_bytes(std::span(preludeText()))) +
                          base::contentHash(std::as_bytes(std::span(unit.source)));
  if (const auto known = cache.find(key)) return *known;
  TESSERA_TRY(std::vector<std::byte> library, compileC(unit.source, options));
  cache.add(key, library);
  return library;
}

namespace {

class CSourceBackend final : public backend_api::Backend {
 public:
  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return TESSERA_CSOURCE_VERSION; }
  std::vector<std::string> usedFiles(const target::Target& target) const override {
    const auto options = optionsOf(target);
    const auto compiler = options ? findCompiler(options->compiler) : Result<std::string>("");
    return {compiler ? *compiler : "", options ? options->header : ""};
  }
  std::vector<std::string> operators() const override { return supportedOperators(); }

  Result<target::Target> resolve(const target::Target& target) const override {
    if (target.device != 0)
      return usageError("target '" + target.toString() + "' does not exist, there is one host");
    TESSERA_TRY(const Options options, optionsOf(target));
    if (!options.header.empty()) TESSERA_TRY_VOID(checkHeader(options));
    target::Target resolved = target;
    // A level of x86-64: what the compiler may use and what the artifact says it needs are one.
    resolved.attributes["mcpu"] = options.cpu.cpu;
    return resolved;
  }

  backend_api::Support supports(Operation* op, const target::Target& target) const override {
    const auto options = optionsOf(target);
    if (!options) return backend_api::declined(options.error());
    if (auto reason = whyDeclined(op, *options)) return backend_api::Declined{std::move(*reason)};
    return backend_api::Supported{};
  }

  backend_api::RegionRules regionRules(const target::Target& /*target*/) const override {
    return {.mergesOperators = true, .isInlineConstant = isInlineConstant};
  }

  Result<backend_api::Emission> emit(ModuleOp /*module*/, ArrayRef<func::FuncOp> regions,
                                     const target::Target& target,
                                     const backend_api::EmitContext& context) const override {
    TESSERA_TRY(const Options options, optionsOf(target));
    const Unit unit = printUnit(regions, options);
    TESSERA_TRY_VOID(keepSource(unit.source, options));
    TESSERA_TRY(std::vector<std::byte> library, libraryOf(unit, options, context.cache));
    backend_api::Emission emission{
        .blobs = {{std::move(library)}}, .regions = {}, .leastVersion = TESSERA_CSOURCE_VERSION};
    for (const RegionFunction& function : unit.functions)
      emission.regions.emplace_back(
          backend_api::RegionCode{.entry = function.name,
                                  .workspaceBytes = static_cast<size_t>(function.workspaceBytes),
                                  .cpuFeatures = options.cpu.features});
    if (context.progress) context.progress(regions.size(), regions.size());
    return emission;
  }

 private:
  target::TargetKind kind_ = makeKind();
};

}  // namespace

std::unique_ptr<backend_api::Backend> createBackend() { return std::make_unique<CSourceBackend>(); }

}  // namespace tessera::backend_csource
