// The compile half: f32 operators of known sizes, in regions as large as they hang together, whose
// arguments and results are in the memory of their device.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "backends/testdevice/compiler/register.h"
#include "backends/testdevice/format/device.h"
#include "compiler/ir/types.h"
#include "compiler/region_graph/emit_program.h"
#include "compiler/region_graph/write.h"
#include "mlir/Pass/Pass.h"

namespace tessera::backend_testdevice {

using namespace mlir;
using backend_api::Declined;
using backend_api::LayoutChoice;
using backend_api::Support;
using backend_api::Supported;

static Fault faultOf(const target::Target& target) {
  return parseFault(target.stringOr("fail", kNoFault)).value_or(Fault());
}

/// Empty: the host's.
static std::string spaceOfTarget(const target::Target& target) {
  if (target.stringOr("memory", kOwnMemory) == kHostMemory) return "";
  return spaceOfDevice(static_cast<uint32_t>(target.device));
}

/// Copies between its memory and the host's, or that of the other device; the runtime does them.
static Support supportsCopy(ir::CopyOp copy, const target::Target& target) {
  const std::string own = spaceOfTarget(target);
  if (own.empty()) return Declined{"it has no memory of its own"};
  bool isOwn = false;
  for (const Value value : {copy.getInput(), copy.getResult()}) {
    const StringRef space = ir::spaceOf(cast<RankedTensorType>(value.getType()));
    bool isKnown = space.empty();
    for (uint32_t device = 0; device < kNumDevices; ++device)
      isKnown |= space == spaceOfDevice(device);
    if (!isKnown) return Declined{"it has no access to memory space '" + space.str() + "'"};
    isOwn |= space == own;
  }
  if (isOwn) return Supported{};
  return Declined{"neither side is memory of this device"};
}

static bool isTaken(Operation* op) {
  return isa<ir::AbsOp, ir::AddOp, ir::ConcatOp, ir::DivOp, ir::ExpOp, ir::FlattenOp, ir::MatmulOp,
             ir::MaxOp, ir::MinOp, ir::MulOp, ir::NegOp, ir::ReluOp, ir::ReshapeOp, ir::SigmoidOp,
             ir::SliceOp, ir::SplitOp, ir::SqrtOp, ir::SqueezeOp, ir::SubOp, ir::TanhOp,
             ir::UnsqueezeOp>(op);
}

static Support supportsOperator(Operation* op) {
  if (!isTaken(op)) return Declined{"it has no such operator"};
  auto described = region_graph::describe(op);
  if (!described) return backend_api::declined(described.error());
  for (const region_graph::Described& one : *described) {
    for (const auto& values : {one.inputs, one.outputs}) {
      for (const Value value : values) {
        const auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
        if (type && !type.getElementType().isF32()) return Declined{"it computes f32 only"};
        if (type && isa<ir::MatmulOp>(op) && type.getRank() < 2)
          return Declined{"it multiplies matrices, no vectors"};
      }
    }
  }
  return Supported{};
}

namespace {

/// Ends the process of whoever asks about tanh, or a region with it, if that is the fault.
void crashFor(Operation* op, Fault::Place place, const target::Target& target) {
  if (faultOf(target).place == place) op->walk([](ir::TanhOp) { std::abort(); });
}

/// A pass that ends the process.
struct Crash : PassWrapper<Crash, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Crash)
  void runOnOperation() override { std::abort(); }
};

class TestDeviceBackend final : public backend_api::Backend {
 public:
  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return kVersion; }
  std::vector<std::string> operators() const override {
    return {"abs",   "add",   "concat", "div",     "exp",  "flatten", "matmul",
            "max",   "min",   "mul",    "neg",     "relu", "reshape", "sigmoid",
            "slice", "split", "sqrt",   "squeeze", "sub",  "tanh",    "unsqueeze"};
  }

  std::vector<std::string> memorySpaces() const override {
    std::vector<std::string> names;
    for (uint32_t device = 0; device < kNumDevices; ++device)
      names.push_back(spaceOfDevice(device));
    return names;
  }

  Result<target::Target> resolve(const target::Target& target) const override {
    const std::string name = "target '" + target.toString() + "': ";
    if (target.device < 0 || target.device >= static_cast<int>(kNumDevices))
      return usageError(name + "there are two devices, number 0 and 1");
    if (!parseFault(target.stringOr("fail", kNoFault)))
      return usageError(name + "found fault '" + target.stringOr("fail", "") + "', expected " +
                        std::string(kFaultsHelp.substr(kFaultsHelp.find(": ") + 2)));
    if (const std::string memory = target.stringOr("memory", kOwnMemory);
        memory != kOwnMemory && memory != kHostMemory)
      return usageError(name + "found memory '" + memory + "', expected own or host");
    if (std::get<double>(target.attributes.at("copy_gbps")) < 0 ||
        std::get<double>(target.attributes.at("gflops")) < 0 ||
        std::get<int64_t>(target.attributes.at("launch_us")) < 0)
      return usageError(name + "its costs are below 0");
    return target;
  }

  Support supports(Operation* op, const target::Target& target) const override {
    if (faultOf(target).place == Fault::Place::kQuery)
      return Declined{"it cannot be asked (-fail=query)"};
    crashFor(op, Fault::Place::kCrashInQuery, target);
    if (auto copy = dyn_cast<ir::CopyOp>(op)) return supportsCopy(copy, target);
    return supportsOperator(op);
  }

  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.mergesOperators = true, .isInlineConstant = region_graph::isDecoded};
  }

  /// Rows in the memory of the device, whatever comes.
  std::vector<LayoutChoice> chooseLayouts(Operation* op, ArrayRef<RankedTensorType> available,
                                          const target::Target& target) const override {
    crashFor(op, Fault::Place::kCrashInLayouts, target);
    const auto here = [&](Type type) {
      const RankedTensorType plain = ir::plainType(cast<RankedTensorType>(type));
      const std::string space = spaceOfTarget(target);
      return space.empty() ? plain : ir::inSpace(plain, space);
    };
    LayoutChoice choice;
    for (const RankedTensorType type : available) choice.operands.push_back(here(type));
    auto region = dyn_cast<func::FuncOp>(op);
    for (const Type type :
         region ? TypeRange(region.getResultTypes()) : TypeRange(op->getResultTypes()))
      choice.results.push_back(here(type));
    return {choice};
  }

  /// What it simulates, whatever computes it.
  std::optional<double> leastSeconds(func::FuncOp region,
                                     const target::Target& target) const override {
    double flops = 0;
    region.walk([&](ir::MatmulOp op) {  // The others it counts less than they do.
      flops += static_cast<double>(std::max<int64_t>(0, op.getFlops()));
    });
    const double gflops = std::get<double>(target.attributes.at("gflops"));
    const auto launch = static_cast<double>(std::get<int64_t>(target.attributes.at("launch_us")));
    return launch * 1e-6 + (gflops > 0 ? flops / gflops * 1e-9 : 0);
  }

  void addPasses(target::Phase phase, target::HookPoint point, OpPassManager& manager,
                 const target::Target& target) const override {
    if (phase == target::Phase::kLower && point == target::HookPoint::kAfter &&
        faultOf(target).place == Fault::Place::kCrashInPasses)
      manager.addPass(std::make_unique<Crash>());
  }

  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp> regions,
                                     const target::Target& target,
                                     const backend_api::EmitContext& context) const override {
    if (faultOf(target).place == Fault::Place::kCrash) std::abort();
    while (faultOf(target).place == Fault::Place::kHangInCompile)
      std::this_thread::sleep_for(std::chrono::seconds(1));
    if (faultOf(target).place == Fault::Place::kCompile)
      return targetFailed("it compiles nothing (-fail=compile)");
    return region_graph::emitProgram(regions, context, kVersion, [](func::FuncOp region) {
      return region_graph::describeRegion(region);
    });
  }

 private:
  target::TargetKind kind_{
      .name = "testdevice",
      .attributes = {{.name = "copy_gbps",
                      .type = target::AttributeType::kFloat,
                      .defaultValue = 0.0,
                      .help = "gigabytes that a copy moves in a second; 0: as fast as it can"},
                     {.name = "gflops",
                      .type = target::AttributeType::kFloat,
                      .defaultValue = 0.0,
                      .help = "billions of operations that a region does in a second, from the "
                              "second run on the same inputs on; 0: as many as it can"},
                     {.name = "launch_us",
                      .type = target::AttributeType::kInt,
                      .defaultValue = int64_t{0},
                      .help = "microseconds before a region begins"},
                     {.name = "memory",
                      .defaultValue = std::string(kOwnMemory),
                      .help = "where values are: own, in memory that the host cannot read; host"},
                     {.name = "fail",
                      .defaultValue = std::string(kNoFault),
                      .help = std::string(kFaultsHelp)}},
      .isTest = true};
};

}  // namespace

std::unique_ptr<backend_api::Backend> createBackend() {
  return std::make_unique<TestDeviceBackend>();
}

}  // namespace tessera::backend_testdevice
