// Operators that move elements: the result is walked in order, the operand with strides of its own.
#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/slice.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

/// Writes result 0, seen as a tensor of `shape`: the element at an index is the operand's at
/// `offset` + sum(index * stride).
static void printStridedRead(NestWriter& w, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                             int64_t offset = 0) {
  CText& c = w.body;
  const Ints to = stridesOf(shape), from(strides);
  const LoopDims loops = fewestDims(shape, {to, from});
  const Ints toStrides = *loopStrides(shape, to, loops);
  const Ints fromStrides = *loopStrides(shape, from, loops);
  SmallVector<std::string> names;
  Ints extents;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    names.push_back("i" + std::to_string(i));
    extents.push_back(loop.extent);
  }
  const std::string in = w.input(w.anchor()->getOperand(0)), out = w.output();
  w.items.numOperations = productOf(shape);
  const size_t first = w.openItems(extents, names);
  for (size_t i = first; i < loops.size(); ++i) c.openLoop(names[i], std::to_string(extents[i]));
  std::string source = offset == 0 ? "" : std::to_string(offset), target;
  for (size_t i = 0; i < loops.size(); ++i) {
    source = sumText(source, scaledText(names[i], fromStrides[i]));
    target = sumText(target, scaledText(names[i], toStrides[i]));
  }
  const auto orZero = [](const std::string& text) { return text.empty() ? "0" : text; };
  c.line(out + "[" + orZero(target) + "] = " + in + "[" + orZero(source) + "];");
  c.closeAll(static_cast<unsigned>(loops.size() - first) + 1);
}

void printTranspose(NestWriter& w) {
  auto op = cast<ir::TransposeOp>(w.anchor());
  const Ints strides = stridesOf(typeOf(op.getData()).getShape());
  Ints permuted;
  for (size_t d = 0; d < strides.size(); ++d) {
    const size_t source =
        op.getPerm() ? static_cast<size_t>((*op.getPerm())[d]) : strides.size() - 1 - d;
    permuted.push_back(strides[source]);
  }
  printStridedRead(w, typeOf(op->getResult(0)).getShape(), permuted);
}

void printExpand(NestWriter& w) {
  const auto shape = typeOf(w.anchor()->getResult(0)).getShape();
  const auto from = typeOf(w.anchor()->getOperand(0)).getShape();
  const Ints own = stridesOf(from);
  Ints strides(shape.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t d = from.size() - 1 - i;
    if (from[d] != 1) strides[shape.size() - 1 - i] = own[d];
  }
  printStridedRead(w, shape, strides);
}

/// Each dimension as two: the repeats, which read the same again, and the elements.
void printTile(NestWriter& w) {
  const auto shape = typeOf(w.anchor()->getResult(0)).getShape();
  const auto from = typeOf(w.anchor()->getOperand(0)).getShape();
  const Ints own = stridesOf(from);
  Ints sizes, strides;
  for (size_t d = 0; d < shape.size(); ++d) {
    sizes.append({shape[d] / from[d], from[d]});
    strides.append({0, own[d]});
  }
  printStridedRead(w, sizes, strides);
}

std::optional<std::string> refuseSlice(Operation* op) {
  auto slice = cast<ir::SliceOp>(op);
  for (const Value list : {Value(slice.getStarts()), Value(slice.getEnds()), Value(slice.getAxes()),
                           Value(slice.getSteps())}) {
    if (list && !ir::constantInts(list)) return "it slices at constant positions only";
  }
  return std::nullopt;
}

void printSlice(NestWriter& w) {
  auto op = cast<ir::SliceOp>(w.anchor());
  const RankedTensorType x = typeOf(op.getData());
  Ints strides = stridesOf(x.getShape());
  const auto starts = *ir::constantInts(op.getStarts()), ends = *ir::constantInts(op.getEnds());
  const auto axes = op.getAxes() ? *ir::spec::constantAxes(op.getAxes(), x.getRank())
                                 : ir::spec::allAxes(static_cast<int64_t>(starts.size()));
  const auto steps = op.getSteps() ? *ir::constantInts(op.getSteps()) : Ints(starts.size(), 1);
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t axis = axes[i];
    const auto range =
        ir::spec::sliceRange<int64_t>(x.getDimSize(axis), starts[i], ends[i], steps[i]);
    offset += range.start * strides[axis];
    strides[axis] *= steps[i];
  }
  printStridedRead(w, typeOf(op->getResult(0)).getShape(), strides, offset);
}

/// Space [N, C, H, W] seen as blocks: which dimension of the depth's [N, b, b, C, H, W] (or, with
/// channels first, [N, C, b, b, H, W]) each dimension of [N, C, H, b, W, b] is.
void printDepthToSpace(NestWriter& w) {
  auto toSpace = dyn_cast<ir::DepthToSpaceOp>(w.anchor());
  const auto space =
      typeOf(toSpace ? w.anchor()->getResult(0) : w.anchor()->getOperand(0)).getShape();
  const auto block = static_cast<int64_t>(
      toSpace ? toSpace.getBlocksize() : cast<ir::SpaceToDepthOp>(w.anchor()).getBlocksize());
  const bool isChannelsFirst = toSpace && toSpace.getMode() == ir::DepthOrder::ChannelsFirst;
  const Ints blocked = {space[0], space[1], space[2] / block, block, space[3] / block, block};
  // Positions in `blocked` of the dimensions of the depth.
  const Ints order = isChannelsFirst ? Ints{0, 1, 3, 5, 2, 4} : Ints{0, 3, 5, 1, 2, 4};
  Ints deep;
  for (const int64_t d : order) deep.push_back(blocked[d]);
  const Ints spaceStrides = stridesOf(blocked), deepStrides = stridesOf(deep);
  Ints strides(6);
  for (size_t i = 0; i < 6; ++i) {
    if (toSpace)
      strides[order[i]] = deepStrides[i];
    else
      strides[i] = spaceStrides[order[i]];
  }
  printStridedRead(w, toSpace ? blocked : deep, strides);
}

namespace {

/// A tensor cut along one axis, seen as [outer, parts of a line].
struct AxisCut {
  int64_t outer = 1, line = 1;  ///< Elements of a line of the whole.

  AxisCut(Operation* op, Value whole) {
    const auto axis = static_cast<size_t>(cast<ir::AxisOpInterface>(op).getAxisNormalized());
    const auto shape = typeOf(whole).getShape();
    outer = productOf(shape.take_front(axis));
    line = productOf(shape.drop_front(axis));
  }
};

}  // namespace

static void copyLine(NestWriter& w, const std::string& to, const std::string& from,
                     int64_t elements, Type element) {
  w.body.line(
      formatv("memcpy({0}, {1}, {2} * sizeof({3}));", to, from, elements, cType(element)).str());
}

void printConcat(NestWriter& w) {
  Value whole = w.anchor()->getResult(0);
  const AxisCut cut(w.anchor(), whole);
  w.items = {.count = std::to_string(cut.outer), .numOperations = countOf(whole)};
  SmallVector<std::string> inputs;
  for (auto [i, part] : llvm::enumerate(w.anchor()->getOperands()))
    inputs.push_back(w.isInPlace(static_cast<unsigned>(i)) ? "" : w.input(part));
  if (llvm::all_of(inputs, [](const std::string& name) { return name.empty(); })) {
    w.items.count = "0";  // Everything is where it belongs.
    return;
  }
  const std::string out = w.output();
  w.body.openLoop("item", "end", "begin");
  int64_t offset = 0;
  for (auto [name, part] : llvm::zip_equal(inputs, w.anchor()->getOperands())) {
    const int64_t elements = countOf(part) / cut.outer;
    if (!name.empty())
      copyLine(w, formatv("{0} + item * {1} + {2}", out, cut.line, offset),
               formatv("{0} + item * {1}", name, elements), elements,
               typeOf(whole).getElementType());
    offset += elements;
  }
  w.body.close();
}

void printSplit(NestWriter& w) {
  Value whole = w.anchor()->getOperand(0);
  const AxisCut cut(w.anchor(), whole);
  w.items = {.count = std::to_string(cut.outer), .numOperations = countOf(whole)};
  const std::string in = w.input(whole);
  SmallVector<std::string> outputs;
  for (unsigned i = 0; i < w.anchor()->getNumResults(); ++i) outputs.push_back(w.output(i));
  w.body.openLoop("item", "end", "begin");
  int64_t offset = 0;
  for (auto [name, part] : llvm::zip_equal(outputs, w.anchor()->getResults())) {
    const int64_t elements = countOf(part) / cut.outer;
    copyLine(w, formatv("{0} + item * {1}", name, elements),
             formatv("{0} + item * {1} + {2}", in, cut.line, offset), elements,
             typeOf(whole).getElementType());
    offset += elements;
  }
  w.body.close();
}

std::optional<std::string> refuseGather(Operation* op) {
  auto gather = cast<ir::GatherOp>(op);
  const int64_t size = typeOf(gather.getData()).getDimSize(gather.getAxisNormalized());
  const auto known = ir::constantInts(gather.getIndices());
  if (known && llvm::any_of(*known, [&](int64_t i) { return i < -size || i >= size; }))
    return "an index is outside of the dimension";
  return std::nullopt;
}

void printGather(NestWriter& w) {
  CText& c = w.body;
  auto op = cast<ir::GatherOp>(w.anchor());
  const auto shape = typeOf(op.getData()).getShape();
  const auto axis = static_cast<size_t>(op.getAxisNormalized());
  const int64_t outer = productOf(shape.take_front(axis)),
                inner = productOf(shape.drop_front(axis + 1));
  const int64_t count = countOf(op.getIndices()), size = shape[axis];
  const Type index = typeOf(op.getIndices()).getElementType();
  if (!ir::constantInts(op.getIndices()))
    w.before(
        formatv("if (csource_check_{0}(frame, {1}u, (const {2}*)({3}), {4}, {5}) != 0) return 1;",
                cSuffix(index), w.nodeNumber(), cType(index), w.place(op.getIndices()), count, size)
            .str());
  const std::string in = w.input(op.getData()), out = w.output();
  w.items = {.count = std::to_string(outer * count), .numOperations = outer * count * inner};
  c.openLoop("item", "end", "begin");
  const std::string at = outer == 1 ? "item" : formatv("item % {0}", count).str();
  c.line(formatv("const int64_t index = csource_index({0}, {1});", w.element(op.getIndices(), at),
                 size)
             .str());
  const std::string block =
      outer == 1 ? "index" : formatv("(item / {0} * {1} + index)", count, size).str();
  copyLine(w, sumText(out, scaledText("item", inner)), sumText(in, scaledText(block, inner)), inner,
           typeOf(op.getData()).getElementType());
  c.close();
}

}  // namespace tessera::backend_csource
