// ONNX -> tsr module: the front end's entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/tsr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tessera/status.h"

namespace tessera::onnx {

/// The shape of one graph input: `--shape input=1x3x224x224`; kDynamicSize leaves a dimension open,
/// also one that has a size in the file if the graph works for others.
struct ShapeBinding {
  std::string input;
  std::vector<int64_t> shape;
};
constexpr int64_t kDynamicSize = -1;

/// The size of one named dimension, wherever it occurs: `--dim batch=4`.
struct DimBinding {
  std::string symbol;
  int64_t size = 0;
};

/// Types of the results of an operator that the dialect does not know, whose operands have theirs
/// as far as they are known. A null type, or none at all: what the file declares stands.
using TypeInference = std::function<Result<llvm::SmallVector<mlir::Type>>(ir::CustomOp)>;

struct ImportOptions {
  std::vector<ShapeBinding> shapes = {};
  std::vector<DimBinding> dims = {};
  TypeInference inferTypes = {};  ///< May be empty.
};

/// Operators of ONNX's default domain that a model may use in some version from 7 to 23: those that
/// are imported as they are, as control flow or, upgraded, as others. Sorted, each once.
std::vector<std::string> importedOperators();

/// Imports a file; external data is looked for in its folder. The module holds `func @main` with
/// tsr operators of opset 23, each with its ONNX node's name as location; weights are in the
/// context's constant store and share the mapped file where it has them aligned. Result types are
/// as static as the operators' shape inference makes them. Errors are the user's (exit code 1) and
/// name file and node: everything in load.h, a graph that is not well formed, an operator used
/// wrongly, a binding that does not fit.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnxFile(mlir::MLIRContext& context,
                                                         const std::string& path,
                                                         const ImportOptions& options = {});

/// As above from memory. `owner` keeps `bytes` alive for the constants that refer to them; with a
/// null owner they are copied. External data is refused.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnxBytes(
    mlir::MLIRContext& context, std::span<const std::byte> bytes,
    std::shared_ptr<const void> owner = nullptr, const ImportOptions& options = {});

}  // namespace tessera::onnx
