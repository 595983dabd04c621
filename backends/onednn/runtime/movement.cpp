// Views, which cost nothing but where a reshape needs rows in order, and concatenation.
#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

Built buildReshaping(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const int32_t output = op.outputs.front();
  builder.alias(output, builder.readAs(op.inputs.front(), builder.dimsOf(output)));
  return true;
}

/// Forms of values are free inside of a region: what it says about an order matters at borders.
Built buildRelayout(Builder& builder, Group alone) {
  builder.alias(alone.front()->outputs.front(), builder.value(alone.front()->inputs.front()));
  return true;
}

/// The value, row-major where it lies in blocks: views of those do not exist.
static Value readUnblocked(Builder& builder, int32_t tensor) {
  const Value now = builder.value(tensor);
  return now.desc.get_inner_nblks() == 0 ? now
                                         : builder.read(tensor, plainDesc(builder.dimsOf(tensor)));
}

Built buildTranspose(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const std::vector<int64_t>& axes = op.attributes.AsAxes()->axes;
  Value from = readUnblocked(builder, op.inputs.front());
  std::vector<int> permutation(axes.size());
  for (size_t i = 0; i < axes.size(); ++i)
    permutation[static_cast<size_t>(axes[i])] = static_cast<int>(i);
  if (!axes.empty()) from.desc = from.desc.permute_axes(permutation);
  builder.alias(op.outputs.front(), from);
  return true;
}

Built buildSlice(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const auto& slice = *op.attributes.AsSlice();
  for (const int64_t step : slice.steps) {
    if (step != 1) return targetFailed("a slice has steps");
  }
  Value from = readUnblocked(builder, op.inputs.front());
  from.desc = from.desc.submemory_desc(builder.dimsOf(op.outputs.front()), slice.starts);
  builder.alias(op.outputs.front(), from);
  return true;
}

static bool addConcat(Builder& builder, const OperatorT& op, const Desc* like) {
  const auto axis = static_cast<int>(op.attributes.AsAxes()->axes.front());
  std::vector<Value> parts;
  std::vector<Desc> descs;
  for (const int32_t input : op.inputs) {
    const Desc plain = plainDesc(builder.dimsOf(input));
    const Value now = builder.value(input);
    parts.push_back(like != nullptr && isDense(now.desc) ? now : builder.read(input, plain));
    descs.push_back(parts.back().desc);
  }
  const dnnl::concat::primitive_desc description(builder.engine(), axis, descs,
                                                 Builder::attributes());
  if (like != nullptr && !isFast(description)) return false;
  std::vector<std::pair<int, Value>> arguments;
  for (size_t i = 0; i < parts.size(); ++i)
    arguments.emplace_back(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), parts[i]);
  arguments.emplace_back(DNNL_ARG_DST, builder.define(op.outputs.front(), description.dst_desc()));
  builder.add(dnnl::concat(description), description, arguments);
  return true;
}

Built buildConcat(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  if (op.attributes.AsAxes()->axes.size() != 1) return targetFailed("a concat has no axis");
  const Desc first = builder.descOf(op.inputs.front());
  return addConcat(builder, op, &first) || addConcat(builder, op, nullptr);
}

}  // namespace tessera::backend_onednn
