// Constants as their owner wants them. Source: tvm-rfcs 0010, the constant updater, which TVM kept
// as a global by name and never made a hook of targets.
#include "compiler/backend_api/registry.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"

namespace tessera::codegen {

using namespace mlir;
using backend_api::Owner;
using backend_api::UpdatedConstant;

#define GEN_PASS_DEF_UPDATECONSTANTSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

struct UpdateConstants : impl::UpdateConstantsPassBase<UpdateConstants> {
  void runOnOperation() override {
    const auto owners = backend_api::ownersOrEmitError(getOperation());
    if (failed(owners)) return signalPassFailure();
    llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
    getOperation().walk([&](func::CallOp call) {
      auto region = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      const auto ways = region ? region->getAttrOfType<ArrayAttr>(kImplementations) : ArrayAttr();
      if (ways && ways.size() == 1) calls[region].push_back(call);
    });
    for (auto& [region, callers] : calls) {
      const Owner* owner = backend_api::findOwner(*owners, backend_api::ownerOf(region));
      if (!owner) continue;
      for (unsigned i = 0; i < region.getNumArguments(); ++i) {
        if (failed(update(region, callers, i, *owner))) return signalPassFailure();
      }
    }
  }

 private:
  /// One argument, where every call passes a constant.
  LogicalResult update(func::FuncOp region, ArrayRef<func::CallOp> calls, unsigned index,
                       const Owner& owner) {
    const auto isConstant = [&](func::CallOp call) {
      return call.getOperand(index).getDefiningOp<ir::ConstantOp>() != nullptr;
    };
    if (!llvm::all_of(calls, isConstant)) return success();
    std::vector<std::optional<UpdatedConstant>> updated;
    for (func::CallOp call : calls) {
      FailureOr<std::optional<UpdatedConstant>> answer = ask(region, call, index, owner);
      if (failed(answer)) return failure();
      updated.push_back(std::move(*answer));
    }
    if (llvm::none_of(updated, [](const auto& each) { return each.has_value(); })) return success();
    for (const std::optional<UpdatedConstant>& each : updated) {
      if (!each || !updated.front() || each->type != updated.front()->type)
        return region.emitError() << "target '" << owner.target.kind
                                  << "' updates constant argument " << index
                                  << " to several types, expected one for all calls";
    }
    retype(region, index, updated.front()->type);
    for (auto [i, constant] : llvm::enumerate(updated)) {
      func::CallOp call = calls[i];
      OpBuilder builder(call);
      auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(constant->bytes));
      call.setOperand(index, ir::createConstant(builder, call.getLoc(), constant->type,
                                                {.bytes = *bytes, .owner = bytes}));
    }
    return success();
  }

  static FailureOr<std::optional<UpdatedConstant>> ask(func::FuncOp region, func::CallOp call,
                                                       unsigned index, const Owner& owner) {
    const Value value = call.getOperand(index);
    const ir::Blob blob = *ir::constantBytes(value);
    std::optional<UpdatedConstant> updated = owner.backend->updateConstant(
        region, index, cast<RankedTensorType>(value.getType()), blob.bytes, owner.target);
    const int64_t expected = updated ? ir::physicalSizeBytes(updated->type) : 0;
    if (updated && static_cast<int64_t>(updated->bytes.size()) != expected)
      return call.emitError() << "target '" << owner.target.kind << "' updates constant argument "
                              << index << " to " << updated->bytes.size() << " bytes, expected "
                              << expected << " of " << updated->type;
    return updated;
  }

  /// The body keeps what it computes, behind a cast that stands for the owner's own reading.
  static void retype(func::FuncOp region, unsigned index, RankedTensorType type) {
    SmallVector<Type> inputs(region.getArgumentTypes());
    inputs[index] = type;
    region.setType(FunctionType::get(region.getContext(), inputs, region.getResultTypes()));
    if (region.isExternal()) return;
    BlockArgument argument = region.getArgument(index);
    const Type before = argument.getType();
    if (before == type) return;
    argument.setType(type);
    OpBuilder builder = OpBuilder::atBlockBegin(&region.getBody().front());
    auto cast = builder.create<UnrealizedConversionCastOp>(argument.getLoc(), before, argument);
    argument.replaceAllUsesExcept(cast.getResult(0), cast);
  }
};

}  // namespace

}  // namespace tessera::codegen
