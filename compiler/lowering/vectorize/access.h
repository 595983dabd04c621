// How operands of a loop nest move when one of its loops does.
#pragma once

#include <cstdint>
#include <optional>

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tessera::lowering {

/// What a step of a loop does to an operand's place in memory.
enum class Step : uint8_t {
  kNone,  ///< Nothing.
  kNext,  ///< To the next element in memory.
  kSkip,  ///< Along the innermost dimension, by more than one element or by less.
  kFar,   ///< Along another dimension.
};

/// An operand of a structured operation on memory: a buffer read or written through an affine map,
/// or a scalar.
struct Access {
  mlir::Value buffer;
  mlir::AffineMap map;

  mlir::MemRefType type() const { return llvm::cast<mlir::MemRefType>(buffer.getType()); }
  bool isScalar() const { return !llvm::isa<mlir::MemRefType>(buffer.getType()); }
  Step step(unsigned loop) const;
  bool dependsOn(unsigned loop) const { return !isScalar() && map.isFunctionOfDim(loop); }
};

/// The buffer that a view shows a part of.
mlir::Value wholeOf(mlir::Value buffer);

/// Whether that is memory of the caller: an argument, or what the kernel takes from its ABI.
bool isCallers(mlir::Value whole);

/// Operands in their order; outputs last.
llvm::SmallVector<Access> accessesOf(mlir::linalg::LinalgOp op);

/// Whether every index is a sum of loops times numbers.
bool isSumOfLoops(mlir::AffineMap map);

/// How a value in a loop's body changes with one loop.
struct Variation {
  enum Kind : uint8_t {
    kUniform,   ///< Not at all.
    kLinear,    ///< By `factor` a step: an index.
    kRepeated,  ///< By one every `divisor` steps, the first time after divisor - shift of them.
    kVarying,   ///< Somehow.
  };
  Kind kind = kUniform;
  int64_t factor = 0;
  int64_t divisor = 1;
  /// Of kLinear: the value where the loop stands at 0, if that is known. Of kRepeated: below
  /// divisor.
  std::optional<int64_t> shift = std::nullopt;
};

/// Variations of all values of a body along `loop`; what is not in the map is uniform.
using Variations = llvm::DenseMap<mlir::Value, Variation>;
Variations variationsAlong(mlir::linalg::LinalgOp op, unsigned loop, int64_t lanes);

/// The variation of the place that a load in the body reads: linear with factor 1 where that is the
/// next element in memory, repeated where it is the same or the next one.
Variation placeVariation(mlir::memref::LoadOp load, const Variations& variations);

}  // namespace tessera::lowering
