// The compile half: every hook of the contract (compiler/backend_api/backend.h).
#include "backends/null/compiler/register.h"
#include "backends/null/format/program.h"

namespace tessera::backend_null {

using namespace mlir;
using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;

#define GEN_PASS_DECL
#define GEN_PASS_DEF_NUMBERSTEPSPASS
#define GEN_PASS_REGISTRATION
#include "backends/null/compiler/passes.h.inc"

namespace {

/// A pass that a target adds: it sees the functions of this target and no others.
struct NumberSteps : impl::NumberStepsPassBase<NumberSteps> {
  void runOnOperation() override {
    for (auto region : getOperation().getOps<func::FuncOp>()) {
      const auto steps = llvm::range_size(region.getBody().front().without_terminator());
      region->setAttr("null.steps",
                      Builder(&getContext()).getI64IntegerAttr(static_cast<int64_t>(steps)));
    }
  }
};

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The text of format/program.h for one region.
std::string programOf(func::FuncOp region, bool isTraced) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (isTraced ? kTracedWord : kProgramWord) << " " << region.getName() << "\n";
  DenseMap<Value, size_t> numbers;
  for (const Value argument : region.getArguments()) numbers.try_emplace(argument, numbers.size());
  for (Operation& op : region.getBody().front()) {
    if (auto product = dyn_cast<ir::MatmulOp>(op)) {
      const auto a = typeOf(product.getA()), b = typeOf(product.getB());
      out << "matmul " << a.getDimSize(0) << " " << a.getDimSize(1) << " " << b.getDimSize(1);
    } else if (op.hasTrait<OpTrait::IsTerminator>()) {
      out << kReturnWord << " 0 0 0";
    } else {
      out << op.getName().stripDialect() << " " << typeOf(op.getResult(0)).getNumElements()
          << " 1 1";
    }
    for (const Value operand : op.getOperands()) out << " " << numbers.at(operand);
    out << "\n";
    for (const Value result : op.getResults()) numbers.try_emplace(result, numbers.size());
  }
  return text;
}

class NullBackend final : public backend_api::Backend {
 public:
  /// The name in `--targets`, and the attributes: `null -trace=true`.
  const target::TargetKind& kind() const override { return kind_; }

  /// Goes up whenever code or answers change: caches of code and costs depend on it.
  std::string version() const override { return kVersion; }

  /// Where values are settled for this machine, and what its devices cannot be is refused.
  Result<target::Target> resolve(const target::Target& target) const override {
    if (target.device == 0) return target;
    return usageError("target '" + target.toString() + "': there is one device, number 0");
  }

  /// For people: what `supports` may say yes to.
  std::vector<std::string> operators() const override { return {"add", "matmul", "mul", "relu"}; }

  /// Asked with the whole graph, for who looks at it as one; here operator by operator.
  std::vector<Support> query(ArrayRef<Operation*> ops,
                             const target::Target& target) const override {
    return Backend::query(ops, target);
  }

  /// Asked about every operator, with the types it has. A no has a reason, which users see.
  Support supports(Operation* op, const target::Target&) const override {
    if (!isa<ir::AddOp, ir::MatmulOp, ir::MulOp, ir::ReluOp>(op))
      return Declined{"it takes add, matmul, mul and relu only"};
    for (const Value value : op->getOperands()) {
      const auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape() || !type.getElementType().isF32())
        return Declined{"it takes f32 of known sizes only"};
      if (isa<ir::MatmulOp>(op) ? type.getRank() != 2
                                : type.getShape() != typeOf(op->getResult(0)).getShape())
        return Declined{"it neither broadcasts nor multiplies other than matrices"};
    }
    return Supported{};
  }

  /// Its last word on a finished region, of operators that it took.
  Support supportsRegion(func::FuncOp, const target::Target& target) const override {
    if (!isRefusing(target, "region")) return Supported{};
    return Declined{"it refuses every region (-refuse=region)"};
  }

  /// The layouts and memory spaces in which it runs an operator or a region, best first: whatever
  /// comes, it wants rows in the host's memory.
  std::vector<backend_api::LayoutChoice> chooseLayouts(
      Operation* op, ArrayRef<RankedTensorType> available,
      const target::Target& target) const override {
    return Backend::chooseLayouts(op, available, target);
  }

  /// Which operators share no fused region; not asked of who merges, as the rules below say.
  bool mayShareRegion(Operation* first, Operation* second) const override {
    return !isa<ir::MatmulOp>(first) || !isa<ir::MatmulOp>(second);
  }

  /// For searches: what it takes at least. Nobody knows that of code that computes nothing.
  std::optional<double> leastSeconds(func::FuncOp region,
                                     const target::Target& target) const override {
    return Backend::leastSeconds(region, target);
  }

  /// The result is written when everything is computed.
  bool canReuseOperand(func::FuncOp region, unsigned) const override {
    return region.getNumResults() == 1;
  }

  /// Whole-graph style: whatever it owns and hangs together is one region, of at most 64 operators.
  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.mergesOperators = true, .takesViews = false, .maxOperations = 64};
  }

  /// Dialects that its passes make; its own makes attributes only.
  void registerDialects(DialectRegistry& registry) const override {
    registry.insert<func::FuncDialect>();
  }

  /// So that people can print behind its passes and leave them out.
  void registerPasses() const override { registerNullPasses(); }

  /// Passes of its own, before or after the common ones of any phase.
  void addPasses(target::Phase phase, target::HookPoint point, OpPassManager& manager,
                 const target::Target&) const override {
    if (phase == target::Phase::kPostPartition && point == target::HookPoint::kAfter)
      manager.addPass(createNumberStepsPass());
  }

  /// Code for all regions, here one text. It may refuse any of them, with a reason: then somebody
  /// else gets it. What the target's attributes say goes into the code.
  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp> regions,
                                     const target::Target& target,
                                     const backend_api::EmitContext& context) const override {
    backend_api::Emission emission{.blobs = {{}}, .regions = {}, .leastVersion = kVersion};
    const bool isTraced = std::get<bool>(target.attributes.at("trace"));
    for (func::FuncOp region : regions) {
      if (isRefusing(target, "code")) {
        emission.regions.emplace_back(
            backend_api::declined(targetFailed("it has no code for it (-refuse=code)")));
        continue;
      }
      const std::string text = programOf(region, isTraced);
      llvm::append_range(emission.blobs.front().bytes, std::as_bytes(std::span(text)));
      emission.regions.emplace_back(backend_api::RegionCode{.entry = region.getName().str()});
      if (context.progress) context.progress(emission.regions.size(), regions.size());
    }
    return emission;
  }

 private:
  static bool isRefusing(const target::Target& target, const std::string& what) {
    return std::get<std::string>(target.attributes.at("refuse")) == what;
  }

  target::TargetKind kind_{.name = "null",
                           .attributes = {{.name = "trace",
                                           .type = target::AttributeType::kBool,
                                           .defaultValue = false,
                                           .help = "log each step that runs"},
                                          {.name = "refuse",
                                           .type = target::AttributeType::kEnum,
                                           .defaultValue = std::string("nothing"),
                                           .values = {"nothing", "region", "code"},
                                           .help = "what it takes first and refuses then"}},
                           .isTest = true};  // To ship it delete this, and NO_INSTALL in runtime/.
};

}  // namespace

std::unique_ptr<backend_api::Backend> createBackend() { return std::make_unique<NullBackend>(); }

}  // namespace tessera::backend_null
