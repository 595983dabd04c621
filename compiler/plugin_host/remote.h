// The compiler's side: a plugin's compile half in a worker process, asked.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "compiler/backend_api/emission.h"
#include "compiler/target/target.h"
#include "compiler/worker/worker.h"
#include "frontends/onnx/export/export.h"
#include "tessera/element_type.h"

namespace tessera::plugin_host {

/// What a half says of itself.
struct Description {
  target::TargetKind kind;
  std::string version;
  int opset = 0;              ///< Of the models that it gets.
  bool needsWeights = false;  ///< While it is asked, too.
  bool asksRegions = false;
  bool infersTypes = false;
};

/// What it says of one node.
struct NodeAnswer {
  bool isTaken = false;
  bool isInGroup = false;
  uint32_t group = 0;
  std::string reason;  ///< Of a refusal.
};

/// A type that it infers.
struct InferredType {
  size_t output = 0;
  ElementType element = ElementType::kUndefined;
  std::vector<int64_t> dims;  ///< -1: not known.
};

/// Calls go one after the other; thread-safe. Whatever the library does ends its process at worst:
/// errors (kTargetFailed) say what happened, as sentences about "it".
class Remote {
 public:
  explicit Remote(std::string file);

  /// Asked first. Errors (kInvalidInput) name the file: it is no plugin.
  Result<Description> describe();

  /// One answer for each of `numNodes` nodes of the graph.
  Result<std::vector<NodeAnswer>> query(const target::Target& target,
                                        const onnx::ExportedModel& model, size_t numNodes);
  /// Null reason: it takes the region.
  Result<std::optional<std::string>> queryRegion(const target::Target& target,
                                                 const onnx::ExportedModel& region);
  /// Code for all regions; `progress` may be empty.
  Result<backend_api::Emission> compile(const target::Target& target,
                                        std::span<const onnx::ExportedModel> regions,
                                        size_t numThreads, const backend_api::Progress& progress);
  Result<std::vector<InferredType>> inferTypes(const onnx::ExportedModel& node);

 private:
  struct Question {
    const char* call;
    const target::Target* target = nullptr;
    std::span<const onnx::ExportedModel> models;
    bool givesWeights = false;
    size_t numThreads = 1;
  };
  Result<worker::Message> ask(const Question& question, const backend_api::Progress& progress = {});
  Status load();

  std::string file_;
  std::mutex mutex_;
  std::optional<worker::Worker> worker_;
  uint64_t process_ = 0;        ///< That has loaded the library.
  std::set<std::string> sent_;  ///< Hashes of the weights that it has.
  worker::Message description_;
  bool givesWeights_ = false;
};

}  // namespace tessera::plugin_host
