// Conditions on types, attributes and uses.
#include "compiler/pattern/search.h"

namespace tessera::pattern {

using namespace mlir;
using Next = Pattern::Next;

static RankedTensorType typeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

Pattern hasElementType(const Pattern& pattern, Type elementType) {
  return when(pattern, [elementType](Value value) {
    return typeOf(value) && typeOf(value).getElementType() == elementType;
  });
}

Pattern hasRank(const Pattern& pattern, int64_t rank) {
  return when(pattern,
              [rank](Value value) { return typeOf(value) && typeOf(value).getRank() == rank; });
}

Pattern hasShape(const Pattern& pattern, std::vector<int64_t> shape) {
  return when(pattern, [shape = std::move(shape)](Value value) {
    return typeOf(value) && typeOf(value).getShape() == ArrayRef(shape);
  });
}

Pattern hasType(const Pattern& pattern, Type type) {
  return when(pattern, [type](Value value) { return value.getType() == type; });
}

Pattern sameShapeAs(const Pattern& pattern, StringRef name) {
  return whenMatched(pattern, [name](Value value, const Match& match) {
    const Value other = match.value(name);
    return other && typeOf(value) && typeOf(other) &&
           typeOf(value).getShape() == typeOf(other).getShape();
  });
}

static Attribute attributeOf(Operation* op, StringRef name) {
  if (const Attribute attribute = op->getAttr(name)) return attribute;
  auto composite = dyn_cast<ir::CompositeOp>(op);
  const DictionaryAttr parameters = composite ? composite.getParametersAttr() : DictionaryAttr();
  return parameters ? parameters.get(name) : Attribute();
}

Pattern hasAttribute(const Pattern& pattern, StringRef name, std::function<bool(Attribute)> holds) {
  return {[pattern, name, holds = std::move(holds)](Value value, Search& search, Next next) {
            return pattern(value, search, [&] {
              const bool has = llvm::any_of(search.definitions(value), [&](OpResult found) {
                const Attribute attribute = attributeOf(found.getOwner(), name);
                return attribute && holds(attribute);
              });
              return has && next();
            });
          },
          pattern.roots()};
}

Pattern hasAttribute(const Pattern& pattern, StringRef name, Attribute value) {
  return hasAttribute(pattern, name, [value](Attribute found) { return found == value; });
}

Pattern hasOneUse(const Pattern& pattern) {
  return when(pattern, [](Value value) { return value.hasOneUse(); });
}

/// Whether a result of `user` matches; what it enters into the match is not kept.
static bool resultMatches(Operation* user, const Pattern& pattern, Search& search) {
  return llvm::any_of(user->getResults(), [&](Value result) {
    bool matches = false;
    (void)pattern(result, search, [&] {
      matches = true;
      return false;
    });
    return matches;
  });
}

Pattern usedBy(const Pattern& pattern, const Pattern& user) {
  return {[pattern, user](Value value, Search& search, Next next) {
            return pattern(value, search, [&] {
              return llvm::any_of(search.users(value),
                                  [&](Operation* op) { return resultMatches(op, user, search); }) &&
                     next();
            });
          },
          pattern.roots()};
}

Pattern onlyUsedBy(const Pattern& pattern, const Pattern& user) {
  return {[pattern, user](Value value, Search& search, Next next) {
            return pattern(value, search, [&] {
              const SmallVector<Operation*> users = search.users(value);
              return !users.empty() && llvm::all_of(users, [&](Operation* op) {
                return resultMatches(op, user, search);
              }) && next();
            });
          },
          pattern.roots()};
}

}  // namespace tessera::pattern
