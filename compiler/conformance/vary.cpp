// Changes are drawn blindly and judged by inference, the verifier and, later, by the reference
// implementations: nobody states here what an operator allows.
#include "compiler/conformance/vary.h"

#include <set>

#include "compiler/evaluate/tensor_value.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "mlir/Parser/Parser.h"

namespace tessera::conformance {

using namespace mlir;

bool tryChange(Function& function, const std::function<bool(func::FuncOp)>& change) {
  Function changed = cloneOf(*function);
  ScopedDiagnosticHandler quiet(changed->getContext(), [](Diagnostic&) { return success(); });
  if (!change(*changed) || !retype(*changed)) return false;
  function = std::move(changed);
  return true;
}

bool resize(func::FuncOp function, int64_t from, int64_t to, int only) {
  bool isChanged = false;
  for (BlockArgument argument : function.getArguments()) {
    const auto type = cast<RankedTensorType>(argument.getType());
    if (only >= 0 && argument.getArgNumber() != static_cast<unsigned>(only)) continue;
    if (!type.hasStaticShape()) continue;
    SmallVector<int64_t> sizes(type.getShape());
    for (int64_t& size : sizes) {
      if (size == from) size = to, isChanged = true;
    }
    argument.setType(RankedTensorType::get(sizes, type.getElementType()));
  }
  return isChanged;
}

static std::vector<int64_t> sizesOf(func::FuncOp function) {
  std::set<int64_t> sizes;
  for (const Type type : function.getArgumentTypes()) {
    for (const int64_t size : cast<RankedTensorType>(type).getShape()) sizes.insert(size);
  }
  sizes.erase(ShapedType::kDynamic);
  return {sizes.begin(), sizes.end()};
}

bool changeSize(func::FuncOp function, Random& random) {
  // What ends vectors, tiles and blocks, begins the next ones, or is none of them.
  constexpr int64_t kSizes[] = {0,  1,  1,  2,  3,  4,  5,  7,  8,  9,  13, 15,  16,
                                17, 19, 23, 31, 32, 33, 48, 63, 64, 65, 97, 128, 150};
  const std::vector<int64_t> sizes = sizesOf(function);
  if (sizes.empty()) return false;
  const int only =
      random.isOneIn(3) ? static_cast<int>(random.below(function.getNumArguments())) : -1;
  return resize(function, random.pick(sizes), random.pick(kSizes), only);
}

bool makeConstant(func::FuncOp function, Random& random) {
  if (function.getNumArguments() < 2) return false;
  const auto index = static_cast<unsigned>(1 + random.below(function.getNumArguments() - 1));
  BlockArgument argument = function.getArgument(index);
  const auto type = cast<RankedTensorType>(argument.getType());
  if (!type.hasStaticShape()) return false;
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  reference::Tensor tensor = randomTensor(type, function.getArgAttrDict(index), random);
  argument.replaceAllUsesWith(
      evaluate::createConstant(builder, function.getLoc(), type, std::move(tensor)).getOutput());
  function.eraseArgument(index);
  return true;
}

bool openSizes(func::FuncOp function, Random& random) {
  const std::vector<int64_t> sizes = sizesOf(function);
  if (sizes.empty()) return false;
  const int64_t open = random.pick(sizes);
  Builder builder(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    const auto type = cast<RankedTensorType>(argument.getType());
    if (!type.hasStaticShape() || !llvm::is_contained(type.getShape(), open)) continue;
    function.setArgAttr(argument.getArgNumber(), kDims, builder.getI64ArrayAttr(type.getShape()));
    SmallVector<int64_t> opened(type.getShape());
    std::ranges::replace(opened, open, ShapedType::kDynamic);
    argument.setType(RankedTensorType::get(opened, type.getElementType()));
  }
  return true;
}

/// A new argument of the type, at the end.
static Value addArgument(func::FuncOp function, RankedTensorType type) {
  const unsigned index = function.getNumArguments();
  function.insertArgument(index, type, {}, function.getLoc());
  return function.getArgument(index);
}

static Value create(OpBuilder& builder, Location loc, StringRef name, ValueRange operands,
                    Type result) {
  OperationState state(loc, name, operands, result);
  return builder.create(state)->getResult(0);
}

/// The same elements with a dimension of 1 more or less; types are settled later.
static Value createView(OpBuilder& builder, Location loc, Value value, Random& random) {
  const auto type = cast<RankedTensorType>(value.getType());
  const auto axes = RankedTensorType::get({1}, builder.getI64Type());
  reference::Tensor axis(ElementType::kI64, {1});
  const auto create = [&](StringRef name) {
    const Value where = evaluate::createConstant(builder, loc, axes, std::move(axis)).getOutput();
    return conformance::create(builder, loc, name, {value, where}, type);
  };
  const auto* const one = llvm::find(type.getShape(), 1);
  if (one != type.getShape().end() && random.isOneIn(2)) {
    axis.as<int64_t>()[0] = one - type.getShape().begin();
    return create("tsr.squeeze");
  }
  if (random.isOneIn(2)) return conformance::create(builder, loc, "tsr.identity", value, type);
  axis.as<int64_t>()[0] =
      static_cast<int64_t>(random.below(static_cast<size_t>(type.getRank()) + 1));
  return create("tsr.unsqueeze");
}

bool addFollower(func::FuncOp function, Random& random) {
  // They keep errors small: none has a slope much above 1 but the product, by at most 2.
  constexpr StringRef kUnary[] = {"tsr.relu",       "tsr.sigmoid",  "tsr.tanh", "tsr.hard_swish",
                                  "tsr.leaky_relu", "tsr.softplus", "tsr.elu",  "tsr.gelu",
                                  "tsr.abs",        "tsr.neg"};
  constexpr StringRef kBinary[] = {"tsr.add", "tsr.mul", "tsr.sub", "tsr.max"};
  OpOperand& returned = function.getBody().front().getTerminator()->getOpOperand(0);
  const auto type = dyn_cast<RankedTensorType>(returned.get().getType());
  if (!type || !type.hasStaticShape() || !isa<FloatType>(type.getElementType())) return false;
  OpBuilder builder(returned.getOwner());
  const Location loc = function.getLoc();
  Value value = returned.get();
  if (random.isOneIn(6)) {
    value = createView(builder, loc, value, random);
  } else if (random.isOneIn(2)) {
    const StringRef name = random.pick(kUnary);
    const Value result = create(builder, loc, name, value, type);
    // A value times its own sigmoid is an activation, too.
    value = name == "tsr.sigmoid" && random.isOneIn(2)
                ? create(builder, loc, "tsr.mul", {value, result}, type)
                : result;
  } else {
    SmallVector<int64_t> sizes(type.getShape());
    if (type.getRank() > 0 && random.isOneIn(2)) {  // One number for each channel or column.
      const size_t kept = type.getRank() > 2 && random.isOneIn(2) ? 1 : sizes.size() - 1;
      for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = i == kept ? sizes[i] : 1;
    }
    const Value other = addArgument(function, RankedTensorType::get(sizes, type.getElementType()));
    value = create(builder, loc, random.pick(kBinary), {value, other}, type);
  }
  returned.set(value);
  return true;
}

Function changeType(func::FuncOp function, Random& random) {
  constexpr StringRef kTypes[] = {"f32", "f64", "f16", "bf16", "i8",   "i16",
                                  "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
  std::string text;
  llvm::raw_string_ostream(text) << function;
  SmallVector<StringRef> present;
  for (const StringRef type : kTypes) {
    if (StringRef(text).contains(("x" + type + ">").str()) ||
        StringRef(text).contains(("<" + type + ">").str()))
      present.push_back(type);
  }
  if (present.empty()) return {};
  const StringRef from = random.pick(present), to = random.pick(kTypes);
  if (from == to) return {};
  for (const char before : {'x', '<'}) {
    const std::string old = before + from.str() + ">", changed = before + to.str() + ">";
    for (size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += changed.size())
      text.replace(at, old.size(), changed);
  }
  ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic&) { return success(); });
  auto module = parseSourceString<ModuleOp>(text, function.getContext());
  if (!module) return {};
  Function result = cloneOf(*module->getOps<func::FuncOp>().begin());
  if (!retype(*result)) return {};
  return result;
}

Function vary(func::FuncOp seed, Random& random) {
  Function function = cloneOf(seed);
  if (!retype(*function)) return {};  // Composites and control flow stay as they are.
  bool isChanged = false;
  if (random.isOneIn(3)) {
    if (Function other = changeType(*function, random)) {
      function = std::move(other);
      isChanged = true;
    }
  }
  using Change = bool (*)(func::FuncOp, Random&);
  // As often as it stands here.
  constexpr Change kChanges[] = {changeSize,      changeSize,   changeSize,  changeAttribute,
                                 changeAttribute, makeConstant, addFollower, addFollower};
  const size_t wanted = 1 + random.below(3);
  for (size_t done = 0, tries = 0; done < wanted && tries < 16; ++tries) {
    const Change change = random.pick(kChanges);
    if (!tryChange(function, [&](func::FuncOp copy) { return change(copy, random); })) continue;
    isChanged = true;
    ++done;
  }
  // What pattern tables take is a chain more often than one operator.
  constexpr size_t kChain = 3;
  for (size_t i = 0, isChain = random.isOneIn(5); isChain != 0 && i < kChain; ++i)
    isChanged |= tryChange(function, [&](func::FuncOp copy) { return addFollower(copy, random); });
  if (random.isOneIn(8))
    isChanged |= tryChange(function, [&](func::FuncOp copy) { return openSizes(copy, random); });
  if (!isChanged) return {};
  return function;
}

}  // namespace tessera::conformance
