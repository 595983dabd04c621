#include "backends/onednn/runtime/post_ops.h"

#include <algorithm>
#include <numeric>

#include "backends/onednn/runtime/eltwise.h"

namespace tessera::backend_onednn {

using region_graph::kAbsent;

static int64_t countOf(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

dnnl::primitive_attr PostOps::attributes() const {
  dnnl::primitive_attr attributes = Builder::attributes();
  attributes.set_post_ops(ops_);
  return attributes;
}

void PostOps::appendLinear(float factor) {
  ops_.append_eltwise(dnnl::algorithm::eltwise_linear, factor, 0);
}

/// The sizes of an operand beside the primitive's result: 1 where it is repeated. Nothing where it
/// does not fit.
std::optional<Dims> PostOps::dimsUnder(int32_t tensor) const {
  Dims dims = builder_.dimsOf(tensor);
  if (countOf(dims) == countOf(dims_)) return dims_;
  while (dims.size() > dims_.size() && dims.front() == 1) dims.erase(dims.begin());
  if (dims.size() > dims_.size()) return std::nullopt;
  dims.insert(dims.begin(), dims_.size() - dims.size(), 1);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1 && dims[d] != dims_[d]) return std::nullopt;
  }
  return dims;
}

bool PostOps::appendAddend(int32_t tensor) {
  const std::optional<Dims> dims = dimsUnder(tensor);
  if (!dims) return false;
  operands_.push_back({.index = ops_.len(), .tensor = tensor});
  ops_.append_binary(dnnl::algorithm::binary_add, plainDesc(*dims));
  return true;
}

/// Whether the primitive may add to the operand's memory: nobody needs it afterwards, and the
/// primitive reads nothing else of it.
bool PostOps::canSum(int32_t tensor, Group group) const {
  if (summed_ != kAbsent || ops_.len() != 0 || !builder_.diesAfter(tensor, group)) return false;
  const Place place = builder_.value(tensor).place;
  int reads = 0;
  for (const OperatorT* op : group) {
    for (const int32_t input : op->inputs) {
      if (input != kAbsent && builder_.isKnown(input) && builder_.value(input).place == place)
        ++reads;
    }
  }
  return reads == 1;
}

bool PostOps::appendBinary(const OperatorT& op, int32_t chained, Group group) {
  const auto algorithm = binaryOf(op);
  if (!algorithm) return false;
  const bool isFirst = op.inputs[0] == chained;
  if (!isFirst && (op.name == "sub" || op.name == "div")) return false;
  const int32_t other = op.inputs[isFirst ? 1 : 0];
  const Dims whole = builder_.dimsOf(op.outputs.front());
  if (whole != builder_.dimsOf(chained)) return false;  // The result would grow.
  // Where the primitive has other sizes than the tensor, only what is repeated over all but the
  // last dimension, or not at all, means the same.
  std::optional<Dims> dims;
  const Dims own = builder_.dimsOf(other);
  const bool isWhole = countOf(own) == countOf(whole);
  if (isWhole) {
    dims = dims_;
  } else if (dims_ == whole || countOf(own) == own.back()) {
    dims = dimsUnder(other);
  }
  if (!dims) return false;
  if (op.name == "add" && isWhole && canSum(other, group)) {
    summed_ = other;
    ops_.append_sum(1.0F);
    return true;
  }
  repeatsAny_ |= !isWhole;
  operands_.push_back({.index = ops_.len(), .tensor = other});
  ops_.append_binary(*algorithm, isWhole ? anyDesc(*dims) : plainDesc(*dims));
  return true;
}

bool PostOps::appendAll(Group group) {
  for (size_t i = 1; i < group.size(); ++i) {
    const OperatorT& op = *group[i];
    if (const auto eltwise = eltwiseOf(op)) {
      ops_.append_eltwise(eltwise->algorithm, eltwise->alpha, eltwise->beta);
    } else if (!appendBinary(op, group[i - 1]->outputs.front(), group)) {
      return false;
    }
  }
  return true;
}

Value PostOps::finish(const dnnl::primitive_desc_base& primitive, int32_t output, const Desc& desc,
                      std::vector<std::pair<int, Value>>& arguments) {
  for (const Operand& operand : operands_) {
    const int number = DNNL_ARG_ATTR_MULTIPLE_POST_OP(operand.index) | DNNL_ARG_SRC_1;
    const Desc wanted = primitive.query_md(dnnl::query::exec_arg_md, number);
    arguments.emplace_back(number, builder_.read(operand.tensor, wanted));
  }
  if (summed_ == kAbsent) return builder_.define(output, desc);
  const Value residual = builder_.read(summed_, desc);
  Value result = residual;
  // Under the tensor's own sizes where the primitive has others: it is row-major then.
  if (desc.get_dims() != builder_.dimsOf(output)) result.desc = plainDesc(builder_.dimsOf(output));
  builder_.defineOver(output, result);
  return residual;
}

}  // namespace tessera::backend_onednn
