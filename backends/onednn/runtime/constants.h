// Constants of one call site in the forms that primitives read, shared by the contexts.
#pragma once

#include <mutex>

#include "backends/onednn/runtime/program.h"
#include "region_graph/graph.h"

namespace tessera::backend_onednn {

/// Thread-safe: contexts prepare at any time.
class Constants {
 public:
  explicit Constants(const region_graph::GraphT& graph);

  /// The bytes of argument `index`, valid until release().
  void setArgument(size_t index, const void* data);
  bool isConstant(int32_t tensor) const { return known_[static_cast<size_t>(tensor)]; }
  bool isInline(int32_t tensor) const;

  /// The constant in form `wanted`, of which `stored` says how the original lies. Packed at the
  /// first request, from the original or, when that is gone, from another form. Null when there is
  /// neither.
  std::shared_ptr<const PackedBytes> packed(int32_t tensor, const dnnl::memory::desc& stored,
                                            const dnnl::memory::desc& wanted,
                                            const dnnl::engine& engine);

  /// Whether the original of an argument is gone.
  bool isReleased(int32_t tensor) const;
  /// Whether some form of the tensor is packed.
  bool isPacked(int32_t tensor) const;
  /// The original of this tensor will not be read again.
  void release(int32_t tensor) { originals_[static_cast<size_t>(tensor)] = nullptr; }

 private:
  struct Form {
    int32_t tensor;
    dnnl::memory::desc stored, desc;
    std::shared_ptr<const PackedBytes> bytes;
  };

  const region_graph::GraphT& graph_;
  std::vector<bool> known_;
  std::vector<const void*> originals_;  ///< Of each tensor; null: none, or released.
  mutable std::mutex mutex_;
  std::vector<Form> forms_;
};

}  // namespace tessera::backend_onednn
