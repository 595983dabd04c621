// Einstein summation: the equation's labels have sizes, the result takes those of its own labels.
#include <map>

#include "compiler/ir/infer/common.h"
#include "compiler/ir/spec/einsum.h"

namespace tessera::ir {

namespace {

/// The sizes of an equation's labels.
struct Einsum {
  spec::EinsumSpec spec;
  std::map<int, Dim> sizes;
};

}  // namespace

/// Gives the labels of one input its dimensions; an error when they do not fit what they have.
static mlir::LogicalResult bindInput(EinsumOp op, Einsum& einsum, llvm::ArrayRef<int> labels,
                                     const Dims& dims) {
  for (auto [label, dim] : llvm::zip_equal(labels, dims)) {
    Dim& known = einsum.sizes.emplace(label, dim).first->second;
    const bool isLetter = spec::EinsumSpec::isLetter(label);
    const std::optional<Dim> both = isLetter ? mergeDims(known, dim) : broadcastDims(known, dim);
    if (!both && isLetter)
      return op.emitOpError() << "(C2) letter '" << std::string(1, static_cast<char>(label))
                              << "' has sizes " << known.size << " and " << dim.size
                              << ", expected equal ones";
    if (!both)
      return op.emitOpError()
             << "(C2) dimensions of the ellipsis differ, expected sizes that are equal or 1";
    known = *both;
  }
  return mlir::success();
}

/// Parses and binds the equation; nothing, after an error, when it does not fit the inputs.
static std::optional<Einsum> bindEinsum(EinsumOp op) {
  llvm::SmallVector<int64_t> ranks;
  for (const mlir::Value input : op.getInputs()) ranks.push_back(typeOf(input).getRank());
  Result<spec::EinsumSpec> parsed = spec::EinsumSpec::parse(op.getEquation(), ranks);
  if (!parsed) {
    op.emitOpError() << "(C1) equation '" << op.getEquation() << "' " << parsed.error().message;
    return std::nullopt;
  }
  Einsum einsum{.spec = std::move(*parsed), .sizes = {}};
  for (auto [labels, input] : llvm::zip_equal(einsum.spec.inputs, op.getInputs())) {
    if (mlir::failed(bindInput(op, einsum, labels, dimsOf(typeOf(input))))) return std::nullopt;
  }
  return einsum;
}

mlir::LogicalResult EinsumOp::inferTypes(Types& types) {
  if (getInputs().empty()) return emitOpError() << "(C1) has no input, expected at least one";
  for (const mlir::Value input : getInputs()) {
    if (mlir::failed(expectSameElement(*this, "(C3)", getInputs()[0], input)))
      return mlir::failure();
  }
  const std::optional<Einsum> einsum = bindEinsum(*this);
  if (!einsum) return mlir::failure();
  Dims result;
  for (const int label : einsum->spec.output) result.push_back(einsum->sizes.at(label));
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

int64_t EinsumOp::getFlops() {
  const std::optional<Einsum> einsum = bindEinsum(*this);
  if (!einsum) return -1;
  int64_t points = 1;
  for (const auto& [label, dim] : einsum->sizes)
    points = saturatingProduct(points, dim.isStatic() ? dim.size : -1);
  return saturatingProduct(2, points);
}

}  // namespace tessera::ir
