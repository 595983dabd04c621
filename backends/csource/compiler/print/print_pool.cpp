// Pools over windows, a row of the output at a time.
#include "backends/csource/compiler/print/printers.h"
#include "backends/csource/compiler/print/window_loops.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refusePool(Operation* op) {
  auto maximum = dyn_cast<ir::MaxPoolOp>(op);
  if (maximum && maximum.getIndices()) return "it does not tell where a maximum was found";
  return std::nullopt;
}

namespace {

/// What differs between pools.
struct PoolText {
  std::string accumulator;  ///< The type in which rows are computed.
  std::string start;
  std::string step;    ///< A line that takes `v` into row[j].
  std::string finish;  ///< The element of row[j].
};

}  // namespace

static void printRowPool(NestWriter& w, const WindowSizes& window, const PoolText& pool,
                         StringRef afterRows = "") {
  CText& c = w.body;
  Value x = w.anchor()->getOperand(0), y = w.anchor()->getResult(0);
  const std::string from = w.input(x), to = w.output();
  const int64_t planes = productOf(typeOf(x).getShape().take_front(2));
  const int64_t length = window.output.back();
  w.items.numOperations = countOf(y) * productOf(window.kernel);
  w.items.count = std::to_string(planes);
  c.openLoop("plane", "end", "begin");
  const std::string type = cType(typeOf(x).getElementType());
  c.line(formatv("const {0}* restrict const in = {1} + plane * {2};", type, from,
                 productOf(window.input))
             .str());
  c.line(formatv("{0}* restrict const out = {1} + plane * {2};", type, to, productOf(window.output))
             .str());
  const unsigned blocks = openRows(c, window);
  c.line(formatv("{0} row[{1}];", pool.accumulator, length).str());
  c.openLoop("j", std::to_string(length));
  c.line("row[j] = " + pool.start + ";");
  c.close();
  const RowTap tap = openTaps(c, window);
  c.openLoop("j", "last", "first");
  c.line(formatv("const {0} v = in[{1}];", type, tap.source).str());
  c.line(pool.step);
  c.closeAll(tap.blocks + 1);
  if (!afterRows.empty()) c.line(afterRows);
  c.openLoop("j", std::to_string(length));
  c.line(formatv("out[{0}] = {1};", sumText(tap.row, "j"), pool.finish).str());
  c.closeAll(blocks + 2);
}

void printMaxPool(NestWriter& w) {
  auto op = cast<ir::MaxPoolOp>(w.anchor());
  const Type element = typeOf(op.getX()).getElementType();
  const bool isFloat = isa<FloatType>(element);
  const WindowSizes window = windowSizes(op, op.getKernelShape(), typeOf(op.getY()));
  printRowPool(w, window,
               {.accumulator = cType(element),
                .start = leastOf(element),
                .step = isFloat ? "row[j] = v > row[j] || v != v ? v : row[j];"
                                : "row[j] = v > row[j] ? v : row[j];",
                .finish = "row[j]"});
}

/// How many elements the window counts at position `index` of dimension d: those in the input, or
/// in the input and its explicit padding.
static std::string countText(const WindowSizes& window, size_t d, bool countsPadding,
                             const std::string& index) {
  const int64_t pad = countsPadding ? 0 : window.pads[d];
  const int64_t size =
      countsPadding ? window.input[d] + window.pads[d] + window.padsEnd[d] : window.input[d];
  const std::string start = scaledText(index, window.strides[d]);
  return formatv("csource_taps_inside({0}{1}, {2}, {3}, {4})", start,
                 pad == 0 ? "" : " - " + std::to_string(pad), window.dilations[d], window.kernel[d],
                 size);
}

void printAveragePool(NestWriter& w) {
  auto op = cast<ir::AveragePoolOp>(w.anchor());
  const std::string type = cType(typeOf(op.getX()).getElementType());
  const WindowSizes window = windowSizes(op, op.getKernelShape(), typeOf(op.getY()));
  const bool countsPadding = op.getCountIncludePad() != 0;
  std::string rows = "1";
  for (size_t d = 0; d + 1 < window.rank(); ++d)
    rows =
        (d == 0 ? "" : rows + " * ") + countText(window, d, countsPadding, "o" + std::to_string(d));
  const std::string columns = countText(window, window.rank() - 1, countsPadding, "j");
  printRowPool(w, window,
               {.accumulator = type,
                .start = "0",
                .step = "row[j] += v;",
                .finish = formatv("row[j] / ({0})(rows * {1})", type, columns)},
               "const int64_t rows = " + rows + ";");
}

}  // namespace tessera::backend_csource
