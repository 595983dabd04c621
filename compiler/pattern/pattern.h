// A language of data-flow patterns: which operators compute a value from which other values. What
// recognises composites and the pattern tables of backends are written in it.
//
//   const Pattern x = capture("x");
//   const Pattern silu = either<ir::MulOp>(x, op<ir::SigmoidOp>(x));
//   if (std::optional<Match> found = match(silu, value)) use(found->value("x"));
//
// The kinds of patterns are those of TVM's DFPattern language (tvm/relay/dataflow_pattern.h), its
// Relax additions (and, not, used-by, same shape), and combinators for what follows an operator.
//
// What matching guarantees:
// - Alternatives, orders of operands and steps are tried with full backtracking, in the order in
//   which they are written: the first way to match, in that order, is the one that is found. A
//   search ends without a match after Options::maxSteps operations looked at.
// - Operands are matched one by one, in the operator's order; absent optional ones count. Two
//   operands swap places only in `either` and `unordered`. Nothing is re-associated.
// - Composites that simplify recognised are seen as one node and through: `mul(x, sigmoid(x))`
//   matches a composite with that body, `composite("silu", {x})` matches it as one. Those that a
//   backend's pattern made are closed. What stands in a composite's body is given as the value
//   outside that it is, where there is one.
// - A match says how one value is computed. Whether what it covers may become one operation is
//   another question: makeComposite (make_composite.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/tsr.h"
#include "compiler/pattern/match.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::pattern {

class Search;

/// A pattern for one value. Immutable, cheap to copy, usable from many threads at once. Names that
/// it is made with (of captures, parts, operations) outlive it.
class Pattern {
 public:
  using Next = llvm::function_ref<bool()>;
  /// Extends the search's match so that it explains `value`, then asks `next` to explain the rest;
  /// undoes its part and returns false when that fails.
  using Matcher = std::function<bool(mlir::Value value, Search& search, Next next)>;
  /// Names of the operations that may define a value that matches; nothing: any, or none.
  using Roots = std::optional<std::vector<llvm::StringRef>>;

  /// What stands in a list of operands.
  enum class Place {
    kOne,      ///< One operand, which is there.
    kPerhaps,  ///< One operand; an absent one is matched as the null value.
    kRest,     ///< Each of all operands that are left.
  };

  Pattern(Matcher matcher, Roots roots, Place place = Place::kOne)
      : matcher_(std::make_shared<const Matcher>(std::move(matcher))),
        roots_(std::make_shared<const Roots>(std::move(roots))),
        place_(place) {}

  bool operator()(mlir::Value value, Search& search, Next next) const {
    return (value || place_ == Place::kPerhaps) && (*matcher_)(value, search, next);
  }
  const Roots& roots() const { return *roots_; }
  Place place() const { return place_; }

 private:
  std::shared_ptr<const Matcher> matcher_;
  std::shared_ptr<const Roots> roots_;
  Place place_;
};

// Values.

/// Any value (wildcard), whatever it is elsewhere in the pattern.
Pattern any();
/// Any value. A name that was seen before stands for the same value.
Pattern capture(llvm::StringRef name);
/// A constant, captured when there is a name.
Pattern constant();
Pattern constant(llvm::StringRef name);
/// A constant whose elements are all equal.
Pattern scalar(llvm::StringRef name);
/// A constant whose elements are all `number`, but for rounding to f32 or a few printed digits.
Pattern scalar(double number);
/// An argument of a function or of a body (variable): `index` counts from 0, -1 is any.
Pattern argument(int64_t index = -1);
/// This value.
Pattern exactly(mlir::Value value);

// Operations.

/// In place of the number of a result.
inline constexpr int64_t kAnyResult = -1;

/// Result number `index` of the operation `name` on operands that match in order, absent optional
/// ones included; with no patterns at all, on any operands.
Pattern operation(llvm::StringRef name, std::vector<Pattern> operands, int64_t index = 0);
/// As above for two operands in any order.
Pattern commutative(llvm::StringRef name, Pattern a, Pattern b);
/// As `operation`, its present operands in any order, each pattern for one of them.
Pattern unordered(llvm::StringRef name, std::vector<Pattern> operands);
/// In a list of operands: absent, or `pattern`; none; any that are left; each that is left matches.
Pattern perhaps(const Pattern& pattern);
Pattern absent();
Pattern more();
Pattern every(const Pattern& pattern);

template <typename Op, typename... Patterns>
Pattern op(Patterns... operands) {
  return operation(Op::getOperationName(), {std::move(operands)...});
}
template <typename Op, typename... Patterns>
Pattern result(int64_t index, Patterns... operands) {
  return operation(Op::getOperationName(), {std::move(operands)...}, index);
}
template <typename Op>
Pattern either(Pattern a, Pattern b) {
  return commutative(Op::getOperationName(), std::move(a), std::move(b));
}

// Logic.

/// The first alternative that lets the rest match.
Pattern anyOf(std::vector<Pattern> alternatives);
/// A pattern that may use itself: `make` is given a pattern that stands for what it returns, as an
/// operand of an operation.
Pattern recursive(const std::function<Pattern(const Pattern& self)>& make);
/// One value that all of them match; names are shared.
Pattern allOf(std::vector<Pattern> patterns);
/// A value that `pattern` does not match, given what was captured so far.
Pattern no(const Pattern& pattern);
/// What `pattern` matches if `holds`: asked while matching, when `pattern` has matched, so that
/// another way is tried when it does not. A value that a composite gives is asked about as such
/// and as its body gives it: one yes will do.
Pattern when(const Pattern& pattern, std::function<bool(mlir::Value)> holds);
Pattern whenMatched(const Pattern& pattern, std::function<bool(mlir::Value, const Match&)> holds);

// Constraints: what `pattern` matches if its type or operation is so.

Pattern hasElementType(const Pattern& pattern, mlir::Type elementType);
Pattern hasRank(const Pattern& pattern, int64_t rank);
/// Sizes; kDynamic (mlir::ShapedType) stands for a size that is not known.
Pattern hasShape(const Pattern& pattern, std::vector<int64_t> shape);
Pattern hasType(const Pattern& pattern, mlir::Type type);
/// The shape of the value that was captured under `name` before.
Pattern sameShapeAs(const Pattern& pattern, llvm::StringRef name);
/// The operation that defines it has an attribute, or the composite a parameter, `name` that
/// `holds`.
Pattern hasAttribute(const Pattern& pattern, llvm::StringRef name,
                     std::function<bool(mlir::Attribute)> holds);
Pattern hasAttribute(const Pattern& pattern, llvm::StringRef name, mlir::Attribute value);
/// Read once, by one operand.
Pattern hasOneUse(const Pattern& pattern);
/// Some user, or every one, and there is one, has a result that matches.
Pattern usedBy(const Pattern& pattern, const Pattern& user);
Pattern onlyUsedBy(const Pattern& pattern, const Pattern& user);

// What follows.

/// Records the value that `pattern` matches as a part: "which optional parts are there".
Pattern part(llvm::StringRef name, const Pattern& pattern);
/// What computes on the value that `before` matches: an activation, a residual sum, ...
using Step = std::function<Pattern(const Pattern& before)>;
/// `pattern` with `step` behind it, or `pattern`.
Pattern optionally(const Pattern& pattern, const Step& step);
/// `pattern`, then `atLeast` to `atMost` times one of `steps`, as many as there are: "a
/// convolution, then any of these activations, then perhaps a residual" is one pattern.
Pattern followedBy(const Pattern& pattern, const std::vector<Step>& steps, size_t atLeast = 0,
                   size_t atMost = 1);
/// What else operations of a stretch between parent and child may read, constants aside.
enum class SideInputs : uint8_t { kNone, kAny };
/// `child`, which was computed from what matches `parent` by operations that match `path` only: all
/// paths from the parent lead through them into the child. There may be none between. Of several
/// parents the nearest one counts.
Pattern dominates(const Pattern& parent, const Pattern& path, const Pattern& child,
                  SideInputs sideInputs = SideInputs::kNone);

// Bodies.

/// Result 0 of a recognised composite of that name, on operands that match in order; with `body`,
/// what it yields must match as well.
Pattern composite(llvm::StringRef name, std::vector<Pattern> inputs);
Pattern composite(llvm::StringRef name, std::vector<Pattern> inputs, const Pattern& body);
/// tsr.if whose condition and first yielded values match.
Pattern ifElse(const Pattern& condition, const Pattern& thenValue, const Pattern& elseValue);
/// Result 0 of a call of a function of the module whose first returned value matches `body`;
/// arguments of the callee are arguments to the body. With no patterns, on any operands.
Pattern callOf(const Pattern& body, std::vector<Pattern> operands = {});

}  // namespace tessera::pattern
