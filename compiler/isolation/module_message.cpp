#include "compiler/isolation/module_message.h"

#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/module_io.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

namespace tessera::isolation {

using nlohmann::json;
using worker::listOf, worker::Message, worker::numberOf, worker::textOf;

Result<std::unique_ptr<PackedModule>> PackedModule::make(mlir::ModuleOp module,
                                                         const std::set<std::string>& known,
                                                         size_t numBefore) {
  auto packed = std::make_unique<PackedModule>();
  llvm::raw_string_ostream stream(packed->bytecode);
  if (mlir::failed(mlir::writeBytecodeToFile(module, stream)))
    return targetFailed("the module cannot be written as bytecode");
  stream.flush();
  packed->payloads.push_back(std::as_bytes(std::span(packed->bytecode)));
  json constants = json::array();
  packed->hashes = ir::blobHashes(module);
  const auto& store = module.getContext()->getLoadedDialect<ir::TsrDialect>()->constants();
  for (const std::string& hash : packed->hashes) {
    if (known.contains(hash)) continue;
    ir::Blob blob = store.find(hash);
    constants.push_back(
        {{"hash", hash}, {"payload", uint64_t{numBefore + packed->payloads.size()}}});
    packed->payloads.push_back(blob.bytes);
    packed->constants.push_back(std::move(blob.owner));
  }
  packed->header = {{"payload", uint64_t{numBefore}}, {"constants", std::move(constants)}};
  return packed;
}

/// Null when the message has no such payload.
static const std::vector<std::byte>* payloadOf(const Message& message, const json& object) {
  const uint64_t at = numberOf(object, "payload");
  return at < message.payloads.size() ? &message.payloads[at] : nullptr;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> moduleOf(mlir::MLIRContext& context,
                                                   const Message& message) {
  const auto header = message.header.find("module");
  const std::vector<std::byte>* bytecode =
      header == message.header.end() ? nullptr : payloadOf(message, *header);
  if (bytecode == nullptr) return targetFailed("there is no module");
  auto& store = context.getOrLoadDialect<ir::TsrDialect>()->constants();
  for (const json& constant : listOf(*header, "constants")) {
    const std::vector<std::byte>* bytes = payloadOf(message, constant);
    if (bytes == nullptr) return targetFailed("a constant is missing");
    auto owner = std::make_shared<const std::vector<std::byte>>(*bytes);
    store.addNamed(textOf(constant, "hash"), {.bytes = *owner, .owner = owner});
  }
  ir::DiagnosticCapture diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(reinterpret_cast<const char*>(bytecode->data()), bytecode->size()),
      mlir::ParserConfig(&context), "module");
  if (!module) return targetFailed(diagnostics.take(targetFailed("it is no module")).message);
  return module;
}

}  // namespace tessera::isolation
