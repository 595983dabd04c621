// Windows that walk along rows of the output: depthwise convolutions and pools.
#pragma once

#include "backends/csource/compiler/c_text.h"
#include "backends/csource/compiler/loop_dims.h"
#include "compiler/ir/tsr.h"

namespace tessera::backend_csource {

/// A window with one entry for each spatial dimension; pads are those in front.
struct WindowSizes {
  Ints input, kernel, output, strides, dilations, pads;
  Ints padsEnd;

  size_t rank() const { return kernel.size(); }
};
WindowSizes windowSizes(mlir::Operation* op, llvm::ArrayRef<int64_t> kernel,
                        mlir::RankedTensorType output);

/// Opens a loop `o<d>` for each spatial dimension of the output but the last; how many.
unsigned openRows(CText& c, const WindowSizes& window);

/// What the loops over taps define: `first` and `last`, between which positions `j` of the row see
/// the input, and expressions for the rest.
struct RowTap {
  unsigned blocks = 0;  ///< That are open.
  std::string tap;      ///< The number of the tap.
  std::string source;   ///< The element of a plane that it sees at position j.
  std::string row;      ///< Where the row begins in a plane of the output.
};
/// Opens a loop `k<d>` for each spatial dimension, past the taps that lie in the padding.
RowTap openTaps(CText& c, const WindowSizes& window);

}  // namespace tessera::backend_csource
