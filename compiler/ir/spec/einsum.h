// Einstein summation: the equation "ij,jk->ik" names each dimension of each input.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "tessera/status.h"

namespace tessera::ir::spec {

/// An equation with a label for each dimension of each input. Dimensions with one letter have one
/// size. The label of a letter is its character code; those of an ellipsis are -1, -2, ... from its
/// last dimension on, and broadcast as numpy does.
struct EinsumSpec {
  using Labels = llvm::SmallVector<int>;

  llvm::SmallVector<Labels> inputs;
  /// The dimensions of the result; all other labels are summed over. Without an arrow: the
  /// ellipsis, then the letters that occur once, in alphabetical order.
  Labels output;

  static bool isLetter(int label) { return label > 0; }

  /// Reads the equation for inputs of these ranks; why it does not fit them otherwise.
  static Result<EinsumSpec> parse(llvm::StringRef equation, llvm::ArrayRef<int64_t> ranks);
};

/// Of a MatMul that an Einsum became, where the sizes of what is summed over may differ at run
/// time: the letter of the equation, which a refusal names.
inline constexpr llvm::StringLiteral kSummedLetterAttribute = "tessera.summed_letter";

}  // namespace tessera::ir::spec
