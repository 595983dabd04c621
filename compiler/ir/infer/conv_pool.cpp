// Convolutions and pools: operators with a window over the spatial dimensions of [N, C, D1, ...,
// Dn].
#include "compiler/ir/infer/common.h"
#include "compiler/ir/spec/window.h"

namespace tessera::ir {

namespace {

using Ints = std::optional<llvm::ArrayRef<int64_t>>;

/// A list attribute: `count` values in [least, kMaxExtent], `fallback` for each when absent or
/// empty.
std::optional<llvm::SmallVector<int64_t>> extents(mlir::Operation* op, llvm::StringRef label,
                                                  llvm::StringRef name, Ints values, size_t count,
                                                  int64_t least, int64_t fallback) {
  if (!values || values->empty()) return llvm::SmallVector<int64_t>(count, fallback);
  const bool inRange =
      llvm::all_of(*values, [&](int64_t value) { return value >= least && value <= kMaxExtent; });
  if (values->size() == count && inRange) return llvm::to_vector(*values);
  op->emitOpError() << label << " " << name << " is [" << *values << "], expected " << count
                    << " values in [" << least << ", 2^30]";
  return std::nullopt;
}

/// The attributes for `rank` spatial dimensions; nothing after an error.
std::optional<spec::WindowAttributes> parseWindow(WindowOpInterface op, llvm::StringRef label,
                                                  llvm::StringRef autoPadLabel,
                                                  mlir::StringAttr autoPad, size_t rank) {
  if (mlir::failed(expectWord<AutoPad>(op, autoPadLabel, "auto_pad", autoPad)) ||
      !extents(op, label, "strides", op.getStrides(), rank, 1, 1) ||
      !extents(op, label, "dilations", op.getDilations(), rank, 1, 1) ||
      !extents(op, label, "pads", op.getPads(), 2 * rank, 0, 0))
    return std::nullopt;
  return spec::windowAttributes(op, rank);
}

/// The output size of spatial dimension `d`; below 0 when the kernel does not fit.
Dim windowOutput(const spec::WindowAttributes& window, size_t d, const Dim& input,
                 const Dim& kernel) {
  if (!input.isStatic()) {
    const bool keepsSize = window.strides[d] == 1 && kernel.isStatic() &&
                           (window.padsToSame() || window.padsBegin[d] + window.padsEnd[d] ==
                                                       (kernel.size - 1) * window.dilations[d]);
    return keepsSize ? input : Dim{};
  }
  // A result that is padded to SAME has one size whatever the kernel.
  if (!kernel.isStatic() && !window.padsToSame()) return {};
  const int64_t taps = kernel.isStatic() ? kernel.size : 1;
  const int64_t reach = spec::windowReach(taps, window.dilations[d]);
  if (!window.padsToSame() && spec::windowSlack(window, d, input.size, reach) < 0)
    return {.size = -1};
  return {.size = spec::windowGeometry(window, d, input.size, taps).output};
}

/// Appends the result [batch, channels, outputs...] of a window of this kernel.
mlir::LogicalResult appendWindowResult(mlir::Operation* op, llvm::StringRef label,
                                       const spec::WindowAttributes& window, const Dims& x,
                                       llvm::ArrayRef<Dim> kernel, const Dim& channels,
                                       Types& types) {
  Dims result = {x[0], channels};
  for (size_t i = 0; i < kernel.size(); ++i) {
    const Dim output = windowOutput(window, i, x[i + 2], kernel[i]);
    if (output.isStatic() && output.size < 0)
      return op->emitOpError() << label << " a window of "
                               << spec::windowReach(kernel[i].size, window.dilations[i])
                               << " is larger than the padded input of "
                               << x[i + 2].size + window.padsBegin[i] + window.padsEnd[i]
                               << " in spatial dimension " << i << ", expected a smaller one";
    result.push_back(output);
  }
  return appendResult(op, operandType(op, 0).getElementType(), result, types);
}

/// The spatial dimensions of w, which kernel_shape must agree with; an error otherwise.
std::optional<Dims> kernelDims(mlir::Operation* op, llvm::StringRef label, const Dims& w,
                               Ints kernelShape) {
  Dims kernel(w.begin() + 2, w.end());
  bool fits = !kernelShape || kernelShape->size() == kernel.size();
  for (size_t i = 0; fits && i < kernel.size(); ++i) {
    if (kernelShape) fits = mergeDims(kernel[i], {.size = (*kernelShape)[i]}).has_value();
    if (fits && kernelShape) kernel[i].size = (*kernelShape)[i];
    if (kernel[i].isStatic()) fits &= kernel[i].size >= 1 && kernel[i].size <= kMaxExtent;
  }
  if (fits) return kernel;
  if (kernelShape)
    op->emitOpError() << label << " kernel_shape is [" << *kernelShape
                      << "], expected the spatial sizes of w, "
                      << toText(llvm::ArrayRef<Dim>(w).drop_front(2)) << ", each in [1, 2^30]";
  else
    op->emitOpError() << label << " w has shape " << toText(w)
                      << ", expected spatial sizes in [1, 2^30]";
  return std::nullopt;
}

/// (C1) of both convolutions, and that element types are equal.
mlir::LogicalResult checkConvOperands(mlir::Operation* op, llvm::StringRef elementLabel) {
  const mlir::Value x = op->getOperand(0), w = op->getOperand(1);
  const int64_t rank = typeOf(x).getRank();
  if (rank < 3) return op->emitOpError() << "(C1) x has rank " << rank << ", expected 3 or more";
  if (mlir::failed(expectRank(op, "(C1)", w, "w", rank))) return mlir::failure();
  return expectSameElement(op, elementLabel);
}

}  // namespace

mlir::LogicalResult ConvOp::inferTypes(Types& types) {
  if (mlir::failed(checkConvOperands(*this, "(C8)"))) return mlir::failure();
  const Dims x = operandDims(*this, 0), w = operandDims(*this, 1);
  const auto group = static_cast<int64_t>(getGroup());
  if (group < 1 || group > kMaxExtent)
    return emitOpError() << "(C2) group is " << group << ", expected a value in [1, 2^30]";
  if (x[1].isStatic() && w[1].isStatic() && x[1].size != saturatingProduct(w[1].size, group))
    return emitOpError() << "(C2) x has " << x[1].size
                         << " channels, expected w.shape[1] * group = " << w[1].size << " * "
                         << group;
  if (w[0].isStatic() && w[0].size % group != 0)
    return emitOpError() << "(C2) w has " << w[0].size
                         << " output channels, expected a multiple of group = " << group;
  const auto window = parseWindow(*this, "(C3)", "(C7)", getAutoPadAttr(), x.size() - 2);
  if (!window || (getB() && mlir::failed(expectDims(*this, "(C4)", getB(), "b", w[0]))))
    return mlir::failure();
  const std::optional<Dims> kernel = kernelDims(*this, "(C5)", w, getKernelShape());
  if (!kernel) return mlir::failure();
  return appendWindowResult(*this, "(C6)", *window, x, *kernel, w[0], types);
}

int64_t ConvOp::getFlops() {
  const int64_t taps = staticProduct(llvm::ArrayRef<Dim>(operandDims(*this, 1)).drop_front(1));
  const int64_t outputs = resultElements(*this);
  const int64_t products = saturatingProduct(2, saturatingProduct(outputs, taps));
  return products < 0 || !getB() ? products : products + std::min(outputs, INT64_MAX - products);
}

/// The output size of spatial dimension `d` of a transposed convolution, not clipped; nothing when
/// it does not fit.
static std::optional<Dim> transposedOutput(const spec::TransposedAttributes& window, size_t d,
                                           const Dim& input, const Dim& kernel) {
  if (!input.isStatic() || !kernel.isStatic()) return Dim{};
  if (saturatingProduct(input.size, window.strides[d]) > kMaxTensorBytes) return std::nullopt;
  return Dim{.size = spec::transposedGeometry(window, d, input.size, kernel.size).output};
}

mlir::LogicalResult ConvTransposeOp::inferTypes(Types& types) {
  if (mlir::failed(checkConvOperands(*this, "(C7)"))) return mlir::failure();
  const Dims x = operandDims(*this, 0), w = operandDims(*this, 1);
  const auto group = static_cast<int64_t>(getGroup());
  if (group < 1 || group > kMaxExtent || !mergeDims(x[1], w[0]) ||
      (w[0].isStatic() && w[0].size % group != 0))
    return emitOpError() << "(C2) x has shape " << toText(x) << ", w " << toText(w)
                         << " and group is " << group
                         << ", expected equal channels, a multiple of group";
  const size_t rank = x.size() - 2;
  const auto window = parseWindow(*this, "(C3)", "(C3)", getAutoPadAttr(), rank);
  const auto padding = extents(*this, "(C3)", "output_padding", getOutputPadding(), rank, 0, 0);
  const auto shape = extents(*this, "(C3)", "output_shape", getOutputShape(), rank, 1, 1);
  if (!window || !padding || !shape) return mlir::failure();
  const std::optional<Dims> kernel = kernelDims(*this, "(C4)", w, getKernelShape());
  if (!kernel) return mlir::failure();
  const Dim channels = w[1].isStatic() ? Dim{.size = saturatingProduct(w[1].size, group)}
                       : group == 1    ? w[1]
                                       : Dim{};
  if (getB() && mlir::failed(expectDims(*this, "(C5)", getB(), "b", channels)))
    return mlir::failure();
  const bool isSized = getOutputShape() && !getOutputShape()->empty();
  Dims result = {x[0], channels};
  for (size_t i = 0; i < rank; ++i) {
    const std::optional<Dim> output =
        isSized ? std::optional(Dim{.size = (*shape)[i]})
                : transposedOutput({*window, *padding, {}}, i, x[i + 2], (*kernel)[i]);
    if (!output || (output->isStatic() && output->size < 0))
      return emitOpError() << "(C6) spatial dimension " << i
                           << " of the result has no size in [0, 2^63)";
    result.push_back(*output);
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

int64_t ConvTransposeOp::getFlops() {
  const int64_t taps = staticProduct(llvm::ArrayRef<Dim>(operandDims(*this, 1)).drop_front(1));
  return saturatingProduct(2, saturatingProduct(operandElements(*this, 0), taps));
}

/// The result of a pool with this kernel.
static mlir::LogicalResult inferPool(WindowOpInterface op, mlir::StringAttr autoPad,
                                     llvm::ArrayRef<int64_t> kernelShape, Types& types) {
  const Dims x = operandDims(op, 0);
  if (x.size() < 3)
    return op->emitOpError() << "(C1) x has rank " << x.size() << ", expected 3 or more";
  const auto window = parseWindow(op, "(C2)", "(C3)", autoPad, x.size() - 2);
  if (!window) return mlir::failure();
  Dims kernel;
  for (const int64_t size : kernelShape) kernel.push_back({.size = size});
  const bool inRange =
      llvm::all_of(kernelShape, [](int64_t size) { return size >= 1 && size <= kMaxExtent; });
  if (kernel.size() != x.size() - 2 || !inRange)
    return op->emitOpError() << "(C2) kernel_shape is [" << kernelShape << "], expected "
                             << x.size() - 2 << " values in [1, 2^30]";
  return appendWindowResult(op, "(C4)", *window, x, kernel, x[1], types);
}

static int64_t poolFlops(mlir::Operation* op, llvm::ArrayRef<int64_t> kernelShape) {
  int64_t flops = resultElements(op);
  for (const int64_t size : kernelShape) flops = saturatingProduct(flops, size);
  return flops;
}

mlir::LogicalResult MaxPoolOp::inferTypes(Types& types) {
  if (mlir::failed(inferPool(*this, getAutoPadAttr(), getKernelShape(), types)))
    return mlir::failure();
  if (!getIndices()) return mlir::success();
  return appendResult(*this, mlir::IntegerType::get(getContext(), 64),
                      dimsOf(llvm::cast<mlir::RankedTensorType>(types.back())), types);
}
int64_t MaxPoolOp::getFlops() { return poolFlops(*this, getKernelShape()); }

mlir::LogicalResult AveragePoolOp::inferTypes(Types& types) {
  return inferPool(*this, getAutoPadAttr(), getKernelShape(), types);
}
int64_t AveragePoolOp::getFlops() { return poolFlops(*this, getKernelShape()); }

mlir::LogicalResult LpPoolOp::inferTypes(Types& types) {
  return inferPool(*this, getAutoPadAttr(), getKernelShape(), types);
}
int64_t LpPoolOp::getFlops() { return saturatingProduct(2, poolFlops(*this, getKernelShape())); }

mlir::LogicalResult inferGlobalPool(mlir::Operation* op, Types& types) {
  Dims result = operandDims(op, 0);
  if (result.size() < 3)
    return op->emitOpError() << "(C1) x has rank " << result.size() << ", expected 3 or more";
  for (Dim& dim : llvm::MutableArrayRef<Dim>(result).drop_front(2)) dim = {.size = 1};
  return appendResult(op, operandType(op, 0).getElementType(), result, types);
}

}  // namespace tessera::ir
