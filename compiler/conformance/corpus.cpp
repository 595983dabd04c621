#include "compiler/conformance/corpus.h"

#include "compiler/ir/types.h"
#include "compiler/support/check.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Parser/Parser.h"

namespace tessera::conformance {

using namespace mlir;

/// Names and texts, made from cases/ when configuring.
static constexpr std::pair<const char*, const char*> kFiles[] = {
#include "compiler/conformance/cases.inc"
};

std::vector<SeedFile> seedFiles() {
  std::vector<SeedFile> files;
  for (const auto& [name, text] : kFiles) {
    const std::string whole = text;
    if (whole.find("LANES") == std::string::npos) {
      files.push_back({.name = name, .text = whole});
      continue;
    }
    for (const std::string lanes : {"8", "16"}) {
      std::string filled = whole;
      for (size_t at = 0; (at = filled.find("LANES", at)) != std::string::npos;)
        filled.replace(at, 5, lanes);
      files.push_back({.name = std::string(name) + "_" + lanes, .text = std::move(filled)});
    }
  }
  return files;
}

static bool isPlainFunction(func::FuncOp function) {
  const auto isPlain = [](Type type) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && ir::isPlain(tensor);
  };
  return llvm::all_of(function.getArgumentTypes(), isPlain) &&
         llvm::all_of(function.getResultTypes(), isPlain) &&
         llvm::all_of(function.getBody().front().without_terminator(), [&](Operation& op) {
           return op.getDialect()->getNamespace() == "tsr" && !isa<ir::RelayoutOp>(op) &&
                  llvm::all_of(op.getResultTypes(), isPlain);
         });
}

Corpus readCorpus(MLIRContext& context) {
  Corpus corpus;
  llvm::StringSet<> names;
  for (const SeedFile& file : seedFiles()) {
    auto module = parseSourceString<ModuleOp>(file.text, &context);
    TESSERA_CHECK(module, "a file of cases does not parse");
    for (auto function : module->getOps<func::FuncOp>()) {
      if (function.isExternal() || !isPlainFunction(function)) continue;
      std::string name = function.getName().str();
      if (!names.insert(name).second) name = file.name + "." + name;
      corpus.seeds.push_back({.name = std::move(name), .function = function});
    }
    corpus.modules.push_back(std::move(module));
  }
  return corpus;
}

}  // namespace tessera::conformance
