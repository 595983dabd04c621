#include "backends/csource/compiler/print/window_loops.h"

#include "compiler/ir/spec/window.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

WindowSizes windowSizes(Operation* op, ArrayRef<int64_t> kernel, RankedTensorType output) {
  const auto attributes = ir::spec::windowAttributes(cast<ir::WindowOpInterface>(op));
  WindowSizes sizes;
  sizes.input = Ints(typeOf(op->getOperand(0)).getShape().drop_front(2));
  sizes.kernel = Ints(kernel);
  sizes.output = Ints(output.getShape().drop_front(2));
  sizes.strides = attributes.strides;
  sizes.dilations = attributes.dilations;
  for (size_t d = 0; d < kernel.size(); ++d) {
    const auto geometry =
        ir::spec::windowGeometry<int64_t>(attributes, d, sizes.input[d], kernel[d]);
    sizes.pads.push_back(geometry.padBegin);
    sizes.padsEnd.push_back(geometry.padEnd);
  }
  return sizes;
}

unsigned openRows(CText& c, const WindowSizes& window) {
  for (size_t d = 0; d + 1 < window.rank(); ++d)
    c.openLoop("o" + std::to_string(d), std::to_string(window.output[d]));
  return static_cast<unsigned>(window.rank() - 1);
}

/// `a * n - b` and the like.
static std::string positionText(StringRef index, int64_t stride, StringRef tap, int64_t dilation,
                                int64_t pad) {
  std::string text = sumText(scaledText(index, stride), scaledText(tap, dilation));
  if (pad != 0) text += " - " + std::to_string(pad);
  return text;
}

RowTap openTaps(CText& c, const WindowSizes& window) {
  RowTap tap;
  const size_t last = window.rank() - 1;
  std::string line;  // Where the row that is seen begins.
  for (size_t d = 0; d < last; ++d) {
    const std::string o = "o" + std::to_string(d), k = "k" + std::to_string(d),
                      i = "i" + std::to_string(d);
    c.openLoop(k, std::to_string(window.kernel[d]));
    c.line("const int64_t " + i + " = " +
           positionText(o, window.strides[d], k, window.dilations[d], window.pads[d]) + ";");
    c.line(formatv("if ({0} < 0 || {0} >= {1}) continue;", i, window.input[d]).str());
    line = sumText(scaledText(i, productOf(ArrayRef(window.input).drop_front(d + 1))), line);
    tap.tap = sumText(tap.tap, scaledText(k, productOf(ArrayRef(window.kernel).drop_front(d + 1))));
    tap.row = sumText(tap.row, scaledText(o, productOf(ArrayRef(window.output).drop_front(d + 1))));
  }
  c.openLoop("k" + std::to_string(last), std::to_string(window.kernel[last]));
  const std::string k = "k" + std::to_string(last);
  c.line("const int64_t offset = " +
         positionText("0", 0, k, window.dilations[last], window.pads[last]) + ";");
  c.line(formatv("const int64_t first = csource_first_inside(offset, {0}), last = "
                 "csource_last_inside(offset, {0}, {1}, {2});",
                 window.strides[last], window.input[last], window.output[last])
             .str());
  tap.tap = sumText(tap.tap, k);
  tap.source = sumText(sumText(line, "offset"), scaledText("j", window.strides[last]));
  tap.blocks = static_cast<unsigned>(window.rank());
  return tap;
}

}  // namespace tessera::backend_csource
