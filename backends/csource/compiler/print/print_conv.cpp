// Convolutions: filters times a panel of what the window sees (prelude), or, where each channel has
// filters of its own (depthwise), taps that walk along rows of the output.
#include "backends/csource/compiler/print/printers.h"
#include "backends/csource/compiler/print/window_loops.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refuseConv(Operation* op) {
  auto conv = cast<ir::ConvOp>(op);
  if (!typeOf(conv.getX()).getElementType().isF32()) return "it convolves f32 only";
  if (typeOf(conv.getX()).getRank() > 5) return "it convolves over up to 3 dimensions";
  return std::nullopt;
}

namespace {

/// Sizes of a convolution.
struct ConvShape {
  int64_t batch, group;
  int64_t channels, filters;       ///< Of one group.
  int64_t inputs, depth, outputs;  ///< Positions of the input, elements of a filter, positions.

  explicit ConvShape(ir::ConvOp op) {
    const auto x = typeOf(op.getX()).getShape(), w = typeOf(op.getW()).getShape();
    batch = x[0];
    group = static_cast<int64_t>(op.getGroup());
    channels = w[1];
    filters = w[0] / group;
    inputs = productOf(x.drop_front(2));
    depth = productOf(w.drop_front(1));
    outputs = productOf(typeOf(op.getY()).getShape().drop_front(2));
  }
};

}  // namespace

static std::string withBias(NestWriter& w, ir::ConvOp op, const std::string& sum,
                            const std::string& filter) {
  return op.getB() ? "(" + sum + " + " + w.element(op.getB(), filter) + ")" : sum;
}

/// Stores `sum` at an image, a filter and a position.
static void storePositions(NestWriter& w, ir::ConvOp op, const std::string& sum,
                           ArrayRef<std::string> indices) {
  w.storeTail(sum, cutDims(typeOf(op.getY()).getShape(), *storeCuts(op)), indices);
}

/// A 1 x 1 window without strides and pads sees a plain line of positions.
static bool seesLine(const WindowSizes& window) {
  return productOf(window.kernel) == 1 && productOf(window.strides) == 1 &&
         llvm::all_of(window.pads, [](int64_t pad) { return pad == 0; }) &&
         window.input == window.output;
}

/// The struct csource_conv of a convolution.
static std::string geometryText(const ConvShape& conv, WindowSizes window) {
  if (seesLine(window)) {
    window.input = window.output = {conv.outputs};
    window.kernel = window.strides = window.dilations = {1};
    window.pads = {0};
  }
  const auto three = [](ArrayRef<int64_t> sizes, int64_t fill) {
    Ints all(3 - sizes.size(), fill);
    llvm::append_range(all, sizes);
    return cList(all);
  };
  return formatv("{{{0}, {1}, {2}, {3}, {4}, {5}, {6}}", conv.channels, three(window.input, 1),
                 three(window.kernel, 1), three(window.output, 1), three(window.strides, 1),
                 three(window.dilations, 1), three(window.pads, 0));
}

/// Filters that share one panel: all of them, unless that leaves too few items for the threads.
static int64_t blockRows(const ConvShape& conv) {
  constexpr int64_t kMost = 128, kLeast = 32, kItems = 16, kColumns = 48;
  int64_t rows = std::min(kMost, (conv.filters + 7) / 8 * 8);
  const auto items = [&] {
    return conv.batch * conv.group * ((conv.outputs + kColumns - 1) / kColumns) *
           ((conv.filters + rows - 1) / rows);
  };
  while (rows > kLeast && items() < kItems) rows = (rows / 2 + 7) / 8 * 8;
  return rows;
}

/// What item stands for: an image, a group, some of its filters, a tile of positions. The name of
/// the image.
static std::string openConvItems(NestWriter& w, const ConvShape& conv, int64_t rows) {
  CText& c = w.body;
  const int64_t blocks = (conv.filters + rows - 1) / rows;
  c.line(formatv("const int64_t tiles = csource_tiles({0});", conv.outputs).str());
  w.items.count =
      formatv("{0} * csource_tiles({1})", conv.batch * conv.group * blocks, conv.outputs);
  c.openLoop("item", "end", "begin");
  c.line(formatv("const int64_t column = item % tiles * CSOURCE_TILE_COLUMNS, width = "
                 "csource_min({0} - column, CSOURCE_TILE_COLUMNS);",
                 conv.outputs)
             .str());
  c.line(formatv("const int64_t block = item / tiles % {0}, first = block * {1}, count = "
                 "csource_min({2} - first, {1});",
                 blocks, rows, conv.filters)
             .str());
  c.line(formatv("const int64_t image = item / tiles / {0}, g = image % {1};", blocks, conv.group)
             .str());
  return c.position("n", formatv("image / {0}", conv.group).str(), conv.batch);
}

static void printDenseConv(NestWriter& w, ir::ConvOp op, const WindowSizes& window) {
  CText& c = w.body;
  const ConvShape conv(op);
  const int64_t rows = blockRows(conv);
  c.line("static const csource_conv conv = " + geometryText(conv, window) + ";");
  const std::string n = openConvItems(w, conv, rows);
  const std::string x = w.input(op.getX()), filters = w.input(op.getW());
  c.line("csource_sums sums;");
  c.line(formatv("csource_conv_block(&conv, {0} + image * {1}, {2} + (g * {3} + first) * {4}, "
                 "count, column, width, sums);",
                 x, conv.channels * conv.inputs, filters, conv.filters, conv.depth)
             .str());
  c.openLoop("r", "count");
  const std::string m = c.position("m", formatv("g * {0} + first + r", conv.filters).str(),
                                   conv.group * conv.filters);
  c.openLoop("j", "width");
  const std::string p = c.position("p", "column + j", conv.outputs);
  storePositions(w, op, withBias(w, op, "sums[r][j]", m), {n, m, p});
  c.closeAll(3);
}

/// A window that covers the whole input: each result is one long product.
static void printWholeConv(NestWriter& w, ir::ConvOp op) {
  CText& c = w.body;
  const ConvShape conv(op);
  const std::string x = w.input(op.getX()), filters = w.input(op.getW());
  SmallVector<std::string> names = {"n", "m", "one"};
  const size_t first = w.openItems({conv.batch, conv.group * conv.filters, 1}, names);
  if (first == 1) c.openLoop("m", std::to_string(conv.group * conv.filters));
  const std::string &n = names[0], &m = names[1];
  const std::string group = conv.filters == 1 ? m : m + " / " + std::to_string(conv.filters);
  const std::string offset =
      sumText(scaledText(n, conv.group * conv.depth),
              conv.group > 1 ? scaledText(group, conv.depth) : std::string());
  c.line(formatv("const float sum = csource_dot({0}, {1}, {2});", sumText(x, offset),
                 sumText(filters, scaledText(m, conv.depth)), conv.depth)
             .str());
  storePositions(w, op, withBias(w, op, "sum", m), {n, m, "0"});
  c.closeAll(first == 1 ? 2 : 1);
}

static void printDepthwiseConv(NestWriter& w, ir::ConvOp op, const WindowSizes& window) {
  CText& c = w.body;
  const ConvShape conv(op);
  const std::string x = w.input(op.getX()), filters = w.input(op.getW());
  const int64_t planes = conv.group * conv.filters;
  w.items.count = std::to_string(conv.batch * planes);
  c.openLoop("plane", "end", "begin");
  c.line(formatv("const int64_t m = plane % {0};", planes).str());
  const std::string n = c.position("n", formatv("plane / {0}", planes).str(), conv.batch);
  const std::string channel =
      conv.filters == 1 ? "plane" : formatv("plane / {0}", conv.filters).str();
  c.line(formatv("const float* const in = {0} + {1} * {2};", x, channel, conv.inputs).str());
  c.line(formatv("const float* const taps = {0} + m * {1};", filters, conv.depth).str());
  const int64_t length = window.output.back();
  const unsigned blocks = openRows(c, window);
  c.line(formatv("float row[{0}];", length).str());
  c.openLoop("j", std::to_string(length));
  c.line("row[j] = " + (op.getB() ? w.element(op.getB(), "m") : std::string("0")) + ";");
  c.close();
  const RowTap tap = openTaps(c, window);
  c.line(formatv("const float weight = taps[{0}];", tap.tap).str());
  c.openLoop("j", "last", "first");
  c.line(formatv("row[j] += weight * in[{0}];", tap.source).str());
  c.closeAll(tap.blocks + 1);
  c.openLoop("j", std::to_string(length));
  storePositions(w, op, "row[j]", {n, "m", sumText(tap.row, "j")});
  c.closeAll(blocks + 2);
}

void printConv(NestWriter& w) {
  auto op = cast<ir::ConvOp>(w.anchor());
  const WindowSizes window =
      windowSizes(op, typeOf(op.getW()).getShape().drop_front(2), typeOf(op.getY()));
  const ConvShape conv(op);
  w.items.numOperations = op.getFlops();
  const bool isWhole = conv.outputs == 1 && window.kernel == window.input &&
                       productOf(window.dilations) == 1 &&
                       llvm::all_of(window.pads, [](int64_t pad) { return pad == 0; });
  if (isWhole)
    printWholeConv(w, op);
  else if (conv.channels == 1 && conv.group > 1)
    printDepthwiseConv(w, op, window);
  else
    printDenseConv(w, op, window);
}

}  // namespace tessera::backend_csource
