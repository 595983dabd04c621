// max_pool, average_pool, lp_pool and the global pools. Averages and norms are computed in double.
#include <cmath>
#include <limits>

#include "reference/loops/convert.h"
#include "reference/loops/reduction.h"
#include "reference/loops/strided.h"
#include "reference/loops/window.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// A pool's input [N, C, spatial...] and its windows.
struct Pool {
  TensorView x;
  Window window;
  SourceTable table;
  Shape outputShape;
  int64_t planes;       ///< N * C
  int64_t inPositions;  ///< Elements of one plane.
  int64_t outPositions;
};

static Result<Pool> parsePool(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  if (x.rank() < 3)
    return opError(call, "input has shape " + toText(x.shape) + ", expected rank 3 or more");
  TESSERA_TRY(Shape kernel, attributeOr<Shape>(call, "kernel_shape", {}));
  TESSERA_TRY(const bool ceilMode, flagOr(call, "ceil_mode", false));
  TESSERA_TRY(Window window, parseWindow(call, x.shape.subspan(2), std::move(kernel), ceilMode));
  TESSERA_TRY(SourceTable table, SourceTable::forWindow(call, window));
  Shape shape = {x.shape[0], x.shape[1]};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  const int64_t inPositions = elementCount(window.input),
                outPositions = elementCount(window.output);
  return Pool{.x = x,
              .window = std::move(window),
              .table = std::move(table),
              .outputShape = std::move(shape),
              .planes = x.shape[0] * x.shape[1],
              .inPositions = inPositions,
              .outPositions = outPositions};
}

/// Calls visit(position, index, offsets) for each output position: its number and index, and where
/// its window sees real input elements within a plane.
template <typename Visit>
static void forEachWindow(const Pool& pool, Visit visit) {
  std::vector<int64_t> offsets;
  int64_t position = 0;
  forEachIndex(pool.window.output, [&](std::span<const int64_t> index) {
    offsets.clear();
    for (const Shape& tap : pool.table.taps()) {
      if (const int64_t offset = pool.table.offset(index, tap); offset >= 0)
        offsets.push_back(offset);
    }
    visit(position++, index, std::span<const int64_t>(offsets));
  });
}

/// The offset within a plane counted with the first spatial dimension fastest.
static int64_t columnMajorOffset(int64_t offset, const Shape& sizes) {
  int64_t result = 0, stride = elementCount(sizes);
  for (size_t d = sizes.size(); d-- > 0; offset /= sizes[d]) {
    stride /= sizes[d];
    result += offset % sizes[d] * stride;
  }
  return result;
}

/// Output 1, Indices, counts over the whole input tensor. The padding never wins: where a window
/// sees nothing else, there is no winner, -1.
OpResult maxPool(const OpCall& call) {
  TESSERA_TRY(const Pool pool, parsePool(call));
  TESSERA_TRY(const bool columnMajor, flagOr(call, "storage_order", false));
  TESSERA_TRY(Tensor y, makeTensor(call, pool.x.type, pool.outputShape));
  TESSERA_TRY(Tensor indices, makeTensor(call, ElementType::kI64, pool.outputShape));
  return dispatch(
      call, pool.x.type, TypeList<float, double, int8_t, uint8_t>{}, [&]<typename T>() -> OpResult {
        using Limits = std::numeric_limits<T>;
        forEachWindow(pool, [&](int64_t position, std::span<const int64_t>,
                                std::span<const int64_t> offsets) {
          for (int64_t plane = 0; plane < pool.planes; ++plane) {
            const T* in = pool.x.as<T>().data() + plane * pool.inPositions;
            T best = std::is_floating_point_v<T> ? -Limits::infinity() : Limits::lowest();
            int64_t bestOffset = offsets.empty() ? -1 : offsets[0];
            for (const int64_t offset : offsets) {
              const T value = in[offset];
              // NOLINTNEXTLINE(misc-redundant-expression): NaN, of types that have one.
              if (value > best || value != value) {
                best = value;
                bestOffset = offset;
              }
            }
            y.as<T>()[plane * pool.outPositions + position] = best;
            int64_t& index = indices.as<int64_t>()[plane * pool.outPositions + position];
            index = bestOffset;
            if (index < 0) continue;
            if (columnMajor) index = columnMajorOffset(index, pool.window.input);
            index += plane * pool.inPositions;
          }
        });
        return outputs(std::move(y), std::move(indices));
      });
}

/// y = finish(sum of term(x) over the window, index of the output position, number of real
/// elements).
template <typename Term, typename Finish>
static OpResult sumPool(const OpCall& call, const Pool& pool, Term term, Finish finish) {
  TESSERA_TRY(Tensor y, makeTensor(call, pool.x.type, pool.outputShape));
  return dispatch(call, pool.x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    forEachWindow(pool, [&](int64_t position, std::span<const int64_t> index,
                            std::span<const int64_t> offsets) {
      for (int64_t plane = 0; plane < pool.planes; ++plane) {
        const T* in = pool.x.as<T>().data() + plane * pool.inPositions;
        double sum = 0;
        for (const int64_t offset : offsets) sum += term(static_cast<double>(in[offset]));
        y.as<T>()[plane * pool.outPositions + position] =
            static_cast<T>(finish(sum, index, static_cast<int64_t>(offsets.size())));
      }
    });
    return outputs(std::move(y));
  });
}

/// How many taps lie on the input or its explicit padding; ceil_mode may hang over both.
static int64_t paddedCount(const Window& window, std::span<const int64_t> index) {
  int64_t count = 1;
  for (size_t d = 0; d < index.size(); ++d) {
    const int64_t end = window.input[d] + window.padsBegin[d] + window.padsEnd[d];
    const int64_t room = end - index[d] * window.strides[d];
    count *= std::min(window.kernel[d], (room - 1) / window.dilations[d] + 1);
  }
  return count;
}

/// Where a window sees padding alone the mean is 0.
OpResult averagePool(const OpCall& call) {
  TESSERA_TRY(const Pool pool, parsePool(call));
  TESSERA_TRY(const bool countPadding, flagOr(call, "count_include_pad", false));
  return sumPool(
      call, pool, [](double x) { return x; },
      [&](double sum, std::span<const int64_t> index, int64_t numReal) {
        const int64_t count = countPadding ? paddedCount(pool.window, index) : numReal;
        return sum / static_cast<double>(std::max<int64_t>(count, 1));
      });
}

static Result<double> parseNormOrder(const OpCall& call) {
  TESSERA_TRY(const int64_t p, attributeOr<int64_t>(call, "p", 2));
  if (p <= 0)
    return opError(call, "attribute 'p' is " + std::to_string(p) + ", expected a positive number");
  return static_cast<double>(p);
}

OpResult lpPool(const OpCall& call) {
  TESSERA_TRY(const Pool pool, parsePool(call));
  TESSERA_TRY(const double p, parseNormOrder(call));
  return sumPool(
      call, pool, [=](double x) { return std::pow(std::fabs(x), p); },
      [=](double sum, std::span<const int64_t>, int64_t) { return std::pow(sum, 1.0 / p); });
}

/// All spatial dimensions become 1.
template <typename Step, typename Finish>
static OpResult globalPool(const OpCall& call, double initial, Step step, Finish finish) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  if (x.rank() < 2)
    return opError(call, "input has shape " + toText(x.shape) + ", expected rank 2 or more");
  std::vector<int64_t> axes;
  for (int64_t d = 2; d < x.rank(); ++d) axes.push_back(d);
  const Reduction plan = planReduction(x.shape, axes, true);
  return dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    return reduceGroups<T>(
        call, x, plan, initial,
        [&](double state, T v) { return step(state, static_cast<double>(v)); },
        [&](double state, int64_t count) { return static_cast<T>(finish(state, count)); });
  });
}

OpResult globalAveragePool(const OpCall& call) {
  return globalPool(
      call, 0.0, [](double sum, double x) { return sum + x; },
      [](double sum, int64_t count) { return sum / static_cast<double>(count); });
}

OpResult globalMaxPool(const OpCall& call) {
  return globalPool(
      call, -std::numeric_limits<double>::infinity(),
      [](double max, double x) { return x > max || std::isnan(x) ? x : max; },
      [](double max, int64_t) { return max; });
}

OpResult globalLpPool(const OpCall& call) {
  TESSERA_TRY(const double p, parseNormOrder(call));
  return globalPool(
      call, 0.0, [=](double sum, double x) { return sum + std::pow(std::fabs(x), p); },
      [=](double sum, int64_t) { return std::pow(sum, 1.0 / p); });
}

}  // namespace tessera::reference::ops
