// gemm and matmul. A constant matrix on the right is an inner product over all rows, whose weights
// are packed; the rest is a batched product of the operands as they lie.
#include <algorithm>

#include "backends/onednn/runtime/post_ops.h"

namespace tessera::backend_onednn {

using region_graph::kAbsent;
using region_graph::ProductT;

namespace {

/// The operands as matrices: [batch..., rows, columns], of one rank.
struct Matrices {
  Dims a, b, y;
  bool transposesA = false, transposesB = false;  ///< Of what is stored.
  float alpha = 1;
  int32_t c = kAbsent;
};

}  // namespace

static Result<Matrices> matricesOf(const Builder& builder, const OperatorT& op) {
  Matrices m{.a = builder.dimsOf(op.inputs[0]), .b = builder.dimsOf(op.inputs[1]), .y = {}};
  if (const ProductT* product = op.attributes.AsProduct()) {
    m.transposesA = product->transposes_a;
    m.transposesB = product->transposes_b;
    m.alpha = product->alpha;
    if (op.inputs.size() > 2 && product->beta != 0) m.c = op.inputs[2];
    if (m.c != kAbsent && product->beta != 1) return targetFailed("gemm: beta is neither 0 nor 1");
  }
  if (m.a.size() == 1) m.a.insert(m.a.begin(), 1);
  if (m.b.size() == 1) m.b.push_back(1);
  const size_t rank = std::max(m.a.size(), m.b.size());
  m.a.insert(m.a.begin(), rank - m.a.size(), 1);
  m.b.insert(m.b.begin(), rank - m.b.size(), 1);
  if (m.transposesA) std::swap(m.a[rank - 1], m.a[rank - 2]);
  if (m.transposesB) std::swap(m.b[rank - 1], m.b[rank - 2]);
  if (m.a[rank - 1] != m.b[rank - 2]) return targetFailed("sizes do not multiply");
  for (size_t d = 0; d + 2 < rank; ++d) m.y.push_back(std::max(m.a[d], m.b[d]));
  m.y.push_back(m.a[rank - 2]);
  m.y.push_back(m.b[rank - 1]);
  return m;
}

/// The stored tensor seen as matrices of these sizes.
static Desc storedAs(Dims dims, bool isTransposed) {
  const size_t rank = dims.size();
  if (!isTransposed) return plainDesc(dims);
  std::vector<int> swapped(rank);
  for (size_t d = 0; d < rank; ++d) swapped[d] = static_cast<int>(d);
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  std::swap(dims[rank - 1], dims[rank - 2]);
  return plainDesc(dims).permute_axes(swapped);
}

static bool isOneRow(const Dims& dims) {
  return std::all_of(dims.begin(), dims.end() - 1, [](int64_t size) { return size == 1; });
}

/// What is done to the product: factor, addend, the rest of the group. A row that is added is the
/// primitive's bias.
static bool appendEpilogue(Builder& builder, Group group, const Matrices& m, PostOps& postOps,
                           std::optional<Value>& bias, const Dims& biasDims) {
  if (m.alpha != 1) postOps.appendLinear(m.alpha);
  if (m.c != kAbsent) {
    const Dims c = builder.dimsOf(m.c);
    if (m.alpha == 1 && c.back() == biasDims.back() && isOneRow(c)) {
      bias = builder.readAs(m.c, biasDims);
    } else if (!postOps.appendAddend(m.c)) {
      return false;
    }
  }
  return postOps.appendAll(group);
}

static Built addInnerProduct(Builder& builder, Group group, const Matrices& m) {
  const OperatorT& op = *group.front();
  const int64_t columns = m.y.back(), depth = m.a.back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < m.y.size(); ++d) rows *= m.y[d];
  const Dims dims = {rows, columns};
  PostOps postOps(builder, dims);
  std::optional<Value> bias;
  if (!appendEpilogue(builder, group, m, postOps, bias, {columns})) return false;
  const dnnl::inner_product_forward::primitive_desc description(
      builder.engine(), dnnl::prop_kind::forward_inference, plainDesc({rows, depth}),
      anyDesc({columns, depth}), bias ? bias->desc : Desc(), plainDesc(dims), postOps.attributes(),
      /*allow_empty=*/true);
  if (!description || !isFast(description)) return false;
  const Desc stored = storedAs({columns, depth}, !m.transposesB);
  std::vector<std::pair<int, Value>> arguments = {
      {DNNL_ARG_SRC, builder.readAs(op.inputs[0], {rows, depth})},
      {DNNL_ARG_WEIGHTS, builder.readWeights(op.inputs[1], stored, description.weights_desc())}};
  if (bias) arguments.emplace_back(DNNL_ARG_BIAS, *bias);
  const Value result =
      postOps.finish(description, group.back()->outputs.front(), plainDesc(dims), arguments);
  arguments.emplace_back(DNNL_ARG_DST, result);
  builder.add(dnnl::inner_product_forward(description), description, arguments);
  return true;
}

/// An operand as it lies, transposed or not, where that has the rank of the product.
static Desc descOf(Builder& builder, int32_t tensor, const Dims& dims, bool isTransposed) {
  const Desc now = builder.descOf(tensor);
  const bool isOwn = !isTransposed && now.get_dims() == dims && now.get_inner_nblks() == 0;
  return isOwn ? now : storedAs(dims, isTransposed);
}

static Value readMatrix(Builder& builder, int32_t tensor, const Desc& desc) {
  if (builder.descOf(tensor) == desc) return builder.value(tensor);
  Value plain = builder.read(tensor, plainDesc(builder.dimsOf(tensor)));
  plain.desc = desc;
  return plain;
}

static Built addProduct(Builder& builder, Group group, const Matrices& m, bool asTheyLie,
                        const Desc& dst) {
  const OperatorT& op = *group.front();
  PostOps postOps(builder, m.y);
  std::optional<Value> bias;
  Dims biasDims(m.y.size(), 1);
  biasDims.back() = m.y.back();
  if (!appendEpilogue(builder, group, m, postOps, bias, biasDims)) return false;
  const Desc a =
      asTheyLie ? descOf(builder, op.inputs[0], m.a, m.transposesA) : storedAs(m.a, m.transposesA);
  const Desc b =
      asTheyLie ? descOf(builder, op.inputs[1], m.b, m.transposesB) : storedAs(m.b, m.transposesB);
  const dnnl::matmul::primitive_desc description(builder.engine(), a, b, bias ? bias->desc : Desc(),
                                                 dst, postOps.attributes(),
                                                 /*allow_empty=*/true);
  const bool mayBeSlow = !asTheyLie && group.size() == 1;
  if (!description || (!mayBeSlow && !isFast(description))) return false;
  std::vector<std::pair<int, Value>> arguments = {
      {DNNL_ARG_SRC, readMatrix(builder, op.inputs[0], a)},
      {DNNL_ARG_WEIGHTS, readMatrix(builder, op.inputs[1], b)}};
  if (bias) arguments.emplace_back(DNNL_ARG_BIAS, *bias);
  const Value result = postOps.finish(description, group.back()->outputs.front(), dst, arguments);
  arguments.emplace_back(DNNL_ARG_DST, result);
  builder.add(dnnl::matmul(description), description, arguments);
  return true;
}

Built buildProduct(Builder& builder, Group group) {
  const OperatorT& op = *group.front();
  TESSERA_TRY(const Matrices m, matricesOf(builder, op));
  const bool isMatrixB = builder.dimsOf(op.inputs[1]).size() == 2;
  if (isMatrixB && builder.isConstant(op.inputs[1]) && !m.transposesA) {
    TESSERA_TRY(const bool isBuilt, addInnerProduct(builder, group, m));
    if (isBuilt) return true;
  }
  const Desc plain = plainDesc(m.y);
  const std::optional<Desc> wanted = builder.formForReader(group.back()->outputs.front());
  if (wanted && wanted->get_dims() == m.y) {
    TESSERA_TRY(const bool isBuilt, addProduct(builder, group, m, /*asTheyLie=*/true, *wanted));
    if (isBuilt) return true;
  }
  TESSERA_TRY(const bool isBuilt, addProduct(builder, group, m, /*asTheyLie=*/true, plain));
  if (isBuilt) return true;
  return addProduct(builder, group, m, /*asTheyLie=*/false, plain);
}

}  // namespace tessera::backend_onednn
