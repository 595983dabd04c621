#include "compiler/conformance/test/spoiled_backend.h"

#include "compiler/ir/op_info.h"
#include "compiler/ir/types.h"

namespace tessera::backend_spoiled {
namespace {

using namespace mlir;
using backend_api::Declined;
using backend_api::Supported;

class SpoiledBackend final : public backend_api::Backend {
 public:
  explicit SpoiledBackend(std::string name, bool isHost)
      : kind_{.name = std::move(name),
              .attributes = {{.name = "fault",
                              .type = target::AttributeType::kEnum,
                              .defaultValue = std::string("nothing"),
                              .values = {"nothing", "last_lane", "second_thread", "attribute",
                                         "padding", "second_output", "claim", "silent", "bits",
                                         "second_load", "unwilling"},
                              .help = "what is wrong"},
                             {.name = "blocked",
                              .type = target::AttributeType::kBool,
                              .defaultValue = false,
                              .help = "whether it wants channels in blocks of 8"}},
              .isHost = isHost} {}

  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return "1"; }

  /// All of the dialect.
  std::vector<std::string> operators() const override {
    std::vector<std::string> names;
    for (const ir::OpInfo& info : ir::opTable()) names.emplace_back(info.mnemonic);
    return names;
  }

  backend_api::Support supports(Operation* op, const target::Target& target) const override {
    if (fault(target) == "silent" && op->getName().stripDialect() == kBrokenOperator)
      return Declined{""};
    if (fault(target) == "unwilling") return Declined{"it takes nothing"};
    for (const Type type : op->getOperandTypes()) {
      const auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape()) return Declined{"it takes known sizes only"};
    }
    for (const Type type : op->getResultTypes()) {
      const auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape()) return Declined{"it takes known sizes only"};
    }
    return Supported{};
  }

  backend_api::PatternTable patterns(const target::Target& target) const override {
    using pattern::any, pattern::op;
    if (fault(target) == "unwilling") return {};
    return {{.name = "shuffle",
             .pattern =
                 op<ir::ReshapeOp>(op<ir::TransposeOp>(op<ir::ReshapeOp>(any(), any())), any())}};
  }

  std::vector<backend_api::LayoutChoice> chooseLayouts(
      Operation* op, ArrayRef<RankedTensorType> available,
      const target::Target& target) const override {
    if (!std::get<bool>(target.attributes.at("blocked")) || !isa<ir::ReluOp>(op))
      return Backend::chooseLayouts(op, available, target);
    const auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getRank() < 2 || !type.getElementType().isF32())
      return Backend::chooseLayouts(op, available, target);
    const RankedTensorType blocked = ir::withBlocks(type, {1}, {8});
    return {{.operands = {blocked}, .results = {blocked}}};
  }

  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp> regions,
                                     const target::Target& target,
                                     const backend_api::EmitContext&) const override {
    backend_api::Emission emission{.blobs = {{}}, .regions = {}};
    std::string text = "// " + fault(target) + "\n";
    llvm::raw_string_ostream out(text);
    for (func::FuncOp region : regions) {
      bool isRefused = false;
      OwningOpRef<func::FuncOp> copy(cast<func::FuncOp>(region->clone()));
      copy->walk([&](Operation* op) {
        isRefused |= op->getName().stripDialect() == kBrokenOperator;
        if (auto pool = dyn_cast<ir::AveragePoolOp>(op); pool && fault(target) == "attribute")
          pool.setCountIncludePad(0);
      });
      if (fault(target) == "claim" && isRefused) {
        emission.regions.emplace_back(Declined{"it has no code for that after all"});
        continue;
      }
      out << *copy << "\n";
      emission.regions.emplace_back(backend_api::RegionCode{.entry = region.getName().str()});
    }
    const auto bytes = std::as_bytes(std::span(text));
    emission.blobs.front().bytes.assign(bytes.begin(), bytes.end());
    return emission;
  }

 private:
  static std::string fault(const target::Target& target) {
    return std::get<std::string>(target.attributes.at("fault"));
  }

  target::TargetKind kind_;
};

}  // namespace

std::unique_ptr<backend_api::Backend> createBackend() {
  return std::make_unique<SpoiledBackend>("spoiled", /*isHost=*/false);
}

}  // namespace tessera::backend_spoiled

namespace tessera::backend_upright {

std::unique_ptr<backend_api::Backend> createBackend() {
  return std::make_unique<backend_spoiled::SpoiledBackend>("upright", /*isHost=*/true);
}

}  // namespace tessera::backend_upright
