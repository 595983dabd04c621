// Compiles regions for a CPU, runs them in this process, and evaluates them with the reference
// implementations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/backend_api/backend.h"
#include "compiler/lowering/test/kernel_harness.h"
#include "reference/tensor.h"
#include "runtime/backend/code_loader.h"
#include "tessera/status.h"

namespace tessera::backend_native {

/// What the reference implementations make of a region.
struct Evaluation {
  std::vector<reference::Tensor> tensors;
  int64_t roundings = 0;  ///< Of all operations, see roundingsOf.
};

/// The memory of one value.
struct ValueMemory {
  reference::Shape shape;        ///< Logical.
  std::vector<std::byte> bytes;  ///< In the physical order of the value's type.
};

/// A module of region functions, compiled and loaded.
class KernelRunner {
 public:
  /// `text` holds region functions without owner; they become regions of target "native" with this
  /// mcpu.
  static Result<std::unique_ptr<KernelRunner>> compile(const std::string& text,
                                                       const std::string& mcpu);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  /// Names of the regions, in order.
  std::vector<std::string> regions();
  mlir::func::FuncOp region(const std::string& name) {
    return module_->lookupSymbol<mlir::func::FuncOp>(name);
  }
  const std::vector<std::byte>& library() const { return emission_.blobs[0].bytes; }
  const backend_api::Emission& emission() const { return emission_; }

  /// Runs the kernel on row-major inputs; results are row-major too.
  Result<std::vector<reference::Tensor>> run(const std::string& name,
                                             const std::vector<reference::Tensor>& inputs,
                                             int numThreads);
  /// Runs the kernel on memory in the layouts of the region's types.
  Result<std::vector<ValueMemory>> runOnMemory(const std::string& name,
                                               const std::vector<ValueMemory>& inputs,
                                               int numThreads);
  /// What the reference implementations make of the region's operators.
  Result<Evaluation> evaluate(const std::string& name,
                              const std::vector<reference::Tensor>& inputs);

 private:
  KernelRunner() = default;
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  backend_api::Emission emission_;
  struct UnloadCode {
    void operator()(void* code) const { runtime::codeLoader().unload_code(code); }
  };
  std::unique_ptr<void, UnloadCode> library_;
};

}  // namespace tessera::backend_native
