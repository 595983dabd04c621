// Rules of the user about who runs what: `tessera.pins` of the module, an array of dictionaries.
// Each says what operators it is about and one of `must`, `prefer` and `forbid`, a target:
//
//   {node = "encoder/.*", op = "conv", dtype = "f32", rank = 4 : i64, dims = [1, -1, 14, 14],
//    must = "fast -mode=exact"}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/tsr.h"
#include "llvm/Support/Regex.h"
#include "tessera/status.h"

namespace tessera::partition {

/// The module's attribute.
inline constexpr llvm::StringLiteral kPinsAttribute = "tessera.pins";

/// One rule. What it does not say fits everything.
class Pin {
 public:
  enum class Verb : uint8_t { kMust, kPrefer, kForbid };

  /// Errors (kInvalidInput), without the rule's number: an unknown field, a field of another type,
  /// a pattern that is none, not exactly one verb.
  static Result<Pin> parse(mlir::DictionaryAttr text);

  Verb verb() const { return verb_; }
  /// Whether it says of what kind the operators are.
  bool namesOperator() const { return !op_.empty(); }
  /// A target's text, or its kind.
  const std::string& target() const { return target_; }

  /// Whether the operator comes from an ONNX node whose whole name matches, is of that kind ("conv"
  /// or "Conv"), and its first result has that element type ("f32"), rank and sizes (-1: any).
  bool fits(mlir::Operation* op) const;

  /// "rule 2 (node 'conv1' must fast)".
  std::string describe(size_t number) const;

 private:
  Status read(llvm::StringRef name, mlir::Attribute value);

  Verb verb_ = Verb::kPrefer;
  std::string target_;
  std::string node_, op_, dtype_;
  std::optional<llvm::Regex> nodePattern_;
  std::optional<int64_t> rank_;
  std::optional<llvm::SmallVector<int64_t>> dims_;
};

}  // namespace tessera::partition
