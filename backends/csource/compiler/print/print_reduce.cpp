// Reductions: one item is one element of the result. Floats are summed in double.
#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refuseReduce(Operation* op) {
  if (!cast<ir::ReductionOpInterface>(op).getReducedDims())
    return "it reduces along axes that are constant only";
  return std::nullopt;
}

namespace {

/// What differs between reductions. `v` is an element, `state` what has been gathered.
struct ReductionText {
  std::string type;  ///< Of the state.
  std::string start;
  std::string step;
  std::string finish;  ///< The result.
};

/// Loops over the reduced dimensions of an operand at one element of the result.
struct ReducedLoops {
  Ints kept;         ///< Sizes of the dimensions that stay.
  Ints keptStrides;  ///< In the operand.
  Ints reduced;      ///< Sizes, neighbours joined.
  Ints reducedStrides;

  ReducedLoops(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    const Ints strides = stridesOf(shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) continue;
      const bool isReduced = llvm::is_contained(dims, static_cast<int64_t>(d));
      add(isReduced ? reduced : kept, isReduced ? reducedStrides : keptStrides, shape[d],
          strides[d]);
    }
  }

  int64_t count() const { return productOf(reduced); }
  /// Whether the reduced elements are one stretch of memory.
  bool isLine() const { return reduced.size() == 1 && reducedStrides[0] == 1; }

 private:
  static void add(Ints& sizes, Ints& strides, int64_t size, int64_t stride) {
    if (!sizes.empty() && strides.back() == size * stride) {
      sizes.back() *= size;
      strides.back() = stride;
      return;
    }
    sizes.push_back(size);
    strides.push_back(stride);
  }
};

}  // namespace

/// Declares `from`, the operand's first element that item `item` reduces.
static void openReductionItems(NestWriter& w, const ReducedLoops& loops, Value x) {
  CText& c = w.body;
  w.items.count = std::to_string(productOf(loops.kept));
  w.items.numOperations = countOf(x);
  const std::string in = w.input(x);
  c.openLoop("item", "end", "begin");
  std::string offset;
  int64_t inner = productOf(loops.kept);
  for (auto [size, stride] : llvm::zip_equal(loops.kept, loops.keptStrides)) {
    inner /= size;
    std::string index = "item";
    if (inner != 1) index += " / " + std::to_string(inner);
    if (inner * size != productOf(loops.kept)) index += " % " + std::to_string(size);
    offset = sumText(offset, scaledText(index, stride));
  }
  c.line(formatv("const {0}* const from = {1};", cType(typeOf(x).getElementType()),
                 sumText(in, offset))
             .str());
}

/// Opens loops over the reduced elements and declares `v`, the operand's element there.
static unsigned openReducedLoops(CText& c, const ReducedLoops& loops, const std::string& type) {
  std::string offset;
  for (auto [i, size] : llvm::enumerate(loops.reduced)) {
    const std::string name = "r" + std::to_string(i);
    c.openLoop(name, std::to_string(size));
    offset = sumText(offset, scaledText(name, loops.reducedStrides[i]));
  }
  c.line("const " + type + " v = from[" + (offset.empty() ? "0" : offset) + "];");
  return static_cast<unsigned>(loops.reduced.size());
}

static void printReduction(NestWriter& w, ArrayRef<int64_t> dims, const ReductionText& text) {
  CText& c = w.body;
  Value x = w.anchor()->getOperand(0);
  const ReducedLoops loops(typeOf(x).getShape(), dims);
  openReductionItems(w, loops, x);
  c.line(text.type + " state = " + text.start + ";");
  c.open("");
  const unsigned blocks = openReducedLoops(c, loops, cType(typeOf(x).getElementType()));
  c.line(text.step);
  c.closeAll(blocks + 1);
  c.line(w.output() + "[item] = " + text.finish + ";");
  c.close();
}

/// The sum of a line of floats (prelude), divided or taken the root of.
static void printLineSum(NestWriter& w, ArrayRef<int64_t> dims, StringRef function,
                         const std::string& finish) {
  CText& c = w.body;
  Value x = w.anchor()->getOperand(0);
  const ReducedLoops loops(typeOf(x).getShape(), dims);
  openReductionItems(w, loops, x);
  const Type element = typeOf(x).getElementType();
  c.line(formatv("const double state = csource_{0}_{1}(from, {2}, 0);", function, cSuffix(element),
                 loops.count())
             .str());
  c.line(w.output() + "[item] = " + finish + ";");
  c.close();
}

/// A double as a result of this type.
static std::string narrowedText(const std::string& real, Type element) {
  if (isa<FloatType>(element)) return "(" + cType(element) + ")(" + real + ")";
  return "csource_truncate_" + cSuffix(element) + "(" + real + ")";
}

/// Sums and products of integers wrap, so that their sign does not matter.
static std::string stateType(Type element) {
  return isa<FloatType>(element) ? "double" : "uint64_t";
}

static ReductionText gathered(Type element, const std::string& start, const std::string& step) {
  return {.type = stateType(element),
          .start = start,
          .step = step,
          .finish = "(" + cType(element) + ")state"};
}

/// In double whatever the type is.
static ReductionText gatheredReal(Type element, const std::string& step,
                                  const std::string& finish) {
  return {.type = "double", .start = "0", .step = step, .finish = narrowedText(finish, element)};
}

static ReductionText extremeText(Type element, bool isMaximum) {
  const std::string relation = isMaximum ? ">" : "<";
  const std::string isNan = isa<FloatType>(element) ? " || v != v" : "";
  return {.type = cType(element),
          .start = isMaximum ? leastOf(element) : greatestOf(element),
          .step = "state = v " + relation + " state" + isNan + " ? v : state;",
          .finish = "state"};
}

static ReductionText reductionText(Operation* op, Type element, int64_t count) {
  const std::string state = stateType(element);
  if (isa<ir::ReduceMaxOp>(op)) return extremeText(element, true);
  if (isa<ir::ReduceMinOp>(op)) return extremeText(element, false);
  if (isa<ir::ReduceProdOp>(op)) return gathered(element, "1", "state *= (" + state + ")v;");
  if (isa<ir::ReduceSumOp>(op)) return gathered(element, "0", "state += (" + state + ")v;");
  if (isa<ir::ReduceSumSquareOp>(op))
    return gathered(element, "0", "state += (" + state + ")v * (" + state + ")v;");
  if (isa<ir::ReduceL1Op>(op)) {
    const bool isUnsigned = element.isUnsignedInteger();
    return gathered(element, "0",
                    isUnsigned
                        ? "state += v;"
                        : "state = v < 0 ? state - (" + state + ")v : state + (" + state + ")v;");
  }
  if (isa<ir::ReduceL2Op>(op))
    return gatheredReal(element, "state += (double)v * (double)v;", "sqrt(state)");
  if (isa<ir::ReduceLogSumOp>(op))
    return gatheredReal(element, "state += (double)v;", "log(state)");
  return gatheredReal(element, "state += (double)v;", "state / " + std::to_string(count) + ".0");
}

void printReduce(NestWriter& w) {
  Operation* op = w.anchor();
  const RankedTensorType x = typeOf(op->getOperand(0));
  const Type element = x.getElementType();
  const Ints dims = *cast<ir::ReductionOpInterface>(op).getReducedDims();
  const ReducedLoops loops(x.getShape(), dims);
  const ReductionText text = reductionText(op, element, loops.count());
  const bool isSum = isa<ir::ReduceSumOp, ir::ReduceMeanOp>(op);
  const bool isSquares = isa<ir::ReduceL2Op, ir::ReduceSumSquareOp>(op);
  if (isa<FloatType>(element) && loops.isLine() && (isSum || isSquares))
    printLineSum(w, dims, isSum ? "sum" : "squares", text.finish);
  else
    printReduction(w, dims, text);
}

/// log(sum(exp(x))), shifted by the maximum so that nothing overflows.
void printReduceLogSumExp(NestWriter& w) {
  CText& c = w.body;
  Operation* op = w.anchor();
  Value x = op->getOperand(0);
  const Type element = typeOf(x).getElementType();
  const ReducedLoops loops(typeOf(x).getShape(),
                           *cast<ir::ReductionOpInterface>(op).getReducedDims());
  openReductionItems(w, loops, x);
  c.line("double most = -INFINITY, sum = 0;");
  c.open("");
  unsigned blocks = openReducedLoops(c, loops, cType(element));
  c.line("most = (double)v > most || v != v ? (double)v : most;");
  c.closeAll(blocks + 1);
  // An infinity stays what it is.
  c.line("const double shift = isinf(most) ? 0 : most;");
  c.open("");
  blocks = openReducedLoops(c, loops, cType(element));
  c.line("sum += exp((double)v - shift);");
  c.closeAll(blocks + 1);
  c.line(w.output() + "[item] = " + narrowedText("shift + log(sum)", element) + ";");
  c.close();
}

void printGlobalPool(NestWriter& w) {
  Operation* op = w.anchor();
  const RankedTensorType x = typeOf(op->getOperand(0));
  const Ints dims = llvm::to_vector(llvm::seq<int64_t>(2, x.getRank()));
  const ReducedLoops loops(x.getShape(), dims);
  if (isa<ir::GlobalMaxPoolOp>(op)) {
    printReduction(w, dims, extremeText(x.getElementType(), true));
    return;
  }
  const std::string finish =
      narrowedText("state / " + std::to_string(loops.count()) + ".0", x.getElementType());
  if (loops.isLine())
    printLineSum(w, dims, "sum", finish);
  else
    printReduction(
        w, dims, {.type = "double", .start = "0", .step = "state += (double)v;", .finish = finish});
}

/// NaN beats every number, in either direction.
void printArgExtreme(NestWriter& w) {
  CText& c = w.body;
  Operation* op = w.anchor();
  Value x = op->getOperand(0);
  const Type element = typeOf(x).getElementType();
  const int64_t axis = cast<ir::AxisOpInterface>(op).getAxisNormalized();
  auto maximum = dyn_cast<ir::ArgmaxOp>(op);
  const bool selectsLast = maximum ? maximum.getSelectLastIndex() != 0
                                   : cast<ir::ArgminOp>(op).getSelectLastIndex() != 0;
  const auto shape = typeOf(x).getShape();
  const ReducedLoops loops(shape, {axis});
  openReductionItems(w, loops, x);
  c.line("int64_t best = 0;");
  c.openLoop("r", std::to_string(shape[axis]), "1");
  const std::string type = cType(element);
  c.line(formatv("const {0} v = from[r * {1}], champion = from[best * {1}];", type,
                 stridesOf(shape)[axis])
             .str());
  std::string wins =
      std::string("v ") + (maximum ? ">" : "<") + (selectsLast ? "= " : " ") + "champion";
  if (isa<FloatType>(element))
    wins = selectsLast ? "v != v || (champion == champion && " + wins + ")"
                       : "champion == champion && (v != v || " + wins + ")";
  c.line("if (" + wins + ") best = r;");
  c.close();
  c.line(w.output() + "[item] = best;");
  c.close();
}

}  // namespace tessera::backend_csource
