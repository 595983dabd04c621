#include "compiler/placement/saved_plans/plan_differences.h"

#include <deque>

#include "base/content_hash.h"
#include "compiler/ir/types.h"

namespace tessera::placement {

using namespace mlir;

/// Of its ONNX nodes, in quotes; empty where there are none.
static std::string quotedNames(Operation* op) {
  std::string text;
  for (const std::string& name : ir::sourceNames(op->getLoc())) text += " '" + name + "'";
  return text;
}

std::string describeNode(const OperatorGraph& graph, uint32_t node) {
  Operation* op = graph.operation(node);
  return std::to_string(node) + " " + op->getName().stripDialect().str() + quotedNames(op);
}

/// What stays when others come and go in front of it.
static StringRef withoutNumber(StringRef description) { return description.split(' ').second; }

/// The ONNX names in a description.
static StringRef namesIn(StringRef description) {
  const size_t at = description.find(" '");
  return at == StringRef::npos ? StringRef() : description.drop_front(at);
}

/// Where a value comes from: the names of who computes it, or else what that is; the number of an
/// argument.
static std::string originText(const OperatorGraph& graph, Value origin) {
  if (const auto argument = dyn_cast<BlockArgument>(origin))
    return "argument " + std::to_string(argument.getArgNumber());
  Operation* op = origin.getDefiningOp();
  const std::string names = quotedNames(op);
  const unsigned number = cast<OpResult>(origin).getResultNumber();
  return (names.empty() ? op->getName().getStringRef().str() : names) + " " +
         std::to_string(number);
}

std::string fingerprintOf(const OperatorGraph& graph, uint32_t node) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  graph.operation(node)->walk<WalkOrder::PreOrder>([&](Operation* op) {
    stream << op->getName() << op->getAttrDictionary();
    for (const Value operand : op->getOperands()) {
      stream << operand.getType();
      const Value origin = graph.origin(operand);
      if (auto constant = origin.getDefiningOp<ir::ConstantOp>())
        stream << constant->getAttrDictionary();
      else if (op == graph.operation(node))
        stream << originText(graph, origin);
    }
    for (const Type type : op->getResultTypes()) stream << type;
  });
  constexpr size_t kDigits = 8;
  return base::contentHash(stream.str()).substr(0, kDigits);
}

namespace {

/// Finds for each known operator the one that it is.
class Matching {
 public:
  explicit Matching(const OperatorGraph& graph) : isFound_(graph.size()) {
    for (uint32_t node = 0; node < graph.size(); ++node) {
      descriptions_.push_back(describeNode(graph, node));
      const StringRef description = descriptions_.back();
      same_[withoutNumber(description)].push_back(node);
      if (!namesIn(description).empty()) named_[namesIn(description)].push_back(node);
    }
  }

  /// The next one that is called the same.
  std::optional<uint32_t> takeSame(StringRef known) { return take(same_[withoutNumber(known)]); }
  /// The next one of the same names.
  std::optional<uint32_t> takeNamed(StringRef known) {
    return namesIn(known).empty() ? std::nullopt : take(named_[namesIn(known)]);
  }

  const std::string& description(uint32_t node) const { return descriptions_[node]; }
  bool isFound(uint32_t node) const { return isFound_[node]; }

 private:
  std::optional<uint32_t> take(std::deque<uint32_t>& nodes) {
    while (!nodes.empty() && isFound_[nodes.front()]) nodes.pop_front();
    if (nodes.empty()) return std::nullopt;
    isFound_[nodes.front()] = true;
    return nodes.front();
  }

  std::deque<std::string> descriptions_;  // Others refer to them.
  llvm::StringMap<std::deque<uint32_t>> same_, named_;
  std::vector<bool> isFound_;
};

}  // namespace

std::string differencesOf(const OperatorGraph& graph, const std::vector<KnownNode>& known) {
  constexpr size_t kMostShown = 5;
  std::string text;
  size_t count = 0;
  const auto add = [&](const std::string& difference) {
    if (++count <= kMostShown) text += (text.empty() ? "" : ", ") + difference;
  };
  Matching matching(graph);
  std::vector<std::optional<uint32_t>> found;
  for (const KnownNode& each : known) found.push_back(matching.takeSame(each.description));
  for (const auto& [each, same] : llvm::zip_equal(known, found)) {
    if (same) {
      if (!each.fingerprint.empty() && each.fingerprint != fingerprintOf(graph, *same))
        add(matching.description(*same) + " has other attributes, types, weights or inputs");
    } else if (const auto other = matching.takeNamed(each.description)) {
      add(each.description + " is " + matching.description(*other));
    } else {
      add(each.description + " is not there");
    }
  }
  for (uint32_t node = 0; node < graph.size(); ++node)
    if (!matching.isFound(node)) add(matching.description(node) + " is new");
  return count <= kMostShown ? text
                             : text + ", and " + std::to_string(count - kMostShown) + " more";
}

}  // namespace tessera::placement
