// The C of all regions of a target.
#pragma once

#include "backends/csource/compiler/options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_csource {

/// A C function of one region.
struct RegionFunction {
  std::string name;
  int64_t workspaceBytes = 0;
};

/// One translation unit.
struct Unit {
  std::string source;
  std::vector<RegionFunction> functions;  ///< One for each region.
};

Unit printUnit(llvm::ArrayRef<mlir::func::FuncOp> regions, const Options& options);

}  // namespace tessera::backend_csource
