// Every value that a region computes becomes a result of the entry function, so that two ways of
// running the same regions can be compared value by value.
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/layouts/conversions.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/outline.h"

namespace tessera::partition {

#define GEN_PASS_DEF_EXPOSEREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

namespace {

struct ExposeRegions : impl::ExposeRegionsPassBase<ExposeRegions> {
  void runOnOperation() override {
    func::FuncOp entry = ir::entryFunction(getOperation());
    if (!entry) return;
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    SymbolTable symbols(getOperation());
    Conversions conversions(getOperation(), symbols, *owners);
    const SmallVector<func::CallOp> calls(entry.getOps<func::CallOp>());
    for (func::CallOp call : calls) {
      auto region = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!region || !backend_api::ownerOf(region)) continue;
      for (const Value value : call.getResults())
        expose(entry, value, call.getCalleeAttr(), conversions);
    }
    RegionNames names(symbols);
    for (Operation& op : llvm::make_early_inc_range(entry.getBody().front())) {
      if (const backend_api::Owner* owner = owners->of(&op))
        outlineRegion(&op, names.next("exposed"), *owner, *owners, symbols);
    }
  }

  static void expose(func::FuncOp entry, Value value, FlatSymbolRefAttr region,
                     Conversions& conversions) {
    const auto type = cast<RankedTensorType>(value.getType());
    const Value plain = conversions.convert(value, ir::plainType(type), nullptr);
    if (!plain) return;
    Operation* terminator = entry.getBody().front().getTerminator();
    Builder builder(entry.getContext());
    entry.insertResult(entry.getNumResults(), plain.getType(),
                       builder.getDictionaryAttr(builder.getNamedAttr(kExposedAttribute, region)));
    terminator->insertOperands(terminator->getNumOperands(), plain);
  }
};

}  // namespace

}  // namespace tessera::partition
