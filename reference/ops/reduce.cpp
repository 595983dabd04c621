// The Reduce family. Axes are input 1; without axes all are reduced, or none with
// noop_with_empty_axes. Sums and products of floats are accumulated in double; those of integers
// wrap. Roots, logarithms and means of integers are computed in double and truncated.
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/loops/arithmetic.h"
#include "reference/loops/convert.h"
#include "reference/loops/reduction.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference {

Reduction planReduction(std::span<const int64_t> shape, std::span<const int64_t> axes,
                        bool keepDims) {
  const std::vector<int64_t> strides = rowMajorStrides(shape);
  Reduction plan;
  Shape keptShape, reducedShape;
  std::vector<int64_t> keptStrides, reducedStrides;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool isReduced = std::ranges::count(axes, static_cast<int64_t>(d)) > 0;
    (isReduced ? reducedShape : keptShape).push_back(shape[d]);
    (isReduced ? reducedStrides : keptStrides).push_back(strides[d]);
    if (!isReduced)
      plan.shape.push_back(shape[d]);
    else if (keepDims)
      plan.shape.push_back(1);
  }
  forEachIndex(keptShape, [&](auto index) { plan.kept.push_back(offsetOf(index, keptStrides)); });
  forEachIndex(reducedShape,
               [&](auto index) { plan.reduced.push_back(offsetOf(index, reducedStrides)); });
  return plan;
}

namespace ops {

static Result<Reduction> parseReduction(const OpCall& call, const TensorView& x) {
  TESSERA_TRY(const bool keepDims, flagOr(call, "keepdims", true));
  TESSERA_TRY(const bool noopWhenEmpty, flagOr(call, "noop_with_empty_axes", false));
  std::vector<int64_t> axes;
  if (hasInput(call, 1)) {
    TESSERA_TRY(axes, integerInput(call, 1));
    TESSERA_TRY(axes, normalizeAxes(call, axes, x.rank()));
  }
  if (axes.empty() && !noopWhenEmpty) {
    axes.resize(x.shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  return planReduction(x.shape, axes, keepDims);
}

/// State: double or uint64_t. step(state, x) sees x in its own type.
template <typename Step>
static OpResult accumulate(const OpCall& call, int initial, Step step) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const Reduction plan, parseReduction(call, x));
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    return reduceGroups<T>(call, x, plan, static_cast<Accumulator<T>>(initial), step,
                           [](auto state, int64_t) { return static_cast<T>(state); });
  });
}

/// As accumulate, in double for every type; finish(state, count) is the real result.
template <typename Step, typename Finish>
static OpResult accumulateReal(const OpCall& call, Step step, Finish finish) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const Reduction plan, parseReduction(call, x));
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    return reduceGroups<T>(
        call, x, plan, 0.0,
        [&](double state, T value) { return step(state, static_cast<double>(value)); },
        [&](double state, int64_t count) { return convertTo<T>(finish(state, count)); });
  });
}

OpResult reduceSum(const OpCall& call) {
  return accumulate(call, 0,
                    []<typename S>(S state, auto x) -> S { return state + static_cast<S>(x); });
}

OpResult reduceProd(const OpCall& call) {
  return accumulate(call, 1,
                    []<typename S>(S state, auto x) -> S { return state * static_cast<S>(x); });
}

OpResult reduceSumSquare(const OpCall& call) {
  return accumulate(call, 0, []<typename S>(S state, auto x) -> S {
    return state + static_cast<S>(x) * static_cast<S>(x);
  });
}

OpResult reduceL1(const OpCall& call) {
  return accumulate(call, 0, []<typename S, typename T>(S state, T x) -> S {
    return x < T{0} ? state - static_cast<S>(x) : state + static_cast<S>(x);
  });
}

OpResult reduceL2(const OpCall& call) {
  return accumulateReal(
      call, [](double state, double x) { return state + x * x; },
      [](double state, int64_t) { return std::sqrt(state); });
}

OpResult reduceMean(const OpCall& call) {
  return accumulateReal(
      call, [](double state, double x) { return state + x; },
      [](double state, int64_t count) { return state / static_cast<double>(count); });
}

OpResult reduceLogSum(const OpCall& call) {
  return accumulateReal(
      call, [](double state, double x) { return state + x; },
      [](double state, int64_t) { return std::log(state); });
}

/// log(sum(exp(x))), shifted by the maximum so that nothing overflows.
OpResult reduceLogSumExp(const OpCall& call) {
  struct State {
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0;  ///< Of exp(x - max).
  };
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const Reduction plan, parseReduction(call, x));
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    return reduceGroups<T>(
        call, x, plan, State{},
        [](State state, T value) -> State {
          const auto v = static_cast<double>(value);
          const double max = arithmetic::max(state.max, v);
          if (std::isinf(max)) return {.max = max, .sum = max > 0 ? 1.0 : 0.0};
          return {.max = max, .sum = state.sum * std::exp(state.max - max) + std::exp(v - max)};
        },
        [](State state, int64_t) { return convertTo<T>(state.max + std::log(state.sum)); });
  });
}

/// The extreme of nothing is the identity of `step`: an infinity, or the type's limit.
template <typename Step>
static OpResult reduceExtreme(const OpCall& call, bool wantMax, Step step) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const Reduction plan, parseReduction(call, x));
  return dispatch(call, x.type, AllTypes{}, [&]<typename T>() -> OpResult {
    T initial;
    if constexpr (std::is_same_v<T, Boolean>) {
      initial = !wantMax;
    } else if constexpr (std::is_floating_point_v<T>) {
      initial = wantMax ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    } else {
      initial = wantMax ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    }
    return reduceGroups<T>(call, x, plan, initial, step, [](T state, int64_t) { return state; });
  });
}

OpResult reduceMax(const OpCall& call) {
  return reduceExtreme(call, true, []<typename T>(T a, T b) { return arithmetic::max(a, b); });
}

OpResult reduceMin(const OpCall& call) {
  return reduceExtreme(call, false, []<typename T>(T a, T b) { return arithmetic::min(a, b); });
}

/// NaN beats every number, in either direction.
template <typename T, typename Beats>
static bool isBetter(T candidate, T champion, Beats beats) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(candidate) || std::isnan(champion)) return !std::isnan(champion);
  }
  return beats(candidate, champion);
}

/// Position of the first (or last) element along one axis that no other beats.
template <typename Beats>
static OpResult argExtreme(const OpCall& call, Beats beats) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 0));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  TESSERA_TRY(const bool keepDims, flagOr(call, "keepdims", true));
  TESSERA_TRY(const bool selectLast, flagOr(call, "select_last_index", false));
  if (x.shape[axis] == 0) return opError(call, "axis " + std::to_string(axis) + " is empty");
  const Reduction plan = planReduction(x.shape, std::span(&axis, 1), keepDims);
  TESSERA_TRY(Tensor y, makeTensor(call, ElementType::kI64, plan.shape));
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    const T* in = x.as<T>().data();
    int64_t* out = y.as<int64_t>().data();
    for (const int64_t base : plan.kept) {
      size_t best = 0;
      for (size_t i = 1; i < plan.reduced.size(); ++i) {
        const T candidate = in[base + plan.reduced[i]], champion = in[base + plan.reduced[best]];
        const bool isWorse = isBetter(champion, candidate, beats);
        if (selectLast ? !isWorse : isBetter(candidate, champion, beats)) best = i;
      }
      *out++ = static_cast<int64_t>(best);
    }
    return outputs(std::move(y));
  });
}

OpResult argmax(const OpCall& call) {
  return argExtreme(call, [](auto candidate, auto champion) { return candidate > champion; });
}

OpResult argmin(const OpCall& call) {
  return argExtreme(call, [](auto candidate, auto champion) { return candidate < champion; });
}

}  // namespace ops
}  // namespace tessera::reference
