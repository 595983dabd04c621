// Transposed convolutions: what a convolution from the result to the operand would read, each
// element of the operand is added to.
#include "backends/csource/compiler/print/printers.h"
#include "backends/csource/compiler/print/window_loops.h"
#include "compiler/ir/spec/window.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refuseConvTranspose(Operation* op) {
  if (!typeOf(op->getResult(0)).getElementType().isF32()) return "it convolves f32 only";
  return std::nullopt;
}

/// The window of the convolution from the result to the operand.
static WindowSizes mirroredWindow(ir::ConvTransposeOp op) {
  const auto attributes = ir::spec::transposedAttributes(op);
  const ArrayRef<int64_t> x = typeOf(op.getX()).getShape().drop_front(2),
                          y = typeOf(op.getY()).getShape().drop_front(2);
  WindowSizes window;
  window.input = Ints(y);
  window.kernel = Ints(typeOf(op.getW()).getShape().drop_front(2));
  window.output = Ints(x);
  window.strides = attributes.strides;
  window.dilations = attributes.dilations;
  for (size_t d = 0; d < x.size(); ++d) {
    const auto geometry = ir::spec::transposedGeometry(attributes, d, x[d], window.kernel[d]);
    window.pads.push_back(geometry.padBegin);
  }
  return window;
}

/// An item is a plane of the result.
void printConvTranspose(NestWriter& w) {
  auto op = cast<ir::ConvTransposeOp>(w.anchor());
  CText& c = w.body;
  const WindowSizes window = mirroredWindow(op);
  const auto group = static_cast<int64_t>(op.getGroup());
  const int64_t batch = typeOf(op.getX()).getDimSize(0),
                channels = typeOf(op.getX()).getDimSize(1) / group,
                filters = typeOf(op.getW()).getDimSize(1), planes = group * filters,
                inputs = productOf(window.output), outputs = productOf(window.input);
  const std::string x = w.input(op.getX()), weights = w.input(op.getW()), y = w.output();
  w.items.numOperations = op.getFlops();
  w.items.count = std::to_string(batch * planes);
  c.openLoop("plane", "end", "begin");
  c.line(formatv("const int64_t m = plane % {0}, g = m / {1}, image = plane / {0} * {2} + g;",
                 planes, filters, group)
             .str());
  c.line(formatv("float* restrict const out = {0} + plane * {1};", y, outputs).str());
  c.openLoop("p", std::to_string(outputs));
  c.line("out[p] = " + (op.getB() ? w.element(op.getB(), "m") : std::string("0")) + ";");
  c.close();
  c.openLoop("c", std::to_string(channels));
  c.line(
      formatv("const float* const in = {0} + (image * {1} + c) * {2};", x, channels, inputs).str());
  c.line(formatv("const float* const taps = {0} + ((g * {1} + c) * {2} + m % {2}) * {3};", weights,
                 channels, filters, productOf(window.kernel))
             .str());
  const unsigned blocks = openRows(c, window);
  const RowTap tap = openTaps(c, window);
  c.line(formatv("const float weight = taps[{0}];", tap.tap).str());
  c.openLoop("j", "last", "first");
  c.line(formatv("out[{0}] += weight * in[{1}];", tap.source, sumText(tap.row, "j")).str());
  c.closeAll(tap.blocks + blocks + 3);
}

}  // namespace tessera::backend_csource
