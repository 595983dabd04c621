// Constants as tensors of the model.
#pragma once

#include <string>
#include <unordered_set>

#include "frontends/onnx/export/export.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::onnx {

class TensorProto;

/// Large constants of one model, each content once.
class WeightList {
 public:
  /// Takes bytes whose hash is known, or nothing new when it has them.
  void add(const std::string& hash, const ir::Blob& blob);
  std::vector<Weight> take() { return std::move(weights_); }

 private:
  std::vector<Weight> weights_;
  std::unordered_set<std::string> hashes_;
};

/// Fills `proto` with a constant attribute of a plain type: up to ir::kInlineConstantBytes as raw
/// data, more as external data whose bytes are in `weights`. Errors: a blob that the store lacks.
Status writeTensor(TensorProto& proto, mlir::Attribute value, mlir::RankedTensorType type,
                   WeightList& weights);

}  // namespace tessera::onnx
