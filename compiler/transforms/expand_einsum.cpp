// Labels of a product are of four kinds: in both factors and the result (batch), in one factor and
// the result (rows, columns), in both factors only (summed). A factor in the order batch, rows,
// summed and one in the order batch, summed, columns are matrices. Labels of one factor alone are
// summed before. Of more than two factors the pair with the fewest multiplications is replaced by
// its product, in which all labels that the result or another factor has are kept, until one is
// left. Where sizes are open, batch labels, and rows that no batch label is beside, stay dimensions
// of their own, as a reshape has room for one size that it does not copy.
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/infer/common.h"
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
  ir::Dims dims;

  bool has(int label) const { return llvm::is_contained(labels, label); }
  const ir::Dim& dimOf(int label) const {
    return dims[static_cast<size_t>(llvm::find(labels, label) - labels.begin())];
  }
  int64_t sizeOf(int label) const { return dimOf(label).size; }
  ir::Dims dimsOf(const Labels& of) const {
    ir::Dims result;
    for (const int label : of) result.push_back(dimOf(label));
    return result;
  }
};

/// A factor as matrices: its labels in this order, then these dimensions.
struct Matrices {
  Labels order;
  ir::Dims dims;
};

/// A product as one of matrices, whose result has dimensions `product`, then those of its labels.
struct MatrixProduct {
  Labels batch, rows, columns, summed;
  Matrices left, right;
  ir::Dims product;
  Labelled result;  ///< Without a value.

  /// Whether there is something to sum over, and more than that.
  bool isProduct() const { return !summed.empty() && !(rows.empty() && columns.empty()); }
};

class Expansion {
 public:
  Expansion(ir::EinsumOp op, PatternRewriter& rewriter, Labels output)
      : rewriter_(rewriter),
        loc_(op.getLoc()),
        element_(tensorType(op->getResult(0)).getElementType()),
        output_(std::move(output)) {}

  /// Whether `run` can be done where a size is open.
  bool canRunOpen(ArrayRef<Labelled> factors) const;
  Value run(SmallVector<Labelled> factors);

 private:
  RankedTensorType typeOf(ArrayRef<ir::Dim> dims) const { return ir::tensorType(element_, dims); }
  Value shaped(Value value, ArrayRef<ir::Dim> dims) {
    const RankedTensorType type = typeOf(dims);
    return value.getType() == type ? value : createReshape(rewriter_, loc_, value, type);
  }
  bool isReshape(ArrayRef<ir::Dim> from, ArrayRef<ir::Dim> to) const {
    return typeOf(from) == typeOf(to) || canReshape(typeOf(from), typeOf(to));
  }
  bool isKept(int label, ArrayRef<Labelled> others) const {
    return llvm::is_contained(output_, label) ||
           llvm::any_of(others, [&](const Labelled& other) { return other.has(label); });
  }
  Labelled sumOut(const Labelled& factor, function_ref<bool(int)> isSummed);
  Labelled inOrder(const Labelled& factor, const Labels& order);
  Value among(const Labelled& factor, const Labels& order);
  Labelled elementwise(const Labelled& left, const Labelled& right, const Labels& summed);
  MatrixProduct matrixProduct(const Labelled& left, const Labelled& right,
                              ArrayRef<Labelled> others) const;
  Labelled product(const Labelled& left, const Labelled& right, ArrayRef<Labelled> others);

  PatternRewriter& rewriter_;
  Location loc_;
  Type element_;
  Labels output_;
};

}  // namespace

/// One dimension for all of them.
static ir::Dim merged(ArrayRef<ir::Dim> dims) {
  ir::Dim whole{.size = 1};
  for (const ir::Dim& dim : dims) {
    if (dim.is(1)) continue;
    if (whole.is(1))
      whole = dim;
    else if (whole.isStatic() && dim.isStatic())
      whole.size *= dim.size;
    else
      whole = {};
  }
  return whole;
}

static bool isOpen(const Labelled& factor) {
  return !llvm::all_of(factor.dims, [](const ir::Dim& dim) { return dim.isStatic(); });
}

/// The labels that are left, without a value.
static Labelled summedOut(const Labelled& factor, function_ref<bool(int)> isSummed) {
  Labelled result;
  for (auto [label, dim] : llvm::zip_equal(factor.labels, factor.dims)) {
    if (isSummed(label)) continue;
    result.labels.push_back(label);
    result.dims.push_back(dim);
  }
  return result;
}

Labelled Expansion::sumOut(const Labelled& factor, function_ref<bool(int)> isSummed) {
  Labelled result = summedOut(factor, isSummed);
  SmallVector<int64_t> axes;
  for (auto [i, label] : llvm::enumerate(factor.labels)) {
    if (isSummed(label)) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return factor;
  result.value = rewriter_.create<ir::ReduceSumOp>(loc_, typeOf(result.dims), factor.value,
                                                   ir::createIntsConstant(rewriter_, loc_, axes),
                                                   /*keepdims=*/0, /*noop_with_empty_axes=*/0);
  return result;
}

Labelled Expansion::inOrder(const Labelled& factor, const Labels& order) {
  if (factor.labels == order) return factor;
  SmallVector<int64_t> perm;
  for (const int label : order)
    perm.push_back(llvm::find(factor.labels, label) - factor.labels.begin());
  const ir::Dims dims = factor.dimsOf(order);
  return {.value = rewriter_.create<ir::TransposeOp>(loc_, typeOf(dims), factor.value,
                                                     rewriter_.getDenseI64ArrayAttr(perm)),
          .labels = order,
          .dims = dims};
}

/// The factor with its dimensions in this order, and one of size 1 for each label that it lacks.
Value Expansion::among(const Labelled& factor, const Labels& order) {
  Labels own;
  ir::Dims dims;
  for (const int label : order) {
    if (factor.has(label)) own.push_back(label);
    dims.push_back(factor.has(label) ? factor.dimOf(label) : ir::Dim{.size = 1});
  }
  return shaped(inOrder(factor, own).value, dims);
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
  ir::Dims dims;
  for (const int label : order)
    dims.push_back(left.has(label) ? left.dimOf(label) : right.dimOf(label));
  const Value product =
      rewriter_.create<ir::MulOp>(loc_, typeOf(dims), among(left, order), among(right, order));
  return sumOut({.value = product, .labels = order, .dims = dims},
                [&](int label) { return llvm::is_contained(summed, label); });
}

MatrixProduct Expansion::matrixProduct(const Labelled& left, const Labelled& right,
                                       ArrayRef<Labelled> others) const {
  MatrixProduct made;
  for (const int label : left.labels) {
    const bool isSummed = right.has(label) && !isKept(label, others);
    (isSummed ? made.summed : right.has(label) ? made.batch : made.rows).push_back(label);
  }
  for (const int label : right.labels) {
    if (!left.has(label)) made.columns.push_back(label);
  }
  // The dimensions in front of the matrices, and the rows of each.
  ir::Dims batch = left.dimsOf(made.batch), rows = left.dimsOf(made.rows);
  const bool isAnyOpen = isOpen(left) || isOpen(right);
  if (!isAnyOpen && !batch.empty()) batch = {merged(batch)};
  if (!isAnyOpen || !batch.empty() || rows.empty()) rows = {merged(rows)};
  const ir::Dim columns = merged(right.dimsOf(made.columns));
  const auto append = [](auto& to, const auto& from) { to.append(from.begin(), from.end()); };
  for (const Labels* labels : {&made.batch, &made.rows, &made.summed})
    append(made.left.order, *labels);
  for (const Labels* labels : {&made.batch, &made.summed, &made.columns})
    append(made.right.order, *labels);
  for (ir::Dims* dims : {&made.left.dims, &made.right.dims, &made.product}) append(*dims, batch);
  append(made.left.dims, rows);
  made.left.dims.push_back(merged(left.dimsOf(made.summed)));
  made.right.dims.append({merged(right.dimsOf(made.summed)), columns});
  append(made.product, rows);
  made.product.push_back(columns);
  for (const auto& [labels, factor] : {std::pair{&made.batch, &left}, std::pair{&made.rows, &left},
                                       std::pair{&made.columns, &right}}) {
    append(made.result.labels, *labels);
    append(made.result.dims, factor->dimsOf(*labels));
  }
  return made;
}

/// Summed over the labels that neither the result nor the other factors have.
Labelled Expansion::product(const Labelled& left, const Labelled& right,
                            ArrayRef<Labelled> others) {
  MatrixProduct made = matrixProduct(left, right, others);
  if (!made.isProduct()) return elementwise(left, right, made.summed);
  const Value a = shaped(inOrder(left, made.left.order).value, made.left.dims),
              b = shaped(inOrder(right, made.right.order).value, made.right.dims);
  auto matrix = rewriter_.create<ir::MatmulOp>(loc_, typeOf(made.product), a, b);
  if (made.summed.size() == 1) {
    const int letter = made.summed.front();
    if (!ir::areEqual(left.dimOf(letter), right.dimOf(letter)))
      matrix->setDiscardableAttr(ir::spec::kSummedLetterAttribute,
                                 rewriter_.getStringAttr(Twine(static_cast<char>(letter))));
  }
  made.result.value = shaped(matrix, made.result.dims);
  return made.result;
}

bool Expansion::canRunOpen(ArrayRef<Labelled> factors) const {
  if (factors.size() == 1) return true;
  if (factors.size() > 2) return false;
  const auto keptOf = [&](const Labelled& factor, const Labelled& other) {
    return summedOut(factor, [&](int label) { return !isKept(label, other); });
  };
  const Labelled left = keptOf(factors[0], factors[1]), right = keptOf(factors[1], factors[0]);
  const MatrixProduct made = matrixProduct(left, right, {});
  const auto areEqual = [&](const Labels& labels) {
    return llvm::all_of(
        labels, [&](int label) { return ir::areEqual(left.dimOf(label), right.dimOf(label)); });
  };
  // What a product does not ask at run time: batch entries of 1 would go with any number of others,
  // and several sums with others whose product is the same.
  const bool isAsked = areEqual(made.batch) && (made.summed.size() < 2 || areEqual(made.summed));
  return isAsked && made.isProduct() && isReshape(left.dimsOf(made.left.order), made.left.dims) &&
         isReshape(right.dimsOf(made.right.order), made.right.dims) &&
         isReshape(made.product, made.result.dims);
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
    SmallVector<int64_t> ranks;
    for (const Value input : op.getInputs()) {
      if (!isa<FloatType>(tensorType(input).getElementType()))
        return rewriter.notifyMatchFailure(op, "elements are no floats");
      ranks.push_back(tensorType(input).getRank());
    }
    const auto equation = ir::spec::EinsumSpec::parse(op.getEquation(), ranks);
    if (!equation) return rewriter.notifyMatchFailure(op, "the equation does not fit");
    SmallVector<Labelled> factors;
    std::map<int, ir::Dim> dims;
    for (auto [input, labels] : llvm::zip_equal(op.getInputs(), equation->inputs)) {
      if (hasRepeated(labels)) return rewriter.notifyMatchFailure(op, "a diagonal");
      factors.push_back({.value = input, .labels = labels, .dims = ir::dimsOf(tensorType(input))});
      for (const int label : labels) {
        const ir::Dim& dim = factors.back().dimOf(label);
        ir::Dim& known = dims.try_emplace(label, dim).first->second;
        const std::optional<ir::Dim> both = ir::mergeDims(known, dim);
        if (!both || !(ir::spec::EinsumSpec::isLetter(label) || ir::areEqual(known, dim)))
          return rewriter.notifyMatchFailure(op, "a dimension is broadcast");
        known = *both;
      }
    }
    // Names that the result alone has are those of what takes its place.
    const RankedTensorType type = tensorType(op->getResult(0));
    ir::Dims output;
    for (auto [label, dim] : llvm::zip_equal(equation->output, ir::dimsOf(type)))
      output.push_back(ir::mergeDims(dims[label], dim).value_or(ir::Dim{}));
    bool hasOtherSizes = false, hasOtherNames = false;
    for (auto [label, dim] : llvm::zip_equal(equation->output, output)) {
      hasOtherSizes |= dims[label].size != dim.size;
      hasOtherNames |= dims[label].symbol != dim.symbol;
    }
    if (hasOtherSizes || (hasOtherNames && factors.size() == 1) ||
        ir::tensorType(type.getElementType(), output) != type)
      return rewriter.notifyMatchFailure(op, "its type says more than its operands");
    Expansion expansion(op, rewriter, equation->output);
    if (llvm::any_of(factors, isOpen) && !expansion.canRunOpen(factors))
      return rewriter.notifyMatchFailure(op, "open sizes would have to be reshaped");
    Value expanded = expansion.run(std::move(factors));
    if (hasOtherNames) expanded.setType(type);
    rewriter.replaceOp(op, expanded);
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
