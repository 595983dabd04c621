// One walk over the host program: values become buffers, calls become instructions, constants
// borrow from the store.
#include "compiler/codegen/make_bundle.h"

#include <algorithm>
#include <map>

#include "base/content_hash.h"
#include "base/version.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/infer/given_dims.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::codegen {

using namespace mlir;

namespace {

/// Text of a layout's physical order; empty when plain. Names of dimensions and the memory space
/// are told elsewhere.
std::string layoutText(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  if (!layout || layout.isPlainOrder()) return "";
  std::string text;
  llvm::raw_string_ostream(text) << ir::LayoutAttr::get(
      type.getContext(), {}, layout.getOrder(), layout.getBlockDims(), layout.getBlockSizes(), "",
      layout.getPadding());
  return text;
}

class BundleMaker {
 public:
  explicit BundleMaker(ModuleOp module) : module_(module), symbols_(module) {
    bundle_.producer = "tessera " TESSERA_VERSION;
    bundle_.modelName = module.getSymName().value_or("").str();
    if (const auto threads = module->getAttrOfType<IntegerAttr>(ir::kThreadsAttribute))
      bundle_.defaultThreads = static_cast<uint32_t>(threads.getInt());
  }

  Result<artifact::Bundle> make() {
    auto entry = ir::entryFunction(module_);
    if (!entry) return invalidInput("the module has no function @main");
    if (!isHostProgram(entry))
      return invalidInput("function @main works on tensors, expected a host program on buffers");
    collectCode();
    for (const BlockArgument argument : entry.getArguments()) addInput(entry, argument);
    for (Operation& op : entry.getBody().front().without_terminator())
      TESSERA_TRY_VOID(convert(&op));
    addOutputs(entry);
    addPlan(artifact::kHostSpace, entry->getAttrDictionary());
    if (const auto others = entry->getAttrOfType<DictionaryAttr>(kOtherSpaces)) {
      for (const NamedAttribute space : others) {
        if (const auto figures = dyn_cast<DictionaryAttr>(space.getValue()))
          addPlan(space.getName().strref(), figures);
      }
    }
    return std::move(bundle_);
  }

 private:
  static bool isHostProgram(func::FuncOp entry) {
    const auto isBuffer = [](Type type) { return isa<ir::BufferType>(type); };
    Block& body = entry.getBody().front();
    return llvm::all_of(body.getArgumentTypes(), isBuffer) &&
           llvm::all_of(body.getTerminator()->getOperandTypes(), isBuffer);
  }

  /// All code of the module; which of it a region runs is said at its calls.
  void collectCode() {
    const ir::ConstantStore& store =
        module_.getContext()->getLoadedDialect<ir::TsrDialect>()->constants();
    std::vector<std::string> targets;
    for (auto code : module_.getOps<ir::CodeOp>()) {
      code_[code.getSymNameAttr()] = {.op = code,
                                      .index = static_cast<uint32_t>(bundle_.codeBlobs.size())};
      bundle_.codeBlobs.push_back(
          artifact::Blob::borrowed(store.find(std::string_view(code.getBytes().getHash())).bytes));
      std::string target = backend_api::fromAttribute(code.getTarget()).toString();
      if (!llvm::is_contained(targets, target)) targets.push_back(std::move(target));
      needBackend({.kind = code.getTarget().getKind().str(),
                   .leastVersion = code.getVersion().value_or("").str(),
                   .leastAbi = code.getAbi()});
    }
    bundle_.target = llvm::join(targets, ",");
  }

  /// The runtime half of a kind must read all the code that there is for it.
  void needBackend(artifact::BackendNeed need) {
    const auto isSame = [&](const artifact::BackendNeed& other) { return other.kind == need.kind; };
    const auto it = llvm::find_if(bundle_.backends, isSame);
    if (it == bundle_.backends.end()) return bundle_.backends.push_back(std::move(need));
    if (base::isOlderVersion(it->leastVersion, need.leastVersion))
      it->leastVersion = std::move(need.leastVersion);
    it->leastAbi = std::max(it->leastAbi, need.leastAbi);
  }

  /// The ways to run a region, the first choice in front.
  Result<std::vector<artifact::Implementation>> implementationsOf(func::FuncOp region) {
    const auto list = region->getAttrOfType<ArrayAttr>(kImplementations);
    if (!list || list.empty())
      return targetFailed("region '" + region.getName().str() + "' has no code");
    std::vector<artifact::Implementation> implementations;
    for (const Attribute entry : list) {
      const auto implementation = dyn_cast<ir::ImplementationAttr>(entry);
      const auto it = implementation ? code_.find(implementation.getCode().getAttr()) : code_.end();
      if (it == code_.end())
        return invalidInput("region '" + region.getName().str() +
                            "' has an implementation whose code is not in the module");
      std::vector<std::string> features;
      if (implementation.getCpuFeatures()) {
        for (const auto feature : implementation.getCpuFeatures().getAsRange<StringAttr>())
          features.push_back(feature.str());
      }
      implementations.push_back(
          {.target = backend_api::fromAttribute(it->second.op.getTarget()).toString(),
           .symbol = implementation.getEntry().str(),
           .codeBlob = it->second.index,
           .cpuFeatures = std::move(features),
           .dimGuards = {},
           .workspaceBytes = static_cast<uint64_t>(implementation.getWorkspaceBytes())});
    }
    return implementations;
  }

  uint32_t addBuffer(Value value, artifact::Storage storage) {
    const RankedTensorType type = cast<ir::BufferType>(value.getType()).getTensor();
    artifact::Buffer buffer;
    buffer.elementType = ir::toElementType(type.getElementType());
    // Code that finds sizes in a tensor reads those of its memory.
    const RankedTensorType sized = type.hasStaticShape() ? type : ir::physicalType(type);
    for (const int64_t size : sized.getShape())
      buffer.dims.push_back(ShapedType::isDynamic(size) ? artifact::kDynamic : size);
    buffer.layout = layoutText(type);
    buffer.sizeBytes = ir::physicalSizeBytes(type);
    buffer.memorySpace = spaceNumber(ir::spaceOf(type));
    buffer.storage = storage;
    const auto index = static_cast<uint32_t>(bundle_.buffers.size());
    bundle_.buffers.push_back(std::move(buffer));
    buffers_[value] = index;
    return index;
  }

  /// Index of a space in the artifact's table; new ones are added as buffers name them.
  uint32_t spaceNumber(StringRef space) {
    if (space.empty() || space == artifact::kHostSpace) return 0;
    const auto [it, isNew] =
        spaces_.try_emplace(space, static_cast<uint32_t>(bundle_.memorySpaces.size()));
    if (isNew) {
      artifact::MemorySpace& made = bundle_.memorySpaces.emplace_back();
      made.name = space.str();
    }
    return it->second;
  }

  /// The memory plan of one space.
  void addPlan(StringRef space, DictionaryAttr figures) {
    const auto number = [&](StringRef name) -> uint64_t {
      const auto attribute = figures.getAs<IntegerAttr>(name);
      return attribute ? attribute.getInt() : 0;
    };
    artifact::MemorySpace& plan = bundle_.memorySpaces[spaceNumber(space)];
    plan.arenaBytes = number(kArenaBytes);
    plan.lowerBoundBytes = number(kLowerBoundBytes);
    if (const auto targets = figures.getAs<ArrayAttr>(ir::kTargetsAttribute)) {
      for (const Attribute each : targets) {
        if (const auto target = dyn_cast<ir::TargetAttr>(each))
          plan.targets.push_back(backend_api::fromAttribute(target).toString());
      }
    }
  }

  static std::vector<std::string> dimNames(RankedTensorType type) {
    std::vector<std::string> names;
    if (const ir::LayoutAttr layout = ir::layoutOf(type)) {
      for (const StringAttr name : layout.getDims()) names.push_back(ir::modelDimName(name));
    }
    return names;
  }

  artifact::Port port(StringAttr name, Value value, const std::string& fallback) {
    return {.name = name ? name.str() : fallback,
            .dimNames = dimNames(cast<ir::BufferType>(value.getType()).getTensor()),
            .buffer = buffers_.lookup(value)};
  }

  void addInput(func::FuncOp entry, BlockArgument argument) {
    addBuffer(argument, artifact::Storage::kInput);
    const auto name =
        entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ir::kValueNameAttribute);
    bundle_.inputs.push_back(
        port(name, argument, "input_" + std::to_string(argument.getArgNumber())));
  }

  void addOutputs(func::FuncOp entry) {
    for (OpOperand& operand : entry.getBody().front().getTerminator()->getOpOperands()) {
      const auto name = entry.getResultAttrOfType<StringAttr>(operand.getOperandNumber(),
                                                              ir::kValueNameAttribute);
      bundle_.outputs.push_back(
          port(name, operand.get(), "output_" + std::to_string(operand.getOperandNumber())));
    }
  }

  Status convert(Operation* op) {
    if (auto alloc = dyn_cast<ir::AllocOp>(op)) return addAlloc(alloc), Status();
    if (auto global = dyn_cast<ir::GlobalOp>(op)) return addConstant(global), Status();
    if (auto view = dyn_cast<ir::ViewOp>(op)) {
      const uint32_t source = buffers_.lookup(view.getSource());
      artifact::Buffer& buffer = bundle_.buffers[addBuffer(view, artifact::Storage::kView)];
      buffer.index = source;
      buffer.offset = view.getOffset();
      return {};
    }
    if (auto copy = dyn_cast<ir::CopyBufferOp>(op)) {
      artifact::CopyInstruction instruction{.source = buffers_.lookup(copy.getSource()),
                                            .destination = buffers_.lookup(copy.getTarget())};
      TESSERA_TRY_VOID(setEvents(copy, instruction));
      bundle_.program.emplace_back(std::move(instruction));
      return {};
    }
    if (auto call = dyn_cast<ir::CallOp>(op)) return addCall(call);
    return invalidInput("operation " + op->getName().getStringRef().str() +
                        " has no place in a host program");
  }

  void addAlloc(ir::AllocOp alloc) {
    const auto storage = alloc.getOutput()                  ? artifact::Storage::kOutput
                         : alloc.getSizeAttr().getInt() < 0 ? artifact::Storage::kDynamic
                                                            : artifact::Storage::kArena;
    artifact::Buffer& buffer = bundle_.buffers[addBuffer(alloc, storage)];
    buffer.offset = alloc.getOffset().value_or(0);
  }

  void addConstant(ir::GlobalOp global) {
    const RankedTensorType type = cast<ir::BufferType>(global.getType()).getTensor();
    const ir::Blob blob = ir::constantBytes(global.getValue(), type, module_.getContext());
    const auto named = dyn_cast<ir::BlobAttr>(global.getValue());
    std::string hash = named ? named.getHash().str() : base::contentHash(blob.bytes);
    const auto [it, isNew] =
        constants_.try_emplace(hash, static_cast<uint32_t>(bundle_.constants.size()));
    if (isNew) {
      artifact::Blob data = named ? artifact::Blob::borrowed(blob.bytes)
                                  : artifact::Blob::owned({blob.bytes.begin(), blob.bytes.end()});
      bundle_.constants.push_back({.contentHash = std::move(hash), .data = std::move(data)});
    }
    bundle_.buffers[addBuffer(global, artifact::Storage::kConstant)].index = it->second;
  }

  /// Each call has a region entry of its own: equal regions share the code but come from different
  /// ONNX nodes.
  Status addCall(ir::CallOp call) {
    auto function = symbols_.lookup<func::FuncOp>(call.getCallee());
    artifact::Region region;
    region.name = call.getCallee().str();
    TESSERA_TRY(region.implementations, implementationsOf(function));
    for (std::string& name : ir::sourceNames(call.getLoc()))
      region.nodeNames.push_back(std::move(name));
    region.opKinds = llvm::join(backend_api::operatorNames(function), "+");
    if (const auto remark = function->getAttrOfType<StringAttr>(backend_api::kRemarkAttribute))
      region.remark = remark.str();
    countCost(call, function, region);
    artifact::CallInstruction instruction{
        .region = static_cast<uint32_t>(bundle_.regions.size()), .inputs = {}, .outputs = {}};
    for (const Value in : call.getIns()) instruction.inputs.push_back(buffers_.lookup(in));
    for (const Value out : call.getOuts()) instruction.outputs.push_back(buffers_.lookup(out));
    if (call.getWorkspace()) instruction.workspace = buffers_.lookup(call.getWorkspace());
    TESSERA_TRY_VOID(setEvents(call, instruction));
    bundle_.regions.push_back(std::move(region));
    bundle_.program.emplace_back(std::move(instruction));
    return {};
  }

  /// The events of `op`, a call or a copy. The artifact has as many as the highest number asks for.
  template <typename Op, typename Instruction>
  Status setEvents(Op op, Instruction& instruction) {
    const auto add = [&](int32_t number) -> Result<uint32_t> {
      if (number < 0)
        return invalidInput("found event " + std::to_string(number) + ", expected a number from 0");
      const auto event = static_cast<uint32_t>(number);
      bundle_.numEvents = std::max(bundle_.numEvents, event + 1);
      return event;
    };
    for (const int32_t number : op.getWaits().value_or(ArrayRef<int32_t>())) {
      TESSERA_TRY(const uint32_t event, add(number));
      instruction.waits.push_back(event);
    }
    if (op.getSignal()) {
      TESSERA_TRY(instruction.signal, add(static_cast<int32_t>(*op.getSignal())));
    }
    return {};
  }

  /// Sizes that are not known count as nothing.
  static void countCost(ir::CallOp call, func::FuncOp function, artifact::Region& region) {
    if (!function.isExternal()) {
      for (auto op : function.getBody().front().getOps<ir::TsrOpInterface>()) {
        const int64_t flops = op.getFlops();
        region.flops += std::max<int64_t>(flops, 0);
        if (flops < 0) ++region.numOpenOperators;
      }
    }
    const auto count = [&](Value value) {
      region.bytes += std::max<int64_t>(
          ir::physicalSizeBytes(cast<ir::BufferType>(value.getType()).getTensor()), 0);
    };
    llvm::for_each(call.getIns(), count);
    llvm::for_each(call.getOuts(), count);
  }

  struct Code {
    ir::CodeOp op;
    uint32_t index = 0;  ///< Into Bundle::codeBlobs.
  };

  ModuleOp module_;
  SymbolTable symbols_;
  llvm::StringMap<uint32_t> spaces_;
  artifact::Bundle bundle_;
  DenseMap<StringAttr, Code> code_;
  DenseMap<Value, uint32_t> buffers_;
  std::map<std::string, uint32_t> constants_;
};

}  // namespace

Result<artifact::Bundle> makeBundle(ModuleOp module) { return BundleMaker(module).make(); }

}  // namespace tessera::codegen
