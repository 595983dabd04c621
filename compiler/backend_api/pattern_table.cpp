#include "compiler/backend_api/pattern_table.h"

namespace tessera::backend_api {

using namespace mlir;

std::optional<pattern::Match> matchBody(const pattern::Pattern& pattern,
                                        ir::CompositeOp composite) {
  for (const Value value : composite.getBody().front().getTerminator()->getOperands()) {
    if (auto found = pattern::match(pattern, value)) return found;
  }
  return std::nullopt;
}

bool hasPart(ir::CompositeOp composite, StringRef part) {
  const DictionaryAttr parameters = composite.getParametersAttr();
  const auto parts = parameters ? parameters.getAs<ArrayAttr>(kPartsParameter) : ArrayAttr();
  return parts && llvm::is_contained(parts.getAsValueRange<StringAttr>(), part);
}

}  // namespace tessera::backend_api
