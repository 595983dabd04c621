#include "frontends/onnx/export/prepare.h"

#include "compiler/evaluate/relayout.h"
#include "compiler/ir/composites.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/composite.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/downgrade/expansion.h"
#include "frontends/onnx/export/schema.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tessera::onnx {

static DictionaryAttr notesAttribute(MLIRContext* context, const NodeNotes& notes) {
  NamedAttrList list;
  Builder builder(context);
  for (const auto& [key, text] : notes) list.set(key, builder.getStringAttr(text));
  return list.getDictionary(context);
}

/// Puts what is to be said of the operations in `from` on their copies.
static void copyNotes(Region& from, const IRMapping& mapping, const ExportOptions& options) {
  if (!options.notes) return;
  from.walk([&](Operation* op) {
    Operation* copy = mapping.lookupOrNull(op);
    const NodeNotes notes = copy != nullptr ? options.notes(op) : NodeNotes{};
    if (!notes.empty())
      copy->setDiscardableAttr(kNotesAttribute, notesAttribute(op->getContext(), notes));
  });
}

/// Replaces `op` by what stands in `body`, a block that takes its operands, and erases it.
static void inlineBody(Operation* op, Block& body, const ExportOptions& options) {
  OpBuilder builder(op);
  IRMapping mapping;
  mapping.map(body.getArguments(), op->getOperands());
  for (Operation& part : body.without_terminator()) builder.clone(part, mapping);
  copyNotes(*body.getParent(), mapping, options);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  op->erase();
}

/// One call after the other, those of inlined bodies included; `module` has the callees.
static Status inlineCalls(func::FuncOp copy, ModuleOp module, const ExportOptions& options) {
  constexpr size_t kMaxDepth = 64;  // Regions do not nest; an edited module may call in a circle.
  for (size_t depth = 0;; ++depth) {
    SmallVector<func::CallOp> calls;
    copy.walk([&](func::CallOp call) { calls.push_back(call); });
    if (calls.empty()) return {};
    if (depth == kMaxDepth)
      return invalidInput("function '" + calls.front().getCallee().str() + "' calls itself");
    for (func::CallOp call : calls) {
      auto callee = module ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (!callee || !callee.getBody().hasOneBlock())
        return invalidInput("function '" + call.getCallee().str() +
                            "' has no body of one block to put in place of its call");
      if (callee.getFunctionType() != call.getCalleeType())
        return invalidInput("function '" + call.getCallee().str() +
                            "' and its call differ in their types");
      inlineBody(call, callee.getBody().front(), options);
    }
  }
}

/// The operator that computes what the composite does; null when the opset has none.
static Operation* operatorFor(ir::CompositeOp composite, Expansion& expansion) {
  const llvm::StringRef name = composite.getName();
  const ValueRange inputs = composite.getInputs();
  const int opset = expansion.opset;
  Builder builder(composite.getContext());
  if (composite.getNumResults() != 1) return nullptr;
  if (name == ir::composite::kHardSwish && hasOperator("HardSwish", opset))
    return expansion.tryCreate(ir::HardSwishOp::getOperationName(), inputs);
  const auto formula = ir::spec::geluApproximation(composite);
  if (name == ir::composite::kGelu && formula && hasOperator("Gelu", opset)) {
    const Attribute word = builder.getStringAttr(stringifyEnum(*formula));
    return expansion.tryCreate(ir::GeluOp::getOperationName(), inputs,
                               expansion.attribute("approximate", word));
  }
  const auto norm = ir::spec::normParameters(composite);
  if (!norm) return nullptr;
  const Attribute epsilon = builder.getF32FloatAttr(static_cast<float>(norm->epsilon));
  llvm::SmallVector<NamedAttribute> attributes{expansion.attribute("axis", norm->axis),
                                               expansion.attribute("epsilon", epsilon)};
  if (name == ir::composite::kRmsNorm && hasOperator("RMSNormalization", opset))
    return expansion.tryCreate(ir::RmsNormOp::getOperationName(), inputs, attributes);
  if (name != ir::composite::kLayerNorm || !hasOperator("LayerNormalization", opset))
    return nullptr;
  attributes.push_back(expansion.resultSegments({1, 0, 0}));
  return expansion.tryCreate(ir::LayerNormOp::getOperationName(), inputs, attributes);
}

static void expandComposites(func::FuncOp copy, const ExportOptions& options) {
  while (true) {
    SmallVector<ir::CompositeOp> composites;
    copy.walk<WalkOrder::PreOrder>([&](ir::CompositeOp composite) {
      composites.push_back(composite);
      return WalkResult::skip();
    });
    if (composites.empty()) return;
    for (ir::CompositeOp composite : composites) {
      Expansion expansion(composite, options.opset);
      if (Operation* op = operatorFor(composite, expansion)) {
        expansion.replaceWith(op->getResults());
      } else {
        inlineBody(composite, composite.getBody().front(), {.opset = options.opset});
      }
    }
  }
}

static Type withoutPlace(Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(ir::plainType(tensor)) : type;
}

/// The constant in row-major order, before its type is changed.
static void makeConstantPlain(ir::ConstantOp constant) {
  const auto type = cast<RankedTensorType>(constant.getType());
  if (ir::isPlain(type)) return;
  const RankedTensorType plain = ir::plainType(type);
  const ir::Blob blob = ir::constantBytes(constant.getValue(), type, constant.getContext());
  if (ir::layoutOf(type).isPlainOrder()) {
    constant.setValueAttr(ir::constantValue(plain, blob));
    return;
  }
  auto bytes =
      std::make_shared<const std::vector<std::byte>>(evaluate::relayout(blob.bytes, type, plain));
  const std::span<const std::byte> view = *bytes;
  constant.setValueAttr(ir::constantValue(plain, {.bytes = view, .owner = std::move(bytes)}));
}

/// All values in row-major order in host memory, and nothing that says otherwise.
static void makePlain(func::FuncOp copy) {
  copy.walk([](ir::ConstantOp constant) { makeConstantPlain(constant); });
  copy.walk([](Operation* op) {
    for (const Value result : op->getResults())
      Value(result).setType(withoutPlace(result.getType()));
    for (Region& region : op->getRegions()) {
      for (Block& block : region) {
        for (BlockArgument argument : block.getArguments())
          argument.setType(withoutPlace(argument.getType()));
      }
    }
  });
  copy.walk([](Operation* op) {
    if (!isa<ir::RelayoutOp, ir::CopyOp, ir::CompilerBeginOp, ir::CompilerEndOp>(op)) return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

static Status checkBorder(TypeRange types, const std::string& what) {
  for (auto [i, type] : llvm::enumerate(types)) {
    const auto tensor = dyn_cast<TensorType>(type);
    if (!tensor && !isa<NoneType>(type))
      return invalidInput(what + " " + std::to_string(i) +
                          " is no tensor, as in a module that is "
                          "past phase post_partition");
    const auto ranked = dyn_cast<RankedTensorType>(type);
    if (ranked && !ir::isPlain(ranked))
      return invalidInput(what + " " + std::to_string(i) +
                          " has another layout than row-major order in host memory, which is all "
                          "that ONNX has");
  }
  return {};
}

Result<OwningOpRef<ModuleOp>> prepare(func::FuncOp function, const ExportOptions& options) {
  TESSERA_TRY_VOID(checkBorder(function.getArgumentTypes(), "input"));
  TESSERA_TRY_VOID(checkBorder(function.getResultTypes(), "output"));
  if (!function.getBody().hasOneBlock())
    return invalidInput("function '" + function.getName().str() + "' has no body of one block");
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
  IRMapping mapping;
  auto copy = cast<func::FuncOp>(function->clone(mapping));
  scratch->push_back(copy);
  copyNotes(function.getBody(), mapping, options);
  TESSERA_TRY_VOID(inlineCalls(copy, function->getParentOfType<ModuleOp>(), options));
  makePlain(copy);
  expandComposites(copy, options);
  return scratch;
}

}  // namespace tessera::onnx
