// Writes the C function of one nest.
#pragma once

#include "backends/csource/compiler/c_text.h"
#include "backends/csource/compiler/memory_plan.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::backend_csource {

/// Says how many items a nest has and how large one is, so that small nests run on one thread.
struct NestItems {
  std::string count = "1";    ///< A C expression.
  int64_t numOperations = 0;  ///< Of the whole nest, about; at least the elements it writes.
};

/// What the printers of operators write with. The body of the function stands in a loop over the
/// items [begin, end); pointers to its values are declared in front of it.
class NestWriter {
 public:
  NestWriter(const Nest& nest, const MemoryPlan& memory, uint32_t nodeNumber);

  CText body{1};    ///< Of the function.
  NestItems items;  ///< Set by the printer.

  const Nest& nest() const { return nest_; }
  mlir::Operation* anchor() const { return nest_.anchor; }
  /// Of the ONNX node, for refusals.
  uint32_t nodeNumber() const { return nodeNumber_; }

  /// The name of a pointer to the elements of an operand, or to those of a result of the root.
  std::string input(mlir::Value value);
  std::string output(unsigned result = 0);
  /// An element of an operand: `x[at]`, or the constant itself where there is one for all.
  std::string element(mlir::Value value, llvm::StringRef at);

  /// Whether part `index` of the anchor, a concatenation, has been computed in its place.
  bool isInPlace(unsigned index) const { return memory_.isInPlace(nest_.anchor, index); }

  /// A static table in front of the function's code.
  void table(llvm::StringRef type, llvm::StringRef name, llvm::StringRef values, size_t count);
  /// A line in front of the function's code, and one in the region's function in front of the call.
  void declare(const llvm::Twine& line) { declarations_.line(line); }
  void before(const llvm::Twine& line) { before_.push_back(line.str()); }
  llvm::ArrayRef<std::string> beforeLines() const { return before_; }
  /// The expression of an operand's place, for lines in front of the call.
  std::string place(mlir::Value value) const;

  /// Opens one block, a loop over items, in which `names` are the positions in those loops of
  /// `extents` that items stand for: as many of the outer ones as give each thread its share. Names
  /// of loops with one position become "0". The rest is up to the caller, from the loop whose
  /// number is returned on. Sets the number of items.
  size_t openItems(llvm::ArrayRef<int64_t> extents, llvm::MutableArrayRef<std::string> names);

  /// Writes the nest's elementwise operators on one element and stores the result. `loops` cut the
  /// dimensions of the result, `indices` are the positions in them; `sum` is the anchor's element.
  void storeTail(llvm::StringRef sum, llvm::ArrayRef<LoopDim> loops,
                 llvm::ArrayRef<std::string> indices);

  /// The whole function: of a nest, or of a call, which stands for it and returns 0 or not.
  std::string function(llvm::StringRef name) const;
  std::string callFunction(llvm::StringRef name) const;

 private:
  std::string pointerName(mlir::Value value, bool isWritten);

  const Nest& nest_;
  const MemoryPlan& memory_;
  uint32_t nodeNumber_;
  llvm::MapVector<mlir::Value, std::string> pointers_;
  CText declarations_{1};
  llvm::SmallVector<std::string> before_;
};

/// A place as an expression in a region of so many inputs.
std::string placeText(const Place& place, unsigned numInputs);

/// The elementwise operators of a nest without anchor.
void printElementwise(NestWriter& w);

/// "conv 'Conv_12', relu 'Relu_13': f32 [1, 64, 56, 56]", for comments.
std::string describe(const Nest& nest);

}  // namespace tessera::backend_csource
