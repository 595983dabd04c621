// Questions as the C ABI has them: what arrived, behind structs that point into it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/worker/channel.h"
#include "tessera/backend_compile.h"

namespace tessera::plugin_host {

/// Weights that the process was told, by hash. They stay.
using Weights = std::map<std::string, std::vector<std::byte>, std::less<>>;

/// Takes the weights that come with a question.
void keepWeights(worker::Message& message, Weights& weights);

/// The models of a question. Not to be copied or moved: structs point to each other.
class ModelArguments {
 public:
  ModelArguments(const worker::Message& message, const Weights& weights);
  ModelArguments(const ModelArguments&) = delete;
  ModelArguments& operator=(const ModelArguments&) = delete;

  const std::vector<const tessera_onnx_model*>& models() const { return pointers_; }
  /// Null when the question has none.
  const tessera_onnx_model* first() const { return pointers_.empty() ? nullptr : pointers_[0]; }

 private:
  struct Model {
    tessera_onnx_model model = {};
    std::vector<std::string> hashes;
    std::vector<tessera_weight> weights;
    std::vector<const tessera_weight*> pointers;
  };

  std::vector<Model> models_;
  std::vector<const tessera_onnx_model*> pointers_;
};

/// The target of a question.
class TargetArgument {
 public:
  explicit TargetArgument(const nlohmann::json& header);
  TargetArgument(const TargetArgument&) = delete;
  TargetArgument& operator=(const TargetArgument&) = delete;

  const tessera_compile_target& target() const { return target_; }

 private:
  std::string text_;
  std::vector<std::string> words_;
  std::vector<const char*> names_, values_;
  tessera_compile_target target_ = {};
};

}  // namespace tessera::plugin_host
