// A region at a call site, and one context's state to run it.
#pragma once

#include <string>
#include <vector>

#include "runtime_half/engine.h"
#include "tessera/backend_runtime.h"

namespace tessera_openvino {

/// Reads the blob as long as it lives. Throws where the signature has types that OpenVINO's border
/// does not.
class Symbol {
 public:
  Symbol(std::span<const std::byte> blob, uint64_t region, const tessera_signature& signature);

  Engines& engines() { return engines_; }
  const std::vector<ov::element::Type>& inputs() const { return inputs_; }
  const std::vector<ov::element::Type>& outputs() const { return outputs_; }

 private:
  Engines engines_;
  std::vector<ov::element::Type> inputs_, outputs_;
};

/// Used by one call at a time. Tensors of the caller are bound, not copied.
class State {
 public:
  State(Symbol& symbol, int numThreads);

  /// Throws what OpenVINO throws, or why the call cannot be.
  void run(const tessera_call& call);

 private:
  void bindInputs(const tessera_call& call);
  void bindOutputs(const tessera_call& call);
  void copyOutputs(const tessera_call& call);

  Symbol& symbol_;
  std::shared_ptr<Engine> engine_;
  ov::InferRequest request_;
  std::vector<ov::Tensor> inputs_, outputs_;  ///< As they are bound.
};

}  // namespace tessera_openvino
