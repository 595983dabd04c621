// Element types and tensor types.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/tsr.h"
#include "tessera/element_type.h"

namespace tessera::ir {

/// What the host's memory space is called where something must be said.
inline constexpr llvm::StringLiteral kHostSpace = "host";

/// MLIR's type for an element type: bool is i1, unsigned integers are ui<N>; null for strings and
/// undefined.
mlir::Type toMlir(mlir::MLIRContext* context, ElementType type);
/// kUndefined for types outside the dialect.
ElementType toElementType(mlir::Type type);

/// The layout of a tensor type; null when it has none.
inline LayoutAttr layoutOf(mlir::RankedTensorType type) {
  return llvm::dyn_cast_or_null<LayoutAttr>(type.getEncoding());
}
/// True when the elements lie in row-major order in host memory (dimension names do not matter).
bool isPlain(mlir::RankedTensorType type);
/// True when elements lie in one physical order in one memory space (dimension names do not
/// matter).
bool isSameLayout(mlir::RankedTensorType a, mlir::RankedTensorType b);
/// The name of the memory space; empty for the host's.
llvm::StringRef spaceOf(mlir::RankedTensorType type);
/// The same logical tensor without encoding.
mlir::RankedTensorType withoutLayout(mlir::RankedTensorType type);
/// The type with this physical order, keeping dimension names and space.
mlir::RankedTensorType withBlocks(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> blockDims,
                                  llvm::ArrayRef<int64_t> blockSizes);
/// The type in this memory space, keeping dimension names and physical order.
mlir::RankedTensorType inSpace(mlir::RankedTensorType type, llvm::StringRef space);
/// The type in the physical order and memory space of `like`, keeping dimension names.
mlir::RankedTensorType inLayoutOf(mlir::RankedTensorType type, mlir::RankedTensorType like);
/// The type in row-major order in host memory, keeping dimension names.
mlir::RankedTensorType plainType(mlir::RankedTensorType type);
/// The type with this padding; as it is where its layout has none.
mlir::RankedTensorType withPadding(mlir::RankedTensorType type, Padding padding);
/// The shape of the memory: physical dimensions, plain, element type kept.
mlir::RankedTensorType physicalType(mlir::RankedTensorType type);

/// True when both sizes are surely equal at run time: one number, or one name.
bool isEqualSize(mlir::RankedTensorType a, int64_t aDim, mlir::RankedTensorType b, int64_t bDim);

/// What to tell people who cannot have open dimensions: "the size of dimension 1 ('seq') is known
/// at run time only"; empty when all sizes are known.
std::string whyOpen(mlir::RankedTensorType type);

/// The ONNX node names that an operation comes from, in order, each once.
llvm::SmallVector<std::string> sourceNames(mlir::Location loc);
/// The location of an operation that stands for all of `ops`, at least one: every part once.
mlir::Location fusedLocation(llvm::ArrayRef<mlir::Operation*> ops);

}  // namespace tessera::ir
