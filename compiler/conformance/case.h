// A case of the kit: a function of tensor operators with inputs, and what comes out of it.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler/ir/tsr.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/tensor.h"
#include "tessera/status.h"

namespace tessera::conformance {

/// Numbers that are the same wherever the kit runs.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// In [0, count).
  size_t below(size_t count) { return static_cast<size_t>(engine_() % count); }
  bool isOneIn(size_t count) { return below(count) == 0; }
  /// In [0, 1).
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  template <typename Range>
  const auto& pick(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::mt19937_64 engine_;
};

/// A seed that differs for each of `words` and stays the same for equal ones.
uint64_t seedOf(uint64_t seed, const std::string& words, uint64_t number);

/// What an argument says of its values; all optional.
inline constexpr llvm::StringLiteral kDims = "test.dims";      ///< Sizes where the type has '?'.
inline constexpr llvm::StringLiteral kRange = "test.range";    ///< [low, high] of the values.
inline constexpr llvm::StringLiteral kValues = "test.values";  ///< The values, repeated.

using Function = mlir::OwningOpRef<mlir::func::FuncOp>;
/// The same function on its own, in no module.
inline Function cloneOf(mlir::func::FuncOp function) {
  return Function(mlir::cast<mlir::func::FuncOp>(function->clone()));
}

/// Gives every operator the types that inference finds, and the function those of its arguments and
/// results; false when something is not legal.
bool retype(mlir::func::FuncOp function);

/// The function with the sizes of its inputs instead of open ones; null when that is not legal.
Function closed(mlir::func::FuncOp function);

/// The numbers of an array attribute.
std::vector<double> numbersOf(mlir::Attribute attribute);

/// A tensor of that type, which is static, with values in the range that the argument says, or
/// [-2, 2] for floats, [0, 3] for integers.
reference::Tensor randomTensor(mlir::RankedTensorType type, mlir::DictionaryAttr argument,
                               Random& random);

/// A case that can run.
struct Case {
  std::string name;
  Function function;
  std::vector<reference::Tensor> inputs;
  std::vector<reference::Tensor> expected;
  double relativeTolerance = 0, absoluteTolerance = 0;
};

/// Inputs from the seed, and what the reference implementations make of them. Errors: they refuse
/// it, it is too much work, or nothing is computed.
Result<Case> prepareCase(std::string name, mlir::func::FuncOp function, uint64_t seed);

/// Names of the tensor operators of a case, each once.
std::vector<std::string> operatorsOf(mlir::func::FuncOp function);

}  // namespace tessera::conformance
