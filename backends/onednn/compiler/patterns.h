// Which operators run as one primitive with post-ops.
#pragma once

#include "compiler/backend_api/pattern_table.h"

namespace tessera::backend_onednn {

/// A convolution, a product or a function of two operands, and behind it elementwise operators of
/// the result's sizes: activations, sums, products. The runtime half may still run one in parts.
/// NaN that comes out of a convolution or product may be lost in what follows it, not elsewhere.
const backend_api::PatternTable& patternTable();

/// What its entries are made of, mnemonics of operators or names of composites.
struct TableParts {
  std::vector<llvm::StringRef> composites, activations;  ///< Of one operand: post-ops.
  std::vector<llvm::StringRef> commutative, ordered;     ///< Of two: post-ops.
  /// Post-ops that make a number of NaN, as the library has them: behind contractions only.
  std::vector<llvm::StringRef> losesNan;
  /// An entry of the table.
  struct Entry {
    const char* name;
    std::vector<llvm::StringRef> heads;
    bool mayLoseNan = true;  ///< Whether all post-ops may follow.
  };
  std::vector<Entry> entries;
};
const TableParts& tableParts();

}  // namespace tessera::backend_onednn
