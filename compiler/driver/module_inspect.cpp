// Looking at a module: its ports, its operators, its owners; what this compiler knows.
#include "compiler/driver/module_state.h"
#include "compiler/driver/pipeline.h"
#include "compiler/ir/infer/given_dims.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/report/placement.h"
#include "frontends/onnx/import/import.h"

namespace tessera {

static PortInfo portInfo(mlir::Type type, mlir::StringAttr name) {
  PortInfo port;
  if (name) port.name = name.str();
  const auto buffer = llvm::dyn_cast<ir::BufferType>(type);
  const auto tensor = buffer ? buffer.getTensor() : llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return port;
  port.type = ir::toElementType(tensor.getElementType());
  for (const int64_t size : tensor.getShape())
    port.shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
  port.dimNames.resize(port.shape.size());
  if (const ir::LayoutAttr layout = ir::layoutOf(tensor)) {
    for (auto [i, dim] : llvm::enumerate(layout.getDims()))
      port.dimNames[i] = ir::modelDimName(dim);
  }
  return port;
}

std::vector<PortInfo> Module::inputs() const {
  std::vector<PortInfo> ports;
  auto entry = ir::entryFunction(state_->module());
  for (unsigned i = 0; entry && i < entry.getNumArguments(); ++i) {
    ports.push_back(portInfo(entry.getArgumentTypes()[i],
                             entry.getArgAttrOfType<mlir::StringAttr>(i, ir::kValueNameAttribute)));
  }
  return ports;
}

std::vector<PortInfo> Module::outputs() const {
  std::vector<PortInfo> ports;
  auto entry = ir::entryFunction(state_->module());
  for (unsigned i = 0; entry && i < entry.getNumResults(); ++i) {
    ports.push_back(portInfo(entry.getResultTypes()[i], entry.getResultAttrOfType<mlir::StringAttr>(
                                                            i, ir::kValueNameAttribute)));
  }
  return ports;
}

/// The region that a call of the graph or of the host program runs; null for other operations.
static mlir::FlatSymbolRefAttr calleeOf(mlir::Operation& op) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return call.getCalleeAttr();
  if (auto call = llvm::dyn_cast<ir::CallOp>(op)) return call.getCalleeAttr();
  return {};
}

/// How often each function is called, by its name.
static llvm::StringMap<size_t> countCalls(mlir::ModuleOp module) {
  llvm::StringMap<size_t> calls;
  module.walk([&](mlir::Operation* op) {
    if (const mlir::FlatSymbolRefAttr name = calleeOf(*op)) ++calls[name.getValue()];
  });
  return calls;
}

/// Appends the operators of `function`; those of a region right behind its first call.
static void collectNodes(mlir::ModuleOp module, mlir::func::FuncOp function,
                         const llvm::StringMap<size_t>& calls,
                         llvm::DenseSet<mlir::Operation*>& seen, std::vector<NodeInfo>& nodes) {
  if (!seen.insert(function).second || function.isExternal()) return;
  const ir::TargetAttr owner = backend_api::ownerOf(function);
  for (mlir::Operation& op : function.getBody().front().without_terminator()) {
    if (const mlir::FlatSymbolRefAttr name = calleeOf(op)) {
      if (auto callee = module.lookupSymbol<mlir::func::FuncOp>(name.getValue()))
        collectNodes(module, callee, calls, seen, nodes);
      continue;
    }
    if (llvm::isa<ir::ConstantOp, ir::AllocOp, ir::GlobalOp, ir::ViewOp, ir::CopyBufferOp,
                  mlir::UnrealizedConversionCastOp>(op))
      continue;
    NodeInfo node;
    node.op = op.getName().stripDialect().str();
    for (std::string& name : ir::sourceNames(op.getLoc()))
      node.sourceNodes.push_back(std::move(name));
    const ir::TargetAttr target = owner ? owner : backend_api::ownerOf(&op);
    if (target) node.owner = backend_api::fromAttribute(target).toString();
    node.region = function.getSymName().str();
    node.calls = std::max<size_t>(1, calls.lookup(function.getSymName()));
    if (auto interface = llvm::dyn_cast<ir::TsrOpInterface>(op)) {
      node.flops = interface.getFlops();
      node.bytes = interface.getBytes();
    }
    nodes.push_back(std::move(node));
  }
}

std::vector<NodeInfo> Module::nodes() const {
  std::vector<NodeInfo> nodes;
  llvm::DenseSet<mlir::Operation*> seen;
  if (auto entry = ir::entryFunction(state_->module()))
    collectNodes(state_->module(), entry, countCalls(state_->module()), seen, nodes);
  return nodes;
}

std::vector<NodePlacement> Module::placement() const {
  if (phase() < Phase::kPartition || phase() > Phase::kPostPartition) return {};
  return report::describePlacement(state_->module());
}

std::vector<std::string> onnxOperators() { return onnx::importedOperators(); }

std::string version() { return TESSERA_VERSION; }

}  // namespace tessera
