// softmax and log_softmax along one axis.
#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

void printSoftmax(NestWriter& w) {
  CText& c = w.body;
  Operation* op = w.anchor();
  Value x = op->getOperand(0);
  const Type element = typeOf(x).getElementType();
  const auto shape = typeOf(x).getShape();
  const int64_t axis = cast<ir::AxisOpInterface>(op).getAxisNormalized();
  const int64_t length = shape[axis], inner = productOf(shape.drop_front(axis + 1));
  const std::string type = cType(element), f = mathSuffix(element);
  const std::string in = w.input(x), out = w.output();
  constexpr int64_t kOperationsOfExp = 20;
  w.items.numOperations = countOf(x) * kOperationsOfExp;
  w.items.count = std::to_string(countOf(x) / length);
  c.openLoop("line", "end", "begin");
  const std::string start =
      inner == 1 ? "line * " + std::to_string(length)
                 : formatv("line / {0} * {1} + line % {0}", inner, inner * length).str();
  c.line("const int64_t start = " + start + ";");
  c.line(formatv("const {0}* const from = {1} + start;", type, in).str());
  c.line(formatv("{0}* const to = {1} + start;", type, out).str());
  const std::string at = scaledText("k", inner);
  c.line(formatv("{0} most = from[0];", type).str());
  const std::string loop = formatv("for (int64_t k = 0; k < {0}; ++k) ", length);
  c.line(loop + "most = from[" + at + "] > most ? from[" + at + "] : most;");
  if (isa<ir::SoftmaxOp>(op)) {
    c.line(formatv("{0}to[{1}] = exp{2}(from[{1}] - most);", loop, at, f).str());
    c.line("double sum = 0;");
    c.line(loop + "sum += (double)to[" + at + "];");
    c.line(formatv("const {0} scale = ({0})(1 / sum);", type).str());
    c.line(loop + "to[" + at + "] *= scale;");
  } else {
    c.line("double sum = 0;");
    c.line(formatv("{0}sum += (double)exp{2}(from[{1}] - most);", loop, at, f).str());
    c.line("const double shift = (double)most + log(sum);");
    c.line(formatv("{0}to[{1}] = ({2})((double)from[{1}] - shift);", loop, at, type).str());
  }
  c.close();
}

}  // namespace tessera::backend_csource
