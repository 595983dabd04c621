// Turns a region graph into a program: operators ask for their operands in the form that their
// primitive wants; what differs is reordered, once where it is constant.
#pragma once

#include <optional>
#include <span>

#include "backends/onednn/runtime/constants.h"
#include "tessera/status.h"

namespace tessera::backend_onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using OperatorT = region_graph::OperatorT;
/// Operators that run as one where a primitive can, the head first.
using Group = std::span<const OperatorT* const>;

/// Row-major f32 of these sizes.
Desc plainDesc(const Dims& dims);
/// Row-major but for dimension 1 of at least two, the channels, which is innermost.
Desc channelsLastDesc(const Dims& dims);
/// f32 whose physical form the primitive chooses.
Desc anyDesc(const Dims& dims);
/// Whether elements lie without gaps from the first byte on, padding of blocks aside.
bool isDense(const Desc& desc);
/// Whether the library has a kernel for it beyond the one that defines its meaning.
bool isFast(const dnnl::primitive_desc_base& primitive);

class Builder {
 public:
  Builder(const region_graph::GraphT& graph, Constants& constants, const dnnl::engine& engine);

  /// The program of the graph. Errors (kTargetFailed): what the library cannot do.
  Result<std::unique_ptr<Program>> build();

  // What operators call.

  const dnnl::engine& engine() const { return engine_; }
  /// Logical sizes; a scalar counts as one element of rank 1.
  Dims dimsOf(int32_t tensor) const;
  bool isConstant(int32_t tensor) const { return constants_.isConstant(tensor); }
  /// The form in which the value lies, constants as they are stored.
  Desc descOf(int32_t tensor) const;
  /// The value in that form.
  Value value(int32_t tensor);
  /// The value in this form, through a reorder where it lies in another one. Under other sizes than
  /// its own, of as many elements, it is seen row-major.
  Value read(int32_t tensor, const Desc& wanted);
  /// In the form it has, or row-major where that has gaps.
  Value readDense(int32_t tensor);
  /// Row-major, under other sizes of as many elements.
  Value readAs(int32_t tensor, const Dims& dims) { return read(tensor, plainDesc(dims)); }
  /// An operand that is constant as a rule: `stored` is how its row-major bytes are to be seen.
  Value readWeights(int32_t tensor, const Desc& stored, const Desc& wanted);
  /// What is assembled from an operand, once where that is constant.
  Value readAssembled(int32_t tensor, const Assembly& assembly, const Desc& wanted);
  Value zeros(const Desc& desc);
  /// Memory for a result, whose form is `desc`; under other sizes when it is row-major.
  Value define(int32_t tensor, const Desc& desc);
  /// The result is written over another value, which is not needed any more.
  void defineOver(int32_t tensor, const Value& over);
  /// The result is a value that is there, seen in another way.
  void alias(int32_t tensor, const Value& value) {
    checkCount(tensor, value.desc);
    store(tensor, value);
  }
  bool isKnown(int32_t tensor) const { return isDefined_[static_cast<size_t>(tensor)]; }
  /// Whether the memory of `tensor` is the workspace's, and what it holds is not needed after the
  /// operator that is being built.
  bool dies(int32_t tensor) { return diesAfter(tensor, {}); }
  /// The same after a group whose reads still count.
  bool diesAfter(int32_t tensor, Group group);
  /// The form in blocks that the value has, or is to have, at a border of the region.
  std::optional<Desc> blockedBorder(int32_t tensor);
  /// The form in which the one reader of a value, a transposition, would find rows in order;
  /// nothing where others read it.
  std::optional<Desc> formForReader(int32_t tensor) const;
  /// A piece of the workspace.
  Value scratch(const Desc& desc);
  /// A copy of `from` in another form.
  Value reordered(const Value& from, const Desc& wanted);

  void add(const dnnl::primitive& primitive, const dnnl::primitive_desc_base& description,
           const std::vector<std::pair<int, Value>>& arguments) {
    program_->add(primitive, arguments, description.scratchpad_desc());
  }

  void add(const Loop& loop, const Value& a, const Value* b, const Value& y) {
    program_->add(loop, a, b, y);
  }

  /// Attributes that every primitive gets: scratchpads are the workspace's.
  static dnnl::primitive_attr attributes();

 private:
  struct Conversion {
    Place from;
    Desc fromDesc;
    Value to;
  };
  Status buildGroup(Group group);
  void countReads(int change, Group group);
  void store(int32_t tensor, const Value& value);
  /// Nothing may be seen under sizes of more or fewer elements: the blob's sizes are not trusted.
  void checkCount(int32_t tensor, const Desc& desc);
  void forgetConversions(Place place);
  Desc declaredDesc(int32_t tensor);
  std::optional<Value> outputOf(int32_t tensor);
  void copyResults();

  const region_graph::GraphT& graph_;
  Constants& constants_;
  dnnl::engine engine_;
  std::unique_ptr<Program> program_;
  std::vector<Value> values_;
  std::vector<bool> isDefined_;
  std::vector<int> readsLeft_;
  std::vector<Conversion> conversions_;
  bool fits_ = true;  ///< What was found so far of sizes and orders.
};

}  // namespace tessera::backend_onednn
