#include "compiler/ir/io/module_io.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/safetensors.h"
#include "compiler/ir/types.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

namespace tessera::ir {

std::set<std::string> blobHashes(mlir::ModuleOp module) {
  std::set<std::string> hashes;
  module.walk([&](mlir::Operation* op) {
    op->getAttrDictionary().walk([&](BlobAttr blob) { hashes.insert(blob.getHash().str()); });
  });
  return hashes;
}

static std::string constantsPath(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".safetensors").string();
}

Status saveModule(mlir::ModuleOp module, const std::string& path, ModuleFormat format) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (format == ModuleFormat::kText) {
    module.print(stream, mlir::OpPrintingFlags().enableDebugInfo().useLocalScope());
    stream << "\n";
  } else if (mlir::failed(mlir::writeBytecodeToFile(module, stream))) {
    return invalidInput("the module cannot be written as bytecode");
  }
  stream.flush();
  TESSERA_TRY(base::AtomicFile file, base::AtomicFile::create(path));
  const std::set<std::string> hashes = blobHashes(module);
  if (!hashes.empty()) {
    const auto& store = module.getContext()->getLoadedDialect<TsrDialect>()->constants();
    const std::string constants = constantsPath(path);
    std::error_code ignored;  // A file that cannot be seen is absent.
    if (std::filesystem::exists(constants, ignored) && !isOurSafetensors(constants)) {
      Error error = invalidInput(
          "constants of the module belong there, but another program's file has the name");
      error.file = constants;
      return error;
    }
    TESSERA_TRY_VOID(writeSafetensors(constants, store, hashes));
  }
  TESSERA_TRY_VOID(file.append(std::as_bytes(std::span(text))));
  return file.commit();
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> loadModule(mlir::MLIRContext& context,
                                                     const std::string& path) {
  auto* dialect = context.getOrLoadDialect<TsrDialect>();
  const std::string constants = constantsPath(path);
  std::error_code ignored;  // A file that cannot be seen is absent: the verifier misses its blobs.
  if (std::filesystem::exists(constants, ignored))
    TESSERA_TRY_VOID(readSafetensors(constants, dialect->constants()));
  TESSERA_TRY(const std::string text, base::readFile(path));

  Error fallback = invalidInput("it is no MLIR module");
  fallback.file = path;
  DiagnosticCapture diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), path);
  if (!module) return diagnostics.take(std::move(fallback));
  return module;
}

}  // namespace tessera::ir
