#include "compiler/conformance/padding.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/aligned_memory.h"
#include "compiler/backend_api/backend.h"
#include "compiler/conformance/expected.h"
#include "compiler/evaluate/relayout.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "tessera/runtime.hpp"

namespace tessera::conformance {

using namespace mlir;
using reference::Tensor;

namespace {

RankedTensorType tensorOf(Type type) { return cast<RankedTensorType>(type); }

/// Whether the call is one of the target's that this file is about.
bool isWanted(func::CallOp call, ModuleOp module, const std::string& kind) {
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  const ir::TargetAttr owner = callee ? backend_api::ownerOf(callee) : ir::TargetAttr();
  if (!owner || owner.getKind() != kind) return false;
  bool hasLayout = false;
  const auto isRunnable = [&](Type type) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !ir::spaceOf(tensor).empty()) return false;
    hasLayout |= !ir::isPlain(tensor);
    return true;
  };
  return llvm::all_of(call.getOperandTypes(), isRunnable) &&
         llvm::all_of(call.getResultTypes(), isRunnable) && hasLayout;
}

/// The call in a function of its own, @main; constant operands come along.
func::FuncOp tap(func::CallOp call, OpBuilder& builder) {
  auto main = builder.create<func::FuncOp>(call.getLoc(), ir::kEntryFunction,
                                           builder.getFunctionType({}, {}));
  OpBuilder body = OpBuilder::atBlockEnd(main.addEntryBlock());
  IRMapping mapping;
  for (const Value operand : call.getOperands()) {
    if (mapping.contains(operand)) continue;
    if (Operation* constant = operand.getDefiningOp<ir::ConstantOp>()) {
      mapping.map(operand, body.clone(*constant)->getResult(0));
      continue;
    }
    const unsigned at = main.getNumArguments();
    const auto name = builder.getStringAttr("x" + std::to_string(at));
    main.insertArgument(
        at, operand.getType(),
        builder.getDictionaryAttr(builder.getNamedAttr(ir::kValueNameAttribute, name)),
        call.getLoc());
    mapping.map(operand, main.getArgument(at));
  }
  Operation* cloned = body.clone(*call, mapping);
  body.create<func::ReturnOp>(call.getLoc(), cloned->getResults());
  main.setFunctionType(
      builder.getFunctionType(main.getBody().front().getArgumentTypes(), cloned->getResultTypes()));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    main.setResultAttr(i, ir::kValueNameAttribute, builder.getStringAttr("y" + std::to_string(i)));
  return main;
}

/// A module with what the call needs and nothing else.
OwningOpRef<ModuleOp> isolated(ModuleOp module, func::CallOp call) {
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  (*result)->setAttrs(module->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(result->getBody());
  builder.clone(*module.lookupSymbol(call.getCallee()));
  tap(call, builder);
  return result;
}

using Bytes = std::vector<std::byte>;

Bytes bytesOf(const Tensor& tensor) {
  const auto* data = static_cast<const std::byte*>(tensor.data());
  return {data, data + tensor.sizeBytes()};
}

/// One byte for each element of the type's memory: 1 where the tensor has one, 0 in padding.
Bytes elementsIn(RankedTensorType type) {
  const auto bytes = RankedTensorType::get(type.getShape(), IntegerType::get(type.getContext(), 8),
                                           type.getEncoding());
  return evaluate::relayout(Bytes(static_cast<size_t>(type.getNumElements()), std::byte{1}),
                            ir::withoutLayout(bytes), bytes);
}

/// Row-major elements in the memory of the type. Where padding may be any numbers it is some.
Bytes toMemory(const Tensor& tensor, RankedTensorType type) {
  if (ir::isPlain(type)) return bytesOf(tensor);
  Bytes memory = evaluate::relayout(bytesOf(tensor), ir::withoutLayout(type), type);
  const ir::LayoutAttr layout = ir::layoutOf(type);
  if (layout.getPadding() != ir::Padding::Finite || !type.getElementType().isF32()) return memory;
  const Bytes isElement = elementsIn(type);
  constexpr float kSomething = 777.0F;
  for (size_t i = 0; i < isElement.size(); ++i) {
    if (isElement[i] == std::byte{0})
      std::memcpy(memory.data() + i * sizeof(float), &kSomething, sizeof(float));
  }
  return memory;
}

/// Of either sign, where it is a float's.
bool isZero(Bytes::const_pointer at, size_t numBytes, Type element) {
  std::vector<std::byte> bytes(at, at + numBytes);
  if (isa<FloatType>(element)) bytes.back() &= std::byte{0x7f};
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// What of a result's padding is not zero although it should be; empty when all is well.
std::string dirtyPadding(const Bytes& memory, RankedTensorType type) {
  if (ir::layoutOf(type).getPadding() != ir::Padding::Zero) return {};
  const Bytes isElement = elementsIn(type);
  const size_t elementBytes = memory.size() / std::max<size_t>(isElement.size(), 1);
  for (size_t i = 0; i < isElement.size(); ++i) {
    const auto* at = memory.data() + i * elementBytes;
    if (isElement[i] == std::byte{0} && !isZero(at, elementBytes, type.getElementType()))
      return "padding at element " + std::to_string(i) + " of its memory is not zero";
  }
  return {};
}

/// What one isolated call computes, compared.
class IsolatedRun {
 public:
  IsolatedRun(const Kit& kit, ModuleOp module, uint64_t seed) : kit_(kit), module_(module) {
    Random random(seed);
    for (const Type type : main().getArgumentTypes()) {
      const RankedTensorType plain = ir::withoutLayout(tensorOf(type));
      inputs_.push_back(randomTensor(plain, {}, random));
      memory_.push_back(base::allocateAligned(0));
    }
  }

  /// Sentences about what is wrong, for one number of threads each.
  Result<std::vector<std::string>> run() {
    std::vector<reference::TensorView> views;
    for (const Tensor& input : inputs_) views.push_back(input.view());
    TESSERA_TRY(const Expected expected, evaluateFunction(main(), views));
    const std::string file = kit_.folder / "region.mlir";
    TESSERA_TRY_VOID(ir::saveModule(module_, file, ir::ModuleFormat::kText));
    TESSERA_TRY(Module module, Module::load(file, compileOptions(kit_, "")));
    TESSERA_TRY(const auto artifact, module.compileToMemory());
    TESSERA_TRY(
        const Executable executable,
        Executable::loadMemory(artifact, {.backends = kit_.options.runtimes, .copyMemory = true}));
    std::vector<std::string> wrong;
    for (const int32_t numThreads : {1, 3}) {
      TESSERA_TRY(Context context, Context::create(executable, {.numThreads = numThreads}));
      TESSERA_TRY_VOID(bind(context));
      TESSERA_TRY_VOID(context.run());
      TESSERA_TRY_VOID(compare(context, expected, wrong));
    }
    return wrong;
  }

 private:
  func::FuncOp main() const { return ir::entryFunction(module_); }

  Status bind(Context& context) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto type = tensorOf(main().getArgumentTypes()[i]);
      const Bytes bytes = toMemory(inputs_[i], type);
      memory_[i] = base::allocateAligned(bytes.size());
      if (!bytes.empty()) std::memcpy(memory_[i].get(), bytes.data(), bytes.size());
      TESSERA_TRY_VOID(context.setInput(static_cast<uint32_t>(i), inputs_[i].type(),
                                        inputs_[i].shape(), memory_[i].get()));
    }
    return {};
  }

  Status compare(Context& context, const Expected& expected, std::vector<std::string>& wrong) {
    for (unsigned i = 0; i < main().getNumResults(); ++i) {
      const auto type = tensorOf(main().getResultTypes()[i]);
      TESSERA_TRY(const tessera_dltensor tensor, context.output(i));
      const auto* data = static_cast<const std::byte*>(tensor.data);
      Bytes memory(data, data + ir::physicalSizeBytes(type));
      const std::string where = "result " + std::to_string(i) + " in its layout: ";
      if (!ir::isPlain(type)) {
        if (const std::string dirt = dirtyPadding(memory, type); !dirt.empty())
          wrong.push_back(where + dirt);
        memory = evaluate::relayout(memory, type, ir::withoutLayout(type));
      }
      const std::string difference =
          differenceOf(memory.data(), expected.outputs[i], expected.outputs[i].shape(),
                       expected.relativeTolerance, expected.absoluteTolerance);
      if (!difference.empty()) wrong.push_back(where + difference);
    }
    return {};
  }

  const Kit& kit_;
  ModuleOp module_;
  std::vector<Tensor> inputs_;
  std::vector<base::AlignedMemory> memory_;
};

/// The case that the operators of a call come from.
size_t caseOf(func::CallOp call, ModuleOp module) {
  size_t index = 0;
  module.lookupSymbol(call.getCallee())->walk([&](Operation* op) {
    for (const std::string& name : ir::sourceNames(op->getLoc()))
      index = caseInNode(name).value_or(index);
  });
  return index;
}

}  // namespace

Result<PaddingOutcome> runBlockedRegions(const Kit& kit, const Module& placed) {
  const std::string file = kit.folder / "placed.mlir";
  TESSERA_TRY_VOID(placed.save(file, ModuleFormat::kText));
  TESSERA_TRY(OwningOpRef<ModuleOp> module, ir::loadModule(kit.context, file));
  PaddingOutcome outcome;
  for (auto call : ir::entryFunction(*module).getOps<func::CallOp>()) {
    if (!isWanted(call, *module, kit.kind)) continue;
    OwningOpRef<ModuleOp> alone = isolated(*module, call);
    IsolatedRun run(kit, *alone, seedOf(kit.options.seed, "padding", outcome.numRegions));
    auto wrong = run.run();
    if (!wrong) return std::move(wrong).error();
    ++outcome.numRegions;
    module->lookupSymbol(call.getCallee())->walk([&](ir::TsrOpInterface op) {
      outcome.operators.insert(op->getName().stripDialect().str());
    });
    for (std::string& what : *wrong)
      outcome.findings.push_back(
          {.check = "padding", .index = caseOf(call, *module), .what = std::move(what)});
  }
  return outcome;
}

}  // namespace tessera::conformance
