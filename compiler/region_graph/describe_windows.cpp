// Convolutions and pools: pads are those that the sizes lead to, whoever decides them in the
// module.
#include "compiler/ir/spec/window.h"
#include "compiler/region_graph/describe_families.h"

using namespace mlir;

namespace tessera::region_graph {

static std::vector<int64_t> vectorOf(ArrayRef<int64_t> list) { return {list.begin(), list.end()}; }

static WindowT windowOf(const ir::spec::WindowAttributes& attributes, ArrayRef<int64_t> kernel) {
  WindowT window;
  window.kernel = vectorOf(kernel);
  window.strides = vectorOf(attributes.strides);
  window.dilations = vectorOf(attributes.dilations);
  return window;
}

/// Fills in the pads for an input of sizes `x`. Where positions are rounded up, the end is padded
/// as far as the last window reaches; true when it reaches behind the pads that the model has.
static bool setPads(const ir::spec::WindowAttributes& attributes, RankedTensorType x,
                    WindowT& window) {
  bool reachesBeyond = false;
  for (size_t d = 0; d < attributes.rank(); ++d) {
    const int64_t input = x.getDimSize(static_cast<unsigned>(d + 2));
    const auto geometry = ir::spec::windowGeometry(attributes, d, input, window.kernel[d]);
    const int64_t reached =
        (geometry.output - 1) * attributes.strides[d] + geometry.reach - input - geometry.padBegin;
    window.pads_begin.push_back(geometry.padBegin);
    window.pads_end.push_back(std::max(geometry.padEnd, reached));
    reachesBeyond |= reached > geometry.padEnd;
  }
  return reachesBeyond;
}

DescribedList describeConv(ir::ConvOp op) {
  const auto attributes = ir::spec::windowAttributes(op);
  WindowT window = windowOf(attributes, typeOf(op.getW()).getShape().drop_front(2));
  setPads(attributes, typeOf(op.getX()), window);
  window.group = static_cast<int64_t>(op.getGroup());
  return withAttributes(named(op, {op.getX(), op.getW(), op.getB()}), std::move(window));
}

DescribedList describeConvTranspose(ir::ConvTransposeOp op) {
  const auto attributes = ir::spec::transposedAttributes(op);
  WindowT window = windowOf(attributes, typeOf(op.getW()).getShape().drop_front(2));
  window.group = static_cast<int64_t>(op.getGroup());
  const auto x = typeOf(op.getX()), y = typeOf(op.getY());
  for (size_t d = 0; d < attributes.rank(); ++d) {
    const auto dim = static_cast<unsigned>(d + 2);
    const auto geometry =
        ir::spec::transposedGeometry(attributes, d, x.getDimSize(dim), window.kernel[d]);
    window.pads_begin.push_back(geometry.padBegin);
    // What is added to the end is cut off less.
    window.pads_end.push_back((x.getDimSize(dim) - 1) * attributes.strides[d] + geometry.reach -
                              y.getDimSize(dim) - geometry.padBegin);
  }
  return withAttributes(named(op, {op.getX(), op.getW(), op.getB()}), std::move(window));
}

DescribedList describePool(ir::MaxPoolOp op) {
  if (op.getIndices() && !op.getIndices().use_empty())
    return invalidInput("a pool with indices is not described");
  const auto attributes = ir::spec::windowAttributes(op);
  WindowT window = windowOf(attributes, op.getKernelShape());
  setPads(attributes, typeOf(op.getX()), window);
  Described described = named(op, {op.getX()});
  described.outputs.truncate(1);
  return withAttributes(std::move(described), std::move(window));
}

DescribedList describePool(ir::AveragePoolOp op) {
  const auto attributes = ir::spec::windowAttributes(op);
  WindowT window = windowOf(attributes, op.getKernelShape());
  window.counts_padding = op.getCountIncludePad() != 0;
  if (setPads(attributes, typeOf(op.getX()), window) && window.counts_padding)
    return invalidInput(
        "a mean that counts pads, but not those of windows rounded up, is not described");
  return withAttributes(named(op, {op.getX()}), std::move(window));
}

}  // namespace tessera::region_graph
