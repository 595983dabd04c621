#include "backends/native/compiler/contraction/match.h"

#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/kernel/emit_scalar.h"
#include "compiler/ir/io/constants.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::Declined;

/// A value that `chain` reads at the places of its results; null where there is none.
static Value imageOf(const ElementwiseChain& chain) {
  for (const auto& [value, access] : chain.accesses)
    if (access == TailAccess::kSamePlace && typeOf(value).getElementType().isF32()) return value;
  return {};
}

Value ContractionRegion::image() const { return hasHead() ? imageOf(head) : head.result; }

static std::string nameOf(Operation* op) { return op->getName().stripDialect().str(); }

bool isContraction(Operation* op) {
  return isa<ir::ConvOp, ir::ConvTransposeOp, ir::GemmOp, ir::MatmulOp>(op);
}

static bool isPlanewise(Operation* op) {
  const bool isBlockedLrn = isa<ir::LrnOp>(op) && !ir::isPlain(typeOf(op->getResult(0)));
  return isa<ir::AveragePoolOp, ir::MaxPoolOp, ir::ResizeOp>(op) || isBlockedLrn ||
         movesBlockedChannels(op);
}

bool hasEmitter(Operation* op) { return isContraction(op) || isPlanewise(op); }

static Operation* findFirst(func::FuncOp region, function_ref<bool(Operation*)> isWanted) {
  Operation* found = nullptr;
  region.walk([&](Operation* op) {
    if (!isWanted(op)) return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

Operation* findProduct(func::FuncOp region) {
  return findFirst(region, [](Operation* op) {
    return isContraction(op) || isa<ir::EinsumOp, ir::GruOp, ir::LstmOp, ir::RnnOp>(op);
  });
}

Operation* findPlanewise(func::FuncOp region) { return findFirst(region, isPlanewise); }

// Results of the tail have the shape of the contraction's, given that its operands broadcast to
// that.
std::optional<Declined> refuseTailOp(Operation* op, RankedTensorType result) {
  if (!isScalarOp(op) || op->getNumResults() != 1)
    return Declined{nameOf(op) + " is not elementwise"};
  const RankedTensorType type = typeOf(op->getResult(0));
  if (type.getRank() == result.getRank() && (hasSameOrder(type, result) || ir::isPlain(type)))
    return std::nullopt;
  return Declined{nameOf(op) + " has another rank or layout than the region's result"};
}

/// Whether `op` is the pool behind a contraction and makes the region's result.
static bool isPoolOf(const ContractionRegion& region, Operation* op) {
  return region.anchor && isContraction(region.anchor) &&
         isa<ir::AveragePoolOp, ir::MaxPoolOp>(op) && op->getResult(0) == region.tail.result;
}

/// Sorts the operators into head, anchor, tail and pool.
static std::optional<Declined> sortOperators(ContractionRegion& region) {
  for (Operation& op : region.function.getBody().front().without_terminator()) {
    if (isa<ir::ConstantOp>(op)) continue;
    if (isPoolOf(region, &op)) {
      region.pool = &op;
      region.tail.result = op.getOperand(0);
      continue;
    }
    if (hasEmitter(&op)) {
      if (region.anchor)
        return Declined{nameOf(region.anchor) + " and " + nameOf(&op) +
                        " are in one region: an emitter takes one contraction"};
      region.anchor = &op;
      continue;
    }
    ElementwiseChain& chain = region.anchor ? region.tail : region.head;
    chain.operators.push_back(&op);
  }
  if (!region.anchor) return Declined{"there is no contraction"};
  region.head.result = region.anchor->getOperand(0);
  for (const ElementwiseChain* chain : {&region.head, &region.tail}) {
    for (Operation* op : chain->operators)
      if (auto declined = refuseTailOp(op, chain->resultType())) return declined;
  }
  return std::nullopt;
}

static std::optional<Declined> refuseAnchor(const ContractionRegion& region) {
  const RankedTensorType product = typeOf(region.anchor->getResult(0));
  if (product.getRank() != region.tail.resultType().getRank() ||
      !hasSameOrder(product, region.tail.resultType()))
    return Declined{"the result of " + nameOf(region.anchor) +
                    " has another rank or layout than the region's"};
  for (OpOperand& operand : region.anchor->getOpOperands()) {
    // What a Resize says of sizes, and a Gather or Slice of channels, is part of its plan.
    if (isa<ir::GatherOp, ir::ResizeOp, ir::SliceOp>(region.anchor) &&
        operand.getOperandNumber() > 0)
      break;
    const bool isHead = region.hasHead() && operand.getOperandNumber() == 0;
    if (!isHead && !isa<BlockArgument>(operand.get()))
      return Declined{"operand " + std::to_string(operand.getOperandNumber()) + " of " +
                      nameOf(region.anchor) + " is no argument of the region"};
  }
  return std::nullopt;
}

static TailAccess accessOf(const ElementwiseChain& chain, Value value, Operation* anchor,
                           int64_t lanes, bool areArguments) {
  const RankedTensorType type = chain.typeOf(value);
  const bool isInBody =
      value.getDefiningOp<ir::ConstantOp>() && (!areArguments || ir::constantScalar(value));
  const bool isComputed = !areArguments && !isInBody && !isa<BlockArgument>(value);
  if (isComputed) return TailAccess::kUnknown;  // By another chain.
  if (!isInBody) return tailAccessOf(type, chain.resultType(), anchor, lanes);
  const bool isScalar = type.getNumElements() == 1 || ir::isPlain(type);
  return isScalar && ir::constantScalar(value) ? TailAccess::kConstant : TailAccess::kUnknown;
}

std::optional<Declined> collectAccesses(ElementwiseChain& chain, Operation* anchor, int64_t lanes,
                                        bool areArguments) {
  DenseSet<Value> computed;
  if (anchor) computed.insert(anchor->getResult(0));
  for (Operation* op : chain.operators) {
    for (OpOperand& operand : op->getOpOperands()) {
      const Value value = operand.get();
      if (computed.contains(value)) continue;
      if (isa<ir::ReshapeOp>(op) && operand.getOperandNumber() > 0) break;
      const TailAccess access = accessOf(chain, value, anchor, lanes, areArguments);
      if (access == TailAccess::kUnknown)
        return Declined{"operand " + std::to_string(operand.getOperandNumber()) + " of " +
                        nameOf(op) + " cannot be read beside the accumulators"};
      chain.accesses[value] = access;
    }
    computed.insert(op->getResult(0));
  }
  if (!computed.contains(chain.result))
    return Declined{"the region's result is not computed in it"};
  return std::nullopt;
}

bool isLong(Operation* op) {
  return isa<ir::AcosOp, ir::AcoshOp, ir::AsinOp, ir::AsinhOp, ir::AtanOp, ir::AtanhOp, ir::CeluOp,
             ir::CosOp, ir::CoshOp, ir::EluOp, ir::ErfOp, ir::ExpOp, ir::GeluOp, ir::LogOp,
             ir::MishOp, ir::PowOp, ir::SeluOp, ir::SigmoidOp, ir::SinOp, ir::SinhOp,
             ir::SoftplusOp, ir::TanOp, ir::TanhOp>(op);
}

bool mayBeInHead(Operation* op, int64_t lanes) {
  if (!isScalarOp(op) || op->getNumResults() != 1 || isLong(op)) return false;
  ElementwiseChain chain = {.operators = {op}, .result = op->getResult(0)};
  return !ir::isPlain(chain.resultType()) &&
         !collectAccesses(chain, /*anchor=*/nullptr, lanes, /*areArguments=*/true) &&
         imageOf(chain);
}

bool mayBeInTail(Operation* op, Operation* contraction, const DenseSet<Operation*>& members,
                 int64_t lanes) {
  if (!hasEmitter(contraction)) return true;
  const RankedTensorType result = typeOf(contraction->getResult(0));
  if (refuseTailOp(op, result)) return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return members.contains(operand.getDefiningOp()) || ir::constantScalar(operand) ||
           tailAccessOf(typeOf(operand), result, contraction, lanes) != TailAccess::kUnknown;
  });
}

/// The parts of a head.
static std::optional<Declined> matchHead(ContractionRegion& region, int64_t lanes) {
  ElementwiseChain& head = region.head;
  if (ir::isPlain(head.resultType()) || !head.resultType().getElementType().isF32())
    return Declined{nameOf(head.operators.front()) + " precedes the contraction"};
  if (auto declined = collectAccesses(head, /*anchor=*/nullptr, lanes)) return declined;
  if (!imageOf(head))
    return Declined{"nothing that " + nameOf(head.operators.front()) + " reads has its shape"};
  return std::nullopt;
}

OrDeclined<ContractionRegion> matchContraction(func::FuncOp function, int64_t lanes) {
  ContractionRegion region;
  region.function = function;
  if (function.getNumResults() != 1)
    return Declined{"the region has " + std::to_string(function.getNumResults()) + " results"};
  region.tail.result = function.getBody().front().getTerminator()->getOperand(0);
  if (!region.tail.resultType().getElementType().isF32())
    return Declined{"the region's result is not f32"};
  if (auto declined = sortOperators(region)) return std::move(*declined);
  if (auto declined = refuseAnchor(region)) return std::move(*declined);
  if (auto declined = collectAccesses(region.tail, region.anchor, lanes))
    return std::move(*declined);
  if (!region.hasHead()) return region;
  if (auto declined = matchHead(region, lanes)) return std::move(*declined);
  return region;
}

}  // namespace tessera::backend_native
