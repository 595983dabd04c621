// Tests and benchmarks: compile a kernel module, load it into this process, call it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/lowering/object/llvm_target.h"
#include "compiler/lowering/pipeline.h"
#include "compiler/lowering/test/guarded_memory.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/backend_runtime.h"
#include "tessera/status.h"

namespace tessera::lowering {

/// One parameter or result of a call: memory and its run-time dimensions.
struct HarnessBuffer {
  void* data = nullptr;
  std::vector<int64_t> dims;
};

/// What the kernels of a module work on.
enum class KernelForm : uint8_t {
  kTensors,  ///< Goes through buildTensorKernelPipeline.
  kMemory,   ///< In ABI form: goes through buildMemRefKernelPipeline.
};

/// Whether this machine has the instructions of a level, such as "x86-64-v4".
bool runsHere(const std::string& level);

/// A shared object loaded into this process, with a host that serves its kernels.
class LoadedKernels {
 public:
  /// Environment for debugging: TESSERA_KERNEL_DUMP=FILE prints the IR after each pass and writes
  /// the object file FILE, TESSERA_KERNEL_TIMING=1 prints the time of each pass and of LLVM. Runs
  /// buildTensorKernelPipeline (or, for kernels in ABI form, buildMemRefKernelPipeline),
  /// emitObject, linkShared and dlopen.
  static Result<std::unique_ptr<LoadedKernels>> compile(mlir::ModuleOp module,
                                                        const CpuTarget& target, KernelForm form);
  ~LoadedKernels();
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  using Entry = int32_t (*)(const tessera_host_services*, void* const*, const int64_t*);
  /// Null when there is no such kernel.
  Entry find(const std::string& name) const;

 private:
  explicit LoadedKernels(void* handle) : handle_(handle) {}
  void* handle_;
};

/// Host services on `numThreads` threads (1: inline); keeps the outputs that kernels allocate. All
/// memory that it gives ends at an unreadable page.
class HarnessHost {
 public:
  explicit HarnessHost(int numThreads);
  ~HarnessHost();
  HarnessHost(const HarnessHost&) = delete;
  HarnessHost& operator=(const HarnessHost&) = delete;

  const tessera_host_services* services() const { return &services_; }

  struct Output {
    std::vector<int64_t> dims;
    GuardedMemory memory;
  };
  std::vector<Output> outputs;           ///< Indexed by output.
  std::vector<size_t> elementBytes;      ///< Of the elements of each output; 4 where not given.
  size_t workspaceBytes = 0;             ///< Of the last request.
  int64_t numIterations = 0;             ///< Of the last parallel loop.
  std::string refusal;                   ///< Text of the last refuse, empty when there was none.
  std::atomic<int> liveAllocations = 0;  ///< Calls of allocate less those of release.

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
  GuardedMemory workspace_;
  tessera_host_services services_;
};

/// A context with everything kernels need.
std::unique_ptr<mlir::MLIRContext> makeKernelContext();

}  // namespace tessera::lowering
