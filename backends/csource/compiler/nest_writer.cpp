#include "backends/csource/compiler/nest_writer.h"

#include "backends/csource/compiler/scalar_formulas.h"
#include "base/shape_text.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

/// Items that make a nest worth sharing among threads, however many there are.
static constexpr int64_t kEnoughItems = 64;

NestWriter::NestWriter(const Nest& nest, const MemoryPlan& memory, uint32_t nodeNumber)
    : nest_(nest), memory_(memory), nodeNumber_(nodeNumber) {}

std::string placeText(const Place& place, unsigned numInputs) {
  std::string address = "frame->workspace";
  // Outputs stand behind the inputs.
  if (place.kind != Place::Kind::kWorkspace)
    address = formatv("(char*)frame->buffers[{0}]",
                      place.index + (place.kind == Place::Kind::kOutput ? numInputs : 0));
  if (place.offsetBytes == 0) return address;
  return "(" + address + " + " + std::to_string(place.offsetBytes) + ")";
}

std::string NestWriter::place(Value value) const {
  auto function = cast<func::FuncOp>(nest_.root()->getParentOp());
  return placeText(memory_.placeOf(value), function.getNumArguments());
}

/// The elements of a constant, as a list in braces.
static std::string constantList(Value constant) {
  const ir::Blob blob = *ir::constantBytes(constant);
  std::string text = "{";
  for (int64_t i = 0; i < countOf(constant); ++i)
    text += (i > 0 ? ", " : "") + cElement(blob.bytes, i, typeOf(constant).getElementType());
  return text + "}";
}

void NestWriter::table(llvm::StringRef type, llvm::StringRef name, llvm::StringRef values,
                       size_t count) {
  declarations_.line(formatv("static const {0} {1}[{2}] = {3};", type, name, count, values).str());
}

std::string NestWriter::pointerName(Value value, bool isWritten) {
  const auto [it, isNew] = pointers_.try_emplace(value, "");
  if (!isNew) return it->second;
  const std::string type = cType(typeOf(value).getElementType());
  const std::string prefix = isWritten ? "y" : "x";
  const auto number = llvm::count_if(pointers_, [&](const auto& entry) {
    return llvm::StringRef(entry.second).ltrim('(').starts_with(prefix);
  });
  it->second = prefix + std::to_string(number);
  if (const Place place = memory_.placeOf(value); place.kind == Place::Kind::kConstant) {
    const std::string name = it->second;
    table(type, name, constantList(place.constant), static_cast<size_t>(countOf(place.constant)));
    if (place.offsetBytes != 0)  // A part of a constant.
      it->second = formatv("({0} + {1} / (int64_t)sizeof({2}))", name, place.offsetBytes, type);
    return it->second;
  }
  declarations_.line(formatv("{0}{1}* restrict const {2} = ({0}{1}*)({3});",
                             isWritten ? "" : "const ", type, it->second, place(value))
                         .str());
  return it->second;
}

std::string NestWriter::input(Value value) { return pointerName(value, false); }
std::string NestWriter::output(unsigned result) {
  return pointerName(nest_.root()->getResult(result), true);
}

std::string NestWriter::element(Value value, llvm::StringRef at) {
  const Place place = memory_.placeOf(value);
  if (place.kind != Place::Kind::kConstant || countOf(place.constant) != 1)
    return (input(value) + "[" + at + "]").str();
  const std::string text =
      cElement(ir::constantBytes(place.constant)->bytes, 0, typeOf(value).getElementType());
  return text.front() == '-' ? "(" + text + ")" : text;
}

size_t NestWriter::openItems(ArrayRef<int64_t> extents, MutableArrayRef<std::string> names) {
  // The last loop stays, unless it is the only one: it is what becomes vectors.
  size_t numOuter = extents.size() == 1 ? 1 : 0;
  int64_t count = numOuter == 1 ? extents[0] : 1;
  while (numOuter + 1 < extents.size() && count < kEnoughItems) count *= extents[numOuter++];
  items.count = std::to_string(count);
  body.openLoop("item", "end", "begin");
  int64_t inner = count;
  for (size_t i = 0; i < numOuter; ++i) {
    inner /= extents[i];
    if (extents[i] == 1) {
      names[i] = "0";
      continue;
    }
    std::string index = "item";
    if (inner != 1) index += " / " + std::to_string(inner);
    if (inner * extents[i] != count) index += " % " + std::to_string(extents[i]);
    if (index == "item")
      names[i] = index;
    else
      body.line("const int64_t " + names[i] + " = " + index + ";");
  }
  return numOuter;
}

/// sum(index * stride); "0" where nothing is left.
static std::string addressText(ArrayRef<std::string> indices, ArrayRef<int64_t> strides) {
  std::string text;
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    text = sumText(text, scaledText(index, stride));
  return text.empty() ? "0" : text;
}

void NestWriter::storeTail(llvm::StringRef sum, ArrayRef<LoopDim> loops,
                           ArrayRef<std::string> indices) {
  Value result = nest_.root()->getResult(0);
  const auto shape = typeOf(result).getShape();
  const auto address = [&](ArrayRef<int64_t> strides) {
    return addressText(indices, *loopStrides(shape, strides, loops));
  };
  DenseMap<Value, std::string> names;
  if (nest_.anchor) {
    Value anchor = nest_.anchor->getResult(0);
    names[anchor] = sum.str();
    if (!nest_.tail.empty()) {
      body.line("const " + cType(typeOf(anchor).getElementType()) + " sum0 = " + sum + ";");
      names[anchor] = "sum0";
    }
  }
  for (auto [i, op] : llvm::enumerate(nest_.tail)) {
    SmallVector<std::string> arguments;
    for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
      const std::string name = names.lookup(operand);
      arguments.push_back(
          name.empty() ? element(operand, address(operandStrides(op, static_cast<unsigned>(k))))
                       : name);
      // Formulas name an argument as often as they need it.
      if (name.empty() && llvm::StringRef(arguments.back()).contains('[')) {
        const std::string local = formatv("a{0}_{1}", i, k);
        body.line("const " + cType(typeOf(operand).getElementType()) + " " + local + " = " +
                  arguments.back() + ";");
        arguments.back() = local;
      }
    }
    const std::string type = cType(typeOf(op->getResult(0)).getElementType());
    const std::string name = "t" + std::to_string(i);
    body.line("const " + type + " " + name + " = (" + type + ")(" + scalarFormula(op, arguments) +
              ");");
    names[op->getResult(0)] = name;
  }
  body.line(output() + "[" + address(stridesOf(shape)) + "] = " + names.lookup(result) + ";");
}

std::string NestWriter::function(llvm::StringRef name) const {
  std::string text = "/* " + cComment(describe(nest_)) + " */\n";
  text += ("static void " + name + "(void* context, int64_t begin, int64_t end) {\n").str();
  text += "  const csource_frame* const frame = context;\n";
  return text + declarations_.str() + body.str() + "}\n";
}

std::string NestWriter::callFunction(llvm::StringRef name) const {
  std::string text = "/* " + cComment(describe(nest_)) + " */\n";
  text += ("static int32_t " + name + "(const csource_frame* frame) {\n").str();
  return text + declarations_.str() + body.str() + "}\n";
}

void printElementwise(NestWriter& w) {
  Value result = w.nest().root()->getResult(0);
  const auto shape = typeOf(result).getShape();
  SmallVector<Ints> operands = {stridesOf(shape)};
  for (Operation* op : w.nest().tail) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i) operands.push_back(operandStrides(op, i));
  }
  const LoopDims loops = fewestDims(shape, operands);
  SmallVector<std::string> names;
  Ints extents;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    names.push_back("i" + std::to_string(i));
    extents.push_back(loop.extent);
  }
  w.items.numOperations = countOf(result) * static_cast<int64_t>(w.nest().tail.size());
  const size_t first = w.openItems(extents, names);
  for (size_t i = first; i < loops.size(); ++i)
    w.body.openLoop(names[i], std::to_string(extents[i]));
  w.storeTail("", loops, names);
  w.body.closeAll(static_cast<unsigned>(loops.size() - first + 1));
}

std::string describe(const Nest& nest) {
  std::string text;
  for (Operation* op : nest.operations()) {
    text += (text.empty() ? "" : ", ") + op->getName().stripDialect().str();
    const auto names = ir::sourceNames(op->getLoc());
    if (!names.empty()) text += " '" + llvm::join(names, "' '") + "'";
  }
  for (const Value result : nest.root()->getResults()) {
    const RankedTensorType type = typeOf(result);
    text += ": " + cSuffix(type.getElementType()) + " " + base::shapeText(type.getShape());
  }
  return text;
}

}  // namespace tessera::backend_csource
