// Rules are applied in version order, each only to nodes older than the version that made the
// change; the result of one rule may be the subject of the next (Upsample 7 -> 9 -> 10 = Resize 10
// -> 11). The table and its functions follow https://onnx.ai/onnx/operators and
// onnx/docs/Changelog.md; what is not listed did not change its meaning.
#include "frontends/onnx/import/upgrade/upgrade.h"

#include <algorithm>

#include "frontends/onnx/import/upgrade/upgrade_rules.h"

namespace tessera::onnx {

namespace {

constexpr int64_t kTargetOpset = 23;
/// A "change" after the target: applies to every node.
constexpr int64_t kAllVersions = 24;

struct UpgradeRule {
  std::string_view opType;
  int64_t version;                    ///< First opset with the new form.
  Status (*apply)(Upgrade&);          ///< Null: the operator was renamed and is otherwise the same.
  std::string_view replacement = {};  ///< The operator it is afterwards, where it is another one.
};

constexpr UpgradeRule kUpgradeRules[] = {
    {.opType = "BatchNormalization", .version = 9, .apply = upgradeBatchNormalization9},
    {.opType = "BatchNormalization", .version = 14, .apply = upgradeBatchNormalization14},
    {.opType = "BatchNormalization",
     .version = kAllVersions,
     .apply = expandTrainingBatchNormalization},
    {.opType = "CastLike",
     .version = kAllVersions,
     .apply = canonicalizeCastLike,
     .replacement = "Cast"},
    {.opType = "Clip", .version = 11, .apply = upgradeClip11},
    {.opType = "Constant", .version = kAllVersions, .apply = canonicalizeConstant},
    {.opType = "DFT", .version = 20, .apply = upgradeDft20},
    {.opType = "Dropout", .version = 10, .apply = upgradeDropout10},
    {.opType = "Dropout", .version = 12, .apply = upgradeDropout12},
    {.opType = "GridSample", .version = 20, .apply = upgradeGridSample20},
    {.opType = "GroupNormalization", .version = 21, .apply = upgradeGroupNormalization21},
    {.opType = "Hardmax", .version = 13, .apply = upgradeSoftmax13},
    {.opType = "LogSoftmax", .version = 13, .apply = upgradeSoftmax13},
    {.opType = "Pad", .version = 11, .apply = upgradePad11},
    {.opType = "ReduceL1", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceL2", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceLogSum", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceLogSumExp", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceMax", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceMean", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceMin", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceProd", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "ReduceSum", .version = 13, .apply = upgradeReduceAxes},
    {.opType = "ReduceSumSquare", .version = 18, .apply = upgradeReduceAxes},
    {.opType = "Resize", .version = 11, .apply = upgradeResize11},
    {.opType = "Resize", .version = 13, .apply = upgradeResize13},
    {.opType = "Resize", .version = kAllVersions, .apply = canonicalizeResize},
    {.opType = "RoiAlign", .version = 16, .apply = upgradeRoiAlign16},
    {.opType = "Scan", .version = 9, .apply = upgradeScan9},
    {.opType = "Scatter", .version = 11, .apply = nullptr, .replacement = "ScatterElements"},
    {.opType = "Slice", .version = 10, .apply = upgradeSlice10},
    {.opType = "Softmax", .version = 13, .apply = upgradeSoftmax13},
    {.opType = "Split", .version = 13, .apply = upgradeSplit13},
    {.opType = "Squeeze", .version = 13, .apply = upgradeReduceAxes},
    {.opType = "TopK", .version = 10, .apply = upgradeTopK10},
    {.opType = "Unsqueeze", .version = 13, .apply = upgradeUnsqueeze13},
    {.opType = "Upsample", .version = 9, .apply = upgradeUpsample9},
    {.opType = "Upsample", .version = 10, .apply = nullptr, .replacement = "Resize"},
};

}  // namespace

Upgrade::Upgrade(Node subject, const KnownValues& known) : node(std::move(subject)), known_(known) {
  // Output names are unique in their graph, and no file has this separator in a name.
  for (const std::string& output : node.outputs) {
    if (!output.empty()) {
      uniquePrefix_ = output + '\x1f';
      break;
    }
  }
  if (uniquePrefix_.empty()) uniquePrefix_ = node.name + '\x1f';
}

ElementType Upgrade::elementTypeOf(size_t input) const {
  const std::optional<ValueType> type = typeOf(node.input(input));
  return type ? type->element : ElementType::kUndefined;
}

std::optional<int64_t> Upgrade::rankOf(size_t input) const {
  const std::optional<ValueType> type = typeOf(node.input(input));
  if (!type || !type->shape) return std::nullopt;
  return static_cast<int64_t>(type->shape->size());
}

std::string Upgrade::freshName() { return uniquePrefix_ + std::to_string(numFresh_++); }

Node Upgrade::makeNode(std::string opType, std::vector<std::string> inputs, std::string output,
                       std::vector<Attribute> attributes) const {
  Node made;
  made.opType = std::move(opType);
  made.name = node.name;
  made.inputs = std::move(inputs);
  made.outputs = {std::move(output)};
  made.attributes = std::move(attributes);
  made.opset = kTargetOpset;
  made.fileOpset = node.fileOpset;
  return made;
}

std::string Upgrade::before(std::string opType, std::vector<std::string> inputs,
                            std::vector<Attribute> attributes) {
  std::string output = freshName();
  before_.push_back(makeNode(std::move(opType), std::move(inputs), output, std::move(attributes)));
  return output;
}

std::string Upgrade::constantBefore(TensorData tensor) {
  return before("Constant", {}, {{.name = "value", .value = std::move(tensor), .reference = {}}});
}

std::string Upgrade::intsBefore(const std::vector<int64_t>& values) {
  return constantBefore(makeI64Tensor({static_cast<int64_t>(values.size())}, values));
}

void Upgrade::after(std::string opType, std::vector<std::string> inputs, std::string output,
                    std::vector<Attribute> attributes) {
  after_.push_back(
      makeNode(std::move(opType), std::move(inputs), std::move(output), std::move(attributes)));
}

std::vector<Node> Upgrade::take() {
  std::vector<Node> nodes = std::move(before_);
  nodes.push_back(std::move(node));
  std::ranges::move(after_, std::back_inserter(nodes));
  return nodes;
}

Attribute intAttribute(std::string name, int64_t value) {
  return {.name = std::move(name), .value = value, .reference = {}};
}

std::vector<std::pair<std::string_view, std::string_view>> replacedOperators() {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (const UpgradeRule& rule : kUpgradeRules) {
    if (!rule.replacement.empty()) pairs.emplace_back(rule.opType, rule.replacement);
  }
  return pairs;
}

Result<std::vector<Node>> upgradeNode(Node node, const KnownValues& known) {
  if (!node.domain.empty()) {
    std::vector<Node> nodes;
    nodes.push_back(std::move(node));
    return nodes;
  }
  Upgrade upgrade(std::move(node), known);
  while (true) {
    const UpgradeRule* next = nullptr;
    for (const UpgradeRule& rule : kUpgradeRules) {
      if (rule.opType != upgrade.node.opType || rule.version <= upgrade.node.opset) continue;
      if (next == nullptr || rule.version < next->version) next = &rule;
    }
    if (next == nullptr) break;
    if (next->apply != nullptr) TESSERA_TRY_VOID(next->apply(upgrade));
    if (!next->replacement.empty()) upgrade.node.opType = next->replacement;
    upgrade.node.opset = next->version;
  }
  upgrade.node.opset = kTargetOpset;
  return upgrade.take();
}

}  // namespace tessera::onnx
