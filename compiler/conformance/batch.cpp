#include "compiler/conformance/batch.h"

#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"

namespace tessera::conformance {

using namespace mlir;

static constexpr StringLiteral kNodePrefix = "case ";

std::string kindOf(const std::string& target) {
  return target.substr(0, target.find_first_of(" :"));
}

std::optional<size_t> caseInNode(const std::string& node) {
  StringRef text = node;
  size_t index = 0;
  if (!text.consume_front(kNodePrefix) || text.consumeInteger(10, index)) return std::nullopt;
  return index;
}

/// Operators of one function into @main, and its results behind the others'.
static void append(func::FuncOp function, size_t index, OpBuilder& builder, func::FuncOp main,
                   SmallVectorImpl<Value>& results) {
  IRMapping mapping;
  for (BlockArgument argument : function.getArguments()) {
    const unsigned at = main.getNumArguments();
    const std::string name =
        "x" + std::to_string(index) + "_" + std::to_string(argument.getArgNumber());
    main.insertArgument(at, argument.getType(),
                        builder.getDictionaryAttr(builder.getNamedAttr(
                            ir::kValueNameAttribute, builder.getStringAttr(name))),
                        builder.getUnknownLoc());
    mapping.map(argument, main.getArgument(at));
  }
  const Location loc =
      NameLoc::get(builder.getStringAttr(kNodePrefix.str() + std::to_string(index)));
  for (Operation& op : function.getBody().front().without_terminator())
    builder.clone(op, mapping)->walk([&](Operation* cloned) { cloned->setLoc(loc); });
  for (const Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
}

OwningOpRef<ModuleOp> joined(MLIRContext& context, std::span<const func::FuncOp> functions) {
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto main = builder.create<func::FuncOp>(builder.getUnknownLoc(), ir::kEntryFunction,
                                           builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  SmallVector<Value> results;
  SmallVector<std::string> names;
  for (size_t i = 0; i < functions.size(); ++i) {
    append(functions[i], i, builder, main, results);
    for (unsigned k = 0; k < func::FuncOp(functions[i]).getNumResults(); ++k)
      names.push_back("y" + std::to_string(i) + "_" + std::to_string(k));
  }
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  main.setFunctionType(builder.getFunctionType(main.getBody().front().getArgumentTypes(),
                                               ValueRange(results).getTypes()));
  for (auto [i, name] : llvm::enumerate(names))
    main.setResultAttr(static_cast<unsigned>(i), ir::kValueNameAttribute,
                       builder.getStringAttr(name));
  (*module)->setAttr(ir::kPhaseAttribute, builder.getStringAttr(phaseName(Phase::kSimplify)));
  return module;
}

CompileOptions compileOptions(const Kit& kit, const std::string& targets, const std::string& pins) {
  CompileOptions options;
  options.session = kit.options.session;
  options.targets = targets;
  options.pins = pins;
  return options;
}

static Result<Module> load(const Kit& kit, ModuleOp module, const CompileOptions& options) {
  const std::string file = kit.folder / "cases.mlir";
  TESSERA_TRY_VOID(ir::saveModule(module, file, ir::ModuleFormat::kText));
  return Module::load(file, options);
}

Result<Module> loadJoined(const Kit& kit, ModuleOp module, const std::string& targets,
                          const std::string& pins) {
  return load(kit, module, compileOptions(kit, targets, pins));
}

/// Names of the composites in the module that the kind's pattern table made.
static void findPatterns(const std::string& text, const std::string& kind,
                         std::vector<std::string>& patterns) {
  const std::string start = "\"" + kind + ".";
  for (size_t at = 0; (at = text.find(start, at)) != std::string::npos;) {
    at += start.size();
    std::string name = text.substr(at, text.find('"', at) - at);
    if (!llvm::is_contained(patterns, name)) patterns.push_back(std::move(name));
  }
}

Result<Placed> place(const Kit& kit, std::span<const func::FuncOp> functions,
                     const std::string& targets) {
  Placed placed;
  CompileOptions options = compileOptions(kit, targets, "");
  // Later on a backend may have made something else of the composites.
  options.printAfter = {"tessera-merge-composite"};
  options.print = [&](const std::string&, const std::string& text) {
    findPatterns(text, kit.kind, placed.patterns);
  };
  TESSERA_TRY(Module module, load(kit, *joined(kit.context, functions), options));
  TESSERA_TRY_VOID(module.runTo(Phase::kPostPartition));
  placed.isTaken.resize(functions.size(), false);
  for (const NodeInfo& node : module.nodes()) {
    if (kindOf(node.owner) != kit.kind) continue;
    placed.operators.insert(node.op);
    for (const std::string& name : node.sourceNodes) {
      if (const auto index = caseInNode(name); index && *index < functions.size())
        placed.isTaken[*index] = true;
    }
  }
  for (size_t i = 0; i < functions.size(); ++i) {
    func::FuncOp function = functions[i];  // Constants are nobody's nodes.
    if (placed.isTaken[i] && !function.getOps<ir::ConstantOp>().empty())
      placed.operators.insert(ir::ConstantOp::getOperationName().split('.').second.str());
  }
  return placed;
}

}  // namespace tessera::conformance
