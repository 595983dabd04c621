// tsr module -> ONNX: the way back.
//
// What is exported takes and gives row-major tensors in the host's memory. Inside, layouts and
// memory spaces do not exist: `tsr.relayout`, `tsr.copy` and the marks of manual partitioning
// change no value and are left out, a constant in another physical order is brought to row-major
// order.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/io/constant_store.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tessera/status.h"

namespace tessera::onnx {

class ModelProto;

constexpr int kMinExportOpset = 13;
constexpr int kMaxExportOpset = 23;

/// Keys and values for the `metadata_props` of a node.
using NodeNotes = std::vector<std::pair<std::string, std::string>>;

struct ExportOptions {
  /// Version of ONNX's default domain, kMinExportOpset to kMaxExportOpset. What the version lacks
  /// is said with what it has where that is possible (downgrade/downgrade.h).
  int opset = kMaxExportOpset;
  /// What to say of an operation of the function or of one that it calls; may be empty.
  std::function<NodeNotes(mlir::Operation*)> notes = {};
};

/// The bytes of a large constant. They are those of the module's ConstantStore, not a copy, unless
/// they had to be brought to row-major order.
struct Weight {
  std::string hash;  ///< base::contentHash of the bytes.
  ir::Blob blob;     ///< Row-major, little-endian, bool one byte; keeps its bytes alive.
};

/// A model whose large tensors are external data with `location` = Weight::hash: the bytes are in
/// `weights`, each content once. weights.h makes files and self-contained messages of it.
struct ExportedModel {
  std::unique_ptr<ModelProto> proto;
  std::vector<Weight> weights;

  ExportedModel();
  ExportedModel(ExportedModel&&) noexcept;
  ExportedModel& operator=(ExportedModel&&) noexcept;
  ~ExportedModel();
};

/// The function as a model, with the functions that it calls inlined. Inputs and outputs have the
/// names that the module has for them (`tessera.name`), else "input_0", "output_0" and so on; nodes
/// and values have those of the ONNX nodes that they come from, made unique with "_2", "_3", ...;
/// names of open dimensions are kept. Equal functions give equal models. The function is not
/// changed. Errors (kUsage): an opset out of range; (kInvalidInput), with the ONNX node: what ONNX,
/// or that opset, has no form for; a border in another layout or memory space.
Result<ExportedModel> exportFunction(mlir::func::FuncOp function,
                                     const ExportOptions& options = {});

/// The entry function of a module, as above; the graph has the module's name.
Result<ExportedModel> exportModule(mlir::ModuleOp module, const ExportOptions& options = {});

}  // namespace tessera::onnx
