// How operators changed: one small function for each change, listed in upgrade.cpp.
#pragma once

#include <string>
#include <vector>

#include "frontends/onnx/import/upgrade/upgrade.h"

namespace tessera::onnx {

/// One node on its way to opset 23. A rule edits `node` and may put nodes of opset 23 before and
/// after it.
class Upgrade {
 public:
  Upgrade(Node subject, const KnownValues& known);

  Node node;

  std::optional<ValueType> typeOf(std::string_view name) const { return known_.typeOf(name); }
  std::optional<TensorData> constantOf(std::string_view name) const {
    return known_.constantOf(name);
  }
  /// The input's element type, kUndefined when unknown.
  ElementType elementTypeOf(size_t input) const;
  /// The input's rank, or nothing.
  std::optional<int64_t> rankOf(size_t input) const;

  /// A value name that occurs nowhere else in the graph.
  std::string freshName();
  /// Adds nodes before the node and returns the name of the (first) output.
  std::string constantBefore(TensorData tensor);
  std::string intsBefore(const std::vector<int64_t>& values);
  std::string before(std::string opType, std::vector<std::string> inputs,
                     std::vector<Attribute> attributes = {});
  /// Adds a node after the node that makes `output`.
  void after(std::string opType, std::vector<std::string> inputs, std::string output,
             std::vector<Attribute> attributes = {});

  Error error(std::string message) const { return nodeError(node, std::move(message)); }
  std::vector<Node> take();

 private:
  Node makeNode(std::string opType, std::vector<std::string> inputs, std::string output,
                std::vector<Attribute> attributes) const;

  const KnownValues& known_;
  std::string uniquePrefix_;
  int numFresh_ = 0;
  std::vector<Node> before_;
  std::vector<Node> after_;
};

/// An attribute for Upgrade::before and after.
Attribute intAttribute(std::string name, int64_t value);

// Attributes that became inputs (upgrade_attributes.cpp).
Status upgradeClip11(Upgrade& upgrade);
Status upgradeDft20(Upgrade& upgrade);
Status upgradeDropout10(Upgrade& upgrade);
Status upgradeDropout12(Upgrade& upgrade);
Status upgradePad11(Upgrade& upgrade);
Status upgradeReduceAxes(Upgrade& upgrade);  // ReduceSum 13, other reductions 18, Squeeze 13
Status upgradeSlice10(Upgrade& upgrade);
Status upgradeSplit13(Upgrade& upgrade);
Status upgradeTopK10(Upgrade& upgrade);
Status upgradeUnsqueeze13(Upgrade& upgrade);
Status upgradeUpsample9(Upgrade& upgrade);

// Changed meaning (upgrade_semantics.cpp).
Status upgradeBatchNormalization9(Upgrade& upgrade);
Status upgradeBatchNormalization14(Upgrade& upgrade);
Status upgradeGridSample20(Upgrade& upgrade);
Status upgradeGroupNormalization21(Upgrade& upgrade);
Status upgradeResize11(Upgrade& upgrade);
Status upgradeResize13(Upgrade& upgrade);
Status upgradeRoiAlign16(Upgrade& upgrade);
Status upgradeScan9(Upgrade& upgrade);
Status upgradeSoftmax13(Upgrade& upgrade);

// Definitions in terms of other operators (upgrade_training.cpp).
Status expandTrainingBatchNormalization(Upgrade& upgrade);

// Other spellings of the same in every version (upgrade_spelling.cpp).
Status canonicalizeCastLike(Upgrade& upgrade);
Status canonicalizeConstant(Upgrade& upgrade);
Status canonicalizeResize(Upgrade& upgrade);

}  // namespace tessera::onnx
