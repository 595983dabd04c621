#include "backends/native/compiler/contraction/attention_plan.h"

#include <cmath>

#include "backends/native/compiler/kernel/emit_scalar.h"
#include "compiler/ir/io/constants.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::Declined;

// Views in front of an operand, and operators between the scores and the softmax, at most.
static constexpr size_t kMostViews = 4, kMostSteps = 5;
// Panels of values are written out.
static constexpr int64_t kMostColumns = 512;

namespace {

using pattern::any;
using pattern::op;
using pattern::Pattern;

}  // namespace

// ---- pattern

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
  if (mayScale) {
    steps.emplace_back(
        [](const Pattern& x) { return pattern::either<ir::MulOp>(x, pattern::constant()); });
    steps.emplace_back([](const Pattern& x) { return op<ir::DivOp>(x, pattern::constant()); });
  }
  return pattern::followedBy(source, steps, 0, kMostViews);
}

backend_api::PatternEntry attentionPattern() {
  const Pattern q = viewed(any(), /*mayScale=*/true), k = viewed(any(), /*mayScale=*/true);
  const Pattern scores =
      pattern::followedBy(op<ir::MatmulOp>(q, k),
                          {[](const Pattern& x) { return pattern::either<ir::AddOp>(x, any()); },
                           [](const Pattern& x) { return pattern::either<ir::MulOp>(x, any()); },
                           [](const Pattern& x) { return op<ir::DivOp>(x, any()); },
                           [](const Pattern& x) { return op<ir::SubOp>(x, any()); },
                           [](const Pattern& x) { return op<ir::WhereOp>(any(), x, any()); },
                           [](const Pattern& x) { return op<ir::WhereOp>(any(), any(), x); }},
                          0, kMostSteps);
  const Pattern product =
      op<ir::MatmulOp>(op<ir::SoftmaxOp>(scores), viewed(any(), /*mayScale=*/false));
  const auto check = [](const pattern::Match& match, Operation* root) -> backend_api::Support {
    const auto isInside = [&](Operation* op) { return llvm::is_contained(match.ops, op); };
    const auto plan = planAttention(root->getResult(0), isInside, /*areArguments=*/true);
    if (const auto* declined = std::get_if<Declined>(&plan)) return *declined;
    return backend_api::Supported{};
  };
  return {.name = kAttentionEntry.str(),
          .pattern =
              pattern::optionally(product, [](const Pattern& x) { return op<ir::TransposeOp>(x); }),
          .check = check};
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
  std::optional<Declined> findViews();
  std::optional<Declined> refuseTypes();
  std::optional<Declined> refuseSizes();

  function_ref<bool(Operation*)> isInside_;
  bool areArguments_;
  AttentionPlan plan_;
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
  if (!isScalarOp(op)) return false;
  if (!llvm::any_of(op->getOperands(), [&](Value operand) { return leadsToScores(operand); }))
    return false;
  plan_.scores.tail.operators.push_back(op);
  return true;
}

std::optional<Declined> Planner::findParts(Value result) {
  plan_.output = viewOf(result);
  Operation* last = definedInside(result);
  if (auto transpose = dyn_cast_or_null<ir::TransposeOp>(last)) {
    const auto perm = transpose.getPerm();
    const StridedView whole = plan_.output;
    if (!perm) return Declined{"what is behind attention is no transpose of heads"};
    for (auto [d, from] : llvm::enumerate(*perm)) plan_.output.dims[from] = whole.dims[d];
    last = definedInside(transpose->getOperand(0));
  }
  plan_.product = dyn_cast_or_null<ir::MatmulOp>(last);
  if (!plan_.product) return Declined{"attention does not end in a product"};
  auto softmax = dyn_cast_or_null<ir::SoftmaxOp>(definedInside(plan_.product->getOperand(0)));
  if (!softmax || softmax.getAxisNormalized() != typeOf(softmax.getResult()).getRank() - 1)
    return Declined{"there is no softmax over the keys"};
  plan_.softmax = softmax;
  if (!leadsToScores(softmax.getInput()))
    return Declined{"there is no product of queries and keys"};
  plan_.scores.tail.result = outside(softmax.getInput());
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

/// Scores and result have one batch, to which all operands broadcast.
std::optional<Declined> Planner::refuseSizes() {
  const RankedTensorType scores = plan_.scoresType(),
                         product = typeOf(plan_.scores.anchor->getResult(0)),
                         result = typeOf(plan_.product->getResult(0));
  if (differ(product.getShape(), scores.getShape()) ||
      differ(result.getShape().drop_back(), scores.getShape().drop_back()))
    return Declined{"scores and result of attention have other batches"};
  if (result.getShape().back() > kMostColumns)
    return Declined{"values have more than " + std::to_string(kMostColumns) + " columns"};
  if (!std::isnormal(static_cast<float>(plan_.scale)))
    return Declined{"the scales of queries and keys together are no number of f32"};
  for (Operation* op : plan_.scores.tail.operators) {
    if (auto declined = refuseTailOp(op, scores)) return declined;
  }
  return collectAccesses(plan_.scores.tail, plan_.scores.anchor, /*lanes=*/1, areArguments_);
}

OrDeclined<AttentionPlan> Planner::run(Value result) {
  if (auto declined = findParts(result)) return std::move(*declined);
  if (auto declined = refuseTypes()) return std::move(*declined);
  if (auto declined = findViews()) return std::move(*declined);
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
