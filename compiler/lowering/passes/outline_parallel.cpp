// A parallel loop over d dimensions with lower bounds l, upper bounds u and steps s runs
// prod(ceil((u-l)/s)) iterations; the outlined body loops over its share [begin, end) of the linear
// space, and splits the number into the induction variables.
#include "compiler/lowering/passes.h"

#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "compiler/lowering/passes.h.inc"

namespace {

/// The iteration space and body of either kind of parallel loop.
struct ParallelLoop {
  Operation* op = nullptr;
  Block* body = nullptr;
  SmallVector<Value> lower = {}, upper = {}, step = {}, inductionVariables = {};
};

struct OutlineParallel : impl::OutlineParallelPassBase<OutlineParallel> {
  void runOnOperation() override;
};

}  // namespace

static bool isParallelLoop(Operation* op) { return isa<scf::ForallOp, scf::ParallelOp>(op); }

static bool hasParallelAncestor(Operation* op) {
  for (Operation* parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (isParallelLoop(parent)) return true;
  }
  return false;
}

static ParallelLoop describe(OpBuilder& b, Operation* op) {
  ParallelLoop loop{.op = op};
  if (auto forall = dyn_cast<scf::ForallOp>(op)) {
    loop.body = forall.getBody();
    loop.lower = forall.getLowerBound(b);
    loop.upper = forall.getUpperBound(b);
    loop.step = forall.getStep(b);
    llvm::append_range(loop.inductionVariables, forall.getInductionVars());
  } else {
    auto parallel = cast<scf::ParallelOp>(op);
    loop.body = parallel.getBody();
    llvm::append_range(loop.lower, parallel.getLowerBound());
    llvm::append_range(loop.upper, parallel.getUpperBound());
    llvm::append_range(loop.step, parallel.getStep());
    llvm::append_range(loop.inductionVariables, parallel.getInductionVars());
  }
  return loop;
}

// The body of `loop` as nested sequential loops in its place.
static void makeSequential(Operation* op) {
  OpBuilder b(op);
  ParallelLoop loop = describe(b, op);
  IRMapping mapping;
  for (size_t d = 0; d < loop.lower.size(); ++d) {
    auto inner = b.create<scf::ForOp>(op->getLoc(), loop.lower[d], loop.upper[d], loop.step[d]);
    mapping.map(loop.inductionVariables[d], inner.getInductionVar());
    b.setInsertionPointToStart(inner.getBody());
  }
  for (Operation& nested : loop.body->without_terminator()) b.clone(nested, mapping);
  op->erase();
}

// Constants and addresses of globals are rebuilt in the body instead of captured.
static bool isRebuildable(Operation* op) {
  return op != nullptr && (op->hasTrait<OpTrait::ConstantLike>() || isa<memref::GetGlobalOp>(op));
}

static LLVM::LLVMStructType descriptorType(MemRefType type) {
  MLIRContext* context = type.getContext();
  const Type pointer = LLVM::LLVMPointerType::get(context);
  const Type i64 = IntegerType::get(context, 64);
  SmallVector<Type> fields = {pointer, pointer, i64};
  if (type.getRank() > 0) {
    auto array = LLVM::LLVMArrayType::get(i64, type.getRank());
    fields.append({array, array});
  }
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

// The type in which a captured value travels in the context struct.
static Type storageType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) return descriptorType(memref);
  if (isa<IndexType>(type)) return IntegerType::get(type.getContext(), 64);
  return type;
}

static Value toStorage(OpBuilder& b, Location loc, Value value) {
  const Type type = storageType(value.getType());
  if (type == value.getType()) return value;
  if (isa<IndexType>(value.getType())) return b.create<arith::IndexCastOp>(loc, type, value);
  return b.create<UnrealizedConversionCastOp>(loc, type, value).getResult(0);
}

static Value fromStorage(OpBuilder& b, Location loc, Value stored, Type type) {
  if (type == stored.getType()) return stored;
  if (isa<IndexType>(type)) return b.create<arith::IndexCastOp>(loc, type, stored);
  return b.create<UnrealizedConversionCastOp>(loc, type, stored).getResult(0);
}

static Value fieldAddress(OpBuilder& b, Location loc, Value context, LLVM::LLVMStructType type,
                          size_t field) {
  return b.create<LLVM::GEPOp>(loc, context.getType(), type, context,
                               ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(field)});
}

// Trip counts per dimension, as values before the loop.
static SmallVector<Value> tripCounts(OpBuilder& b, Location loc, const ParallelLoop& loop) {
  SmallVector<Value> counts;
  const Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  for (auto [lower, upper, step] : llvm::zip_equal(loop.lower, loop.upper, loop.step)) {
    const Value extent = b.createOrFold<arith::SubIOp>(loc, upper, lower);
    const Value count = b.createOrFold<arith::CeilDivSIOp>(loc, extent, step);
    counts.push_back(b.createOrFold<arith::MaxSIOp>(loc, count, zero));
  }
  return counts;
}

// `number` split into the position in each dimension, outermost first.
static SmallVector<Value> splitPosition(OpBuilder& b, Location loc, Value number,
                                        ArrayRef<Value> counts) {
  SmallVector<Value> position(counts.size());
  for (size_t d = counts.size(); d-- > 0;) {
    position[d] = number;
    if (d == 0) break;
    position[d] = b.createOrFold<arith::RemUIOp>(loc, number, counts[d]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, counts[d]);
  }
  return position;
}

// The position after `position`, counted on like an odometer.
static SmallVector<Value> nextPosition(OpBuilder& b, Location loc, ValueRange position,
                                       ArrayRef<Value> counts, Value zero, Value one) {
  SmallVector<Value> next(counts.size());
  Value carry = one;
  for (size_t d = counts.size(); d-- > 0;) {
    const Value advanced = b.create<arith::AddIOp>(loc, position[d], carry);
    const Value wraps = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, advanced, counts[d]);
    next[d] = b.create<arith::SelectOp>(loc, wraps, zero, advanced);
    carry = b.create<arith::SelectOp>(loc, wraps, one, zero);
  }
  return next;
}

// The outlined function: unpacks the context, loops over [begin, end) and runs a copy of the body.
static func::FuncOp buildBody(OpBuilder& b, StringRef name, const ParallelLoop& loop,
                              ArrayRef<Value> captures, ArrayRef<Value> counts,
                              LLVM::LLVMStructType contextType) {
  const Location loc = loop.op->getLoc();
  const Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = b.create<func::FuncOp>(
      loc, name, b.getFunctionType({pointer, b.getI64Type(), b.getI64Type()}, {}));
  function.setPrivate();
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  Block* entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (auto [i, value] : llvm::enumerate(captures)) {
    const Value address = fieldAddress(b, loc, entry->getArgument(0), contextType, i);
    const Value stored = b.create<LLVM::LoadOp>(loc, contextType.getBody()[i], address);
    mapping.map(value, fromStorage(b, loc, stored, value.getType()));
  }
  auto inBody = [&](Value value) -> Value {
    if (Value mapped = mapping.lookupOrNull(value)) return mapped;
    Operation* copy =
        b.clone(*value.getDefiningOp());  // Rebuildable: nothing else is left uncaptured.
    mapping.map(value, copy->getResult(0));
    return copy->getResult(0);
  };
  SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.op->getRegion(0), used);
  for (const Value value : used) inBody(value);
  for (size_t d = 0; d < counts.size(); ++d) {
    inBody(counts[d]), inBody(loop.lower[d]), inBody(loop.step[d]);
  }
  const Value begin = b.create<arith::IndexCastOp>(loc, b.getIndexType(), entry->getArgument(1));
  const Value end = b.create<arith::IndexCastOp>(loc, b.getIndexType(), entry->getArgument(2));
  const Value one = b.create<arith::ConstantIndexOp>(loc, 1);
  // The position in each dimension is split once, then counted on: a division costs too much.
  const Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  const SmallVector<Value> bodyCounts = llvm::map_to_vector(counts, inBody);
  const SmallVector<Value> first = splitPosition(b, loc, begin, bodyCounts);
  auto share = b.create<scf::ForOp>(loc, begin, end, one, first);
  b.create<func::ReturnOp>(loc);

  b.setInsertionPointToStart(share.getBody());
  for (size_t d = 0; d < counts.size(); ++d) {
    const Value offset =
        b.createOrFold<arith::MulIOp>(loc, share.getRegionIterArg(d), inBody(loop.step[d]));
    mapping.map(loop.inductionVariables[d],
                b.createOrFold<arith::AddIOp>(loc, offset, inBody(loop.lower[d])));
  }
  for (Operation& op : loop.body->without_terminator()) b.clone(op, mapping);
  b.create<scf::YieldOp>(loc,
                         nextPosition(b, loc, share.getRegionIterArgs(), bodyCounts, zero, one));
  return function;
}

static void outline(Operation* op, unsigned number) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  const Location loc = op->getLoc();
  OpBuilder b(op);
  ParallelLoop loop = describe(b, op);
  SmallVector<Value> counts = tripCounts(b, loc, loop);

  SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegion(0), used);
  for (size_t d = 0; d < counts.size(); ++d) {
    used.insert(counts[d]);
    used.insert(loop.lower[d]);
    used.insert(loop.step[d]);
  }
  SmallVector<Value> captures;
  SmallVector<Type> fields;
  for (const Value value : used) {
    if (isRebuildable(value.getDefiningOp())) continue;
    captures.push_back(value);
    fields.push_back(storageType(value.getType()));
  }
  auto contextType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  const std::string name = (kernel.getName() + "_body" + Twine(number)).str();
  OpBuilder atModule(kernel);
  func::FuncOp body = buildBody(atModule, name, loop, captures, counts, contextType);

  Value context;
  {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    const Value size = b.create<LLVM::ConstantOp>(loc, b.getI64Type(), b.getI64IntegerAttr(1));
    context = b.create<LLVM::AllocaOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), contextType,
                                       size);
  }
  for (auto [i, value] : llvm::enumerate(captures)) {
    b.create<LLVM::StoreOp>(loc, toStorage(b, loc, value),
                            fieldAddress(b, loc, context, contextType, i));
  }
  Value total = counts.front();
  for (const Value count : ArrayRef(counts).drop_front())
    total = b.createOrFold<arith::MulIOp>(loc, total, count);
  const Value count = b.create<arith::IndexCastOp>(loc, b.getI64Type(), total);
  const Value bodyFunction =
      b.create<func::ConstantOp>(loc, body.getFunctionType(), body.getName());
  const Value bodyPointer = b.create<UnrealizedConversionCastOp>(
                                 loc, LLVM::LLVMPointerType::get(b.getContext()), bodyFunction)
                                .getResult(0);
  buildParallelFor(b, loc, kernel, count, bodyPointer, context);
  op->erase();
}

void OutlineParallel::runOnOperation() {
  SmallVector<Operation*> inner, outer;
  getOperation().walk([&](Operation* op) {  // Post-order: innermost first.
    if (!isParallelLoop(op)) return;
    auto function = op->getParentOfType<func::FuncOp>();
    const bool isOutermost = !hasParallelAncestor(op) && function && function->hasAttr(kKernelAttr);
    (isOutermost ? outer : inner).push_back(op);
  });
  for (Operation* op : inner) makeSequential(op);
  llvm::DenseMap<Operation*, unsigned> numbers;
  for (Operation* op : outer) outline(op, numbers[op->getParentOfType<func::FuncOp>()]++);
}

}  // namespace tessera::lowering
