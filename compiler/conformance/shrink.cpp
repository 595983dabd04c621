#include "compiler/conformance/shrink.h"

#include <set>

#include "compiler/conformance/vary.h"
#include "compiler/ir/op_info.h"
#include "compiler/ir/types.h"

namespace tessera::conformance {

using namespace mlir;

namespace {

using Step = std::function<bool(func::FuncOp)>;

/// Drops what nothing uses: operators, then arguments.
void dropUnused(func::FuncOp function) {
  Block& body = function.getBody().front();
  SmallVector<Operation*> ops;
  for (Operation& op : body.without_terminator()) ops.push_back(&op);
  for (Operation* op : llvm::reverse(ops)) {
    if (op->use_empty()) op->erase();
  }
  for (unsigned i = function.getNumArguments(); i-- > 0;) {
    if (function.getArgument(i).use_empty()) function.eraseArgument(i);
  }
}

bool returnOnly(func::FuncOp function, Value value) {
  Operation* terminator = function.getBody().front().getTerminator();
  if (terminator->getNumOperands() == 1 && terminator->getOperand(0) == value) return false;
  terminator->setOperands(value);
  dropUnused(function);
  return true;
}

/// The operation at a place.
Operation* at(func::FuncOp function, size_t index) {
  return &*std::next(function.getBody().front().begin(), static_cast<ptrdiff_t>(index));
}

/// The attribute gets its default: by a new operation, since an attribute that is taken away leaves
/// none.
bool dropAttribute(Operation* op, StringRef name) {
  NamedAttrList attributes(op->getAttrDictionary());
  if (!attributes.erase(name)) return false;
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName().getStringRef(), op->getOperands(),
                       op->getResultTypes(), attributes);
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
  return true;
}

/// What may make the function smaller, the most promising first.
std::vector<Step> stepsOf(func::FuncOp function) {
  std::vector<Step> steps;
  Block& body = function.getBody().front();
  const size_t numOps = llvm::range_size(body.without_terminator());
  // A value on the way is returned, and what computes the rest goes.
  for (size_t i = 0; i < numOps; ++i) {
    if (isa<ir::ConstantOp>(at(function, i))) continue;
    for (unsigned k = 0; k < at(function, i)->getNumResults(); ++k)
      steps.emplace_back(
          [i, k](func::FuncOp copy) { return returnOnly(copy, at(copy, i)->getResult(k)); });
  }
  // An operator is replaced with an argument of its own: what computes its operand goes.
  for (size_t i = 0; i < numOps; ++i) {
    if (isa<ir::ConstantOp>(at(function, i)) || at(function, i)->getNumResults() != 1) continue;
    steps.emplace_back([i](func::FuncOp copy) {
      Value value = at(copy, i)->getResult(0);
      if (llvm::is_contained(copy.getBody().front().getTerminator()->getOperands(), value))
        return false;
      const unsigned index = copy.getNumArguments();
      copy.insertArgument(index, value.getType(), {}, copy.getLoc());
      value.replaceAllUsesWith(copy.getArgument(index));
      dropUnused(copy);
      return true;
    });
  }
  std::set<int64_t, std::greater<>> sizes;
  for (const Type type : function.getArgumentTypes()) {
    for (const int64_t size : cast<RankedTensorType>(type).getShape()) sizes.insert(size);
  }
  sizes.erase(ShapedType::kDynamic);
  for (const int64_t size : sizes) {
    for (const int64_t smaller : {int64_t{1}, size / 2, size - 1}) {
      if (smaller >= 1 && smaller < size)
        steps.emplace_back(
            [size, smaller](func::FuncOp copy) { return resize(copy, size, smaller); });
    }
  }
  for (size_t i = 0; i < numOps; ++i) {
    const ir::OpInfo* info = ir::findByMnemonic(at(function, i)->getName().stripDialect());
    if (info == nullptr) continue;
    for (const ir::AttributeInfo& attribute : info->attributes) {
      const StringRef name(attribute.name);
      if (attribute.isRequired || !at(function, i)->getAttr(name)) continue;
      steps.emplace_back([i, name](func::FuncOp copy) { return dropAttribute(at(copy, i), name); });
    }
  }
  return steps;
}

}  // namespace

Function shrink(func::FuncOp failing, size_t numTries,
                const std::function<bool(func::FuncOp)>& fails) {
  Function smallest = cloneOf(failing);
  for (bool isSmaller = true; isSmaller && numTries > 0;) {
    isSmaller = false;
    for (const Step& step : stepsOf(*smallest)) {
      Function attempt = cloneOf(*smallest);
      std::string before, after;
      llvm::raw_string_ostream(before) << *attempt;
      if (!tryChange(attempt, step)) continue;
      llvm::raw_string_ostream(after) << *attempt;
      if (before == after) continue;
      if (numTries-- == 0) return smallest;
      if (!fails(*attempt)) continue;
      smallest = std::move(attempt);
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

}  // namespace tessera::conformance
