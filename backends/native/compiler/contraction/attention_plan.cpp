// Scores may be reshaped on their way to the softmax and the second product, and keys and values
// repeated, as long as batch dimensions only are: the kernel works on the batch of the first
// product, taken apart where an operand needs that. A mask of windows, [1, windows, 1, rows, keys],
// between reshapes of [batch * windows, heads, ...] makes the batch [batch, windows, heads], keys
// that are repeated for each query of a group make it [batch, key heads, queries of a group].
#include "backends/native/compiler/contraction/attention_plan.h"

#include <cmath>

#include "backends/native/compiler/kernel/emit_scalar.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::Declined;

// Views in front of an operand, and operators between the scores and the softmax, at most.
static constexpr size_t kMostViews = 8, kMostSteps = 8;
// Panels of values are written out.
static constexpr int64_t kMostColumns = 512;

namespace {

using pattern::any;
using pattern::op;
using pattern::Pattern;

}  // namespace

// ---- pattern

/// What makes none of its operand, as a reshape of rows of open sizes, stays in front.
static bool isView(Value value) {
  Operation* op = value.getDefiningOp();
  return op && op->getNumOperands() > 0 &&
         viewThrough(op, cast<OpResult>(value).getResultNumber(), viewOf(op->getOperand(0)));
}

static Pattern viewed(const Pattern& source, bool mayScale) {
  std::vector<pattern::Step> steps = {
      [](const Pattern& x) { return op<ir::TransposeOp>(x); },
      [](const Pattern& x) { return op<ir::ReshapeOp>(x, any()); },
      [](const Pattern& x) {
        return pattern::result<ir::SplitOp>(pattern::kAnyResult, x, pattern::more());
      },
      [](const Pattern& x) { return op<ir::SliceOp>(x, pattern::more()); },
      [](const Pattern& x) { return op<ir::GatherOp>(x, pattern::constant()); },
      [](const Pattern& x) { return op<ir::ExpandOp>(x, any()); }};
  for (pattern::Step& step : steps)
    step = [make = step](const Pattern& x) { return pattern::when(make(x), isView); };
  if (mayScale) {
    steps.emplace_back(
        [](const Pattern& x) { return pattern::either<ir::MulOp>(x, pattern::constant()); });
    steps.emplace_back([](const Pattern& x) { return op<ir::DivOp>(x, pattern::constant()); });
  }
  return pattern::followedBy(source, steps, 0, kMostViews);
}

static Pattern reshape(const Pattern& x) { return op<ir::ReshapeOp>(x, any()); }

backend_api::PatternEntry attentionPattern() {
  const Pattern q = viewed(any(), /*mayScale=*/true), k = viewed(any(), /*mayScale=*/true);
  const Pattern scores = pattern::followedBy(
      op<ir::MatmulOp>(q, k),
      {[](const Pattern& x) { return pattern::either<ir::AddOp>(x, any()); },
       [](const Pattern& x) { return pattern::either<ir::MulOp>(x, any()); },
       [](const Pattern& x) { return op<ir::DivOp>(x, any()); },
       [](const Pattern& x) { return op<ir::SubOp>(x, any()); },
       [](const Pattern& x) { return op<ir::TanhOp>(x); },
       [](const Pattern& x) { return op<ir::WhereOp>(any(), x, any()); },
       [](const Pattern& x) { return op<ir::WhereOp>(any(), any(), x); }, reshape},
      0, kMostSteps);
  const Pattern weights = pattern::optionally(op<ir::SoftmaxOp>(scores), reshape);
  const Pattern product = op<ir::MatmulOp>(weights, viewed(any(), /*mayScale=*/false));
  const Pattern heads = op<ir::TransposeOp>(pattern::optionally(product, reshape));
  const auto check = [](const pattern::Match& match, Operation* root) -> backend_api::Support {
    const auto isInside = [&](Operation* op) { return llvm::is_contained(match.ops, op); };
    const auto plan = planAttention(root->getResult(0), isInside, /*areArguments=*/true);
    if (const auto* declined = std::get_if<Declined>(&plan)) return *declined;
    return backend_api::Supported{};
  };
  return {
      .name = kAttentionEntry.str(), .pattern = pattern::anyOf({heads, product}), .check = check};
}

// ---- plan

/// What a value is outside of composites that simplify recognised.
static Value outside(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto composite = dyn_cast<ir::CompositeOp>(argument.getOwner()->getParentOp());
      if (!composite || composite.getName() == kAttentionComposite) return value;
      value = composite.getInputs()[argument.getArgNumber()];
    } else if (auto composite = value.getDefiningOp<ir::CompositeOp>()) {
      if (composite.getName() == kAttentionComposite) return value;
      const unsigned number = cast<OpResult>(value).getResultNumber();
      value = composite.getBody().front().getTerminator()->getOperand(number);
    } else {
      return value;
    }
  }
}

namespace {

class Planner {
 public:
  Planner(function_ref<bool(Operation*)> isInside, bool areArguments)
      : isInside_(isInside), areArguments_(areArguments) {}

  OrDeclined<AttentionPlan> run(Value result);

 private:
  Operation* definedInside(Value value) {
    Operation* op = outside(value).getDefiningOp();
    return op && isInside_(op) ? op : nullptr;
  }
  bool leadsToScores(Value value);
  std::optional<Declined> findParts(Value result);
  std::optional<StridedView> operandView(Value value, bool mayScale);
  std::optional<Declined> findOutput(Value result);
  std::optional<Declined> findViews();
  std::optional<Declined> refuseTypes();
  std::optional<Declined> refuseShapes();
  bool toFirstBatch(StridedView& view, size_t numReshapes);
  SmallVector<std::pair<Value, size_t>> tailOperands();
  std::optional<Declined> findBatch();
  std::optional<Declined> refuseSizes();

  function_ref<bool(Operation*)> isInside_;
  bool areArguments_;
  AttentionPlan plan_;
  /// Between the two products, the first `numTailReshapes_` in front of the softmax.
  SmallVector<ir::ReshapeOp> reshapes_;
  size_t numTailReshapes_ = 0;
};

}  // namespace

/// Collects the tail on the way.
bool Planner::leadsToScores(Value value) {
  Operation* op = definedInside(value);
  if (!op) return false;
  if (isa<ir::MatmulOp>(op)) {
    plan_.scores.anchor = op;
    return true;
  }
  const bool isReshape = isa<ir::ReshapeOp>(op);
  if (!isReshape && !isScalarOp(op)) return false;
  const ValueRange operands = op->getOperands();
  if (!llvm::any_of(isReshape ? operands.take_front() : operands,
                    [&](Value operand) { return leadsToScores(operand); }))
    return false;
  if (isReshape) reshapes_.push_back(cast<ir::ReshapeOp>(op));
  plan_.scores.tail.operators.push_back(op);
  return true;
}

/// Whether what is reshaped are batch dimensions only.
static bool keepsMatrices(ir::ReshapeOp reshape) {
  const RankedTensorType from = typeOf(reshape.getData()), to = typeOf(reshape.getResult());
  if (from.getRank() < 2 || to.getRank() < 2) return false;
  return llvm::all_of(ArrayRef<int64_t>{1, 2}, [&](int64_t i) {
    return ir::isEqualSize(from, from.getRank() - i, to, to.getRank() - i);
  });
}

/// Makes of a view that broadcasts to the result of a reshape of batch dimensions one that
/// broadcasts to what is reshaped.
static bool undo(ir::ReshapeOp reshape, StridedView& view) {
  const RankedTensorType from = typeOf(reshape.getResult()), to = typeOf(reshape.getData());
  const auto rank = static_cast<size_t>(from.getRank());
  if (rank < view.dims.size()) return false;
  const SmallVector<ViewDim> whole = padded(view.dims, rank);
  auto dims = reshaped(ArrayRef(whole).drop_back(2), from, to, /*numKept=*/2);
  if (!dims) return false;
  dims->append(whole.end() - 2, whole.end());
  view.dims = std::move(*dims);
  return true;
}

/// The result and the product that makes it.
std::optional<Declined> Planner::findOutput(Value result) {
  plan_.output = viewOf(result);
  Operation* last = definedInside(result);
  if (auto transpose = dyn_cast_or_null<ir::TransposeOp>(last)) {
    const auto perm = transpose.getPerm();
    const StridedView whole = plan_.output;
    if (!perm) return Declined{"what is behind attention is no transpose of heads"};
    for (auto [d, from] : llvm::enumerate(*perm)) plan_.output.dims[from] = whole.dims[d];
    last = definedInside(transpose->getOperand(0));
  }
  if (auto reshape = dyn_cast_or_null<ir::ReshapeOp>(last)) {
    if (!keepsMatrices(reshape) || !undo(reshape, plan_.output))
      return Declined{"what is behind attention is no reshape of its batch"};
    last = definedInside(reshape.getData());
  }
  plan_.product = dyn_cast_or_null<ir::MatmulOp>(last);
  if (!plan_.product) return Declined{"attention does not end in a product"};
  return std::nullopt;
}

std::optional<Declined> Planner::findParts(Value result) {
  if (auto declined = findOutput(result)) return declined;
  Operation* weights = definedInside(plan_.product->getOperand(0));
  const auto last = dyn_cast_or_null<ir::ReshapeOp>(weights);
  if (last) weights = definedInside(last->getOperand(0));
  auto softmax = dyn_cast_or_null<ir::SoftmaxOp>(weights);
  if (!softmax || softmax.getAxisNormalized() != typeOf(softmax.getResult()).getRank() - 1)
    return Declined{"there is no softmax over the keys"};
  plan_.softmax = softmax;
  if (!leadsToScores(softmax.getInput()))
    return Declined{"there is no product of queries and keys"};
  plan_.scores.tail.result = outside(softmax.getInput());
  numTailReshapes_ = reshapes_.size();
  if (last) reshapes_.push_back(last);
  return std::nullopt;
}

/// What an operand is of the value that the operators read.
std::optional<StridedView> Planner::operandView(Value value, bool mayScale) {
  Operation* op = definedInside(value);
  if (!op || isa<ir::ConstantOp>(op)) return viewOf(outside(value));
  if (mayScale && isa<ir::MulOp, ir::DivOp>(op)) {
    const bool isLeft = !ir::constantScalar(op->getOperand(0));
    const auto number = ir::constantScalar(outside(op->getOperand(isLeft ? 1 : 0)));
    const Value scaled = op->getOperand(isLeft ? 0 : 1);
    if (!number || (!isLeft && isa<ir::DivOp>(op)) ||
        scaled.getType() != op->getResult(0).getType())
      return std::nullopt;
    plan_.scale = isa<ir::MulOp>(op) ? plan_.scale * *number : plan_.scale / *number;
    return operandView(scaled, mayScale);
  }
  const auto operand = operandView(op->getOperand(0), mayScale);
  if (!operand) return std::nullopt;
  const unsigned number = cast<OpResult>(outside(value)).getResultNumber();
  return viewThrough(op, number, *operand);
}

std::optional<Declined> Planner::findViews() {
  const auto q = operandView(plan_.scores.anchor->getOperand(0), /*mayScale=*/true),
             k = operandView(plan_.scores.anchor->getOperand(1), /*mayScale=*/true),
             v = operandView(plan_.product->getOperand(1), /*mayScale=*/false);
  if (!q || !k || !v) return Declined{"an operand is no view of another value"};
  plan_.q = *q;
  plan_.k = *k;
  plan_.v = *v;
  for (const StridedView& view : {plan_.q, plan_.k, plan_.v}) {
    if (view.source.getDefiningOp<ir::ConstantOp>())
      return Declined{"queries, keys or values are constant"};
  }
  for (const StridedView& view : {plan_.q, plan_.k, plan_.v, plan_.output}) {
    if (llvm::any_of(ArrayRef(view.dims).take_back(2),
                     [](auto& dim) { return !dim.parts.empty(); }))
      return Declined{"rows or columns of an operand lie in more than one step"};
  }
  const auto isUnit = [](const ViewDim& dim) { return dim.stride() == 1; };
  const auto fromBack = [](const StridedView& view, size_t i) {
    return view.dims[view.dims.size() - i];
  };
  for (const StridedView& view : {plan_.k, plan_.v}) {
    if (!isUnit(fromBack(view, 1)) && !isUnit(fromBack(view, 2)))
      return Declined{"neither rows nor columns of keys or values lie element by element"};
  }
  const ViewDim rows = fromBack(plan_.q, 2);
  const bool isCopied = ShapedType::isDynamic(rows.size);
  if (!fromBack(plan_.q, 1).stride() || (!isCopied && !rows.stride()))
    return Declined{"rows of queries lie in steps known at run time only"};
  if (!isUnit(fromBack(plan_.output, 1)))
    return Declined{"rows of the result do not lie element by element"};
  return std::nullopt;
}

std::optional<Declined> Planner::refuseTypes() {
  for (Operation* op : {plan_.scores.anchor, plan_.softmax, plan_.product}) {
    for (const auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())}) {
      for (const Type type : types) {
        const auto tensor = cast<RankedTensorType>(type);
        if (!tensor.getElementType().isF32() || !ir::isPlain(tensor))
          return Declined{"attention is not of row-major f32"};
        if (tensor.getRank() < 2) return Declined{"attention has a vector for an operand"};
        if (llvm::is_contained(tensor.getShape(), 0)) return Declined{"attention has no elements"};
      }
    }
  }
  for (const Value value : {plan_.scores.anchor->getOperand(0), plan_.product->getOperand(1)}) {
    if (ShapedType::isDynamic(typeOf(value).getShape().back()))
      return Declined{"the size of heads is known at run time only"};
  }
  const RankedTensorType keys = typeOf(plan_.scores.anchor->getOperand(1));
  if (keys.isDynamicDim(keys.getRank() - 2))
    return Declined{"the size of heads is known at run time only"};
  return std::nullopt;
}

/// Whether sizes that are known differ.
static bool differ(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() != b.size()) return true;
  return llvm::any_of(llvm::zip_equal(a, b), [](auto sizes) {
    const auto [one, other] = sizes;
    return one != other && !ShapedType::isDynamic(one) && !ShapedType::isDynamic(other);
  });
}

/// Scores and result have one batch, but for reshapes of it.
std::optional<Declined> Planner::refuseShapes() {
  RankedTensorType shape = typeOf(plan_.scores.anchor->getResult(0));
  const Declined others = {"scores and result of attention have other batches"};
  for (Operation* op : plan_.scores.tail.operators) {
    if (!isa<ir::ReshapeOp>(op)) {
      if (auto declined = refuseTailOp(op, shape)) return declined;
      if (differ(typeOf(op->getResult(0)).getShape(), shape.getShape())) return others;
    }
    shape = typeOf(op->getResult(0));
  }
  if (!llvm::all_of(reshapes_, keepsMatrices))
    return Declined{"rows or columns of scores are reshaped"};
  if (numTailReshapes_ < reshapes_.size()) shape = typeOf(reshapes_.back().getResult());
  const RankedTensorType result = typeOf(plan_.product->getResult(0));
  if (differ(result.getShape().drop_back(), shape.getShape().drop_back())) return others;
  return std::nullopt;
}

/// Makes of a view that broadcasts to scores behind as many reshapes one that broadcasts to those
/// in front of all.
bool Planner::toFirstBatch(StridedView& view, size_t numReshapes) {
  const auto passed = ArrayRef(reshapes_).take_front(numReshapes);
  return llvm::all_of(llvm::reverse(passed), [&](auto reshape) { return undo(reshape, view); });
}

/// What the tail reads and does not compute, each with the number of reshapes in front of where.
SmallVector<std::pair<Value, size_t>> Planner::tailOperands() {
  DenseSet<Value> computed = {plan_.scores.anchor->getResult(0)};
  SmallVector<std::pair<Value, size_t>> operands;
  size_t numReshapes = 0;
  for (Operation* op : plan_.scores.tail.operators) {
    computed.insert(op->getResult(0));
    if (isa<ir::ReshapeOp>(op)) {
      ++numReshapes;
      continue;
    }
    for (const Value operand : op->getOperands())
      if (!computed.contains(operand)) operands.emplace_back(operand, numReshapes);
  }
  return operands;
}

/// The shape of a view of a whole value, 1 where it is broadcast.
static RankedTensorType typeOfView(const StridedView& view) {
  const auto sizes = llvm::map_to_vector(
      view.dims, [](const ViewDim& dim) { return dim.stride() == 0 ? 1 : dim.size; });
  return RankedTensorType::get(sizes, typeOf(view.source).getElementType());
}

static bool hasParts(const StridedView* view) {
  return llvm::any_of(view->dims, [](const ViewDim& dim) { return !dim.parts.empty(); });
}

/// The batch in whose dimensions everything that the kernel reads and writes has one stride.
std::optional<Declined> Planner::findBatch() {
  SmallVector<StridedView*> views = {&plan_.q, &plan_.k, &plan_.v, &plan_.output};
  if (reshapes_.empty() && llvm::none_of(views, hasParts)) return std::nullopt;
  ElementwiseChain& tail = plan_.scores.tail;
  bool isFound = toFirstBatch(plan_.v, reshapes_.size());
  isFound = isFound && toFirstBatch(plan_.output, reshapes_.size());
  auto operands = tailOperands();
  operands.emplace_back(tail.result, numTailReshapes_);
  std::vector<StridedView> read;
  for (const auto& [value, numReshapes] : operands) {
    read.push_back(viewOf(value));
    isFound = isFound && toFirstBatch(read.back(), numReshapes);
  }
  for (StridedView& view : read) views.push_back(&view);
  if (!isFound || !splitBatches(views))
    return Declined{"batches of attention have no common dimensions"};
  for (const auto& [operand, view] : llvm::zip_equal(operands, read)) {
    const RankedTensorType type = typeOfView(view);
    if (tail.reshaped.try_emplace(operand.first, type).first->second != type)
      return Declined{"a mask of attention is read in two shapes"};
  }
  return std::nullopt;
}

std::optional<Declined> Planner::refuseSizes() {
  if (plan_.output.dims.back().size > kMostColumns)
    return Declined{"values have more than " + std::to_string(kMostColumns) + " columns"};
  if (!std::isnormal(static_cast<float>(plan_.scale)))
    return Declined{"the scales of queries and keys together are no number of f32"};
  return collectAccesses(plan_.scores.tail, plan_.scores.anchor, /*lanes=*/1, areArguments_);
}

OrDeclined<AttentionPlan> Planner::run(Value result) {
  if (auto declined = findParts(result)) return std::move(*declined);
  if (auto declined = refuseTypes()) return std::move(*declined);
  if (auto declined = findViews()) return std::move(*declined);
  if (auto declined = refuseShapes()) return std::move(*declined);
  if (auto declined = findBatch()) return std::move(*declined);
  if (auto declined = refuseSizes()) return std::move(*declined);
  return std::move(plan_);
}

OrDeclined<AttentionPlan> planAttention(Value result, function_ref<bool(Operation*)> isInside,
                                        bool areArguments) {
  return Planner(isInside, areArguments).run(result);
}

OrDeclined<AttentionPlan> planAttention(Block& body) {
  Operation* end = body.getTerminator();
  if (end->getNumOperands() != 1) return Declined{"there is more than one result"};
  const auto isInside = [&](Operation* op) { return op->getBlock() == &body; };
  auto planned = planAttention(end->getOperand(0), isInside, /*areArguments=*/false);
  const auto* plan = std::get_if<AttentionPlan>(&planned);
  if (!plan) return planned;
  for (const Value source : {plan->q.source, plan->k.source, plan->v.source}) {
    if (!isa<BlockArgument>(source))
      return Declined{"an operand of attention is computed beside it"};
  }
  for (const auto& [value, access] : plan->scores.tail.accesses) {
    if (access != TailAccess::kConstant && !isa<BlockArgument>(value))
      return Declined{"a mask of attention is computed beside it"};
  }
  return planned;
}

}  // namespace tessera::backend_native
