// What a backend takes as one although it is several operators: its pattern table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/backend_api/support.h"
#include "compiler/pattern/pattern.h"

namespace tessera::backend_api {

/// One entry. What it matches becomes a composite "<kind>.<name>" that holds the operators, with
/// the parts that are there in its parameter "parts"; the backend that the table is of owns it.
struct PatternEntry {
  std::string name;  ///< Letters, digits and underscores. Several entries may have one name.
  pattern::Pattern pattern;
  /// Asked while matching, of each way to match that could become one operation, about the match
  /// and the operation that gives its value: what is declined here blocks nothing, other ways and
  /// entries are tried. Always supported when empty.
  std::function<Support(const pattern::Match& match, mlir::Operation* root)> check = {};
};

/// In order of priority: what an entry takes is no longer there for those behind it. Larger
/// patterns come first.
using PatternTable = std::vector<PatternEntry>;

/// The match of an entry's pattern in the body of the composite that it made: values are those in
/// the body. Nothing when the composite was edited and is another one.
std::optional<pattern::Match> matchBody(const pattern::Pattern& pattern, ir::CompositeOp composite);

/// The parameter of composites that lists, in the order of the data flow, the parts that matched.
inline constexpr llvm::StringLiteral kPartsParameter = "parts";
/// Whether a composite has the part.
bool hasPart(ir::CompositeOp composite, llvm::StringRef part);

}  // namespace tessera::backend_api
