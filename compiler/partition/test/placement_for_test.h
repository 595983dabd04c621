// Modules placed over mocks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"
#include "mlir/Parser/Parser.h"

namespace tessera::partition {

using backend_api::Mock;

/// Takes the operators with these mnemonics only.
inline std::function<backend_api::Support(mlir::Operation*)> only(std::vector<std::string> names) {
  return [names = std::move(names)](mlir::Operation* op) -> backend_api::Support {
    const std::string name = op->getName().stripDialect().str();
    if (llvm::is_contained(names, name)) return backend_api::Supported{};
    return backend_api::Declined{"it takes no " + name};
  };
}

/// Every value in this layout, where the rank allows it.
inline backend_api::LayoutChoice choiceOf(
    mlir::Operation* op, Mock::Types available,
    llvm::function_ref<mlir::RankedTensorType(mlir::RankedTensorType)> layout) {
  auto region = llvm::dyn_cast<mlir::func::FuncOp>(op);
  backend_api::LayoutChoice choice;
  for (const mlir::RankedTensorType type : available)
    choice.operands.push_back(layout(ir::plainType(type)));
  const mlir::TypeRange results =
      region ? mlir::TypeRange(region.getResultTypes()) : mlir::TypeRange(op->getResultTypes());
  for (const mlir::Type type : results)
    choice.results.push_back(layout(ir::plainType(llvm::cast<mlir::RankedTensorType>(type))));
  return choice;
}

inline mlir::RankedTensorType blockedChannels(mlir::RankedTensorType type) {
  return type.getRank() == 4 ? ir::withBlocks(type, {1}, {4}) : type;
}
inline mlir::RankedTensorType inFarSpace(mlir::RankedTensorType type) {
  return ir::inSpace(type, "far:1");
}

class PlacementTest : public testing::Test {
 protected:
  PlacementTest() {
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
    backend_api::attachRegistry(context_, registry_);
  }

  /// Targets in order of preference; the last is the host target unless one says that it is. Once
  /// for a test.
  void place(std::vector<Mock> mocks) {
    if (std::ranges::none_of(mocks, &Mock::isHost)) mocks.back().isHost = true;
    backend_api::Owners owners;
    for (Mock& mock : mocks) {
      target::Target target;
      target.kind = mock.name;
      const auto backend =
          registry_.add(std::make_unique<backend_api::MockBackend>(std::move(mock)));
      ASSERT_TRUE(backend) << backend.error().message;
      owners.push_back({.target = std::move(target), .backend = *backend});
    }
    registry_.setDefaultOwners(std::move(owners));
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string& text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  }

  mlir::LogicalResult runPasses(mlir::ModuleOp module) {
    mlir::PassManager manager(&context_);
    buildGreedyPartition(manager, [](mlir::OpPassManager&) {});
    return manager.run(module);
  }

  /// The whole phase; false, with diagnostics() set, when it failed.
  bool run(mlir::ModuleOp module) {
    const mlir::ScopedDiagnosticHandler handler(
        &context_, [&](mlir::Diagnostic& diagnostic) { diagnostics_ += diagnostic.str() + "\n"; });
    const Status status = placeUntilAccepted(module, [&](mlir::ModuleOp attempt) -> Status {
      if (mlir::failed(runPasses(attempt))) return targetFailed(diagnostics_);
      return {};
    });
    if (!status) diagnostics_ = status.error().message;
    return status.has_value();
  }

  /// "owner: op op" of each region, in the order of the calls in `block`.
  static std::vector<std::string> regions(mlir::ModuleOp module, mlir::Block& block) {
    std::vector<std::string> texts;
    for (auto call : block.getOps<mlir::func::CallOp>()) {
      auto region = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
      if (!backend_api::ownerOf(region)) continue;
      std::string text = backend_api::ownerOf(region).getKind().str() + ":";
      for (mlir::Operation& op : region.getBody().front().without_terminator())
        text += " " + op.getName().stripDialect().str();
      texts.push_back(std::move(text));
    }
    return texts;
  }
  static std::vector<std::string> regions(mlir::ModuleOp module) {
    return regions(module, ir::entryFunction(module).getBody().front());
  }
  /// The operators of the entry function but calls, constants and the return.
  static std::vector<std::string> hostOperators(mlir::ModuleOp module) {
    std::vector<std::string> names;
    for (mlir::Operation& op : ir::entryFunction(module).getBody().front().without_terminator()) {
      if (!llvm::isa<mlir::func::CallOp, ir::ConstantOp>(op))
        names.push_back(op.getName().stripDialect().str());
    }
    return names;
  }

  const std::string& diagnostics() const { return diagnostics_; }

  backend_api::BackendRegistry registry_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::string diagnostics_;
};

using Texts = std::vector<std::string>;

inline backend_api::RegionRules merging() { return {.mergesOperators = true}; }

}  // namespace tessera::partition
