// Entries for chosen axes only, as entries for all axes: those of the others change nothing.
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/tsr.h"
#include "frontends/onnx/export/downgrade/rules.h"

using namespace mlir;

namespace tessera::onnx {

/// `all` with the entries at `positions` replaced by those of `chosen`, which is computed by the
/// compiler where it is constant.
static Value scatterInts(Expansion& e, llvm::SmallVector<int64_t> all,
                         llvm::ArrayRef<int64_t> positions, Value chosen) {
  const auto known = ir::constantInts(chosen);
  if (!known) return e.make<ir::ScatterElementsOp>({e.ints(all), e.ints(positions), chosen});
  for (auto [position, value] : llvm::zip_equal(positions, *known))
    all[static_cast<size_t>(position)] = value;
  return e.ints(all);
}

static Value scatterFloats(Expansion& e, llvm::SmallVector<float> all,
                           llvm::ArrayRef<int64_t> positions, Value chosen) {
  const auto known = ir::constantFloats(chosen);
  const Type element = Expansion::typeOf(chosen).getElementType();
  if (!known || !element.isF32())
    return e.make<ir::ScatterElementsOp>(
        {e.cast(e.floats(all), element), e.ints(positions), chosen});
  for (auto [position, value] : llvm::zip_equal(positions, *known))
    all[static_cast<size_t>(position)] = static_cast<float>(value);
  return e.floats(all);
}

/// The axes, then the same behind all dimensions: where begins and ends of them lie.
static llvm::SmallVector<int64_t> beginsAndEnds(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallVector<int64_t> positions(axes);
  for (const int64_t axis : axes) positions.push_back(axis + rank);
  return positions;
}

Result<bool> expandPadAxes(Expansion& e) {
  auto pad = llvm::cast<ir::PadOp>(e.op);
  if (!pad.getAxes()) return false;
  const int64_t rank = e.type().getRank();
  const auto axes = ir::spec::constantAxes(pad.getAxes(), rank);
  if (!axes) return e.refuse("Pad", "with axes that are known at run time only");
  const llvm::SmallVector<int64_t> zeros(static_cast<size_t>(2 * rank), 0);
  llvm::SmallVector<Value> operands{
      pad.getData(), scatterInts(e, zeros, beginsAndEnds(*axes, rank), pad.getPads())};
  if (pad.getConstantValue()) operands.push_back(pad.getConstantValue());
  return e.replaceWith(
      e.make<ir::PadOp>(operands, {e.attribute("mode", e.op->getAttr("mode")),
                                   e.operandSegments({1, 1, pad.getConstantValue() ? 1 : 0, 0})}));
}

/// A list with one entry for each dimension.
template <typename T>
static llvm::SmallVector<T> forEachDim(int64_t rank, T value) {
  return llvm::SmallVector<T>(static_cast<size_t>(rank), value);
}

Result<bool> expandResizeAxes(Expansion& e) {
  auto resize = llvm::cast<ir::ResizeOp>(e.op);
  const std::optional<llvm::ArrayRef<int64_t>> chosen = resize.getAxes();
  if (!chosen) return false;
  const int64_t rank = e.type().getRank();
  llvm::SmallVector<int64_t> axes;
  for (const int64_t axis : *chosen) axes.push_back(ir::spec::normalizedAxis(axis, rank));
  llvm::SmallVector<Value> operands{resize.getX()};
  if (resize.getRoi()) {
    llvm::SmallVector<float> whole = forEachDim(rank, 0.0f);
    whole.append(static_cast<size_t>(rank), 1.0f);
    operands.push_back(scatterFloats(e, whole, beginsAndEnds(axes, rank), resize.getRoi()));
  }
  if (resize.getScales())
    operands.push_back(scatterFloats(e, forEachDim(rank, 1.0f), axes, resize.getScales()));
  if (resize.getSizes() && e.type().hasStaticShape()) {
    operands.push_back(
        scatterInts(e, llvm::SmallVector<int64_t>(e.type().getShape()), axes, resize.getSizes()));
  } else if (resize.getSizes()) {
    operands.push_back(
        e.make<ir::ScatterElementsOp>({e.shape(resize.getX()), e.ints(axes), resize.getSizes()}));
  }
  llvm::SmallVector<NamedAttribute> attributes;
  for (const char* name :
       {"antialias", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
        "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"})
    attributes.push_back(e.attribute(name, e.op->getAttr(name)));
  attributes.push_back(e.operandSegments(
      {1, resize.getRoi() ? 1 : 0, resize.getScales() ? 1 : 0, resize.getSizes() ? 1 : 0}));
  return e.replaceWith(e.make<ir::ResizeOp>(operands, attributes));
}

}  // namespace tessera::onnx
