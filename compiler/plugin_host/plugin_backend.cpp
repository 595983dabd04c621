// Answers of a plugin are about nodes of ONNX models, answers of a backend about operators. The
// same question is asked once in a session: placing repeats itself, and what crashed would crash
// again.
#include "compiler/plugin_host/plugin_backend.h"

#include <map>
#include <mutex>

#include "base/content_hash.h"
#include "base/limits.h"
#include "compiler/ir/types.h"
#include "compiler/plugin_host/groups.h"
#include "compiler/plugin_host/query_model.h"
#include "compiler/plugin_host/remote.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::plugin_host {

using namespace mlir;
using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;

/// What no plugin is asked about.
static std::optional<std::string> whyNotAsked(Operation* op) {
  if (isa<ir::RelayoutOp, ir::CopyOp>(op))
    return "plugins have tensors in row-major order in the host's memory only";
  if (isa<ir::IfOp, ir::LoopOp, ir::ScanOp>(op)) return "control flow is the host program's";
  const auto isElsewhere = [](Type type) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !ir::isPlain(tensor);
  };
  if (llvm::any_of(op->getOperandTypes(), isElsewhere) ||
      llvm::any_of(op->getResultTypes(), isElsewhere))
    return "plugins have tensors in row-major order in the host's memory only";
  return std::nullopt;
}

/// What a plugin that could not answer has said.
static Support failureOf(const Error& error) {
  Declined declined = backend_api::declined(error);
  declined.isFailure = true;
  return declined;
}

/// Null where it is none that the dialect has.
static Type typeOf(const InferredType& type, MLIRContext* context) {
  const Type element = ir::toMlir(context, type.element);
  if (!element || type.dims.size() > base::kMaxRank) return {};
  SmallVector<int64_t> sizes;
  int64_t count = 1;  // Sizes that are not known count as 1.
  for (const int64_t dim : type.dims) {
    sizes.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    if (dim > base::kMaxElements / count) return {};
    count *= std::max<int64_t>(dim, 1);
  }
  return RankedTensorType::get(sizes, element);
}

namespace {

/// What is said about operators.
struct OpAnswers {
  std::vector<Support> support;                  ///< One for each operator.
  std::vector<std::vector<size_t>> groups = {};  ///< Operators that are taken together.
};

}  // namespace

/// Answers about nodes as answers about `numOps` operators: one is taken when all its nodes are, a
/// group when all its operators are.
static OpAnswers answersAbout(const std::vector<NodeAnswer>& nodes, const QueryModel& query,
                              size_t numOps) {
  OpAnswers answers{.support = {numOps, Declined{"it has no node of its own in ONNX"}}};
  std::map<uint32_t, llvm::SetVector<size_t>> groups;
  for (auto [node, op] : llvm::zip_equal(nodes, query.opOfNode)) {
    if (!op) continue;
    answers.support[*op] = Supported{};
    if (node.isInGroup) groups[node.group].insert(*op);
  }
  for (auto [node, op] : llvm::zip_equal(nodes, query.opOfNode)) {
    if (op && !node.isTaken) answers.support[*op] = Declined{node.reason};
  }
  for (auto& [number, ops] : groups) {
    const auto isTaken = [&](size_t op) { return isSupported(answers.support[op]); };
    if (llvm::all_of(ops, isTaken)) {
      answers.groups.emplace_back(ops.begin(), ops.end());
      continue;
    }
    const Declined torn{"it takes it only together with what it refuses"};
    for (const size_t op : ops) {
      if (isTaken(op)) answers.support[op] = torn;
    }
  }
  return answers;
}

namespace {

class PluginBackend final : public backend_api::Backend {
 public:
  PluginBackend(std::unique_ptr<Remote> remote, Description description)
      : remote_(std::move(remote)), description_(std::move(description)) {}

  const target::TargetKind& kind() const override { return description_.kind; }
  std::string version() const override { return description_.version; }

  Support supports(Operation* op, const target::Target& target) const override {
    return query(op, target).front();
  }

  std::vector<Support> query(ArrayRef<Operation*> ops,
                             const target::Target& target) const override {
    std::vector<Support> support(ops.size());
    SmallVector<size_t> asked;
    for (auto [i, op] : llvm::enumerate(ops)) {
      if (auto why = whyNotAsked(op))
        support[i] = Declined{std::move(*why)};
      else
        asked.push_back(i);
    }
    ask(ops, asked, target, support);
    return support;
  }

  Support supportsRegion(func::FuncOp region, const target::Target& target) const override {
    if (std::string why = groups_.whyTorn(target.toString(), region); !why.empty())
      return Declined{std::move(why)};
    if (!description_.asksRegions) return Supported{};
    const auto model = onnx::exportFunction(region, {.opset = description_.opset});
    if (!model) return backend_api::declined(model.error());
    const std::string key = "region " + keyOf(*model, target);
    if (const auto known = recall(key)) return known->support.front();
    const auto reason = remote_->queryRegion(target, *model);
    const Support support = !reason   ? failureOf(reason.error())
                            : *reason ? Support(Declined{**reason})
                                      : Support(Supported{});
    return remember(key, {.support = {support}}).support.front();
  }

  /// Whole-graph style, with all constants inside: what becomes of weights is the plugin's to say.
  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.mergesOperators = true, .isInlineConstant = [](OpOperand&) { return true; }};
  }

  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp> regions,
                                     const target::Target& target,
                                     const backend_api::EmitContext& context) const override {
    std::vector<onnx::ExportedModel> models;
    std::vector<backend_api::RegionAnswer> answers;
    std::vector<size_t> asked;
    for (auto [i, region] : llvm::enumerate(regions)) {
      auto model = onnx::exportFunction(region, {.opset = description_.opset});
      answers.emplace_back(model ? Declined{} : backend_api::declined(model.error()));
      if (!model) continue;
      models.push_back(std::move(*model));
      asked.push_back(i);
    }
    backend_api::Emission emission;
    if (!models.empty()) {
      TESSERA_TRY(emission, remote_->compile(target, models, context.numThreads, context.progress));
      for (auto [i, answer] : llvm::zip_equal(asked, emission.regions)) answers[i] = answer;
    }
    emission.regions = std::move(answers);
    return emission;
  }

  Result<SmallVector<Type>> inferTypes(ir::CustomOp op) const override {
    SmallVector<Type> types;
    if (!description_.infersTypes) return types;
    TESSERA_TRY(const QueryModel model, modelOf(op.getOperation(), description_.opset));
    const std::string key = base::contentHash(model.model.proto->SerializeAsString());
    const std::scoped_lock lock(typesMutex_);
    auto known = types_.find(key);
    if (known == types_.end()) known = types_.emplace(key, remote_->inferTypes(model.model)).first;
    if (!known->second) return known->second.error();
    for (const InferredType& type : *known->second) {
      if (type.output >= op->getNumResults()) continue;
      types.resize(op->getNumResults());
      types[type.output] = typeOf(type, op.getContext());
    }
    return types;
  }

 private:
  /// Fills the answers about the operators that `asked` numbers.
  void ask(ArrayRef<Operation*> ops, SmallVector<size_t> asked, const target::Target& target,
           std::vector<Support>& support) const {
    if (asked.empty()) return;
    const auto opsOf = [&](ArrayRef<size_t> numbers) {
      return llvm::map_to_vector(numbers, [&](size_t i) { return ops[i]; });
    };
    Result<QueryModel> query = modelOf(opsOf(asked), description_.opset);
    if (!query) {  // One that ONNX has no form for: found by trying each alone.
      llvm::erase_if(asked, [&](size_t i) {
        const auto alone = modelOf(ops[i], description_.opset);
        if (!alone) support[i] = backend_api::declined(alone.error());
        return !alone;
      });
      if (asked.empty()) return;
      query = modelOf(opsOf(asked), description_.opset);
    }
    if (!query) {
      for (const size_t i : asked) support[i] = backend_api::declined(query.error());
      return;
    }
    const OpAnswers answers = answersTo(*query, asked.size(), target);
    for (auto [i, answer] : llvm::zip_equal(asked, answers.support)) support[i] = answer;
    std::vector<std::vector<Operation*>> groups;
    for (const std::vector<size_t>& group : answers.groups) {
      std::vector<Operation*>& members = groups.emplace_back();
      for (const size_t i : group) members.push_back(ops[asked[i]]);
    }
    groups_.learn(target.toString(), opsOf(asked), groups);
  }

  OpAnswers answersTo(const QueryModel& query, size_t numOps, const target::Target& target) const {
    std::string key = "query " + keyOf(query.model, target) + " " + std::to_string(numOps);
    for (const std::optional<size_t>& op : query.opOfNode)
      key += " " + (op ? std::to_string(*op) : "-");
    if (auto known = recall(key)) return *known;
    const auto nodes = remote_->query(target, query.model, query.opOfNode.size());
    if (nodes) return remember(key, answersAbout(*nodes, query, numOps));
    return remember(key, {.support = {numOps, failureOf(nodes.error())}});
  }

  static std::string keyOf(const onnx::ExportedModel& model, const target::Target& target) {
    return target.toString() + " " + base::contentHash(model.proto->SerializeAsString());
  }
  std::optional<OpAnswers> recall(const std::string& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = answers_.find(key);
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }
  OpAnswers remember(const std::string& key, OpAnswers answers) const {
    const std::scoped_lock lock(mutex_);
    return answers_.try_emplace(key, std::move(answers)).first->second;
  }

  std::unique_ptr<Remote> remote_;
  Description description_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, OpAnswers> answers_;
  mutable std::mutex typesMutex_;
  mutable std::map<std::string, Result<std::vector<InferredType>>> types_;
  mutable Groups groups_;
};

}  // namespace

Result<std::unique_ptr<backend_api::Backend>> loadPlugin(const std::string& file) {
  auto remote = std::make_unique<Remote>(file);
  TESSERA_TRY(Description description, remote->describe());
  return std::unique_ptr<backend_api::Backend>(
      std::make_unique<PluginBackend>(std::move(remote), std::move(description)));
}

}  // namespace tessera::plugin_host
