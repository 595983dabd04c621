// The compile half: whole regions, described as region graphs with what runs as one primitive.
#include "backends/onednn/compiler/layouts.h"
#include "backends/onednn/compiler/patterns.h"
#include "backends/onednn/compiler/register.h"
#include "backends/onednn/compiler/supports.h"
#include "compiler/region_graph/emit_program.h"
#include "compiler/region_graph/write.h"

namespace tessera::backend_onednn {

using namespace mlir;
using backend_api::Support;

static constexpr const char* kVersion = "1";

namespace {

class OnednnBackend final : public backend_api::Backend {
 public:
  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return kVersion; }
  std::vector<std::string> operators() const override { return supportedOperators(); }

  Result<target::Target> resolve(const target::Target& target) const override {
    if (target.device == 0) return target;
    return usageError("target '" + target.toString() + "': there is one device, number 0");
  }

  Support supports(Operation* op, const target::Target&) const override {
    return supportsOperator(op);
  }

  /// Weights are packed where they are constants; normalisation in them costs nothing.
  std::vector<std::string> needs(const target::Target&) const override {
    return {"folded_batch_norm", "folded_constants", "no_dropout"};
  }

  backend_api::PatternTable patterns(const target::Target&) const override {
    return patternTable();
  }

  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.mergesOperators = true, .isInlineConstant = region_graph::isDecoded};
  }

  std::vector<backend_api::LayoutChoice> chooseLayouts(
      Operation* op, ArrayRef<RankedTensorType> available,
      const target::Target& target) const override {
    auto region = dyn_cast<func::FuncOp>(op);
    if (!region) return Backend::chooseLayouts(op, available, target);
    return {chooseBorder(region, available)};
  }

  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp> regions,
                                     const target::Target&,
                                     const backend_api::EmitContext& context) const override {
    return region_graph::emitProgram(regions, context, kVersion, region_graph::describeMatched);
  }

 private:
  target::TargetKind kind_{.name = "onednn"};
};

}  // namespace

std::unique_ptr<backend_api::Backend> createBackend() { return std::make_unique<OnednnBackend>(); }

}  // namespace tessera::backend_onednn
