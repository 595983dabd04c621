// Pad: what stands behind the borders is a constant, or an element of the operand.
#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refusePad(Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  if (!ir::constantInts(pad.getPads()) || (pad.getAxes() && !ir::constantInts(pad.getAxes())))
    return "it pads by constant sizes only";
  return std::nullopt;
}

/// What is added in front of each dimension.
static Ints padsInFront(ir::PadOp op) {
  const int64_t rank = typeOf(op.getData()).getRank();
  const auto pads = *ir::constantInts(op.getPads());
  const auto axes =
      op.getAxes() ? *ir::spec::constantAxes(op.getAxes(), rank) : ir::spec::allAxes(rank);
  Ints begins(static_cast<size_t>(rank), 0);
  for (auto [i, axis] : llvm::enumerate(axes)) begins[axis] = pads[i];
  return begins;
}

/// The position in a dimension of `size` elements that position `at`, maybe outside, shows. Pads
/// begin and end, of which negative ones cut: what they cut off is not repeated.
static std::string mirrored(ir::PadMode mode, const std::string& at, int64_t size, int64_t begin,
                            int64_t end) {
  switch (mode) {
    case ir::PadMode::Reflect:
      return formatv("{0} < 0 ? -({0}) : {0} >= {1} ? {2} - ({0}) : {0}", at, size, 2 * (size - 1));
    case ir::PadMode::Edge:
      return formatv("csource_min(csource_max({0}, 0), {1})", at, size - 1);
    case ir::PadMode::Wrap: {
      const int64_t from = std::max<int64_t>(-begin, 0);
      const int64_t kept = size - from - std::max<int64_t>(-end, 0);
      const std::string place = from == 0 ? at : sumText(at, std::to_string(-from));
      const std::string shown = formatv("(({0}) % {1} + {1}) % {1}", place, kept);
      return from == 0 ? shown : sumText(shown, std::to_string(from));
    }
    case ir::PadMode::Constant:
      break;
  }
  return at;
}

void printPad(NestWriter& w) {
  CText& c = w.body;
  auto op = cast<ir::PadOp>(w.anchor());
  const auto from = typeOf(op.getData()).getShape(), to = typeOf(op->getResult(0)).getShape();
  const Ints begins = padsInFront(op), fromStrides = stridesOf(from), toStrides = stridesOf(to);
  SmallVector<std::string> names;
  for (size_t d = 0; d < to.size(); ++d) names.push_back("o" + std::to_string(d));
  w.items.numOperations = countOf(op->getResult(0));
  const std::string in = w.input(op.getData()), out = w.output();
  const std::string value = op.getConstantValue() ? w.element(op.getConstantValue(), "0") : "0";
  const size_t first = w.openItems(to, names);
  for (size_t d = first; d < to.size(); ++d) c.openLoop(names[d], std::to_string(to[d]));
  std::string source, target, isInside;
  for (size_t d = 0; d < to.size(); ++d) {
    target = sumText(target, scaledText(names[d], toStrides[d]));
    const std::string i = "i" + std::to_string(d);
    const std::string at =
        begins[d] == 0 ? names[d] : sumText(names[d], std::to_string(-begins[d]));
    c.line("const int64_t " + i + " = " +
           mirrored(op.getMode(), at, from[d], begins[d], to[d] - from[d] - begins[d]) + ";");
    source = sumText(source, scaledText(i, fromStrides[d]));
    if (op.getMode() == ir::PadMode::Constant && from[d] != to[d])
      isInside += formatv("{0}{1} >= 0 && {1} < {2}", isInside.empty() ? "" : " && ", i, from[d]);
    else if (op.getMode() == ir::PadMode::Constant && begins[d] != 0)
      isInside += formatv("{0}{1} >= 0 && {1} < {2}", isInside.empty() ? "" : " && ", i, from[d]);
  }
  const std::string element = in + "[" + (source.empty() ? "0" : source) + "]";
  c.line(out + "[" + (target.empty() ? "0" : target) +
         "] = " + (isInside.empty() ? element : isInside + " ? " + element + " : " + value) + ";");
  c.closeAll(static_cast<unsigned>(to.size() - first) + 1);
}

}  // namespace tessera::backend_csource
