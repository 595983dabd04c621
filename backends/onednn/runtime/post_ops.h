// What follows the head of a group, as post-ops of its primitive.
#pragma once

#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

class PostOps {
 public:
  /// For a primitive whose result has the sizes `dims`, with as many elements as the tensor.
  PostOps(Builder& builder, Dims dims) : builder_(builder), dims_(std::move(dims)) {}

  /// Appends the operators behind the head; false when one is none that a primitive can do.
  bool appendAll(Group group);
  void appendLinear(float factor);
  /// A tensor that is added, repeated where it is smaller; false when it cannot be.
  bool appendAddend(int32_t tensor);

  /// Whether an operand of theirs is smaller than the result.
  bool repeatsAny() const { return repeatsAny_; }
  dnnl::primitive_attr attributes() const;

  /// With the primitive made: the operands of the post-ops are added to `arguments`, and memory for
  /// `output` is found, a summed one's where there is one. Returns the result.
  Value finish(const dnnl::primitive_desc_base& primitive, int32_t output, const Desc& desc,
               std::vector<std::pair<int, Value>>& arguments);

 private:
  struct Operand {
    int index;  ///< Among the post-ops.
    int32_t tensor;
  };
  bool appendBinary(const OperatorT& op, int32_t chained, Group group);
  std::optional<Dims> dimsUnder(int32_t tensor) const;
  bool canSum(int32_t tensor, Group group) const;

  Builder& builder_;
  Dims dims_;
  dnnl::post_ops ops_;
  std::vector<Operand> operands_;
  int32_t summed_ = region_graph::kAbsent;
  bool repeatsAny_ = false;
};

}  // namespace tessera::backend_onednn
