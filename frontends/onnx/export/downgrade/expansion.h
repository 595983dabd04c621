// One operator on its way to an older opset: what rules that write it with others build with.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tessera/status.h"

namespace tessera::onnx {

/// Makes operations in front of `op`, with its location and notes and with inferred result types.
class Expansion {
 public:
  Expansion(mlir::Operation* op, int opset);

  mlir::Operation* const op;
  const int opset;  ///< The one asked for.

  mlir::Value operand(unsigned index) const { return op->getOperand(index); }
  static mlir::RankedTensorType typeOf(mlir::Value value);
  /// The type of operand 0.
  mlir::RankedTensorType type() const { return typeOf(operand(0)); }

  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute operandSegments(llvm::ArrayRef<int32_t> counts);
  mlir::NamedAttribute resultSegments(llvm::ArrayRef<int32_t> counts);

  /// Null when the operands do not fit the operator.
  mlir::Operation* tryCreate(llvm::StringRef name, mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                             unsigned numResults = 1);
  /// The same where a verified `op` makes sure that they do.
  mlir::Operation* create(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                          unsigned numResults = 1);
  /// One result.
  template <typename Op>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create(Op::getOperationName(), operands, attributes)->getResult(0);
  }

  /// Constants: a vector of i64; a scalar of a number type with the value nearest to `value`.
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value floats(llvm::ArrayRef<float> values);
  mlir::Value scalar(mlir::Type element, double value);

  mlir::Value cast(mlir::Value value, mlir::Type element);
  /// The sizes of `value`, or the one of `axis`, as a vector of i64.
  mlir::Value shape(mlir::Value value);
  mlir::Value size(mlir::Value value, int64_t axis);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);

  /// Gives the users of `op` these values and erases `op`. Returns true, as rules do then.
  bool replaceWith(mlir::ValueRange values) const;

  /// An error about `op`, which ONNX calls `opType`.
  Error refuse(std::string_view opType, const std::string& why) const;

 private:
  mlir::OpBuilder builder_;
};

}  // namespace tessera::onnx
