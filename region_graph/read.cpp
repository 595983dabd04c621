// Decoding untrusted bytes. FlatBuffers' Verifier makes every offset point inside of the blob, but
// lets many references share one table or list, so that a small blob could describe gigabytes: what
// decoding would produce is bounded first by what an honest blob, which shares nothing, can hold.
#include <cstdint>

#include "base/limits.h"
#include "region_graph/validate.h"

namespace tessera::region_graph {

namespace {

/// Bytes that decoding may still account for.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : left_(bytes) {}
  template <typename T>
  Budget& take(const flatbuffers::Vector<T>* list) {
    return list == nullptr ? *this : take(uint64_t{list->size()} * sizeof(T));
  }
  Budget& take(const flatbuffers::String* text) {
    return text == nullptr ? *this : take(text->size());
  }
  bool isExceeded() const { return isExceeded_; }

 private:
  Budget& take(uint64_t bytes) {
    isExceeded_ = isExceeded_ || bytes > left_;
    left_ -= isExceeded_ ? left_ : bytes;
    return *this;
  }
  uint64_t left_;
  bool isExceeded_ = false;
};

}  // namespace

static void takeAttributes(const Operator& op, Budget& budget) {
  if (const Window* window = op.attributes_as_Window()) {
    budget.take(window->kernel()).take(window->strides()).take(window->dilations());
    budget.take(window->pads_begin()).take(window->pads_end());
  }
  if (const Axes* axes = op.attributes_as_Axes()) budget.take(axes->axes());
  if (const Slice* slice = op.attributes_as_Slice())
    budget.take(slice->starts()).take(slice->steps());
}

static void takeGraph(const Graph& graph, Budget& budget) {
  budget.take(graph.name()).take(graph.tensors()).take(graph.arguments());
  budget.take(graph.results()).take(graph.operators());
  if (graph.tensors() != nullptr && !budget.isExceeded()) {
    for (const Tensor* tensor : *graph.tensors()) {
      budget.take(tensor->dims()).take(tensor->order()).take(tensor->block_dims());
      budget.take(tensor->block_sizes()).take(tensor->data());
    }
  }
  if (graph.operators() != nullptr && !budget.isExceeded()) {
    for (const Operator* op : *graph.operators()) {
      budget.take(op->name()).take(op->inputs()).take(op->outputs());
      takeAttributes(*op, budget);
    }
  }
}

Result<std::unique_ptr<ProgramT>> readProgram(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (reinterpret_cast<uintptr_t>(data) % 16 != 0)
    return invalidInput("region graph is not aligned to 16 bytes");
  flatbuffers::Verifier verifier(data, bytes.size());
  if (bytes.size() < 8 || bytes.size() > FLATBUFFERS_MAX_BUFFER_SIZE ||
      !VerifyProgramBuffer(verifier))
    return invalidInput("region graph is damaged");
  const Program* program = GetProgram(data);
  Budget budget(bytes.size());
  budget.take(program->graphs());
  if (program->graphs() != nullptr) {
    for (const Graph* graph : *program->graphs()) {
      if (!budget.isExceeded()) takeGraph(*graph, budget);
    }
  }
  if (budget.isExceeded()) return invalidInput("region graph refers to the same data many times");
  std::unique_ptr<ProgramT> decoded(program->UnPack());
  TESSERA_TRY_VOID(validate(*decoded));
  return decoded;
}

}  // namespace tessera::region_graph
