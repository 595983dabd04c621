// Patterns for values, whatever computes them.
#include <cmath>

#include "compiler/ir/io/constants.h"
#include "compiler/pattern/search.h"

namespace tessera::pattern {

using namespace mlir;
using Next = Pattern::Next;

static const std::vector<StringRef>& constantRoot() {
  static const std::vector<StringRef> root = {ir::ConstantOp::getOperationName()};
  return root;
}

static bool isConstant(Value value) { return value.getDefiningOp<ir::ConstantOp>() != nullptr; }

Pattern any() {
  return {[](Value, Search&, Next next) { return next(); }, std::nullopt};
}

Pattern capture(StringRef name) {
  return {[name](Value value, Search& search, Next next) {
            return search.withCapture(name, value, next);
          },
          std::nullopt};
}

Pattern constant() {
  return {[](Value value, Search&, Next next) { return isConstant(outermost(value)) && next(); },
          constantRoot()};
}

Pattern constant(StringRef name) {
  return {[name](Value value, Search& search, Next next) {
            return isConstant(outermost(value)) && search.withCapture(name, value, next);
          },
          constantRoot()};
}

Pattern scalar(StringRef name) {
  return {[name](Value value, Search& search, Next next) {
            return ir::constantScalar(outermost(value)) && search.withCapture(name, value, next);
          },
          constantRoot()};
}

Pattern scalar(double number) {
  return {[number](Value value, Search&, Next next) {
            const std::optional<double> found = ir::constantScalar(outermost(value));
            return found && std::abs(*found - number) <= 1e-5 * std::abs(number) && next();
          },
          constantRoot()};
}

Pattern argument(int64_t index) {
  return {[index](Value value, Search&, Next next) {
            const auto argument = dyn_cast<BlockArgument>(outermost(value));
            return argument && (index < 0 || argument.getArgNumber() == index) && next();
          },
          std::nullopt};
}

Pattern exactly(Value wanted) {
  return {[wanted](Value value, Search&, Next next) {
            return outermost(value) == outermost(wanted) && next();
          },
          std::nullopt};
}

}  // namespace tessera::pattern
