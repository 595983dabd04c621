// A user's own estimates instead of measurements.
#pragma once

#include <string>
#include <vector>

#include "compiler/placement/costing/measurer.h"
#include "llvm/Support/Regex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tessera/status.h"

namespace tessera::placement {

/// What one row of a table says.
struct CostRow {
  enum class Kind : uint8_t { kRegion, kCall, kOperator };

  llvm::Regex target;  ///< Not valid: any.
  Kind kind = Kind::kCall;
  llvm::Regex name;  ///< Of kRegion, kOperator.
  double seconds = 0, perFlop = 0, perByte = 0;
};

/// A file that says what things cost (docs/placement.md, "Costs of your own"). Of the rows that fit
/// the first counts.
class CostTable {
 public:
  /// Errors (kInvalidInput): what is not as it should be, and in which row.
  static Result<CostTable> parse(const std::string& text);

  /// Seconds of a placed module: of all calls of regions but those that constants alone go into.
  /// Errors (kTargetFailed): no row fits an operator.
  Result<double> secondsOf(mlir::ModuleOp placed) const;

 private:
  const CostRow* find(CostRow::Kind kind, const std::string& target, const std::string& name) const;
  Result<double> secondsOfRegion(mlir::func::FuncOp region) const;
  Result<double> secondsOfOperator(mlir::Operation* op, const std::string& target) const;

  std::vector<CostRow> rows_;
};

/// Costs are those of the table, each time the same; end to end, too.
class CostTableMeasurer final : public Measurer {
 public:
  explicit CostTableMeasurer(CostTable table) : table_(std::move(table)) {}

  bool isExact() const override { return true; }
  std::vector<Measurement> measure(llvm::ArrayRef<Subject> subjects, Effort /*effort*/) override {
    return measureWhole(subjects, /*areRivals=*/false);
  }
  std::vector<Measurement> measureWhole(llvm::ArrayRef<Subject> subjects, bool areRivals) override;

 private:
  CostTable table_;
};

}  // namespace tessera::placement
