// A module as an ONNX model that says of each node who runs it and why.
#include <unordered_map>

#include "compiler/driver/module_state.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/weights.h"

namespace tessera {

namespace {

/// What `tessera partition --report` says, as notes on nodes.
class PlacementNotes {
 public:
  explicit PlacementNotes(std::vector<NodePlacement> nodes) {
    for (NodePlacement& node : nodes) {
      std::string key = keyOf(node.region, node.node);
      nodes_.emplace(std::move(key), std::move(node));
    }
  }

  onnx::NodeNotes notesOf(mlir::Operation* op) const {
    auto function = op->getParentOfType<mlir::func::FuncOp>();
    const ir::TargetAttr owner = backend_api::ownerOf(function);
    if (!owner)
      return {{"tessera.target", "host program"},
              {"tessera.reason", "a view of memory or control flow, which no region holds"}};
    const auto names = ir::sourceNames(op->getLoc());
    const std::string region = function.getSymName().str();
    onnx::NodeNotes notes{{"tessera.target", backend_api::fromAttribute(owner).toString()},
                          {"tessera.region", region}};
    const auto found = nodes_.find(keyOf(region, names.empty() ? "" : names.front()));
    if (found != nodes_.end()) addOthers(found->second, notes);
    return notes;
  }

 private:
  static std::string keyOf(const std::string& region, const std::string& node) {
    return region + "\n" + node;
  }

  static void addOthers(const NodePlacement& node, onnx::NodeNotes& notes) {
    std::string refusals;
    for (const NodePlacement::Refusal& refusal : node.refusals)
      refusals += (refusals.empty() ? "" : "; ") + refusal.target + ": " + refusal.reason;
    std::string willing;
    for (const std::string& target : node.willing)
      willing += (willing.empty() ? "" : ", ") + target;
    notes.emplace_back("tessera.reason",
                       refusals.empty() ? "takes it, and nobody declined" : std::move(refusals));
    if (!willing.empty()) notes.emplace_back("tessera.willing", std::move(willing));
  }

  std::unordered_map<std::string, NodePlacement> nodes_;
};

}  // namespace

Status Module::saveOnnx(const std::string& path, int opset) const {
  if (phase() > Phase::kPostPartition)
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "'; ONNX is written of modules up to phase 'post_partition'");
  const PlacementNotes nodes(placement());
  onnx::ExportOptions options{.opset = opset};
  if (phase() >= Phase::kPartition)
    options.notes = [&](mlir::Operation* op) { return nodes.notesOf(op); };
  auto model = onnx::exportModule(state_->module(), options);
  if (!model) return state_->atFile(std::move(model).error());
  return onnx::writeModelFile(std::move(*model), path);
}

}  // namespace tessera
