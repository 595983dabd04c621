#include "compiler/conformance/corpus.h"

#include "compiler/conformance/case.h"
#include "compiler/conformance/op_cases/op_cases.h"
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

/// What the operator of a legal case computes becomes the result; open sizes become kOpenSize.
static void complete(func::FuncOp function) {
  constexpr int64_t kOpenSize = 3;
  Builder builder(function.getContext());
  Operation* end = function.getBody().front().getTerminator();
  if (end->getPrevNode() != nullptr) end->setOperands(end->getPrevNode()->getResults());
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
  for (BlockArgument argument : function.getArguments()) {
    const auto type = cast<RankedTensorType>(argument.getType());
    if (type.hasStaticShape()) continue;
    SmallVector<int64_t> sizes(type.getShape());
    std::ranges::replace(sizes, ShapedType::kDynamic, kOpenSize);
    function.setArgAttr(argument.getArgNumber(), kDims, builder.getI64ArrayAttr(sizes));
  }
}

namespace {

/// Takes functions in, each under a name of its own.
class Reader {
 public:
  explicit Reader(MLIRContext& context) : context_(context) {}

  /// The functions of a text, as `prepare` leaves them. `given` is the name of a lone function.
  template <typename Prepare>
  void add(const std::string& file, const std::string& given, const std::string& text,
           const Prepare& prepare) {
    auto module = parseSourceString<ModuleOp>(text, &context_);
    TESSERA_CHECK(module, "a file of cases does not parse");
    for (auto function : module->getOps<func::FuncOp>()) {
      if (function.isExternal()) continue;
      prepare(function);
      if (!isPlainFunction(function)) continue;
      std::string name = given.empty() ? function.getName().str() : given;
      if (!names_.insert(name).second) name = file + "." + name;
      corpus_.seeds.push_back({.name = std::move(name), .function = function});
    }
    corpus_.modules.push_back(std::move(module));
  }

  Corpus take() { return std::move(corpus_); }

 private:
  MLIRContext& context_;
  Corpus corpus_;
  llvm::StringSet<> names_;
};

}  // namespace

Corpus readCorpus(MLIRContext& context) {
  Reader reader(context);
  for (const SeedFile& file : seedFiles())
    reader.add(file.name, /*given=*/"", file.text, [](func::FuncOp) {});
  for (const op_cases::OpCase& one : op_cases::allOpCases()) {
    if (one.label.empty() && !one.results.empty())
      reader.add("op", one.name, op_cases::toModule(one), complete);
  }
  return reader.take();
}

}  // namespace tessera::conformance
