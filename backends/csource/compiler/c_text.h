// Writing C.
#pragma once

#include <span>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "mlir/IR/Types.h"

namespace tessera::backend_csource {

/// Lines of C, indented by the blocks that are open.
class CText {
 public:
  explicit CText(unsigned depth = 0) : depth_(depth) {}

  void line(const llvm::Twine& text);
  /// Begins a block: `head {`.
  void open(const llvm::Twine& head);
  /// `for (int64_t name = first; name < last; ++name) {`
  void openLoop(llvm::StringRef name, const llvm::Twine& last, const llvm::Twine& first = "0");
  /// Declares a position among `extent` and returns its name; among one it is "0".
  std::string position(llvm::StringRef name, const llvm::Twine& value, int64_t extent);
  void close();
  void closeAll(unsigned blocks);

  const std::string& str() const { return text_; }

 private:
  unsigned depth_;
  std::string text_;
};

/// "float", "int64_t", ...; bool is uint8_t, 0 or 1. Empty for types that C11 lacks (16-bit
/// floats).
std::string cType(mlir::Type element);
/// The suffix of the functions for an element type: "f32", "ui8".
std::string cSuffix(mlir::Type element);
/// What math.h appends to the functions of a floating-point type: "f" or nothing.
std::string mathSuffix(mlir::Type element);

/// A number as a constant of this type that reads back exactly.
std::string cReal(double value, mlir::Type element);
std::string cInteger(int64_t value);
/// What is not above any value of the type, and what is not below: infinities for floats.
std::string leastOf(mlir::Type element);
std::string greatestOf(mlir::Type element);
/// Element `i` of constant bytes as a constant.
std::string cElement(std::span<const std::byte> bytes, int64_t i, mlir::Type element);

/// `text` as a C string with its quotes, and as what a comment may hold.
std::string cString(llvm::StringRef text);
std::string cComment(llvm::StringRef text);

/// "{1, 2, 3}"
std::string cList(llvm::ArrayRef<int64_t> values);

/// `a + b`, `a * n` and the like, without the parts that change nothing.
std::string sumText(llvm::StringRef a, llvm::StringRef b);
std::string scaledText(llvm::StringRef index, int64_t factor);

}  // namespace tessera::backend_csource
