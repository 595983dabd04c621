#include "tests/parity/plan.h"

#include "compiler/backend_api/backend.h"
#include "compiler/ir/composites.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::tests {

using namespace mlir;

static std::string namesIn(Block& block);

static std::string nameOf(Operation* op) {
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!composite) return op->getName().stripDialect().str();
  if (!ir::composite::isBackends(composite.getName())) return composite.getName().str();
  return composite.getName().str() + "[" + namesIn(composite.getBody().front()) + "]";
}

static std::string namesIn(Block& block) {
  std::string names;
  for (Operation& op : block.without_terminator())
    names += (names.empty() ? "" : " ") + nameOf(&op);
  return names;
}

namespace {

class Plan {
 public:
  explicit Plan(ModuleOp module) : module_(module) {}

  std::vector<std::string> of(func::FuncOp function) {
    print(function.getBody().front(), "");
    return std::move(lines_);
  }

 private:
  void print(Block& block, const std::string& indent) {
    static constexpr llvm::StringLiteral kNames = "xyzw";
    for (const BlockArgument argument : block.getArguments()) {
      const unsigned number = argument.getArgNumber();
      const bool isShort = indent.empty() && number < kNames.size();
      values_[argument] = isShort          ? std::string(1, kNames[number])
                          : indent.empty() ? "a" + std::to_string(number)
                                           : "b" + std::to_string(number);
    }
    for (Operation& op : block) {
      if (isa<ir::ConstantOp>(op))
        values_[op.getResult(0)] = "c";
      else
        print(op, indent);
    }
  }

  void print(Operation& op, const std::string& indent) {
    std::string line;
    for (const Value result : op.getResults()) {
      const std::string name = "v" + std::to_string(next_++);
      line += (line.empty() ? "" : ", ") + name;
      values_[result] = name;
    }
    if (!line.empty()) line += " = ";
    std::string operands;
    for (const Value operand : op.getOperands())
      operands += (operands.empty() ? "" : ", ") + values_.lookup(operand);
    lines_.push_back(indent + line + calleeOf(&op) + "(" + operands + ")");
    if (isa<ir::CompositeOp>(op)) return;
    for (Region& region : op.getRegions()) {
      for (Block& block : region) print(block, indent + "  ");
    }
  }

  std::string calleeOf(Operation* op) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) return nameOf(op);
    auto callee = module_.lookupSymbol<func::FuncOp>(call.getCallee());
    const std::string name = call.getCallee().str();
    return backend_api::ownerOf(callee) ? name + "{" + namesIn(callee.getBody().front()) + "}"
                                        : "@" + name;
  }

  ModuleOp module_;
  std::vector<std::string> lines_;
  llvm::DenseMap<Value, std::string> values_;
  int next_ = 0;
};

}  // namespace

std::vector<std::string> planOf(ModuleOp module, StringRef name) {
  return Plan(module).of(module.lookupSymbol<func::FuncOp>(name));
}

}  // namespace tessera::tests
