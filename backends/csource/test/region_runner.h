// Compiles region functions with this backend, runs them and their reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/backend_api/backend.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/tensor.h"

namespace tessera::backend_csource {

/// What the reference implementations make of a region.
struct Expected {
  std::vector<reference::Tensor> tensors;
  int64_t roundings = 0;  ///< On the way to one element, of all operations.
};

/// A module of region functions, compiled and loaded.
class RegionRunner {
 public:
  /// `text` holds region functions without owner. Those that the target declines are left out;
  /// the rest becomes one translation unit, compiled with warnings as errors.
  static Result<std::unique_ptr<RegionRunner>> compile(const std::string& text,
                                                       const target::Target& target);
  ~RegionRunner();
  RegionRunner(const RegionRunner&) = delete;
  RegionRunner& operator=(const RegionRunner&) = delete;

  /// The regions that were compiled.
  const std::vector<mlir::func::FuncOp>& regions() const { return regions_; }
  /// Runs region `i` between unreadable pages.
  Result<std::vector<reference::Tensor>> run(size_t i, const std::vector<reference::Tensor>& inputs,
                                             int numThreads) const;
  Result<Expected> evaluate(size_t i, const std::vector<reference::Tensor>& inputs) const;

 private:
  RegionRunner() = default;

  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<mlir::func::FuncOp> regions_;
  backend_api::Emission emission_;
  void* library_ = nullptr;
};

}  // namespace tessera::backend_csource
