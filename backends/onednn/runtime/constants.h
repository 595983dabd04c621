// Constants of one call site in the forms that primitives read, shared by the contexts.
#pragma once

#include <mutex>

#include "backends/onednn/runtime/program.h"
#include "region_graph/graph.h"

namespace tessera::backend_onednn {

/// How a tensor is to be seen: its memory as `whole`, or a whole that pieces of it are put into.
struct Assembly {
  struct Piece {
    dnnl::memory::desc from, to;  ///< Of the tensor's memory; of the whole's.
    bool isAdded = false;         ///< To what is there.
  };
  dnnl::memory::desc whole;
  std::vector<Piece> pieces = {};
};
/// The reorder that puts a piece where it belongs.
dnnl::reorder::primitive_desc reorderOf(const Assembly::Piece& piece, const dnnl::engine& engine,
                                        dnnl::primitive_attr attributes = {});

/// Thread-safe: contexts prepare at any time.
class Constants {
 public:
  explicit Constants(const region_graph::GraphT& graph);

  /// The bytes of argument `index`, valid until release().
  void setArgument(size_t index, const void* data);
  bool isConstant(int32_t tensor) const { return known_[static_cast<size_t>(tensor)]; }
  bool isInline(int32_t tensor) const;

  /// The constant, seen as `source` says, in form `wanted`. Packed at the first request, from the
  /// original or, when that is gone, from another form. Null when there is neither.
  std::shared_ptr<const PackedBytes> packed(int32_t tensor, const Assembly& source,
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
    bool isAssembled;
    dnnl::memory::desc whole, desc;
    std::shared_ptr<const PackedBytes> bytes;
  };

  const region_graph::GraphT& graph_;
  std::vector<bool> known_;
  std::vector<const void*> originals_;  ///< Of each tensor; null: none, or released.
  mutable std::mutex mutex_;
  std::vector<Form> forms_;
};

}  // namespace tessera::backend_onednn
