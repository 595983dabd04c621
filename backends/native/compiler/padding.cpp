// Padding is computed like the elements beside it: it holds what the operator makes of the padding
// of its operands.
#include "backends/native/compiler/padding.h"

#include "backends/native/compiler/channel_shuffle.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::LayoutChoice;

static bool isPadded(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return layout && layout.isPadded(type.getShape());
}

static bool hasZeroPadding(RankedTensorType type) {
  return isPadded(type) && ir::layoutOf(type).getPadding() == ir::Padding::Zero;
}

/// Bounds are absent or known, with 0 between them.
static bool keepsZero(ir::ClipOp op) {
  const auto min = op.getMin() ? ir::constantScalar(op.getMin()) : std::optional(0.0);
  const auto max = op.getMax() ? ir::constantScalar(op.getMax()) : std::optional(0.0);
  return min && max && *min <= 0 && *max >= 0;
}

/// Whether the padding of the results holds zeros. Operands without padding are broadcast: they
/// meet it with any number.
static bool givesZeros(Operation* op, const LayoutChoice& choice) {
  const auto& operands = choice.operands;
  return llvm::TypeSwitch<Operation*, bool>(op)
      // Weights and bias are padded with zeros, and so are channels that are moved.
      .Case<ir::ConcatOp, ir::ConvOp, ir::ConvTransposeOp, ir::GatherOp, ir::SliceOp, ir::SplitOp>(
          [&](auto) { return true; })
      .Case([&](ir::CompositeOp composite) { return shuffledInput(composite).has_value(); })
      .Case<ir::AddOp, ir::SubOp, ir::SumOp, ir::MaxOp, ir::MinOp>(
          [&](auto) { return llvm::all_of(operands, hasZeroPadding); })
      .Case([&](ir::MulOp) {  // Padding is finite, what is broadcast need not be.
        return llvm::all_of(operands, isPadded) && llvm::any_of(operands, hasZeroPadding);
      })
      .Case([&](ir::ClipOp clip) { return hasZeroPadding(operands[0]) && keepsZero(clip); })
      .Case<ir::AbsOp, ir::CeilOp, ir::CeluOp, ir::EluOp, ir::ErfOp, ir::FloorOp, ir::GeluOp,
            ir::HardSwishOp, ir::IdentityOp, ir::LeakyReluOp, ir::MishOp, ir::NegOp, ir::PreluOp,
            ir::ReluOp, ir::RoundOp, ir::SeluOp, ir::SignOp, ir::SoftsignOp, ir::TanhOp,
            ir::ThresholdedReluOp>([&](auto) { return hasZeroPadding(operands[0]); })
      .Case<ir::AveragePoolOp, ir::GlobalAveragePoolOp, ir::GlobalMaxPoolOp, ir::MaxPoolOp,
            ir::LrnOp, ir::ReduceL2Op, ir::ReduceMaxOp, ir::ReduceMeanOp, ir::ReduceMinOp,
            ir::ReduceSumOp, ir::ResizeOp>([&](auto) { return hasZeroPadding(operands[0]); })
      // A line of equal elements less their mean, or nearly so, times the scale.
      .Case([&](ir::InstanceNormOp) {
        return llvm::all_of(ArrayRef(operands).drop_front(), hasZeroPadding);
      })
      .Case([&](ir::PadOp pad) {
        const bool isZero = pad.getMode() != ir::PadMode::Constant || !pad.getConstantValue() ||
                            ir::constantScalar(pad.getConstantValue()) == 0.0;
        return hasZeroPadding(operands[0]) && isZero;
      })
      .Default([](Operation*) { return false; });
}

void settlePadding(Operation* op, ArrayRef<RankedTensorType> available, LayoutChoice& choice) {
  for (auto [type, source] : llvm::zip_equal(choice.operands, available)) {
    if (isSameButPadding(type, source)) type = source;
  }
  if (givesZeros(op, choice)) return;
  for (RankedTensorType& type : choice.results) type = ir::withPadding(type, ir::Padding::Finite);
}

bool isSameButPadding(Type a, Type b) {
  const auto zeroPadded = [](Type type) -> Type {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? ir::withPadding(tensor, ir::Padding::Zero) : type;
  };
  return zeroPadded(a) == zeroPadded(b);
}

}  // namespace tessera::backend_native
