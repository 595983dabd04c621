// The compile half: which products it takes, and their region graphs.
#include "backends/cblas/compiler/register.h"
#include "compiler/ir/types.h"
#include "compiler/region_graph/emit_program.h"
#include "compiler/region_graph/write.h"

namespace tessera::backend_cblas {

using namespace mlir;
using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;

static constexpr const char* kVersion = "1";
/// OpenBLAS counts in 32 bits.
static constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();

static Support supportsType(Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !(tensor.getElementType().isF32() || tensor.getElementType().isF64()))
    return Declined{"it multiplies f32 and f64 only"};
  if (std::string why = ir::whyOpen(tensor); !why.empty()) return Declined{std::move(why)};
  if (tensor.getNumElements() > kMostElements) return Declined{"it counts elements in 32 bits"};
  return Supported{};
}

static Support supportsTypes(Operation* op) {
  for (const auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())}) {
    for (const Type type : types) {
      if (Support support = supportsType(type); !backend_api::isSupported(support)) return support;
    }
  }
  return Supported{};
}

/// The same row, or number, is added to each row of the product, which nobody else reads.
static Support supportsBias(const pattern::Match& match, Operation* add) {
  for (Operation* op : match.ops) {
    if (Support support = supportsTypes(op); !backend_api::isSupported(support)) return support;
  }
  const Value product = match.value("product");
  if (product.getType() != add->getResult(0).getType() || !product.hasOneUse())
    return Declined{"the sum is not all that becomes of the product"};
  const auto bias = cast<RankedTensorType>(match.value("bias").getType());
  if (bias.getNumElements() == 1) return Supported{};
  const auto right = cast<RankedTensorType>(product.getDefiningOp()->getOperand(1).getType());
  const int64_t columns = right.getShape().back();
  const auto isMany = [](int64_t size) { return size != 1; };
  if (right.getRank() < 2 || bias.getShape().back() != columns ||
      llvm::any_of(bias.getShape().drop_back(), isMany))
    return Declined{"a bias is one row"};
  return Supported{};
}

namespace {

class CblasBackend final : public backend_api::Backend {
 public:
  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return kVersion; }
  std::vector<std::string> usedFiles(const target::Target& target) const override {
    const std::string library = target.stringOr("library", "");
    return {library.empty() ? TESSERA_OPENBLAS : library};
  }
  std::vector<std::string> operators() const override { return {"gemm", "matmul"}; }

  Result<target::Target> resolve(const target::Target& target) const override {
    if (target.device == 0) return target;
    return usageError("target '" + target.toString() + "': there is one device, number 0");
  }

  Support supports(Operation* op, const target::Target&) const override {
    if (!isa<ir::GemmOp, ir::MatmulOp>(op)) return Declined{"it takes gemm and matmul only"};
    return supportsTypes(op);
  }

  backend_api::PatternTable patterns(const target::Target&) const override {
    const auto product = pattern::allOf(
        {pattern::op<ir::MatmulOp>(pattern::any(), pattern::any()), pattern::capture("product")});
    return {{.name = "biased_matmul",
             .pattern = pattern::either<ir::AddOp>(product, pattern::capture("bias")),
             .check = supportsBias}};
  }

  /// One product for each region; views are for the host program, which copies nothing.
  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.takesViews = false};
  }

  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp> regions,
                                     const target::Target&,
                                     const backend_api::EmitContext& context) const override {
    return region_graph::emitProgram(regions, context, kVersion, region_graph::describeMatched);
  }

 private:
  target::TargetKind kind_{
      .name = "cblas",
      .attributes = {{.name = "library",
                      .defaultValue = std::string(),
                      .help = "path of OpenBLAS with OpenMP on the machine that runs; empty: where "
                              "the build found it"}}};
};

}  // namespace

std::unique_ptr<backend_api::Backend> createBackend() { return std::make_unique<CblasBackend>(); }

}  // namespace tessera::backend_cblas
