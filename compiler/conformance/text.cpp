#include "compiler/conformance/text.h"

#include "compiler/ir/io/constants.h"
#include "mlir/Parser/Parser.h"

namespace tessera::conformance {

using namespace mlir;

std::string shortTextOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream(text) << function;
  return text;
}

std::string wholeTextOf(func::FuncOp function) {
  Function copy = cloneOf(function);
  copy->walk([](ir::ConstantOp constant) {
    const auto type = constant.getOutput().getType();
    if (!isa<ir::BlobAttr>(constant.getValue()) || !ir::isPlain(type)) return;
    const ir::Blob blob = ir::constantBytes(constant.getValue(), type, constant.getContext());
    constant.setValueAttr(ir::denseValue(type, blob.bytes));
  });
  return shortTextOf(*copy);
}

/// What the kit keeps in the store goes there again, so that backends see the same constants.
static void storeLargeConstants(func::FuncOp function) {
  function.walk([](ir::ConstantOp constant) {
    const auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || dense.isSplat()) return;
    const auto type = constant.getOutput().getType();
    constant.setValueAttr(
        ir::constantValue(type, ir::constantBytes(dense, type, constant.getContext())));
  });
}

Result<Candidate> candidateIn(MLIRContext& context, const std::string& text) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic&) { return success(); });
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module) return invalidInput("the case is no module that can be read");
  auto functions = llvm::to_vector(module->getOps<func::FuncOp>());
  if (functions.size() != 1 || functions[0].isExternal())
    return invalidInput("the case has " + std::to_string(functions.size()) +
                        " functions, expected one with a body");
  const auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(functions[0].getArgumentTypes(), isTensor) ||
      !llvm::all_of(functions[0].getResultTypes(), isTensor))
    return invalidInput("the case has arguments or results that are no tensors");
  storeLargeConstants(functions[0]);
  return Candidate{.name = functions[0].getName().str(), .function = cloneOf(functions[0])};
}

}  // namespace tessera::conformance
