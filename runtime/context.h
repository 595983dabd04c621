// One caller's state to run an executable. Everything a static program needs is allocated in
// create(); a run then only changes data pointers of inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/backend/events.h"
#include "runtime/backend/thread_scratch.h"
#include "runtime/executable.h"
#include "runtime/trace.h"

namespace tessera::runtime {

class Context {
 public:
  /// `numThreads` 0: the artifact's default.
  static Outcome create(const Executable& executable, int32_t numThreads,
                        std::unique_ptr<Context>& context);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  Outcome setNumThreads(int32_t numThreads);
  Outcome setInput(uint32_t index, const tessera_dltensor* tensor);
  Outcome setOutput(uint32_t index, const tessera_dltensor* tensor);
  Outcome run();
  Outcome getOutput(uint32_t index, tessera_dltensor& tensor) const;
  void setProfiling(bool enabled);
  const std::vector<tessera_profile_entry>& profile() const { return profile_; }
  void setTracing(bool enabled) { trace_.set(enabled); }
  std::span<const tessera_trace_event> trace() const { return trace_.events(); }
  uint64_t memoryBytes() const;
  /// Reads it, as far as it is the host's.
  void touchMemory() const;
  void fillMemory(uint8_t value);
  const Executable& executable() const { return executable_; }

 private:
  /// What this context has of one implementation of a call site.
  struct Prepared {
    enum class State : uint8_t { kNo, kYes, kFailed };
    State state = State::kNo;
    void* own = nullptr;  ///< What the backend's `prepare` made.
    Outcome failure;      ///< kFailed: why it cannot be used here.
  };
  /// One call site: pointers to the tensors of its buffers, and its implementations.
  struct Call {
    std::vector<const tessera_dltensor*> inputs;
    std::vector<const tessera_dltensor*> outputs;
    std::vector<int64_t*> dynamicDims;  ///< For infer_shapes: dims of every output.
    bool hasDynamicOutput = false;
    std::vector<Prepared> prepared;  ///< By choice of the call site.
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
  void initCalls();
  void initEqualDims();
  void initServices();
  Outcome initEvents();

  void useThreads(int32_t numThreads);
  Outcome prepareCalls();
  /// Loads the choice and has its backend prepare it, unless that was tried before.
  bool makeReady(const CallSite& site, size_t choice, Prepared& prepared);
  uint64_t plannedWorkspaceBytes(const artifact::CallInstruction& call) const;
  Outcome prepare(const artifact::CallInstruction& call, const Choice& choice, Prepared& prepared);
  static void release(const CallSite& site, Call& call);
  Outcome whyNotReady(const CallSite& site, const Call& call) const;

  void setRootData(uint32_t root, void* data);
  Outcome reserveRoot(uint32_t root, uint64_t bytes);
  SpaceMemory& ownedBy(uint32_t root) { return owned_[executable_.memorySlots().slotOf[root]]; }
  bool isStatic(uint32_t buffer) const;
  uint64_t sizeBytesNow(uint32_t buffer) const;
  std::byte* dataOf(uint32_t buffer) const {
    return static_cast<std::byte*>(tensors_[buffer].data);
  }
  Place placeOf(uint32_t buffer) const {
    return {.space = executable_.spaceOf(buffer), .data = dataOf(buffer)};
  }

  Outcome checkInputs() const;
  Outcome runProgram();
  Outcome execute(size_t position);
  Outcome call(const CallSite& site, Call& call);
  bool holds(const CallSite& site, const Choice& choice) const;
  Outcome whyNone(const CallSite& site, const Call& call,
                  std::span<const std::pair<size_t, Outcome>> failures) const;
  Outcome attempt(const CallSite& site, const Choice& choice, const Prepared& prepared, Call& call);
  Outcome runChoice(const Choice& choice, const Prepared& prepared, Call& call, const Sync& sync);
  Outcome inferShapes(const Choice& choice, const tessera_call& raw, Call& call);
  Outcome copy(const artifact::CopyInstruction& copy);
  Outcome copyBetween(Place destination, Place source, uint64_t sizeBytes, const Sync& sync);
  Outcome view(const artifact::ViewInstruction& instruction);
  Outcome setDims(uint32_t buffer, uint32_t rank, const int64_t* dims, uint64_t& sizeBytes);
  void refuse(uint32_t node, std::string_view text, int64_t found, int64_t expected);
  void* workspace(size_t bytes);
  void* allocOutput(uint32_t index, uint32_t rank, const int64_t* dims);
  Outcome allocateBuffer(uint32_t buffer, uint32_t rank, const int64_t* dims);

  const Executable& executable_;
  const artifact::Bundle& bundle_;
  int32_t numThreads_ = 1;
  tessera_host_services services_ = {};
  std::string backendMessage_;  ///< Last error that a backend logged in the running call.

  std::vector<int64_t> dims_;  ///< Shapes of all buffers, one after the other.
  std::vector<tessera_dltensor> tensors_;
  std::vector<std::vector<uint32_t>>
      dependents_;                   ///< By root: the buffers in its memory, itself included.
  std::vector<SpaceMemory> arenas_;  ///< By memory space.
  std::vector<SpaceMemory> owned_;   ///< By slot: memory of kOutput and kDynamic buffers.
  AlignedMemory workspace_;
  AlignedMemory staging_;    ///< For copies between devices through the host.
  ThreadScratch scratch_;    ///< Temporaries of run-time size of the running call.
  std::vector<Call> calls_;  ///< By position in the program.
  Events events_{{.table = &services_, .message = backendMessage_}};
  std::vector<bool> isInputSet_;
  std::vector<Placement> placements_;  ///< By output.
  std::vector<EqualDims> equalDims_;
  std::vector<tessera_profile_entry> profile_;
  bool isProfiling_ = false;
  Trace trace_{bundle_};
  bool hasRun_ = false;
  uint64_t lastCopyBytes_ = 0;

  const artifact::CallInstruction* current_ = nullptr;  ///< The running call.
  Outcome allocationFailure_;  ///< Why its last alloc_output returned null.
  Outcome refusal_;            ///< What it said through refuse.
};

}  // namespace tessera::runtime
