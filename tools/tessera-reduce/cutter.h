// Parts of a model as models of their own.
#pragma once

#include <memory>
#include <string>

#include "compiler/backend_api/registry.h"
#include "compiler/driver/measuring/reference_values.h"
#include "frontends/onnx/import/import.h"
#include "tools/tessera-reduce/shrink.h"

namespace tessera::reduce {

inline constexpr char kDataSet[] = "test_data_set_0";

/// Of one model: its operators by number, and the value of everything in one run of the reference.
class Cutter {
 public:
  /// Errors: those of the importer and of the reference; sizes are open.
  static Result<std::unique_ptr<Cutter>> create(const std::string& model,
                                                const onnx::ImportOptions& options, uint64_t seed);

  /// Every operator; those inside of control flow belong to it.
  Parts all() const;
  /// Writes the operators into a folder as ONNX keeps models for tests: model.onnx, and in kDataSet
  /// the values that its inputs and outputs have in the run of the whole. What was there before is
  /// replaced. Errors: what ONNX has no form for; a file cannot be written.
  Status write(const Parts& parts, const std::string& folder) const;
  /// "conv 'a', relu 'b'".
  std::string describe(const Parts& parts) const;

 private:
  explicit Cutter(driver::SharedMemory memory) : memory_(std::move(memory)) {}
  Status writeValues(mlir::ArrayRef<mlir::Value> values, const std::string& folder,
                     const std::string& stem) const;

  backend_api::BackendRegistry registry_;  ///< Empty: nothing is placed.
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::optional<placement::OperatorGraph> graph_;
  driver::SharedMemory memory_;
  std::optional<driver::ReferenceValues> values_;
};

}  // namespace tessera::reduce
