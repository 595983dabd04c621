// What generated C files share: how they meet the runtime, how they call C functions of a user, and
// the loops of convolutions and matrix products. C11, and GNU attributes and pragmas for speed.
#pragma once

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// ---- The runtime ----------------------------------------------------------------------------

/// The beginning of tessera_host_services, version 1 (tessera/backend_runtime.h, which says what
/// each function does): what generated code calls, at the same offsets.
typedef struct csource_services {
  uint32_t size;
  uint32_t reserved;
  void* host;
  int32_t (*parallel_for)(void* host, int64_t n,
                          void (*body)(void* context, int64_t begin, int64_t end), void* context);
  void* (*alloc_output)(void* host, uint32_t index, uint32_t rank, const int64_t* dims);
  void* (*workspace)(void* host, size_t bytes);
  void (*log)(void* host, int32_t level, const char* message);
  int32_t (*num_threads)(void* host);
  void (*refuse)(void* host, uint32_t node, const char* text, int64_t found, int64_t expected);
} csource_services;

/// One call of a region: its inputs and outputs, and memory for the values between its nests.
typedef struct csource_frame {
  const csource_services* services;
  void* const* buffers;
  char* workspace;
} csource_frame;

#define CSOURCE_EXPORT __attribute__((visibility("default")))
/// A function that one file uses and another does not, compiled once however often it is called.
#define CSOURCE_SHARED __attribute__((unused, noinline)) static

/// Runs the items [0, n) of a nest on the threads of the caller.
static inline int32_t csource_run(const csource_frame* frame, int64_t n,
                                  void (*nest)(void* context, int64_t begin, int64_t end)) {
  const csource_services* const services = frame->services;
  return services->parallel_for(services->host, n, nest, (void*)frame);
}

/// Whether all `count` indices lie in [-size, size); the call is refused otherwise.
#define CSOURCE_DEFINE_CHECK(name, type)                                                         \
  static inline int32_t name(const csource_frame* frame, uint32_t node, const type* indices,     \
                             int64_t count, int64_t size) {                                      \
    for (int64_t i = 0; i < count; ++i) {                                                        \
      if (indices[i] >= -size && indices[i] < size) continue;                                    \
      frame->services->refuse(frame->services->host, node,                                       \
                              "index {0} is outside of a dimension of {1} elements", indices[i], \
                              size);                                                             \
      return 1;                                                                                  \
    }                                                                                            \
    return 0;                                                                                    \
  }
CSOURCE_DEFINE_CHECK(csource_check_i32, int32_t)
CSOURCE_DEFINE_CHECK(csource_check_i64, int64_t)

/// The place of an index that may count from the end.
static inline int64_t csource_index(int64_t index, int64_t size) {
  return index + (index < 0 ? size : 0);
}

// ---- C functions of a user ------------------------------------------------------------------

/// A row-major tensor.
typedef struct csource_tensor {
  void* data;  ///< Null: an optional input that is absent.
  const int64_t* dims;
  int32_t rank;
  int32_t type;  ///< The number of the element type in ONNX: 1 is float, 7 is int64_t.
} csource_tensor;

/// The window of a convolution or pool, for each spatial dimension; automatic pads are resolved.
typedef struct csource_window {
  int32_t rank;
  const int64_t* kernel;
  const int64_t* strides;
  const int64_t* dilations;
  const int64_t* pads_begin;
  const int64_t* pads_end;
} csource_window;

/// One operator, as a C function that stands for it gets it. Nothing is kept after the call.
typedef struct csource_operation {
  const char* name;  ///< "conv"
  const char* node;  ///< The ONNX node that it comes from.
  const csource_tensor* inputs;
  const csource_tensor* outputs;
  int32_t num_inputs;
  int32_t num_outputs;
  const csource_window* window;  ///< Null where the operator has none.
  int64_t group;                 ///< Of a convolution; 1 elsewhere.
  int64_t axis;                  ///< Counted from the front; -1 where the operator has none.
} csource_operation;

/// Says which function failed.
static inline int32_t csource_call_failed(const csource_frame* frame, const char* function) {
  char message[256] = "the C function failed: ";
  strncat(message, function, sizeof(message) - strlen(message) - 1);
  frame->services->log(frame->services->host, 0, message);
  return 1;
}

/// Computes the outputs, on the calling thread, and returns 0; any other number fails the run.
typedef int32_t csource_function(const csource_operation* operation);

// ---- Elements -------------------------------------------------------------------------------

static inline int64_t csource_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t csource_max(int64_t a, int64_t b) { return a > b ? a : b; }

/// Functions of one floating-point number. NaN stays NaN; nothing overflows on the way.
#define CSOURCE_DEFINE_REAL(type, suffix, f)                                           \
  static inline type csource_sigmoid_##suffix(type x) { return 1 / (1 + exp##f(-x)); } \
  static inline type csource_softplus_##suffix(type x) {                               \
    return (x < 0 ? 0 : x) + log1p##f(exp##f(-fabs##f(x)));                            \
  }                                                                                    \
  static inline type csource_mish_##suffix(type x) {                                   \
    return x * tanh##f(csource_softplus_##suffix(x));                                  \
  }                                                                                    \
  static inline type csource_hard_sigmoid_##suffix(type x, type alpha, type beta) {    \
    const type y = alpha * x + beta;                                                   \
    return y < 0 ? 0 : y > 1 ? 1 : y;                                                  \
  }                                                                                    \
  static inline type csource_gelu_##suffix(type x) {                                   \
    return (type)0.5 * x * (1 + erf##f(x * (type)0.70710678118654752440));             \
  }                                                                                    \
  static inline type csource_gelu_tanh_##suffix(type x) {                              \
    const type inner = x * (1 + (type)0.044715 * x * x);                               \
    return (type)0.5 * x * (1 + tanh##f((type)0.79788456080286535588 * inner));        \
  }                                                                                    \
  /* Powers by roots: infinity of -infinity, 0 of -0. */                               \
  static inline type csource_pow_0_5_##suffix(type x) {                                \
    return x == -INFINITY ? INFINITY : sqrt##f(x) + 0;                                 \
  }                                                                                    \
  static inline type csource_pow_0_75_##suffix(type x) { return sqrt##f(x) * sqrt##f(sqrt##f(x)); }
CSOURCE_DEFINE_REAL(float, f32, f)
CSOURCE_DEFINE_REAL(double, f64, )

/// Floats to integers: towards zero, clamped to the type's range; NaN becomes 0.
#define CSOURCE_DEFINE_TRUNCATE(type, suffix, low, high)                                     \
  static inline type csource_truncate_##suffix(double x) {                                   \
    return x != x ? 0 : x >= (double)(high) ? (high) : x <= (double)(low) ? (low) : (type)x; \
  }
CSOURCE_DEFINE_TRUNCATE(int8_t, i8, INT8_MIN, INT8_MAX)
CSOURCE_DEFINE_TRUNCATE(int16_t, i16, INT16_MIN, INT16_MAX)
CSOURCE_DEFINE_TRUNCATE(int32_t, i32, INT32_MIN, INT32_MAX)
CSOURCE_DEFINE_TRUNCATE(int64_t, i64, INT64_MIN, INT64_MAX)
CSOURCE_DEFINE_TRUNCATE(uint8_t, ui8, 0, UINT8_MAX)
CSOURCE_DEFINE_TRUNCATE(uint16_t, ui16, 0, UINT16_MAX)
CSOURCE_DEFINE_TRUNCATE(uint32_t, ui32, 0, UINT32_MAX)
CSOURCE_DEFINE_TRUNCATE(uint64_t, ui64, 0, UINT64_MAX)

/// Sums in double, in lanes so that they are vectors.
enum { CSOURCE_LANES = 32 };
#define CSOURCE_DEFINE_SUM(name, type, term)                                   \
  CSOURCE_SHARED double name(const type* restrict x, int64_t n, double mean) { \
    double lanes[CSOURCE_LANES] = {0};                                         \
    int64_t i = 0;                                                             \
    for (; i + CSOURCE_LANES <= n; i += CSOURCE_LANES) {                       \
      for (int64_t l = 0; l < CSOURCE_LANES; ++l) {                            \
        const double v = (double)x[i + l] - mean;                              \
        lanes[l] += (term);                                                    \
      }                                                                        \
    }                                                                          \
    double sum = 0;                                                            \
    for (; i < n; ++i) {                                                       \
      const double v = (double)x[i] - mean;                                    \
      sum += (term);                                                           \
    }                                                                          \
    for (int64_t l = 0; l < CSOURCE_LANES; ++l) sum += lanes[l];               \
    return sum;                                                                \
  }
/// sum(x[i] - mean) and sum((x[i] - mean) ** 2).
CSOURCE_DEFINE_SUM(csource_sum_f32, float, v)
CSOURCE_DEFINE_SUM(csource_sum_f64, double, v)
CSOURCE_DEFINE_SUM(csource_squares_f32, float, v* v)
CSOURCE_DEFINE_SUM(csource_squares_f64, double, v* v)

// ---- Windows --------------------------------------------------------------------------------

/// The first output position whose tap, at input position `position * stride + offset`, is not in
/// front of the input, and the first one whose tap is behind its `input` elements.
static inline int64_t csource_first_inside(int64_t offset, int64_t stride) {
  return offset >= 0 ? 0 : (stride - 1 - offset) / stride;
}
static inline int64_t csource_last_inside(int64_t offset, int64_t stride, int64_t input,
                                          int64_t output) {
  return offset >= input ? 0 : csource_min(output, (input - 1 - offset) / stride + 1);
}

/// How many of `kernel` taps from `start` on lie in [0, size); at least 1, to divide by.
static inline int64_t csource_taps_inside(int64_t start, int64_t dilation, int64_t kernel,
                                          int64_t size) {
  int64_t count = 0;
  for (int64_t k = 0; k < kernel; ++k)
    count += start + k * dilation >= 0 && start + k * dilation < size;
  return csource_max(count, 1);
}

// ---- Matrix products ------------------------------------------------------------------------
// Results are computed in tiles of a few rows and some vectors of columns, whose sums stay in
// registers while the depth goes by. The right matrix is copied to a panel first: the columns of a
// tile side by side, as many rows of it as the caches hold.

#if defined(__AVX512F__)
enum { CSOURCE_TILE_ROWS = 8, CSOURCE_TILE_COLUMNS = 48, CSOURCE_NARROW_COLUMNS = 32 };
#else
enum { CSOURCE_TILE_ROWS = 4, CSOURCE_TILE_COLUMNS = 24, CSOURCE_NARROW_COLUMNS = 24 };
#endif
enum {
  CSOURCE_PANEL_DEPTH = 384,
  CSOURCE_BLOCK_ROWS = 128  ///< Rows of the result that share a panel at most.
};

typedef float csource_sums[CSOURCE_BLOCK_ROWS][CSOURCE_TILE_COLUMNS];
typedef float csource_panel[CSOURCE_PANEL_DEPTH][CSOURCE_TILE_COLUMNS];

/// Adds rows[r][k] * panel[k][j] to sums[r][j]; rows of the panel are `pitch` elements apart.
#define CSOURCE_DEFINE_TILE(name, columns)                                                       \
  CSOURCE_SHARED void name(int64_t depth, const float* const* rows, const float* restrict panel, \
                           int64_t pitch, float(*restrict sums)[CSOURCE_TILE_COLUMNS]) {         \
    float tile[CSOURCE_TILE_ROWS][columns];                                                      \
    for (int r = 0; r < CSOURCE_TILE_ROWS; ++r)                                                  \
      for (int j = 0; j < (columns); ++j) tile[r][j] = sums[r][j];                               \
    for (int64_t k = 0; k < depth; ++k) {                                                        \
      _Pragma("GCC unroll 16") for (int r = 0; r < CSOURCE_TILE_ROWS; ++r) {                     \
        const float left = rows[r][k];                                                           \
        for (int j = 0; j < (columns); ++j) tile[r][j] += left * panel[k * pitch + j];           \
      }                                                                                          \
    }                                                                                            \
    for (int r = 0; r < CSOURCE_TILE_ROWS; ++r)                                                  \
      for (int j = 0; j < (columns); ++j) sums[r][j] = tile[r][j];                               \
  }
CSOURCE_DEFINE_TILE(csource_tile_wide, CSOURCE_TILE_COLUMNS)
CSOURCE_DEFINE_TILE(csource_tile_narrow, CSOURCE_NARROW_COLUMNS)

/// The number of tiles that `columns` columns make.
static inline int64_t csource_tiles(int64_t columns) {
  return (columns + CSOURCE_TILE_COLUMNS - 1) / CSOURCE_TILE_COLUMNS;
}

/// Adds the product of `count` rows (`pitch` elements apart) and a panel of `width` columns. A tile
/// that hangs over the last row computes that one again.
static inline void csource_tile_rows(const float* left, int64_t left_pitch, int64_t count,
                                     int64_t depth, const float* panel, int64_t pitch,
                                     int64_t width, float (*sums)[CSOURCE_TILE_COLUMNS]) {
  for (int64_t r = 0; r < count; r += CSOURCE_TILE_ROWS) {
    const float* rows[CSOURCE_TILE_ROWS];
    for (int64_t i = 0; i < CSOURCE_TILE_ROWS; ++i)
      rows[i] = left + csource_min(r + i, count - 1) * left_pitch;
    if (width <= CSOURCE_NARROW_COLUMNS)
      csource_tile_narrow(depth, rows, panel, pitch, sums + r);
    else
      csource_tile_wide(depth, rows, panel, pitch, sums + r);
  }
}

/// A matrix [rows, columns] of f32 in memory.
typedef struct csource_matrix {
  const float* data;
  int64_t row_stride;
  int64_t column_stride;
} csource_matrix;

/// Elements [row, row + depth) x [column, column + width) of `right`; zeros beside them.
static inline void csource_pack_panel(csource_matrix right, int64_t row, int64_t depth,
                                      int64_t column, int64_t width, csource_panel panel) {
  for (int64_t k = 0; k < depth; ++k) {
    const float* const from =
        right.data + (row + k) * right.row_stride + column * right.column_stride;
    if (right.column_stride == 1)
      memcpy(panel[k], from, (size_t)width * sizeof(float));
    else
      for (int64_t j = 0; j < width; ++j) panel[k][j] = from[j * right.column_stride];
    for (int64_t j = width; j < CSOURCE_TILE_COLUMNS; ++j) panel[k][j] = 0;
  }
}

/// Zeros in the tiles of `count` rows.
static inline void csource_clear(csource_sums sums, int64_t count) {
  const int64_t tiles = (count + CSOURCE_TILE_ROWS - 1) / CSOURCE_TILE_ROWS;
  memset(sums, 0, (size_t)(tiles * CSOURCE_TILE_ROWS) * sizeof(sums[0]));
}

/// sums[r][j] of a block of the product: rows [row, row + count), columns [column, column + width).
CSOURCE_SHARED void csource_product_block(csource_matrix left, csource_matrix right, int64_t depth,
                                          int64_t row, int64_t count, int64_t column, int64_t width,
                                          csource_sums sums) {
  csource_panel panel;
  float copied[CSOURCE_TILE_ROWS][CSOURCE_PANEL_DEPTH];
  csource_clear(sums, count);
  // Few rows do not pay for a copy of the right matrix.
  const int is_direct =
      right.column_stride == 1 && count <= 2 * CSOURCE_TILE_ROWS && width == CSOURCE_TILE_COLUMNS;
  for (int64_t k = 0; k < depth; k += CSOURCE_PANEL_DEPTH) {
    const int64_t part = csource_min(depth - k, CSOURCE_PANEL_DEPTH);
    if (!is_direct) csource_pack_panel(right, k, part, column, width, panel);
    const float* const columns = is_direct ? right.data + k * right.row_stride + column : panel[0];
    const int64_t pitch = is_direct ? right.row_stride : CSOURCE_TILE_COLUMNS;
    if (left.column_stride == 1) {
      csource_tile_rows(left.data + row * left.row_stride + k, left.row_stride, count, part,
                        columns, pitch, width, sums);
      continue;
    }
    for (int64_t r = 0; r < count; r += CSOURCE_TILE_ROWS) {
      const int64_t height = csource_min(count - r, CSOURCE_TILE_ROWS);
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < part; ++j)
          copied[i][j] = left.data[(row + r + i) * left.row_stride + (k + j) * left.column_stride];
      csource_tile_rows(copied[0], CSOURCE_PANEL_DEPTH, height, part, columns, pitch, width,
                        sums + r);
    }
  }
}

/// The sum of a[i] * b[i].
CSOURCE_SHARED float csource_dot(const float* restrict a, const float* restrict b, int64_t n) {
  float lanes[2 * CSOURCE_LANES] = {0};
  int64_t i = 0;
  for (; i + 2 * CSOURCE_LANES <= n; i += 2 * CSOURCE_LANES)
    for (int64_t l = 0; l < 2 * CSOURCE_LANES; ++l) lanes[l] += a[i + l] * b[i + l];
  float sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (int64_t l = 0; l < 2 * CSOURCE_LANES; ++l) sum += lanes[l];
  return sum;
}

// ---- Convolutions ---------------------------------------------------------------------------
// A convolution is a product of the filters [M, C * taps] and a matrix whose columns are what the
// window sees at each output position. That matrix is made one panel at a time and never as a whole
// (implicit GEMM; Chetlur et al., cuDNN, 2014).

/// The window of one group over three spatial dimensions, of size 1 where they are not there.
typedef struct csource_conv {
  int64_t channels;  ///< Of one group.
  int64_t input[3], kernel[3], output[3], strides[3], dilations[3], pads[3];
} csource_conv;

/// Output positions side by side in one row.
typedef struct csource_positions {
  int64_t column;  ///< Of the panel.
  int64_t count;
  int64_t at[3];
} csource_positions;

/// Cuts the positions [column, column + width) at the ends of rows; how many pieces they make.
static inline int csource_cut_rows(const csource_conv* conv, int64_t column, int64_t width,
                                   csource_positions* rows) {
  int count = 0;
  const int64_t* const output = conv->output;
  for (int64_t j = 0; j < width; j += rows[count++].count) {
    const int64_t position = column + j, last = position % output[2];
    rows[count] = (csource_positions){
        j,
        csource_min(width - j, output[2] - last),
        {position / output[2] / output[1], position / output[2] % output[1], last}};
  }
  return count;
}

/// What tap `tap` of a channel's window sees at the positions of a row; zeros in the padding.
static inline void csource_see_row(const csource_conv* conv, const float* channel,
                                   const int64_t tap[3], const csource_positions* row, float* to) {
  int64_t from[3];
  for (int d = 0; d < 3; ++d)
    from[d] = row->at[d] * conv->strides[d] + tap[d] * conv->dilations[d] - conv->pads[d];
  const int64_t* const input = conv->input;
  if (from[0] < 0 || from[0] >= input[0] || from[1] < 0 || from[1] >= input[1]) {
    memset(to, 0, (size_t)row->count * sizeof(float));
    return;
  }
  const float* const line = channel + (from[0] * input[1] + from[1]) * input[2];
  const int64_t stride = conv->strides[2];
  const int64_t last = csource_last_inside(from[2], stride, input[2], row->count);
  const int64_t first = csource_min(csource_first_inside(from[2], stride), last);
  for (int64_t j = 0; j < first; ++j) to[j] = 0;
  if (stride == 1)
    for (int64_t j = first; j < last; ++j) to[j] = line[from[2] + j];
  else
    for (int64_t j = first; j < last; ++j) to[j] = line[from[2] + j * stride];
  for (int64_t j = last; j < row->count; ++j) to[j] = 0;
}

/// sums[r][j] of `count` filters, `depth` elements each, at the output positions
/// [column, column + width). `image` is the group's part of one image.
CSOURCE_SHARED void csource_conv_block(const csource_conv* conv, const float* image,
                                       const float* filters, int64_t count, int64_t column,
                                       int64_t width, csource_sums sums) {
  csource_panel panel;
  csource_positions rows[CSOURCE_TILE_COLUMNS];
  const int num_rows = csource_cut_rows(conv, column, width, rows);
  const int64_t* const kernel = conv->kernel;
  const int64_t taps = kernel[0] * kernel[1] * kernel[2], depth = conv->channels * taps;
  const int64_t plane = conv->input[0] * conv->input[1] * conv->input[2];
  csource_clear(sums, count);
  for (int64_t k = 0; k < depth; k += CSOURCE_PANEL_DEPTH) {
    const int64_t part = csource_min(depth - k, CSOURCE_PANEL_DEPTH);
    for (int64_t i = 0; i < part; ++i) {
      const int64_t tap = (k + i) % taps;
      const int64_t at[3] = {tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1],
                             tap % kernel[2]};
      const float* const channel = image + (k + i) / taps * plane;
      for (int r = 0; r < num_rows; ++r)
        csource_see_row(conv, channel, at, &rows[r], &panel[i][rows[r].column]);
      for (int64_t j = width; j < CSOURCE_TILE_COLUMNS; ++j) panel[i][j] = 0;
    }
    csource_tile_rows(filters + k, depth, count, part, panel[0], CSOURCE_TILE_COLUMNS, width, sums);
  }
}
