// Functions of two operands, the second repeated where it is smaller; what follows is fused.
#include <algorithm>

#include "backends/onednn/runtime/eltwise.h"
#include "backends/onednn/runtime/post_ops.h"

namespace tessera::backend_onednn {

/// The sizes of `tensor` with ones in front.
static Dims paddedDims(const Builder& builder, int32_t tensor, size_t rank) {
  Dims dims = builder.dimsOf(tensor);
  dims.insert(dims.begin(), rank - dims.size(), 1);
  return dims;
}

namespace {

struct Pair {
  int32_t whole;  ///< Has the result's sizes.
  int32_t other;
};

}  // namespace

static Result<Pair> operandsOf(const Builder& builder, const OperatorT& op) {
  const Dims dims = builder.dimsOf(op.outputs.front());
  if (builder.dimsOf(op.inputs[0]) == dims) return Pair{op.inputs[0], op.inputs[1]};
  const bool commutes = op.name != "sub" && op.name != "div";
  if (commutes && builder.dimsOf(op.inputs[1]) == dims) return Pair{op.inputs[1], op.inputs[0]};
  return targetFailed(op.name + ": its first operand is repeated");
}

/// Where each channel of each sample is one element, or the form is none of images, oneDNN 3.x
/// takes the operand of a post-op that is repeated from the wrong place (jit:uni, seen by the
/// conformance kit).
static bool isMistaken(const PostOps& postOps, const Desc& form) {
  const Dims dims = form.get_dims();
  if (!postOps.repeatsAny()) return false;
  const auto isOne = [](dnnl_dim_t size) { return size == 1; };
  const bool isKnown = form.get_inner_nblks() > 0 || form == plainDesc(dims) ||
                       (dims.size() > 2 && form == channelsLastDesc(dims));
  return !isKnown || (dims.size() > 2 && std::all_of(dims.begin() + 2, dims.end(), isOne));
}

static Built addBinary(Builder& builder, Group group, Pair pair, const Desc& form) {
  const OperatorT& op = *group.front();
  const int32_t output = group.back()->outputs.front();
  PostOps postOps(builder, form.get_dims());
  if (!postOps.appendAll(group) || isMistaken(postOps, form)) return false;
  const Dims otherDims = paddedDims(builder, pair.other, form.get_dims().size());
  const bool isWhole = otherDims == form.get_dims();
  const Desc otherDesc = isWhole ? form : plainDesc(otherDims);
  const dnnl::binary::primitive_desc description(builder.engine(), *binaryOf(op), form, otherDesc,
                                                 form, postOps.attributes(),
                                                 /*allow_empty=*/true);
  const bool isPlain = form == plainDesc(form.get_dims());
  const bool mayBeSlow = isPlain && group.size() == 1;
  if (!description || (!mayBeSlow && !isFast(description))) return false;
  const Value first = builder.read(pair.whole, form);
  const Value second = builder.read(pair.other, otherDesc);
  std::vector<std::pair<int, Value>> arguments = {{DNNL_ARG_SRC_0, first},
                                                  {DNNL_ARG_SRC_1, second}};
  Value result;
  if (group.size() == 1 && builder.dies(pair.whole) &&
      first.place == builder.value(pair.whole).place && !(first.place == second.place)) {
    builder.defineOver(output, first);
    result = first;
  } else {
    result = postOps.finish(description, output, form, arguments);
  }
  arguments.emplace_back(DNNL_ARG_DST, result);
  builder.add(dnnl::binary(description), description, arguments);
  return true;
}

Built buildBinary(Builder& builder, Group group) {
  TESSERA_TRY(const Pair pair, operandsOf(builder, *group.front()));
  const Desc plain = plainDesc(builder.dimsOf(pair.whole));
  Desc form = builder.descOf(pair.whole);
  const Desc other = builder.descOf(pair.other);
  // Two values of one size meet in the form that is not row-major, which some kernel chose.
  if (form == plain && other.get_dims() == plain.get_dims()) form = other;
  if (isDense(form) && form != plain) {
    TESSERA_TRY(const bool isBuilt, addBinary(builder, group, pair, form));
    if (isBuilt) return true;
  }
  return addBinary(builder, group, pair, plain);
}

}  // namespace tessera::backend_onednn
