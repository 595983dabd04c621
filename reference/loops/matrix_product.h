// The one product loop behind matmul, gemm, conv and conv_transpose.
//
// Columns are taken in strips of kStripColumns. A strip of the right operand is packed once,
// widened to the accumulator's type ("panel", [depth, kStripColumns]); then blocks of rows run over
// the whole depth with their sums in registers or L1. The inner loop is contiguous and of constant
// length, so the compiler vectorises it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/loops/parallel.h"

namespace tessera::reference {

constexpr int64_t kStripColumns = 32;

/// Element (row, k) is data[row * rowStride + k * depthStride].
template <typename T>
struct LeftOperand {
  const T* data;
  int64_t rowStride;
  int64_t depthStride;
};

/// sums[r][j] = sum over k of left(row + r, k) * panel[k][j], for kRows rows.
template <int kRows, typename Sum, typename T>
void multiplyRows(const LeftOperand<T>& left, int64_t row, int64_t depth, const Sum* panel,
                  Sum (&sums)[4][kStripColumns]) {
  for (int r = 0; r < kRows; ++r) std::fill_n(sums[r], kStripColumns, Sum{0});
  const T* a = left.data + row * left.rowStride;
  for (int64_t k = 0; k < depth; ++k, a += left.depthStride, panel += kStripColumns) {
    for (int r = 0; r < kRows; ++r) {
      const Sum factor = static_cast<Sum>(a[r * left.rowStride]);
      for (int64_t j = 0; j < kStripColumns; ++j) sums[r][j] += factor * panel[j];
    }
  }
}

/// Calls store(row, sums) for each row; sums has kStripColumns entries.
template <typename Sum, typename T, typename Store>
void multiplyPanel(const LeftOperand<T>& left, int64_t rows, int64_t depth, const Sum* panel,
                   Store store) {
  Sum sums[4][kStripColumns];
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    multiplyRows<4>(left, row, depth, panel, sums);
    for (int r = 0; r < 4; ++r) store(row + r, sums[r]);
  }
  for (; row < rows; ++row) {
    multiplyRows<1>(left, row, depth, panel, sums);
    store(row, sums[0]);
  }
}

/// For each of `batches` products and each strip of its columns:
///   pack(batch, firstColumn, width, panel) fills panel[k * kStripColumns + j] for j < width,
///   left(batch) gives the left operand, and store(batch, row, firstColumn, width, sums) takes the
///   results.
/// Strips run in parallel.
template <typename Sum, typename Left, typename Pack, typename Store>
void multiplyBatches(int64_t batches, int64_t rows, int64_t depth, int64_t columns, Left left,
                     Pack pack, Store store) {
  const int64_t strips = (columns + kStripColumns - 1) / kStripColumns;
  parallelFor(batches * strips, batches * rows * depth * columns, [&](int64_t item) {
    const int64_t batch = item / strips;
    const int64_t column = item % strips * kStripColumns;
    const int64_t width = std::min(kStripColumns, columns - column);
    std::vector<Sum> panel(static_cast<size_t>(depth * kStripColumns), Sum{0});
    pack(batch, column, width, panel.data());
    multiplyPanel(left(batch), rows, depth, panel.data(),
                  [&](int64_t row, const Sum* sums) { store(batch, row, column, width, sums); });
  });
}

}  // namespace tessera::reference
