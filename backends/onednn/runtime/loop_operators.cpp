// Operators that run as loops of our own.
#include <algorithm>

#include "backends/onednn/runtime/eltwise.h"
#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

/// Whether memory holds nothing but elements.
static bool isFull(const Desc& desc) {
  return isDense(desc) && desc.get_padded_dims() == desc.get_dims();
}

static Value readFull(Builder& builder, int32_t tensor) {
  const Value now = builder.value(tensor);
  return isFull(now.desc) ? now : builder.read(tensor, plainDesc(builder.dimsOf(tensor)));
}

static int64_t countOf(const Desc& desc) {
  return static_cast<int64_t>(desc.get_size() / sizeof(float));
}

/// Over `from`, when that is the operand's own memory and is not needed any more.
static Value defineLike(Builder& builder, int32_t output, int32_t input, const Value& from) {
  if (!builder.dies(input) || !(from.place == builder.value(input).place))
    return builder.define(output, from.desc);
  builder.defineOver(output, from);
  return from;
}

static Built addUnary(Builder& builder, const OperatorT& op, Loop& loop) {
  const int32_t input = op.inputs.front(), output = op.outputs.front();
  const Value from = readFull(builder, input);
  loop.rows = 1;
  loop.columns = countOf(from.desc);
  if (loop.function != Loop::Function::kKeepNan) {
    builder.add(loop, from, nullptr, defineLike(builder, output, input, from));
    return true;
  }
  const Value to = builder.define(output, from.desc);
  addEltwise(builder, *eltwiseOf(op), from, to);
  loop.strideB = 1;
  builder.add(loop, from, &to, to);
  return true;
}

/// Rows as long as they can be, such that each reads one number of the second operand, or as many
/// as it has columns.
static void cutIntoRows(const Dims& whole, const Dims& other, Loop& loop) {
  size_t outer = whole.size();
  loop.columns = 1;
  bool isRepeated = true, isOpen = true;
  while (outer > 0) {
    const size_t d = outer - 1;
    if (whole[d] != 1) {
      if (!isOpen && isRepeated != (other[d] == 1)) break;
      isRepeated = other[d] == 1;
      isOpen = false;
    }
    loop.columns *= whole[d];
    outer = d;
  }
  loop.strideB = isRepeated ? 0 : 1;
  loop.offsetB = {0};
  for (size_t d = 0; d < outer; ++d) {
    std::vector<int64_t> next;
    for (const int64_t number : loop.offsetB) {
      for (int64_t i = 0; i < whole[d]; ++i)
        next.push_back(number * other[d] + (other[d] == 1 ? 0 : i));
    }
    loop.offsetB = std::move(next);
  }
  loop.rows = static_cast<int64_t>(loop.offsetB.size());
  for (int64_t& offset : loop.offsetB) offset *= isRepeated ? 1 : loop.columns;
}

static Built addBinary(Builder& builder, const OperatorT& op, Loop& loop) {
  const int32_t output = op.outputs.front();
  const Dims dims = builder.dimsOf(output);
  int32_t whole = op.inputs[0], other = op.inputs[1];
  if (builder.dimsOf(whole) != dims) std::swap(whole, other);
  Dims otherDims = builder.dimsOf(other);
  bool fits = builder.dimsOf(whole) == dims && otherDims.size() <= dims.size();
  if (fits) otherDims.insert(otherDims.begin(), dims.size() - otherDims.size(), 1);
  for (size_t d = 0; fits && d < dims.size(); ++d)
    fits = otherDims[d] == dims[d] || otherDims[d] == 1;
  if (!fits) return targetFailed(op.name + ": its operands are repeated otherwise");
  Value a = readFull(builder, whole), b;
  if (otherDims == dims) {
    b = builder.read(other, a.desc);
    loop.rows = 1;
    loop.columns = countOf(a.desc);
    loop.strideB = 1;
  } else {
    a = builder.read(whole, plainDesc(dims));
    b = builder.readAs(other, otherDims);
    cutIntoRows(dims, otherDims, loop);
  }
  builder.add(loop, a, &b, defineLike(builder, output, whole, a));
  return true;
}

Built buildLoop(Builder& builder, const OperatorT& op, Loop loop) {
  return op.inputs.size() == 1 ? addUnary(builder, op, loop) : addBinary(builder, op, loop);
}

}  // namespace tessera::backend_onednn
