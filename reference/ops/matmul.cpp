// matmul (numpy rules) and gemm.
#include <concepts>
#include <optional>

#include "base/whole_number.h"
#include "reference/loops/arithmetic.h"
#include "reference/loops/convert.h"
#include "reference/loops/dispatch.h"
#include "reference/loops/matrix_product.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

using ProductTypes = TypeList<float, double, int32_t, uint32_t, int64_t, uint64_t>;

/// A matrix stack: [batch..., rows, columns].
struct MatrixStack {
  Shape batch;
  int64_t rows;
  int64_t columns;
};

/// A vector becomes one row on the left side, one column on the right.
static MatrixStack asStack(std::span<const int64_t> shape, bool isLeft) {
  if (shape.size() == 1)
    return isLeft ? MatrixStack{.batch = {}, .rows = 1, .columns = shape[0]}
                  : MatrixStack{.batch = {}, .rows = shape[0], .columns = 1};
  return {.batch = toShape(shape.first(shape.size() - 2)),
          .rows = shape[shape.size() - 2],
          .columns = shape.back()};
}

/// For each index of `batch`, in order, the offset of the matrix of `stack` that belongs to it.
static std::vector<int64_t> matrixOffsets(const MatrixStack& stack, const Shape& batch) {
  const std::vector<int64_t> strides = broadcastStrides(stack.batch, batch);
  std::vector<int64_t> offsets;
  forEachIndex(batch, [&](auto index) {
    offsets.push_back(offsetOf(index, strides) * stack.rows * stack.columns);
  });
  return offsets;
}

OpResult matmul(const OpCall& call) {
  TESSERA_TRY(const TensorView a, requiredInput(call, 0));
  TESSERA_TRY(const TensorView b, typedInput(call, 1, a.type));
  if (a.rank() == 0 || b.rank() == 0) return opError(call, "inputs must have rank 1 or more");
  MatrixStack left = asStack(a.shape, true), right = asStack(b.shape, false);
  if (left.columns != right.rows) {
    return opError(call, "shapes " + toText(a.shape) + " and " + toText(b.shape) + " do not fit");
  }
  const std::array<Shape, 2> batches = {left.batch, right.batch};
  TESSERA_TRY(Shape batch, broadcastShapes(call, batches));
  Shape shape = batch;
  if (a.rank() > 1) shape.push_back(left.rows);
  if (b.rank() > 1) shape.push_back(right.columns);
  TESSERA_TRY(Tensor y, makeTensor(call, a.type, std::move(shape)));
  if (y.count() == 0) return outputs(std::move(y));
  if (elementCount(right.batch) == 1) {
    // One matrix for all: the left stack is a single tall matrix.
    left = {.batch = {}, .rows = elementCount(left.batch) * left.rows, .columns = left.columns};
    right.batch = batch = {};
  }
  const std::vector<int64_t> leftOffsets = matrixOffsets(left, batch),
                             rightOffsets = matrixOffsets(right, batch);
  const int64_t depth = left.columns, columns = right.columns;
  return dispatch(call, a.type, ProductTypes{}, [&]<typename T>() -> OpResult {
    using Sum = Accumulator<T>;
    multiplyBatches<Sum>(
        static_cast<int64_t>(leftOffsets.size()), left.rows, depth, columns,
        [&](int64_t i) { return LeftOperand<T>{a.as<T>().data() + leftOffsets[i], depth, 1}; },
        [&](int64_t i, int64_t column, int64_t width, Sum* panel) {
          const T* in = b.as<T>().data() + rightOffsets[i] + column;
          for (int64_t k = 0; k < depth; ++k) {
            for (int64_t j = 0; j < width; ++j)
              panel[k * kStripColumns + j] = static_cast<Sum>(in[k * columns + j]);
          }
        },
        [&](int64_t i, int64_t row, int64_t column, int64_t width, const Sum* sums) {
          T* out = y.as<T>().data() + (i * left.rows + row) * columns + column;
          for (int64_t j = 0; j < width; ++j) out[j] = static_cast<T>(sums[j]);
        });
    return outputs(std::move(y));
  });
}

struct GemmAttributes {
  double alpha;
  double beta;
  bool transA;
  bool transB;
};

static Result<GemmAttributes> parseGemm(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 1.0));
  TESSERA_TRY(const double beta, attributeOr<double>(call, "beta", 1.0));
  TESSERA_TRY(const bool transA, flagOr(call, "transA", false));
  TESSERA_TRY(const bool transB, flagOr(call, "transB", false));
  return GemmAttributes{.alpha = alpha, .beta = beta, .transA = transA, .transB = transB};
}

/// Of integers: alpha * product + beta * c. With whole factors they wrap as everywhere; any other
/// factor multiplies them in floating point, and the result is the whole part of the sum, as in
/// onnx's own implementation (ONNX Runtime has no Gemm of integers).
template <std::integral T>
static T scaledSum(const GemmAttributes& attributes, T product, T c) {
  const double alpha = attributes.alpha, beta = attributes.beta;
  if (!base::isWhole(alpha) || !base::isWhole(beta))
    return convertTo<T>(alpha * static_cast<double>(product) + beta * static_cast<double>(c));
  const auto scaled = [](double factor, T value) {
    return arithmetic::mul(static_cast<T>(static_cast<int64_t>(factor)), value);
  };
  return arithmetic::add(scaled(alpha, product), scaled(beta, c));
}

/// Sets each element of `y` to combine(itself, that of `c`), which broadcasts to it.
template <typename T, typename Combine>
static void combineWith(const TensorView& c, Tensor& y, Combine combine) {
  T* out = y.as<T>().data();
  forEachRow<1>(y.shape(), {broadcastStrides(c.shape, y.shape())},
                [&](auto offsets, auto steps, int64_t length) {
                  const T* in = c.as<T>().data() + offsets[0];
                  for (int64_t j = 0; j < length; ++j, ++out)
                    *out = combine(*out, in[j * steps[0]]);
                });
}

/// Of floats: adds beta * c, if there is a c, to alpha times the product, which y holds: alpha is
/// multiplied in before sums are rounded to the type of y.
template <std::floating_point T>
static void finish(const GemmAttributes& attributes, const std::optional<TensorView>& c,
                   Tensor& y) {
  if (!c) return;
  combineWith<T>(*c, y, [&](T scaled, T added) {
    return scaled + static_cast<T>(attributes.beta * static_cast<double>(added));
  });
}

/// Of integers: makes y of the product that it holds.
template <std::integral T>
static void finish(const GemmAttributes& attributes, const std::optional<TensorView>& c,
                   Tensor& y) {
  const Tensor zero(y.type(), {});
  combineWith<T>(c ? *c : zero.view(), y,
                 [&](T product, T added) { return scaledSum(attributes, product, added); });
}

/// C where it is added; as in BLAS, one that beta leaves out may hold anything, NaN too, but has to
/// broadcast.
static Result<std::optional<TensorView>> addedOf(const OpCall& call, const Tensor& y, double beta) {
  if (!hasInput(call, 2)) return std::optional<TensorView>();
  TESSERA_TRY(const TensorView c, typedInput(call, 2, y.type()));
  const std::array<Shape, 2> shapes = {y.shape(), toShape(c.shape)};
  TESSERA_TRY(const Shape shape, broadcastShapes(call, shapes));
  if (shape != y.shape()) {
    return opError(call, "input 2 of shape " + toText(c.shape) + " does not broadcast to " +
                             toText(y.shape()));
  }
  return beta == 0 ? std::nullopt : std::optional(c);
}

/// y = alpha * A * B + beta * C, with A: [M, K] (or [K, M]), B: [K, N] (or [N, K]).
OpResult gemm(const OpCall& call) {
  TESSERA_TRY(GemmAttributes attributes, parseGemm(call));
  TESSERA_TRY(const TensorView a, requiredInput(call, 0));
  TESSERA_TRY(const TensorView b, typedInput(call, 1, a.type));
  if (a.rank() != 2 || b.rank() != 2) {
    return opError(call,
                   "shapes " + toText(a.shape) + " and " + toText(b.shape) + " are not matrices");
  }
  const int64_t rows = a.shape[attributes.transA ? 1 : 0],
                depth = a.shape[attributes.transA ? 0 : 1];
  const int64_t columns = b.shape[attributes.transB ? 0 : 1];
  if (b.shape[attributes.transB ? 1 : 0] != depth) {
    return opError(call, "shapes " + toText(a.shape) + " and " + toText(b.shape) + " do not fit");
  }
  const int64_t depthStride = attributes.transB ? 1 : columns,
                columnStride = attributes.transB ? depth : 1;
  TESSERA_TRY(Tensor y, makeTensor(call, a.type, {rows, columns}));
  TESSERA_TRY(const std::optional<TensorView> c, addedOf(call, y, attributes.beta));
  if (!c) attributes.beta = 0;
  return dispatch(call, a.type, ProductTypes{}, [&]<typename T>() -> OpResult {
    using Sum = Accumulator<T>;
    const Sum alpha = std::is_floating_point_v<T> ? static_cast<Sum>(attributes.alpha) : Sum{1};
    multiplyBatches<Sum>(
        1, rows, depth, columns,
        [&](int64_t) {
          return attributes.transA ? LeftOperand<T>{a.as<T>().data(), 1, rows}
                                   : LeftOperand<T>{a.as<T>().data(), depth, 1};
        },
        [&](int64_t, int64_t column, int64_t width, Sum* panel) {
          const T* in = b.as<T>().data() + column * columnStride;
          for (int64_t k = 0; k < depth; ++k) {
            for (int64_t j = 0; j < width; ++j) {
              panel[k * kStripColumns + j] =
                  static_cast<Sum>(in[k * depthStride + j * columnStride]);
            }
          }
        },
        [&](int64_t, int64_t row, int64_t column, int64_t width, const Sum* sums) {
          T* out = y.as<T>().data() + row * columns + column;
          for (int64_t j = 0; j < width; ++j) out[j] = static_cast<T>(alpha * sums[j]);
        });
    finish<T>(attributes, c, y);
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference::ops
