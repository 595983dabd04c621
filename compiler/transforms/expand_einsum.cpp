// Labels of a product are of four kinds: in both factors and the result (batch), in one factor and
// the result (rows, columns), in both factors only (summed). A factor in the order batch, rows,
// summed and one in the order batch, summed, columns are matrices. Labels of one factor alone are
// summed before. Of more than two factors the pair with the fewest multiplications is replaced by
// its product, in which all labels that the result or another factor has are kept, until one is
// left.
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/einsum.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_EXPANDEINSUMPASS
#include "compiler/transforms/passes.h.inc"

using Labels = ir::spec::EinsumSpec::Labels;

namespace {

/// A value with a label for each of its dimensions.
struct Labelled {
  Value value;
  Labels labels;

  bool has(int label) const { return llvm::is_contained(labels, label); }
  int64_t sizeOf(int label) const {
    return tensorType(value).getDimSize(
        static_cast<unsigned>(llvm::find(labels, label) - labels.begin()));
  }
};

class Expansion {
 public:
  Expansion(ir::EinsumOp op, PatternRewriter& rewriter, Labels output)
      : rewriter_(rewriter),
        loc_(op.getLoc()),
        element_(tensorType(op->getResult(0)).getElementType()),
        output_(std::move(output)) {}

  Value run(SmallVector<Labelled> factors);

 private:
  RankedTensorType typeOf(ArrayRef<int64_t> shape) const {
    return RankedTensorType::get(shape, element_);
  }
  Value shaped(Value value, ArrayRef<int64_t> shape) {
    const RankedTensorType type = typeOf(shape);
    return value.getType() == type ? value : createReshape(rewriter_, loc_, value, type);
  }
  bool isKept(int label, ArrayRef<Labelled> others) const {
    return llvm::is_contained(output_, label) ||
           llvm::any_of(others, [&](const Labelled& other) { return other.has(label); });
  }
  Labelled sumOut(const Labelled& factor, function_ref<bool(int)> isSummed);
  Labelled inOrder(const Labelled& factor, const Labels& order);
  Value among(const Labelled& factor, const Labels& order);
  Labelled elementwise(const Labelled& left, const Labelled& right, const Labels& summed);
  Value matrices(const Labelled& factor, ArrayRef<Labels> groups, bool hasBatch);
  Labelled product(const Labelled& left, const Labelled& right, ArrayRef<Labelled> others);

  PatternRewriter& rewriter_;
  Location loc_;
  Type element_;
  Labels output_;
};

}  // namespace

static int64_t sizeOfAll(const Labelled& factor, const Labels& labels) {
  int64_t size = 1;
  for (const int label : labels) size *= factor.sizeOf(label);
  return size;
}

Labelled Expansion::sumOut(const Labelled& factor, function_ref<bool(int)> isSummed) {
  Labelled result{.value = factor.value, .labels = {}};
  SmallVector<int64_t> axes, shape;
  for (auto [i, label] : llvm::enumerate(factor.labels)) {
    if (isSummed(label)) {
      axes.push_back(static_cast<int64_t>(i));
      continue;
    }
    result.labels.push_back(label);
    shape.push_back(tensorType(factor.value).getDimSize(static_cast<unsigned>(i)));
  }
  if (axes.empty()) return result;
  result.value = rewriter_.create<ir::ReduceSumOp>(loc_, typeOf(shape), factor.value,
                                                   ir::createIntsConstant(rewriter_, loc_, axes),
                                                   /*keepdims=*/0, /*noop_with_empty_axes=*/0);
  return result;
}

Labelled Expansion::inOrder(const Labelled& factor, const Labels& order) {
  if (factor.labels == order) return factor;
  SmallVector<int64_t> perm, shape;
  for (const int label : order) {
    perm.push_back(llvm::find(factor.labels, label) - factor.labels.begin());
    shape.push_back(factor.sizeOf(label));
  }
  return {.value = rewriter_.create<ir::TransposeOp>(loc_, typeOf(shape), factor.value,
                                                     rewriter_.getDenseI64ArrayAttr(perm)),
          .labels = order};
}

/// The factor as [batch, first group, second group], each group one dimension; no batch for none.
Value Expansion::matrices(const Labelled& factor, ArrayRef<Labels> groups, bool hasBatch) {
  Labels order;
  SmallVector<int64_t> shape;
  for (const auto& [i, group] : llvm::enumerate(groups)) {
    llvm::append_range(order, group);
    if (i > 0 || hasBatch) shape.push_back(sizeOfAll(factor, group));
  }
  return shaped(inOrder(factor, order).value, shape);
}

/// The factor with its dimensions in this order, and one of size 1 for each label that it lacks.
Value Expansion::among(const Labelled& factor, const Labels& order) {
  Labels own;
  SmallVector<int64_t> shape;
  for (const int label : order) {
    if (factor.has(label)) own.push_back(label);
    shape.push_back(factor.has(label) ? factor.sizeOf(label) : 1);
  }
  return shaped(inOrder(factor, own).value, shape);
}

/// Of factors that are no matrices to sum over: nothing is summed, or all that the result lacks.
Labelled Expansion::elementwise(const Labelled& left, const Labelled& right, const Labels& summed) {
  Labels order;
  const auto append = [&](const Labels& labels) {
    for (const int label : labels) {
      if ((left.has(label) || right.has(label)) && !llvm::is_contained(order, label))
        order.push_back(label);
    }
  };
  if (summed.empty()) append(output_);
  append(left.labels);
  append(right.labels);
  SmallVector<int64_t> shape;
  for (const int label : order)
    shape.push_back(left.has(label) ? left.sizeOf(label) : right.sizeOf(label));
  const Value product =
      rewriter_.create<ir::MulOp>(loc_, typeOf(shape), among(left, order), among(right, order));
  return sumOut({.value = product, .labels = order},
                [&](int label) { return llvm::is_contained(summed, label); });
}

/// Summed over the labels that neither the result nor the other factors have.
Labelled Expansion::product(const Labelled& left, const Labelled& right,
                            ArrayRef<Labelled> others) {
  Labels batch, rows, columns, summed;
  for (const int label : left.labels)
    (!right.has(label) ? rows : isKept(label, others) ? batch : summed).push_back(label);
  for (const int label : right.labels) {
    if (!left.has(label)) columns.push_back(label);
  }
  if (summed.empty() || (rows.empty() && columns.empty())) return elementwise(left, right, summed);
  const bool hasBatch = !batch.empty();
  const Value a = matrices(left, {batch, rows, summed}, hasBatch),
              b = matrices(right, {batch, summed, columns}, hasBatch);
  SmallVector<int64_t> shape, split;
  if (hasBatch) shape.push_back(sizeOfAll(left, batch));
  shape.push_back(sizeOfAll(left, rows));
  shape.push_back(sizeOfAll(right, columns));
  const Value matrix = rewriter_.create<ir::MatmulOp>(loc_, typeOf(shape), a, b);
  Labelled result;
  for (const auto& [labels, factor] :
       {std::pair{batch, &left}, std::pair{rows, &left}, std::pair{columns, &right}}) {
    for (const int label : labels) {
      result.labels.push_back(label);
      split.push_back(factor->sizeOf(label));
    }
  }
  result.value = shaped(matrix, split);
  return result;
}

/// Multiplications of a product, and elements of what it makes; the former count first.
static std::pair<double, double> costOf(const Labelled& left, const Labelled& right,
                                        function_ref<bool(int)> isKept) {
  double multiplications = 1, elements = 1;
  const auto add = [&](const Labelled& factor, int label) {
    const auto size = static_cast<double>(factor.sizeOf(label));
    multiplications *= size;
    if (isKept(label)) elements *= size;
  };
  for (const int label : left.labels) add(left, label);
  for (const int label : right.labels) {
    if (!left.has(label)) add(right, label);
  }
  return {multiplications, elements};
}

static SmallVector<Labelled> without(ArrayRef<Labelled> factors, size_t first, size_t second) {
  SmallVector<Labelled> others;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    if (i != first && i != second) others.push_back(factor);
  }
  return others;
}

Value Expansion::run(SmallVector<Labelled> factors) {
  for (size_t i = 0; i < factors.size(); ++i) {
    const SmallVector<Labelled> others = without(factors, i, i);
    factors[i] = sumOut(factors[i], [&](int label) { return !isKept(label, others); });
  }
  while (factors.size() > 1) {
    std::optional<std::pair<double, double>> least;
    size_t left = 0, right = 1;
    for (size_t i = 0; i < factors.size(); ++i) {
      for (size_t j = i + 1; j < factors.size(); ++j) {
        const SmallVector<Labelled> others = without(factors, i, j);
        const auto cost =
            costOf(factors[i], factors[j], [&](int label) { return isKept(label, others); });
        if (least && *least <= cost) continue;
        least = cost;
        left = i;
        right = j;
      }
    }
    SmallVector<Labelled> others = without(factors, left, right);
    const Labelled made = product(factors[left], factors[right], others);
    others.insert(others.begin() + static_cast<ptrdiff_t>(left), made);
    factors = std::move(others);
  }
  return inOrder(factors[0], output_).value;
}

static bool hasRepeated(const Labels& labels) {
  const std::set<int> unique(labels.begin(), labels.end());
  return unique.size() != labels.size();
}

namespace {

struct ExpandEinsumOp : OpRewritePattern<ir::EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::EinsumOp op, PatternRewriter& rewriter) const override {
    if (tensorType(op->getResult(0)).getEncoding())
      return rewriter.notifyMatchFailure(op, "its type says more than its shape");
    SmallVector<int64_t> ranks;
    for (const Value input : op.getInputs()) {
      if (!tensorType(input).hasStaticShape() ||
          !isa<FloatType>(tensorType(input).getElementType()))
        return rewriter.notifyMatchFailure(op, "a size is not known, or elements are no floats");
      ranks.push_back(tensorType(input).getRank());
    }
    const auto equation = ir::spec::EinsumSpec::parse(op.getEquation(), ranks);
    if (!equation) return rewriter.notifyMatchFailure(op, "the equation does not fit");
    SmallVector<Labelled> factors;
    std::map<int, int64_t> sizes;
    for (auto [input, labels] : llvm::zip_equal(op.getInputs(), equation->inputs)) {
      if (hasRepeated(labels)) return rewriter.notifyMatchFailure(op, "a diagonal");
      factors.push_back({.value = input, .labels = labels});
      for (const int label : labels) {
        const int64_t size = factors.back().sizeOf(label);
        if (sizes.try_emplace(label, size).first->second != size)
          return rewriter.notifyMatchFailure(op, "a dimension is broadcast");
      }
    }
    Expansion expansion(op, rewriter, equation->output);
    rewriter.replaceOp(op, expansion.run(std::move(factors)));
    return success();
  }
};

struct ExpandEinsum : impl::ExpandEinsumPassBase<ExpandEinsum> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandEinsumOp>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
