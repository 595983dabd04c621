// Resize, nearest and linear: tables say for each position of a resized dimension which two input
// positions it shows, and how much of the second one.
#include <cmath>

#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/resize.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refuseResize(Operation* op) {
  auto resize = cast<ir::ResizeOp>(op);
  if (resize.getMode() == ir::ResizeMode::Cubic || resize.getAntialias() != 0)
    return "it resizes by the nearest element or linearly, without antialias";
  if (resize.getCoordinateTransformationMode() == ir::CoordinateTransformation::CropAndResize)
    return "it does not crop while resizing";
  if (resize.getKeepAspectRatioPolicy() != ir::AspectRatioPolicy::Stretch)
    return "it resizes each dimension by itself only";
  if (ir::spec::isGiven(resize.getScales()) && !ir::constantFloats(resize.getScales()))
    return "it resizes by constant scales only";
  if (resize.getMode() == ir::ResizeMode::Linear && !typeOf(resize.getX()).getElementType().isF32())
    return "it interpolates f32 only";
  return std::nullopt;
}

namespace {

/// What the positions of one dimension of the result show.
struct ResizeTable {
  Ints first, second;
  SmallVector<double> weights;  ///< Of the second position.
};

}  // namespace

static double nearestOf(ir::NearestMode mode, double x) {
  switch (mode) {
    case ir::NearestMode::RoundPreferFloor:
      return std::ceil(x - 0.5);
    case ir::NearestMode::RoundPreferCeil:
      return std::floor(x + 0.5);
    case ir::NearestMode::Floor:
      return std::floor(x);
    case ir::NearestMode::Ceil:
      return std::ceil(x);
  }
  return x;
}

static ResizeTable tableOf(ir::ResizeOp op, size_t number, int64_t input, int64_t output) {
  const auto from = static_cast<float>(input), to = static_cast<float>(output);
  const bool hasScales = ir::spec::isGiven(op.getScales());
  const float scale =
      hasScales ? static_cast<float>((*ir::constantFloats(op.getScales()))[number]) : to / from;
  const ir::spec::ResizedDim<float, bool> dim = {.input = from,
                                                 .lastInput = from - 1,
                                                 .output = to,
                                                 .isSingle = output == 1,
                                                 .scale = scale,
                                                 .extent = hasScales ? scale * from : to,
                                                 .roiBegin = 0,
                                                 .roiEnd = 0};
  ResizeTable table;
  const auto last = static_cast<double>(input - 1);
  for (int64_t o = 0; o < output; ++o) {
    const double x =
        ir::spec::inputCoordinate(op.getCoordinateTransformationMode(), dim, static_cast<float>(o));
    const double at = op.getMode() == ir::ResizeMode::Nearest ? nearestOf(op.getNearestMode(), x)
                                                              : std::clamp(x, 0.0, last);
    const double whole = std::floor(std::clamp(at, 0.0, last));
    table.first.push_back(static_cast<int64_t>(whole));
    table.second.push_back(std::min(static_cast<int64_t>(whole) + 1, input - 1));
    table.weights.push_back(op.getMode() == ir::ResizeMode::Nearest ? 0 : at - whole);
  }
  return table;
}

/// Declares tables of dimension d: `first<d>`, and for linear ones `second<d>` and `weight<d>`.
static void declareTable(NestWriter& w, size_t d, const ResizeTable& table, bool isLinear) {
  const std::string suffix = std::to_string(d);
  w.table("int64_t", "first" + suffix, cList(table.first), table.first.size());
  if (!isLinear) return;
  w.table("int64_t", "second" + suffix, cList(table.second), table.second.size());
  std::string weights;
  for (const double weight : table.weights)
    weights +=
        (weights.empty() ? "{" : ", ") + cReal(weight, Float32Type::get(w.anchor()->getContext()));
  w.table("float", "weight" + suffix, weights + "}", table.weights.size());
}

void printResize(NestWriter& w) {
  CText& c = w.body;
  auto op = cast<ir::ResizeOp>(w.anchor());
  const auto from = typeOf(op.getX()).getShape(), to = typeOf(op.getY()).getShape();
  const bool isLinear = op.getMode() == ir::ResizeMode::Linear;
  const Ints fromStrides = stridesOf(from), toStrides = stridesOf(to);
  // Dimensions that tables are made for; all others are walked as they are.
  llvm::SmallDenseSet<size_t> resized;
  for (auto [number, axis] : llvm::enumerate(ir::spec::resizedDims(op))) {
    const auto d = static_cast<size_t>(axis);
    const ResizeTable table = tableOf(op, number, from[d], to[d]);
    const bool isPlain = from[d] == to[d] && table.first == ir::spec::allAxes(from[d]);
    if (isPlain && llvm::all_of(table.weights, [](double weight) { return weight == 0; })) continue;
    resized.insert(d);
    declareTable(w, d, table, isLinear);
  }
  SmallVector<std::string> names;
  for (size_t d = 0; d < to.size(); ++d) names.push_back("o" + std::to_string(d));
  w.items.numOperations = countOf(op.getY()) * (isLinear ? 8 : 1);
  const std::string in = w.input(op.getX()), out = w.output();
  const size_t first = w.openItems(to, names);
  for (size_t d = first; d < to.size(); ++d) c.openLoop(names[d], std::to_string(to[d]));
  // The corners that an element lies between, and what each counts.
  SmallVector<std::pair<std::string, std::string>> corners = {{"", ""}};
  std::string target;
  for (size_t d = 0; d < to.size(); ++d) {
    target = sumText(target, scaledText(names[d], toStrides[d]));
    SmallVector<std::pair<std::string, std::string>> next;
    for (const auto& [at, weight] : corners) {
      const std::string o = names[d];
      if (!resized.contains(d)) {
        next.push_back({sumText(at, scaledText(o, fromStrides[d])), weight});
        continue;
      }
      const std::string low = formatv("first{0}[{1}]", d, o),
                        high = formatv("second{0}[{1}]", d, o);
      const std::string times = weight.empty() ? "" : weight + " * ";
      next.push_back({sumText(at, scaledText(low, fromStrides[d])),
                      isLinear ? times + formatv("(1 - weight{0}[{1}])", d, o).str() : ""});
      if (isLinear)
        next.push_back({sumText(at, scaledText(high, fromStrides[d])),
                        times + formatv("weight{0}[{1}]", d, o).str()});
    }
    corners = std::move(next);
  }
  std::string sum;
  for (const auto& [at, weight] : corners)
    sum += (sum.empty() ? "" : " + ") + (weight.empty() ? "" : weight + " * ") + in + "[" +
           (at.empty() ? "0" : at) + "]";
  c.line(out + "[" + (target.empty() ? "0" : target) + "] = " + sum + ";");
  c.closeAll(static_cast<unsigned>(to.size() - first) + 1);
}

}  // namespace tessera::backend_csource
