// Normalisations. Means and variances are summed in double.
#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refuseLayerNorm(Operation* op) {
  if (op->getNumResults() > 1) return "it does not tell means and deviations";
  return std::nullopt;
}

/// Declares `from` and `to`, the line of an item, `mean` and `inverse`, one over its deviation.
static void openNormalizedLines(NestWriter& w, int64_t length, double epsilon, bool isCentered) {
  CText& c = w.body;
  Value x = w.anchor()->getOperand(0);
  const Type element = typeOf(x).getElementType();
  const std::string type = cType(element), suffix = cSuffix(element);
  const std::string in = w.input(x), out = w.output();
  constexpr int64_t kOperations = 8;
  w.items.numOperations = countOf(x) * kOperations;
  w.items.count = std::to_string(countOf(x) / length);
  c.openLoop("line", "end", "begin");
  c.line(formatv("const {0}* restrict const from = {1} + line * {2};", type, in, length).str());
  c.line(formatv("{0}* restrict const to = {1} + line * {2};", type, out, length).str());
  c.line(isCentered
             ? formatv("const double mean = csource_sum_{0}(from, {1}, 0) / {1};", suffix, length)
                   .str()
             : "const double mean = 0;");
  c.line(
      formatv("const double variance = csource_squares_{0}(from, {1}, mean) / {1};", suffix, length)
          .str());
  c.line("const double inverse = 1 / sqrt(variance + " +
         cReal(epsilon, Float64Type::get(x.getContext())) + ");");
}

/// The address of a parameter that is broadcast to the dimensions from `axis` on at `i0`, `i1`...
static std::string parameterAt(Value parameter, ArrayRef<int64_t> normalized,
                               ArrayRef<LoopDim> loops) {
  const auto shape = typeOf(parameter).getShape();
  const Ints own = stridesOf(shape);
  Ints strides(normalized.size(), 0);
  for (size_t i = 0; i < std::min(shape.size(), normalized.size()); ++i) {
    const size_t d = shape.size() - 1 - i;
    if (shape[d] != 1) strides[normalized.size() - 1 - i] = own[d];
  }
  std::string text;
  for (auto [i, stride] : llvm::enumerate(*loopStrides(normalized, strides, loops)))
    text = sumText(text, scaledText("i" + std::to_string(i), stride));
  return text.empty() ? "0" : text;
}

void printLayerNorm(NestWriter& w) {
  CText& c = w.body;
  Operation* op = w.anchor();
  auto layer = dyn_cast<ir::LayerNormOp>(op);
  const RankedTensorType x = typeOf(op->getOperand(0));
  const auto axis = static_cast<size_t>(cast<ir::AxisOpInterface>(op).getAxisNormalized());
  const auto normalized = x.getShape().drop_front(axis);
  const double epsilon = layer ? layer.getEpsilon().convertToDouble()
                               : cast<ir::RmsNormOp>(op).getEpsilon().convertToDouble();
  openNormalizedLines(w, productOf(normalized), epsilon, layer != nullptr);
  // One loop for each dimension, so that parameters may be broadcast in any way.
  LoopDims loops;
  std::string at;
  const Ints strides = stridesOf(normalized);
  for (auto [d, size] : llvm::enumerate(normalized)) {
    const std::string name = "i" + std::to_string(d);
    loops.push_back({static_cast<int64_t>(d), static_cast<int64_t>(d) + 1, size});
    c.openLoop(name, std::to_string(size));
    at = sumText(at, scaledText(name, strides[d]));
  }
  Value scale = op->getOperand(1), bias = layer ? Value(layer.getB()) : Value();
  std::string text = formatv("((double)from[{0}] - mean) * inverse * (double){1}", at,
                             w.element(scale, parameterAt(scale, normalized, loops)));
  if (bias) text += " + (double)" + w.element(bias, parameterAt(bias, normalized, loops));
  c.line(formatv("to[{0}] = ({1})({2});", at, cType(x.getElementType()), text).str());
  c.closeAll(static_cast<unsigned>(loops.size()) + 1);
}

void printGroupNorm(NestWriter& w) {
  CText& c = w.body;
  Operation* op = w.anchor();
  auto grouped = dyn_cast<ir::GroupNormOp>(op);
  const RankedTensorType x = typeOf(op->getOperand(0));
  const int64_t channels = x.getDimSize(1), positions = productOf(x.getShape().drop_front(2));
  const int64_t groups = grouped ? static_cast<int64_t>(grouped.getNumGroups()) : channels;
  const double epsilon = grouped ? grouped.getEpsilon().convertToDouble()
                                 : cast<ir::InstanceNormOp>(op).getEpsilon().convertToDouble();
  const int64_t inGroup = channels / groups;
  openNormalizedLines(w, inGroup * positions, epsilon, true);
  c.openLoop("g", std::to_string(inGroup));
  const std::string channel = formatv("line % {0} * {1} + g", groups, inGroup);
  c.line(formatv("const double scale = (double){0} * inverse, bias = (double){1};",
                 w.element(op->getOperand(1), channel), w.element(op->getOperand(2), channel))
             .str());
  c.openLoop("p", std::to_string(positions));
  c.line(formatv("to[g * {0} + p] = ({1})(((double)from[g * {0} + p] - mean) * scale + bias);",
                 positions, cType(x.getElementType()))
             .str());
  c.closeAll(3);
}

/// y = x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ** beta, some
/// positions at a time.
void printLrn(NestWriter& w) {
  CText& c = w.body;
  auto op = cast<ir::LrnOp>(w.anchor());
  const RankedTensorType x = typeOf(op.getX());
  const Type element = x.getElementType();
  const int64_t channels = x.getDimSize(1), positions = productOf(x.getShape().drop_front(2));
  const auto size = static_cast<int64_t>(op.getSize());
  const int64_t before = (size - 1) / 2, after = size - 1 - before;
  const double beta = op.getBeta().convertToDouble();
  const std::string type = cType(element), in = w.input(op.getX()), out = w.output();
  constexpr int64_t kStrip = 256;
  w.items.numOperations = countOf(op.getX()) * (size + 8);
  w.items.count = std::to_string(x.getDimSize(0) * channels);
  c.openLoop("plane", "end", "begin");
  c.line(
      formatv("const int64_t channel = plane % {0}, first = csource_max(channel - {1}, 0), last = "
              "csource_min(channel + {2}, {0} - 1);",
              channels, before, after)
          .str());
  c.open(formatv("for (int64_t p = 0; p < {0}; p += {1})", positions, kStrip).str());
  c.line(formatv("const int64_t width = csource_min({0} - p, {1});", positions, kStrip).str());
  c.line(formatv("{0} squares[{1}] = {{0};", type, kStrip).str());
  c.openLoop("near", "last + 1", "first");
  c.line(formatv("const {0}* const line = {1} + (plane - channel + near) * {2} + p;", type, in,
                 positions)
             .str());
  c.line("for (int64_t j = 0; j < width; ++j) squares[j] += line[j] * line[j];");
  c.close();
  c.openLoop("j", "width");
  c.line(formatv("const {0} base = {1} + {2} * squares[j];", type,
                 cReal(op.getBias().convertToDouble(), element),
                 cReal(op.getAlpha().convertToDouble() / static_cast<double>(size), element))
             .str());
  const std::string power =
      beta == 0.75 ? formatv("csource_pow_0_75_{0}(base)", cSuffix(element)).str()
                   : formatv("pow{0}(base, {1})", mathSuffix(element), cReal(beta, element)).str();
  c.line(formatv("{0}[plane * {2} + p + j] = {1}[plane * {2} + p + j] / {3};", out, in, positions,
                 power)
             .str());
  c.closeAll(3);
}

}  // namespace tessera::backend_csource
