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

static void reorder(const dnnl::engine& engine, const dnnl::memory::desc& fromDesc,
                    const void* fromData, const dnnl::memory::desc& toDesc, void* toData) {
  dnnl::stream stream(engine);
  dnnl::memory from(fromDesc, engine, const_cast<void*>(fromData)), to(toDesc, engine, toData);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

std::shared_ptr<const PackedBytes> Constants::packed(int32_t tensor,
                                                     const dnnl::memory::desc& stored,
                                                     const dnnl::memory::desc& wanted,
                                                     const dnnl::engine& engine) {
  const std::lock_guard lock(mutex_);
  const Form* other = nullptr;
  for (const Form& form : forms_) {
    if (form.tensor != tensor) continue;
    if (form.desc == wanted) return form.bytes;
    other = &form;
  }
  const void* original = originals_[static_cast<size_t>(tensor)];
  if (original == nullptr && other == nullptr) return nullptr;
  std::optional<PackedBytes> restored;
  if (original == nullptr) {
    restored.emplace(other->stored.get_size());
    reorder(engine, other->desc, other->bytes->data(), other->stored, restored->data());
    original = restored->data();
  }
  auto bytes = std::make_shared<PackedBytes>(wanted.get_size());
  reorder(engine, stored, original, wanted, bytes->data());
  forms_.push_back({.tensor = tensor, .stored = stored, .desc = wanted, .bytes = bytes});
  return bytes;
}

}  // namespace tessera::backend_onednn
