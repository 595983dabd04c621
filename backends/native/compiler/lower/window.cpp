#include "backends/native/compiler/lower/window.h"

#include "compiler/ir/spec/integer.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

static_assert(ir::spec::Integer<Index>);

Value Window::reach(KernelBuilder& b, size_t d) const {
  return ir::spec::windowReach(b.term(kernel[d]), dilations[d]);
}

Window windowWithoutPads(const ir::spec::WindowAttributes& attributes, ValueRange kernel,
                         ValueRange input) {
  return {.strides = attributes.strides,
          .dilations = attributes.dilations,
          .kernel = Values(kernel),
          .input = Values(input),
          .output = {},
          .padsBegin = {},
          .padsEnd = {}};
}

Window windowOf(KernelBuilder& b, ir::WindowOpInterface op, ValueRange kernel, ValueRange input,
                RankedTensorType resultType) {
  const ir::spec::WindowAttributes attributes = ir::spec::windowAttributes(op);
  Window window = windowWithoutPads(attributes, kernel, input);
  for (size_t d = 0; d < kernel.size(); ++d) {
    const Index size = b.term(input[d]);
    const auto geometry = ir::spec::windowGeometry(attributes, d, size, b.term(kernel[d]));
    if (!attributes.padsToSame()) {
      const Index padded = size + geometry.padBegin + geometry.padEnd;
      b.require(geometry.reach <= padded, padded, geometry.reach,
                "spatial dimension " + Twine(d) +
                    " is {0} with its padding, smaller than the window of {1}");
    }
    window.padsBegin.push_back(geometry.padBegin);
    window.padsEnd.push_back(geometry.padEnd);
    window.output.push_back(b.declaredOr(geometry.output,
                                         resultType.getDimSize(static_cast<unsigned>(d) + 2),
                                         "spatial dimension " + Twine(d) + " of the result"));
  }
  return window;
}

Window transposedWindow(KernelBuilder& b, ir::ConvTransposeOp op, ValueRange kernel,
                        ValueRange input) {
  const ir::spec::TransposedAttributes attributes = ir::spec::transposedAttributes(op);
  Window window = windowWithoutPads(attributes, kernel, input);
  const auto declared = cast<RankedTensorType>(op.getType()).getShape().drop_front(2);
  for (size_t d = 0; d < kernel.size(); ++d) {
    const auto geometry =
        ir::spec::transposedGeometry(attributes, d, b.term(input[d]), b.term(kernel[d]));
    Value output = geometry.output;
    if (attributes.output.empty() && !attributes.padsToSame()) {
      b.requireAtLeast(output, 0, "spatial dimension " + Twine(d) + " of the result");
      output = b.declaredOr(output, declared[d], "spatial dimension " + Twine(d));
    }
    window.padsBegin.push_back(geometry.padBegin);
    window.output.push_back(output);
  }
  return window;
}

static bool isAtMost(Value size, Value most) {
  const auto known = getConstantIntValue(size), limit = getConstantIntValue(most);
  return known && limit && *known <= *limit;
}

Value padForWindow(KernelBuilder& b, Value x, const Window& window, Value fill) {
  const Values sizes = b.sizes(x);
  Values covered = sizes, offsets(sizes.size(), b.index(0)), used = sizes;
  bool isInside = true;
  for (size_t d = 0; d < window.rank(); ++d) {
    const Index span = (b.term(window.output[d]) - 1) * window.strides[d] + window.reach(b, d);
    covered[d + 2] = span;
    offsets[d + 2] = window.padsBegin[d];
    used[d + 2] = larger(smaller(b.term(sizes[d + 2]), span - window.padsBegin[d]), 0);
    isInside &= getConstantIntValue(window.padsBegin[d]) == 0 && isAtMost(span, sizes[d + 2]);
  }
  // Exactly what windows see: loops over taps may take their size from here.
  const Value part = b.slice(x, Values(sizes.size(), b.index(0)), isInside ? covered : used);
  return isInside ? part : b.insert(part, b.filled(fill, covered), offsets);
}

}  // namespace tessera::backend_native
