#include "backends/onednn/runtime/constants.h"

#include <algorithm>
#include <optional>

namespace tessera::backend_onednn {

Constants::Constants(const region_graph::GraphT& graph)
    : graph_(graph), known_(graph.tensors.size()), originals_(graph.tensors.size()) {
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i]->data.empty()) continue;
    known_[i] = true;
    originals_[i] = graph.tensors[i]->data.data();
  }
}

void Constants::setArgument(size_t index, const void* data) {
  const auto tensor = static_cast<size_t>(graph_.arguments[index]);
  known_[tensor] = true;
  originals_[tensor] = data;
}

bool Constants::isInline(int32_t tensor) const {
  return !graph_.tensors[static_cast<size_t>(tensor)]->data.empty();
}

bool Constants::isReleased(int32_t tensor) const {
  return isConstant(tensor) && originals_[static_cast<size_t>(tensor)] == nullptr;
}

bool Constants::isPacked(int32_t tensor) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(forms_, [&](const Form& form) { return form.tensor == tensor; });
}

dnnl::reorder::primitive_desc reorderOf(const Assembly::Piece& piece, const dnnl::engine& engine,
                                        dnnl::primitive_attr attributes) {
  if (piece.isAdded) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    attributes.set_post_ops(sum);
  }
  return {engine, piece.from, engine, piece.to, attributes};
}

static void reorder(const dnnl::engine& engine, const Assembly::Piece& piece, const void* fromData,
                    void* toData) {
  dnnl::stream stream(engine);
  dnnl::memory from(piece.from, engine, const_cast<void*>(fromData)), to(piece.to, engine, toData);
  dnnl::reorder(reorderOf(piece, engine)).execute(stream, from, to);
  stream.wait();
}

std::shared_ptr<const PackedBytes> Constants::packed(int32_t tensor, const Assembly& source,
                                                     const dnnl::memory::desc& wanted,
                                                     const dnnl::engine& engine) {
  const std::lock_guard lock(mutex_);
  const bool isAssembled = !source.pieces.empty();
  const Form* other = nullptr;
  for (const Form& form : forms_) {
    if (form.tensor != tensor || form.isAssembled != isAssembled) continue;
    const bool isSame = form.whole == source.whole;
    if (isSame && form.desc == wanted) return form.bytes;
    if (isSame || !isAssembled) other = &form;
  }
  const void* original = originals_[static_cast<size_t>(tensor)];
  if (original == nullptr && other == nullptr) return nullptr;
  std::optional<PackedBytes> whole;
  if (original == nullptr) {
    whole.emplace(other->whole.get_size());
    reorder(engine, {.from = other->desc, .to = other->whole}, other->bytes->data(), whole->data());
  } else if (isAssembled) {
    whole.emplace(source.whole.get_size());
    for (const Assembly::Piece& piece : source.pieces)
      reorder(engine, piece, original, whole->data());
  }
  auto bytes = std::make_shared<PackedBytes>(wanted.get_size());
  reorder(engine, {.from = source.whole, .to = wanted}, whole ? whole->data() : original,
          bytes->data());
  forms_.push_back({.tensor = tensor,
                    .isAssembled = isAssembled,
                    .whole = source.whole,
                    .desc = wanted,
                    .bytes = bytes});
  return bytes;
}

}  // namespace tessera::backend_onednn
