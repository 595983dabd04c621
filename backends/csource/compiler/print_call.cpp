#include "backends/csource/compiler/print_call.h"

#include "backends/csource/compiler/print/window_loops.h"
#include "compiler/ir/op_info.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

/// Declares the dimensions of a tensor; the csource_tensor as an initialiser.
static std::string tensorText(NestWriter& w, Value value, const std::string& pointer,
                              const std::string& dims) {
  const RankedTensorType type = typeOf(value);
  // C has no arrays of no elements.
  const Ints sizes = type.getRank() == 0 ? Ints{1} : Ints(type.getShape());
  w.table("int64_t", dims, cList(sizes), sizes.size());
  return formatv("{{(void*){0}, {1}, {2}, {3}}", pointer, dims, type.getRank(),
                 static_cast<int>(ir::toElementType(type.getElementType())));
}

/// The sizes of the window's taps: those of the filters, or an attribute.
static Ints kernelOf(Operation* op) {
  if (auto conv = dyn_cast<ir::ConvOp>(op))
    return Ints(typeOf(conv.getW()).getShape().drop_front(2));
  if (auto pool = dyn_cast<ir::MaxPoolOp>(op)) return Ints(pool.getKernelShape());
  return Ints(cast<ir::AveragePoolOp>(op).getKernelShape());
}

/// Declares `window`; its address.
static std::string windowText(NestWriter& w, Operation* op) {
  if (!isa<ir::WindowOpInterface>(op)) return "NULL";
  const WindowSizes window = windowSizes(op, kernelOf(op), typeOf(op->getResult(0)));
  const std::pair<const char*, const Ints*> lists[] = {{"kernel", &window.kernel},
                                                       {"strides", &window.strides},
                                                       {"dilations", &window.dilations},
                                                       {"pads_begin", &window.pads},
                                                       {"pads_end", &window.padsEnd}};
  for (const auto& [name, values] : lists) w.table("int64_t", name, cList(*values), values->size());
  w.declare(
      formatv(
          "const csource_window window = {{{0}, kernel, strides, dilations, pads_begin, pads_end};",
          window.rank())
          .str());
  return "&window";
}

void printCall(NestWriter& w, StringRef symbol) {
  Operation* op = w.anchor();
  SmallVector<std::string> inputs, outputs;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    inputs.push_back(tensorText(w, operand, w.input(operand), "input" + std::to_string(i)));
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    outputs.push_back(
        tensorText(w, result, w.output(static_cast<unsigned>(i)), "output" + std::to_string(i)));
  // Optional operands come last; absent ones have no data.
  const StringRef mnemonic = op->getName().stripDialect();
  while (inputs.size() < ir::findByMnemonic(mnemonic)->operands.size())
    inputs.push_back("{NULL, NULL, 0, 0}");
  const std::string window = windowText(w, op);
  auto conv = dyn_cast<ir::ConvOp>(op);
  auto axis = dyn_cast<ir::AxisOpInterface>(op);
  const auto names = ir::sourceNames(op->getLoc());
  w.body.line(formatv("const csource_tensor inputs[] = {{{0}};", llvm::join(inputs, ", ")).str());
  w.body.line(formatv("const csource_tensor outputs[] = {{{0}};", llvm::join(outputs, ", ")).str());
  w.body.line(formatv("const csource_operation operation = {{{0}, {1}, inputs, outputs, {2}, {3}, "
                      "{4}, {5}, {6}};",
                      cString(mnemonic), cString(names.empty() ? "" : names.front()), inputs.size(),
                      outputs.size(), window, conv ? static_cast<int64_t>(conv.getGroup()) : 1,
                      axis ? axis.getAxisNormalized() : -1)
                  .str());
  w.body.line("return " + symbol + "(&operation);");
}

}  // namespace tessera::backend_csource
