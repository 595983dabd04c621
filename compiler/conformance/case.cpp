#include "compiler/conformance/case.h"

#include "base/half.h"
#include "compiler/conformance/expected.h"
#include "compiler/ir/types.h"
#include "mlir/IR/Verifier.h"

namespace tessera::conformance {

using namespace mlir;
using reference::Tensor;

uint64_t seedOf(uint64_t seed, const std::string& words, uint64_t number) {
  // FNV-1a: std::hash may differ between libraries.
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char c : words) mix(static_cast<uint8_t>(c));
  for (int shift = 0; shift < 64; shift += 8) {
    mix(static_cast<uint8_t>(seed >> shift));
    mix(static_cast<uint8_t>(number >> shift));
  }
  return hash;
}

bool retype(func::FuncOp function) {
  ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic&) { return success(); });
  Block& body = function.getBody().front();
  for (Operation& op : body.without_terminator()) {
    if (isa<ir::ConstantOp>(op)) continue;
    SmallVector<Type> types;
    if (!isa<ir::TsrOpInterface>(op) || failed(ir::inferResultTypes(&op, types)) ||
        types.size() != op.getNumResults())
      return false;
    for (auto [result, type] : llvm::zip_equal(op.getResults(), types)) result.setType(type);
  }
  function.setFunctionType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                             body.getTerminator()->getOperandTypes()));
  return succeeded(mlir::verify(function));
}

std::vector<double> numbersOf(Attribute attribute) {
  std::vector<double> values;
  const auto array = dyn_cast_or_null<ArrayAttr>(attribute);
  for (const Attribute entry : array ? array.getValue() : ArrayRef<Attribute>()) {
    if (const auto number = dyn_cast<FloatAttr>(entry))
      values.push_back(number.getValueAsDouble());
    else if (const auto integer = dyn_cast<IntegerAttr>(entry))
      values.push_back(static_cast<double>(integer.getInt()));
  }
  return values;
}

Function closed(func::FuncOp function) {
  Function clone = cloneOf(function);
  bool isOpen = false;
  for (BlockArgument argument : clone->getArguments()) {
    const auto type = cast<RankedTensorType>(argument.getType());
    if (type.hasStaticShape()) continue;
    const std::vector<double> dims = numbersOf(function.getArgAttr(argument.getArgNumber(), kDims));
    if (dims.size() != static_cast<size_t>(type.getRank())) return {};
    argument.setType(RankedTensorType::get(SmallVector<int64_t>(dims.begin(), dims.end()),
                                           type.getElementType()));
    isOpen = true;
  }
  if (isOpen && !retype(*clone)) return {};
  return clone;
}

template <typename T, typename Convert>
static void fill(Tensor& tensor, const std::function<double(size_t)>& value,
                 const Convert& convert) {
  size_t i = 0;
  for (T& element : tensor.as<T>()) element = static_cast<T>(convert(value(i++)));
}

static void fillWith(Tensor& tensor, const std::function<double(size_t)>& value) {
  const auto same = [](double x) { return x; };
  switch (tensor.type()) {
    case ElementType::kF16:
      return fill<uint16_t>(tensor, value, base::encodeF16);
    case ElementType::kBF16:
      return fill<uint16_t>(tensor, value, base::encodeBF16);
    case ElementType::kF32:
      return fill<float>(tensor, value, same);
    case ElementType::kF64:
      return fill<double>(tensor, value, same);
    case ElementType::kI8:
      return fill<int8_t>(tensor, value, same);
    case ElementType::kI16:
      return fill<int16_t>(tensor, value, same);
    case ElementType::kI32:
      return fill<int32_t>(tensor, value, same);
    case ElementType::kI64:
      return fill<int64_t>(tensor, value, same);
    case ElementType::kBool:
      return fill<uint8_t>(tensor, value, [](double x) { return x != 0 ? 1 : 0; });
    case ElementType::kU8:
      return fill<uint8_t>(tensor, value, same);
    case ElementType::kU16:
      return fill<uint16_t>(tensor, value, same);
    case ElementType::kU32:
      return fill<uint32_t>(tensor, value, same);
    case ElementType::kU64:
      return fill<uint64_t>(tensor, value, same);
    case ElementType::kUndefined:
    case ElementType::kString:
      return;
  }
}

Tensor randomTensor(RankedTensorType type, DictionaryAttr argument, Random& random) {
  Tensor tensor(ir::toElementType(type.getElementType()), type.getShape().vec());
  const auto given = [&](StringRef name) {
    return argument ? numbersOf(argument.get(name)) : std::vector<double>();
  };
  const bool isFloat = isa<FloatType>(type.getElementType());
  if (const std::vector<double> values = given(kValues); !values.empty()) {
    fillWith(tensor, [&](size_t i) { return values[i % values.size()]; });
    return tensor;
  }
  double low = isFloat ? -2 : 0, high = isFloat ? 2 : 3;
  if (type.getElementType().isInteger(1)) high = 1;
  if (const std::vector<double> range = given(kRange); range.size() == 2) {
    low = range[0];
    high = range[1];
  }
  if (type.getElementType().isUnsignedInteger()) low = std::max(low, 0.0);
  fillWith(tensor, [&](size_t) {
    if (isFloat) return low + (high - low) * random.fraction();
    const auto first = static_cast<int64_t>(std::ceil(low));
    const auto count = std::max<int64_t>(static_cast<int64_t>(std::floor(high)) - first + 1, 1);
    return static_cast<double>(first +
                               static_cast<int64_t>(random.below(static_cast<size_t>(count))));
  });
  return tensor;
}

/// Elements of all values, and floating-point operations, that a case may have.
static constexpr int64_t kMaxElements = 1 << 18, kMaxFlops = 1 << 23;

static Status checkSize(func::FuncOp function) {
  int64_t elements = 0, flops = 0;
  const auto add = [&](Type type) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape())
      elements += std::min(tensor.getNumElements(), kMaxElements);
  };
  llvm::for_each(function.getArgumentTypes(), add);
  for (Operation& op : function.getBody().front()) {
    llvm::for_each(op.getResultTypes(), add);
    if (auto counted = dyn_cast<ir::TsrOpInterface>(op))
      flops += std::clamp<int64_t>(counted.getFlops(), 0, kMaxFlops);
  }
  if (elements < kMaxElements && flops < kMaxFlops) return {};
  return invalidInput("the case has more elements or more work than the kit runs");
}

Result<Case> prepareCase(std::string name, func::FuncOp function, uint64_t seed) {
  Case result;
  result.name = std::move(name);
  result.function = cloneOf(function);
  Function fixed = closed(function);
  if (!fixed) return invalidInput("the case does not fit its sizes");
  TESSERA_TRY_VOID(checkSize(*fixed));
  Random random(seedOf(seed, "inputs", 0));
  for (BlockArgument argument : fixed->getArguments())
    result.inputs.push_back(randomTensor(cast<RankedTensorType>(argument.getType()),
                                         fixed->getArgAttrDict(argument.getArgNumber()), random));
  std::vector<reference::TensorView> views;
  for (const Tensor& input : result.inputs) views.push_back(input.view());
  TESSERA_TRY(Expected expected, evaluateFunction(*fixed, views));
  if (expected.outputs.empty()) return invalidInput("the case has no result");
  result.relativeTolerance = expected.relativeTolerance;
  result.absoluteTolerance = expected.absoluteTolerance;
  result.expected = std::move(expected.outputs);
  return result;
}

std::vector<std::string> operatorsOf(func::FuncOp function) {
  std::vector<std::string> names;
  function.walk([&](ir::TsrOpInterface op) {
    std::string name = op->getName().stripDialect().str();
    if (!isa<ir::ConstantOp>(op) && !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  });
  return names;
}

}  // namespace tessera::conformance
