// Which operators of a region share a loop nest.
#pragma once

#include <optional>

#include "backends/csource/compiler/loop_dims.h"
#include "mlir/IR/Block.h"

namespace tessera::backend_csource {

/// One function of the generated code. Elementwise operators on one shape, each read by the next
/// alone, are computed together; so are those behind a convolution or product, where its sums are
/// stored.
struct Nest {
  /// What has loops of its own: a convolution, a pool, ...; null where all are elementwise.
  mlir::Operation* anchor = nullptr;
  llvm::SmallVector<mlir::Operation*> tail;  ///< Elementwise, in order.

  /// Whose results are stored.
  mlir::Operation* root() const { return tail.empty() ? anchor : tail.back(); }
  llvm::SmallVector<mlir::Operation*> operations() const;
};

/// Whether the operator is a formula on elements (scalar_formulas.def).
bool isElementwise(mlir::Operation* op);

/// Where the loops that store the sums of `anchor` cut the dimensions of its result: [N], [M] and
/// the positions of a convolution. Nothing for operators behind which nothing is fused.
std::optional<Ints> storeCuts(mlir::Operation* anchor);

/// The nests of a flat region, in an order in which they can run. Views and constants are in none.
/// `isCall` says which operators a C function of the user computes: they stay alone.
llvm::SmallVector<Nest> cutNests(mlir::Block& body,
                                 llvm::function_ref<bool(mlir::Operation*)> isCall);

}  // namespace tessera::backend_csource
