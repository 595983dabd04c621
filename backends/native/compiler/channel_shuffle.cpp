#include "backends/native/compiler/channel_shuffle.h"

#include "backends/native/compiler/passes.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_native {

using namespace mlir;

#define GEN_PASS_DEF_GATHERSHUFFLESPASS
#include "backends/native/compiler/passes.h.inc"

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether `perm` exchanges dimensions 1 and 2 and nothing else.
static bool exchangesParts(std::optional<ArrayRef<int64_t>> perm) {
  if (!perm || perm->size() < 3) return false;
  SmallVector<int64_t> wanted = llvm::to_vector(llvm::seq<int64_t>(0, perm->size()));
  std::swap(wanted[1], wanted[2]);
  return *perm == ArrayRef(wanted);
}

/// Whether `split` is `whole` with dimension 1 in two parts; what is behind that may be split and
/// joined, too.
static bool splitsChannels(RankedTensorType whole, RankedTensorType split) {
  if (whole.getRank() < 3 || split.getRank() < 3) return false;
  const ArrayRef<int64_t> parts = split.getShape().slice(1, 2);
  if (whole.isDynamicDim(1) || ShapedType::isDynamicShape(parts)) return false;
  const ArrayRef<int64_t> behind = whole.getShape().drop_front(2),
                          behindParts = split.getShape().drop_front(3);
  return ir::isEqualSize(whole, 0, split, 0) && !ShapedType::isDynamicShape(behind) &&
         !ShapedType::isDynamicShape(behindParts) && parts[0] * parts[1] == whole.getDimSize(1) &&
         ShapedType::getNumElements(behind) == ShapedType::getNumElements(behindParts);
}

namespace {

struct Shuffle {
  Value channels;
  SmallVector<int64_t> indices;  ///< Of each channel of the result, that of `channels`.
};

}  // namespace

/// The shuffle that ends in `join`; none where it is something else.
static std::optional<Shuffle> shuffleOf(Operation* last) {
  auto join = dyn_cast_or_null<ir::ReshapeOp>(last);
  if (!join) return std::nullopt;
  auto transpose = join.getData().getDefiningOp<ir::TransposeOp>();
  if (!transpose || !exchangesParts(transpose.getPerm())) return std::nullopt;
  auto split = transpose.getData().getDefiningOp<ir::ReshapeOp>();
  if (!split || tensorType(split.getData()) != tensorType(join.getReshaped())) return std::nullopt;
  const RankedTensorType parts = tensorType(split.getReshaped());
  if (!splitsChannels(tensorType(split.getData()), parts)) return std::nullopt;
  Shuffle shuffle{.channels = split.getData(), .indices = {}};
  for (int64_t within = 0; within < parts.getDimSize(2); ++within)
    for (int64_t group = 0; group < parts.getDimSize(1); ++group)
      shuffle.indices.push_back(group * parts.getDimSize(2) + within);
  return shuffle;
}

backend_api::PatternEntry shufflePattern() {
  using pattern::any, pattern::constant, pattern::op;
  const auto check = [](const pattern::Match&, Operation* root) -> backend_api::Support {
    if (shuffleOf(root)) return backend_api::Supported{};
    return backend_api::Declined{"it is no shuffle of dimension 1"};
  };
  return {.name = "channel_shuffle",
          .pattern = op<ir::ReshapeOp>(op<ir::TransposeOp>(op<ir::ReshapeOp>(any(), constant())),
                                       constant()),
          .check = check};
}

/// `value` before it was converted to another physical order, where it was.
static Value beforeRelayout(Value value) {
  auto relayout = value.getDefiningOp<ir::RelayoutOp>();
  return relayout ? relayout->getOperand(0) : value;
}

/// The shuffle that a composite of this backend computes, of an argument of its body.
static std::optional<Shuffle> shuffleIn(ir::CompositeOp composite) {
  const Value result = composite.getBody().front().getTerminator()->getOperand(0);
  auto shuffle = shuffleOf(beforeRelayout(result).getDefiningOp());
  if (!shuffle) return std::nullopt;
  shuffle->channels = beforeRelayout(shuffle->channels);
  return isa<BlockArgument>(shuffle->channels) ? shuffle : std::nullopt;
}

std::optional<unsigned> shuffledInput(Operation* op) {
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!composite || composite.getName() != kShuffleComposite) return std::nullopt;
  const auto shuffle = shuffleIn(composite);
  if (!shuffle) return std::nullopt;
  return cast<BlockArgument>(shuffle->channels).getArgNumber();
}

namespace {

struct GatherShuffles : impl::GatherShufflesPassBase<GatherShuffles> {
  void runOnOperation() override;
};

}  // namespace

void GatherShuffles::runOnOperation() {
  SmallVector<ir::CompositeOp> composites;
  getOperation().walk([&](ir::CompositeOp composite) {
    if (composite.getName() == kShuffleComposite) composites.push_back(composite);
  });
  for (ir::CompositeOp composite : composites) {
    const auto shuffle = shuffleIn(composite);
    if (!shuffle) continue;  // Edited since.
    const auto channels = cast<BlockArgument>(shuffle->channels);
    OpBuilder b(composite);
    const Location loc = composite.getLoc();
    const Value indices = ir::createIntsConstant(b, loc, shuffle->indices);
    const Value gathered = b.create<ir::GatherOp>(loc, composite.getResultTypes()[0],
                                                  composite.getInputs()[channels.getArgNumber()],
                                                  indices, b.getI64IntegerAttr(1));
    composite.getResult(0).replaceAllUsesWith(gathered);
    composite.erase();
  }
}

}  // namespace tessera::backend_native
