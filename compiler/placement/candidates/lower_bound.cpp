#include "compiler/placement/candidates/lower_bound.h"

#include <algorithm>
#include <thread>

#include "compiler/ir/io/constants.h"
#include "compiler/placement/operator_work.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::placement {

using namespace mlir;

/// Two fused multiply-adds of 16 floats in each cycle at 5 GHz, and two loads of 64 bytes from the
/// first cache.
static constexpr double kFlopsPerCore = 2 * 32 * 5e9;
static constexpr double kBytesPerCore = 2 * 64 * 5e9;

static double cores() {
  static const double count = std::max(1U, std::thread::hardware_concurrency());
  return count;
}

double conversionBound(RankedTensorType type) {
  return 2.0 * static_cast<double>(std::max<int64_t>(0, ir::physicalSizeBytes(type))) /
         (kBytesPerCore * cores());
}

static double roofline(double flops, double bytes) {
  return std::max(flops / kFlopsPerCore, bytes / kBytesPerCore) / cores();
}

double operatorBound(Operation* op) {
  return roofline(flopsOf(op), bytesOf(op->getOperandTypes()) + bytesOf(op->getResultTypes()));
}

double lowerBound(ModuleOp placed, const partition::OwnerIndex& owners) {
  double seconds = 0;
  for (auto region : placed.getOps<func::FuncOp>()) {
    const backend_api::Owner* owner = owners.of(region);
    if (!owner) continue;
    if (const auto told = owner->backend->leastSeconds(region, owner->target)) {
      seconds += std::max(0.0, *told);
      continue;
    }
    double flops = 0;
    for (Operation& op : region.getBody().front()) flops += flopsOf(&op);
    seconds += roofline(flops, bytesOf(region.getResultTypes()));
  }
  return seconds;
}

bool isTold(ModuleOp placed, const partition::OwnerIndex& owners) {
  return llvm::any_of(placed.getOps<func::FuncOp>(), [&](func::FuncOp region) {
    const backend_api::Owner* owner = owners.of(region);
    return owner != nullptr && owner->backend->leastSeconds(region, owner->target).has_value();
  });
}

}  // namespace tessera::placement
