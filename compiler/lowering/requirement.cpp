// A requirement is a call of a function that does not exist, which every pass leaves in its place
// because nothing is known of it; expandRequirements replaces it by the test.
#include "compiler/lowering/requirement.h"

#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

static constexpr llvm::StringLiteral kCallee = "tessera_require";
static constexpr llvm::StringLiteral kTextAttr = "tessera.text";
static constexpr llvm::StringLiteral kNodeAttr = "tessera.node";

void buildRequirement(OpBuilder& b, Location loc, ModuleOp module, Value condition, Value found,
                      Value expected, const Refusal& refusal) {
  if (!module.lookupSymbol(kCallee)) {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());  // Kernels come first.
    const Type index = b.getIndexType();
    b.create<func::FuncOp>(module.getLoc(), kCallee,
                           b.getFunctionType({b.getI1Type(), index, index}, {}))
        .setPrivate();
  }
  auto call =
      b.create<func::CallOp>(loc, kCallee, TypeRange(), ValueRange{condition, found, expected});
  call->setAttr(kTextAttr, b.getStringAttr(refusal.text));
  call->setAttr(kNodeAttr, b.getI32IntegerAttr(static_cast<int32_t>(refusal.node)));
}

bool isRequirement(Operation* op) {
  auto call = dyn_cast<func::CallOp>(op);
  return call && call.getCallee() == kCallee;
}

// The address of the text, a constant of the module.
static Value buildText(OpBuilder& b, Location loc, ModuleOp module, StringRef text) {
  const std::string terminated = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), terminated.size());
  LLVM::GlobalOp global;
  size_t count = 0;
  for (auto other : module.getOps<LLVM::GlobalOp>()) {
    ++count;
    auto value = dyn_cast_or_null<StringAttr>(other.getValueOrNull());
    if (value && value.getValue() == terminated) global = other;
  }
  if (!global) {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    global = b.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                      "tessera_text" + std::to_string(count),
                                      b.getStringAttr(terminated));
  }
  return b.create<LLVM::AddressOfOp>(loc, global);
}

void expandRequirements(ModuleOp module) {
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) {
    if (isRequirement(call)) calls.push_back(call);
  });
  for (func::CallOp call : calls) {
    const Location loc = call.getLoc();
    auto kernel = call->getParentOfType<func::FuncOp>();
    Block* before = call->getBlock();
    Block* after = before->splitBlock(std::next(call->getIterator()));
    OpBuilder b(module.getContext());
    Block* refused = b.createBlock(before->getParent(), before->getParent()->end());
    buildRefuse(b, loc, kernel,
                static_cast<uint32_t>(call->getAttrOfType<IntegerAttr>(kNodeAttr).getInt()),
                buildText(b, loc, module, call->getAttrOfType<StringAttr>(kTextAttr).getValue()),
                call.getOperand(1), call.getOperand(2));
    const Value one = b.create<arith::ConstantIntOp>(loc, 1, 32);
    b.create<func::ReturnOp>(loc, one);
    b.setInsertionPointToEnd(before);
    b.create<cf::CondBranchOp>(loc, call.getOperand(0), after, refused);
    call.erase();
  }
  if (Operation* declaration = module.lookupSymbol(kCallee)) declaration->erase();
}

}  // namespace tessera::lowering
