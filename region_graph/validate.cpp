#include "region_graph/validate.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/limits.h"
#include "tessera/element_type.h"

namespace tessera::region_graph {

static Error malformed(const GraphT& graph, const std::string& what) {
  return invalidInput("region graph '" + graph.name + "': " + what);
}

/// Whether `dims` are positions of [0, rank), each once.
static bool areDistinctDims(const std::vector<int64_t>& dims, size_t rank) {
  const std::set<int64_t> distinct(dims.begin(), dims.end());
  return distinct.size() == dims.size() &&
         (distinct.empty() ||
          (*distinct.begin() >= 0 && *distinct.rbegin() < static_cast<int64_t>(rank)));
}

/// Whether the memory of a tensor of these sizes can be counted in bytes.
static bool isCountable(const std::vector<int64_t>& dims, const std::vector<int64_t>& blockSizes) {
  int64_t count = 1;
  for (const std::vector<int64_t>* sizes : {&dims, &blockSizes}) {
    for (const int64_t size : *sizes) {
      if (size < -1 || __builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count) ||
          count > base::kMaxElements)
        return false;
    }
  }
  return true;
}

static const char* whyBadTensor(const TensorT& tensor) {
  const size_t rank = tensor.dims.size();
  if (elementSizeBytes(static_cast<ElementType>(tensor.element_type)) == 0)
    return "has no element type";
  if (rank > base::kMaxRank || !isCountable(tensor.dims, tensor.block_sizes))
    return "has sizes that cannot be";
  if (tensor.block_dims.size() != tensor.block_sizes.size() ||
      !areDistinctDims(tensor.block_dims, rank) ||
      std::ranges::any_of(tensor.block_sizes, [](int64_t size) { return size < 1; }))
    return "has blocks that cannot be";
  if (!tensor.order.empty() &&
      (tensor.order.size() != rank || !areDistinctDims(tensor.order, rank)))
    return "has an order that is none";
  if (!tensor.data.empty() && static_cast<int64_t>(tensor.data.size()) != sizeBytes(tensor))
    return "is a constant of another size";
  return nullptr;
}

namespace {

/// Follows the operators of one graph: which tensors have a value, and who reads them.
class Flow {
 public:
  explicit Flow(const GraphT& graph)
      : graph_(graph), isDefined_(graph.tensors.size()), numReads_(graph.tensors.size()) {}

  Status run() {
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (const char* why = whyBadTensor(*graph_.tensors[i]))
        return malformed(graph_, "tensor " + std::to_string(i) + " " + why);
      isDefined_[i] = !graph_.tensors[i]->data.empty();
    }
    for (const int32_t argument : graph_.arguments) {
      if (!define(argument)) return malformed(graph_, "an argument is no tensor of its own");
    }
    for (const auto& op : graph_.operators) TESSERA_TRY_VOID(checkOperator(*op));
    for (const int32_t result : graph_.results) {
      if (!read(result)) return malformed(graph_, "a result is not computed");
    }
    return checkGroups();
  }

 private:
  bool isTensor(int32_t index) const {
    return index >= 0 && static_cast<size_t>(index) < isDefined_.size();
  }
  bool define(int32_t index) {
    if (!isTensor(index) || isDefined_[static_cast<size_t>(index)]) return false;
    isDefined_[static_cast<size_t>(index)] = true;
    return true;
  }
  bool read(int32_t index) {
    if (!isTensor(index) || !isDefined_[static_cast<size_t>(index)]) return false;
    ++numReads_[static_cast<size_t>(index)];
    return true;
  }

  Status checkOperator(const OperatorT& op) {
    const OperatorInfo* info = operatorInfo(op.name);
    if (info == nullptr) return malformed(graph_, "there is no operator '" + op.name + "'");
    if (op.inputs.size() < info->leastInputs || op.inputs.size() > info->mostInputs ||
        op.outputs.empty() || op.attributes.type != info->attributes ||
        (info->attributes != Attributes_NONE && op.attributes.value == nullptr))
      return malformed(graph_, op.name + " has other operands or attributes than it must");
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const bool isOptional = i >= info->leastInputs;
      if (!(isOptional && op.inputs[i] == kAbsent) && !read(op.inputs[i]))
        return malformed(graph_, op.name + " reads what is not computed");
    }
    bool hasResult = false;
    for (const int32_t output : op.outputs) {
      if (output == kAbsent) continue;
      hasResult = true;
      if (!define(output)) return malformed(graph_, op.name + " computes what there is already");
    }
    if (!hasResult) return malformed(graph_, op.name + " has no result");
    return validateAttributes(graph_, op);
  }

  Status checkGroups() const {
    const OperatorT* previous = nullptr;
    for (const auto& op : graph_.operators) {
      if (previous == nullptr ? op->group != 0
                              : op->group != previous->group && op->group != previous->group + 1)
        return malformed(graph_, "its groups are not in order");
      if (previous != nullptr && op->group == previous->group) {
        const int32_t chained = previous->outputs.front();
        if (chained == kAbsent || std::ranges::count(op->inputs, chained) != 1 ||
            numReads_[static_cast<size_t>(chained)] != 1)
          return malformed(graph_, op->name + " does not continue its group");
      }
      previous = op.get();
    }
    return {};
  }

  const GraphT& graph_;
  std::vector<bool> isDefined_;
  std::vector<uint32_t> numReads_;
};

}  // namespace

Status validate(const ProgramT& program) {
  std::set<std::string> names;
  for (const auto& graph : program.graphs) {
    if (graph->name.empty() || !names.insert(graph->name).second)
      return invalidInput("region graph names '" + graph->name + "' twice or not at all");
    TESSERA_TRY_VOID(Flow(*graph).run());
  }
  return {};
}

}  // namespace tessera::region_graph
