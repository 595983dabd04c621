#include "backends/csource/compiler/supports.h"

#include "backends/csource/compiler/c_text.h"
#include "backends/csource/compiler/print/printers.h"
#include "backends/csource/compiler/scalar_formulas.h"
#include "compiler/ir/op_info.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/STLExtras.h"

namespace tessera::backend_csource {

using namespace mlir;

/// Operators whose results are their operand under another shape.
static bool isRenaming(Operation* op) {
  return isa<ir::DropoutOp, ir::FlattenOp, ir::IdentityOp, ir::ReshapeOp, ir::SqueezeOp,
             ir::UnsqueezeOp>(op);
}

/// Generated code knows all sizes, and its tensors lie row by row in the host's memory.
static std::optional<std::string> refuseType(Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return "it takes tensors only";
  if (std::string why = ir::whyOpen(tensor); !why.empty()) return why;
  if (tensor.getNumElements() == 0) return "it takes tensors with elements only";
  if (!ir::spaceOf(tensor).empty())
    return "it works in the host's memory, found " + ir::spaceOf(tensor).str();
  if (!ir::isPlain(tensor)) return "it takes row-major tensors only";
  if (cType(tensor.getElementType()).empty())
    return "C has no element type " + cSuffix(tensor.getElementType());
  return std::nullopt;
}

static std::optional<std::string> refuseOperator(Operation* op) {
  if (auto dropout = dyn_cast<ir::DropoutOp>(op); dropout && dropout.getMask())
    return "it does not tell what a dropout keeps";
  if (isRenaming(op)) return std::nullopt;
  if (isScalarFormula(op)) return refuseScalar(op);
  if (const NestRow* row = findNestRow(op)) return row->refuse(op);
  return "it has no C for " + op->getName().stripDialect().str();
}

std::optional<std::string> whyDeclined(Operation* op, const Options& options) {
  for (const Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                                  SmallVector<Type>(op->getResultTypes()))) {
    if (auto reason = refuseType(type)) return reason;
  }
  if (isa<ir::ConstantOp>(op)) return std::nullopt;
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
    for (Operation& inner : composite.getBody().front().without_terminator()) {
      if (auto reason = whyDeclined(&inner, options))
        return "inside of it, " + inner.getName().stripDialect().str() + ": " + *reason;
    }
    return std::nullopt;
  }
  if (options.symbols.contains(op->getName().stripDialect().str())) return std::nullopt;
  return refuseOperator(op);
}

std::vector<std::string> supportedOperators() {
  std::vector<std::string> names = {"dropout", "flatten", "identity",
                                    "reshape", "squeeze", "unsqueeze"};
  const auto add = [&](StringRef name) { names.push_back(name.split('.').second.str()); };
  for (const StringRef name : scalarOpNames()) add(name);
  for (const NestRow& row : nestRows()) add(row.name);
  llvm::sort(names);
  return names;
}

}  // namespace tessera::backend_csource
