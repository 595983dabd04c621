// Which elements a reduction combines.
#pragma once

#include "reference/loops/dispatch.h"

namespace tessera::reference {

/// Output element i combines the input elements at kept[i] + reduced[r] for all r.
struct Reduction {
  Shape shape;
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
};

/// For a tensor of shape `shape`, reduced over `axes` (normalised); a reduced size is 1 in the
/// result, or left out without `keepDims`.
Reduction planReduction(std::span<const int64_t> shape, std::span<const int64_t> axes,
                        bool keepDims);

/// y[i] = finish(step(... step(initial, x) ...), number of elements) over each group, in the
/// state's type.
template <typename T, typename State, typename Step, typename Finish>
OpResult reduceGroups(const OpCall& call, const TensorView& x, const Reduction& plan, State initial,
                      Step step, Finish finish) {
  TESSERA_TRY(Tensor y, makeTensor(call, elementTypeOf<T>(), plan.shape));
  const T* in = x.as<T>().data();
  T* out = y.as<T>().data();
  for (const int64_t base : plan.kept) {
    State state = initial;
    for (const int64_t offset : plan.reduced) state = step(state, in[base + offset]);
    *out++ = finish(state, static_cast<int64_t>(plan.reduced.size()));
  }
  return outputs(std::move(y));
}

}  // namespace tessera::reference
