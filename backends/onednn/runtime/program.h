// A region ready to run for one context: primitives in order, and where each operand lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "backends/onednn/runtime/loop.h"
#include "region_graph/placement.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_onednn {

/// Whose memory an operand is in; `index` counts the call's inputs or outputs, packed constants or
/// pieces of the workspace.
enum class Storage : uint8_t { kInput, kOutput, kConstant, kScratch };
struct Place {
  Storage storage = Storage::kScratch;
  size_t index = 0;
  bool operator==(const Place&) const = default;
};

/// A value at one time: its physical form and its place.
struct Value {
  dnnl::memory::desc desc;
  Place place;
};

/// Bytes of a constant in the form that primitives read, aligned to TESSERA_BUFFER_ALIGNMENT.
class PackedBytes {
 public:
  explicit PackedBytes(size_t size);
  PackedBytes(const PackedBytes&) = delete;
  PackedBytes& operator=(const PackedBytes&) = delete;
  ~PackedBytes();
  void* data() const { return data_; }

 private:
  void* data_;
};

/// The primitives of a region. One call at a time.
class Program {
 public:
  explicit Program(const dnnl::engine& engine) : engine_(engine), stream_(engine) {}

  /// Adds a primitive; arguments by oneDNN's numbers. Its scratchpad lives for this step only.
  void add(const dnnl::primitive& primitive, const std::vector<std::pair<int, Value>>& arguments,
           const dnnl::memory::desc& scratchpad);
  /// Adds a loop of our own; `b` may be null.
  void add(const Loop& loop, const Value& a, const Value* b, const Value& y);
  Place addScratch(size_t sizeBytes);
  /// Shared by the programs of all contexts, which are the owners.
  Place addConstant(std::shared_ptr<const PackedBytes> bytes);
  bool hasAllConstants() const;
  /// Whether a step reads this input of the call.
  bool readsInput(size_t index) const;

  /// Decides where scratch lies, when all steps are there; the size of the workspace.
  uint64_t finish();
  uint64_t workspaceBytes() const { return workspaceBytes_; }

  /// Runs all steps in the calling thread's number of threads; 0 or oneDNN's status.
  int run(const tessera_call& call, void* workspace);

 private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
    std::optional<Loop> loop;      ///< In place of the primitive,
    std::vector<size_t> operands;  ///< on these: a, b or a again, y.
  };
  struct Operand {
    dnnl::memory memory;
    Place place;
    void* bound = nullptr;  ///< What the memory's handle is.
  };
  void use(const Value& value);
  void* addressOf(Place place, const tessera_call& call, void* workspace) const;

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Step> steps_;
  std::vector<Operand> operands_;
  std::vector<region_graph::Scratch> scratch_;
  std::vector<std::shared_ptr<const PackedBytes>> constants_;
  uint64_t workspaceBytes_ = 0;
};

}  // namespace tessera::backend_onednn
