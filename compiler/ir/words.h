// Words of string attributes as enum classes; tsr_enums.td lists them. Included by tsr.h.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"

namespace tessera::ir {

/// The word that a string attribute holds; the first of the list for a string that is none, which
/// the verifier has refused (`expectWord`).
template <typename Word>
Word wordOf(mlir::StringAttr text) {
  return symbolizeEnum<Word>(text.getValue()).value_or(Word{});
}

/// The words of the list, as a module spells them, in order.
template <typename Word>
llvm::SmallVector<llvm::StringRef> wordsOf() {
  llvm::SmallVector<llvm::StringRef> words;
  for (uint32_t i = 0; !stringifyEnum(static_cast<Word>(i)).empty(); ++i)
    words.push_back(stringifyEnum(static_cast<Word>(i)));
  return words;
}

}  // namespace tessera::ir
