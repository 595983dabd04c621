// One caller's state to run an executable. Everything a static program needs is allocated in
// create(); a run then only changes data pointers of inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/executable.h"
#include "runtime/scratch_memory.h"

namespace tessera::runtime {

class Context {
 public:
  /// `numThreads` 0: the artifact's default.
  static Outcome create(const Executable& executable, int32_t numThreads,
                        std::unique_ptr<Context>& context);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Outcome setNumThreads(int32_t numThreads);
  Outcome setInput(uint32_t index, const tessera_dltensor* tensor);
  Outcome setOutput(uint32_t index, const tessera_dltensor* tensor);
  Outcome run();
  Outcome getOutput(uint32_t index, tessera_dltensor& tensor) const;
  void setProfiling(bool enabled);
  const std::vector<tessera_profile_entry>& profile() const { return profile_; }
  uint64_t memoryBytes() const;
  const Executable& executable() const { return executable_; }

 private:
  /// Arguments of one call site: pointers to the tensors of its buffers.
  struct Arguments {
    std::vector<const tessera_dltensor*> inputs;
    std::vector<const tessera_dltensor*> outputs;
    std::vector<int64_t*> dynamicDims;  ///< For infer_shapes: dims of every output.
    bool hasDynamicOutput = false;
  };
  /// Where the caller wants an output.
  struct Placement {
    void* data = nullptr;   ///< Null: the context's own memory.
    bool isCopied = false;  ///< The buffer is not the output's own: copied there after the run.
  };
  /// A dimension of an input that shares its symbol with an earlier one.
  struct EqualDims {
    uint32_t firstInput, firstDim, input, dim;
  };

  explicit Context(const Executable& executable);
  Outcome allocate();
  void initTensors();
  void initArguments();
  void initEqualDims();
  void initServices();

  void setRootData(uint32_t root, void* data);
  bool reserveRoot(uint32_t root, uint64_t bytes);
  AlignedMemory& ownedBy(uint32_t root) { return owned_[executable_.memorySlots().slotOf[root]]; }
  bool isStatic(uint32_t buffer) const;
  uint64_t sizeBytesNow(uint32_t buffer) const;
  std::byte* dataOf(uint32_t buffer) const {
    return static_cast<std::byte*>(tensors_[buffer].data);
  }

  Outcome checkInputs() const;
  Outcome execute(size_t position);
  Outcome call(const CallSite& site, Arguments& arguments);
  Outcome callChoice(const Choice& choice, Arguments& arguments);
  Outcome inferShapes(const Choice& choice, const tessera_call& call, Arguments& arguments);
  const Choice* choose(const CallSite& site) const;
  Outcome copy(const artifact::CopyInstruction& copy);
  Outcome view(const artifact::ViewInstruction& instruction);
  Outcome setDims(uint32_t buffer, uint32_t rank, const int64_t* dims, uint64_t& sizeBytes);
  /// Whether `allocate` gave null in the running call.
  bool wasScratchShort() const;
  void refuse(uint32_t node, std::string_view text, int64_t found, int64_t expected);
  void* allocOutput(uint32_t index, uint32_t rank, const int64_t* dims);
  Outcome allocateBuffer(uint32_t buffer, uint32_t rank, const int64_t* dims);

  const Executable& executable_;
  const artifact::Bundle& bundle_;
  int32_t numThreads_ = 1;
  tessera_host_services services_ = {};

  std::vector<int64_t> dims_;  ///< Shapes of all buffers, one after the other.
  std::vector<tessera_dltensor> tensors_;
  std::vector<std::vector<uint32_t>>
      dependents_;  ///< By root: the buffers in its memory, itself included.
  AlignedMemory arena_;
  std::vector<AlignedMemory> owned_;  ///< By slot: memory of kOutput and kDynamic buffers.
  AlignedMemory workspace_;
  /// Temporaries of run-time size of the running call, by thread of parallel_for.
  std::vector<ScratchMemory> scratch_;
  std::vector<Arguments> arguments_;  ///< By position in the program.
  std::vector<bool> isInputSet_;
  std::vector<Placement> placements_;  ///< By output.
  std::vector<EqualDims> equalDims_;
  std::vector<tessera_profile_entry> profile_;
  bool isProfiling_ = false;
  bool hasRun_ = false;

  const artifact::CallInstruction* current_ = nullptr;  ///< The running call.
  std::string backendMessage_;                          ///< Last error it logged.
  Outcome allocationFailure_;  ///< Why its last alloc_output returned null.
  Outcome refusal_;            ///< What it said through refuse.
};

}  // namespace tessera::runtime
