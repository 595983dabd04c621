// Writing a kernel: linalg, tensor, scf and arith operations on tensors in memory order.
#pragma once

#include <unordered_map>

#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/element.h"
#include "compiler/lowering/index_builder.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_native {

using lowering::Condition;
using lowering::Element;
using lowering::Index;
using lowering::kernelElement;
using lowering::Signedness;
using lowering::signednessOf;

/// Type of the memory of a value: physical shape, kernelElement.
mlir::RankedTensorType kernelType(mlir::RankedTensorType type);
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
/// The type of a tensor's elements, or of a scalar.
inline mlir::Type elementOf(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType());
}
/// More elements than memory can hold; arithmetic on so many does not overflow.
inline constexpr int64_t kMaxElements = int64_t{1} << 48;

using Values = llvm::SmallVector<mlir::Value, 6>;
using Maps = llvm::SmallVector<mlir::AffineMap>;
using Kinds = llvm::SmallVector<mlir::utils::IteratorType>;
using Elements = llvm::ArrayRef<Element>;
/// Body of a loop nest: an element of the result from those of the tensors at its place. Integers
/// are read as signed ones: Element::as says otherwise.
using ElementBody = llvm::function_ref<mlir::Value(Elements)>;
/// The same from the place.
using PlaceBody = llvm::function_ref<mlir::Value(mlir::ValueRange)>;

/// Where a part of a tensor lies.
struct Part {
  Values offsets, sizes;
};

/// Builds the body of one kernel and remembers which tensor stands for which tsr value. Index
/// arithmetic on constants folds away. Sizes of tensors are index values; isSameSize says whether
/// two are known to be equal.
class KernelBuilder : public lowering::IndexBuilder {
 public:
  KernelBuilder(mlir::Location loc, mlir::Block* body)
      : IndexBuilder(loc, body, body->end()), body_(body) {}

  // Values of the region.
  /// The tensor that stands for a tsr value; null for an absent operand.
  mlir::Value get(mlir::Value value) const {
    return value ? tensors_.lookup(value) : mlir::Value();
  }
  bool has(mlir::Value value) const { return tensors_.contains(value); }
  /// Declares what stands for a tsr value. Static sizes become those of the value's type;
  /// dimensions with a name have the size of the first dimension with that name.
  void set(mlir::Value value, mlir::Value tensor);

  /// Whether sums are to be those of their definitions (CodeTarget::isExact).
  bool isExact() const { return isExact_; }
  void setExact(bool isExact) { isExact_ = isExact; }
  /// Lanes of f32 of the CPU's vectors (CodeTarget::vectorLanes).
  int64_t vectorLanes() const { return vectorLanes_; }
  void setVectorLanes(int64_t lanes) { vectorLanes_ = lanes; }

  // Index arithmetic, further than IndexBuilder's.
  /// A constant, one for each number, in front of all code.
  mlir::Value index(int64_t value) override;
  /// Product; 1 for none.
  mlir::Value product(mlir::ValueRange factors);

  // Requirements: what the kernel relies on and types do not tell. Tested before the loops, once
  // for each call; what is known to hold costs nothing.
  /// The ONNX node that requirements are about from now on (lowering::Refusal::node).
  void setNode(uint32_t node) { node_ = node; }
  /// `text` says what is wrong: one sentence in which {0} is `found` and {1} is `expected`.
  void require(mlir::Value condition, mlir::Value found, mlir::Value expected,
               const llvm::Twine& text);
  /// Two sizes are equal; `what` is the first one: "dimension 1 of operand 2".
  void requireEqual(mlir::Value found, mlir::Value expected, const llvm::Twine& what);
  /// A size is 1 or `expected`.
  void requireOneOr(mlir::Value found, mlir::Value expected, const llvm::Twine& what);
  /// `found`; where the type declares a static size, that one, which `found` is required to be.
  mlir::Value declaredOr(mlir::Value found, int64_t declared, const llvm::Twine& what);
  void requireAtLeast(mlir::Value found, int64_t least, const llvm::Twine& what);
  void requireAtMost(mlir::Value found, mlir::Value most, const llvm::Twine& what);
  /// What the data ask for can be a tensor: no size is negative or beyond kMaxElements, and neither
  /// is their product. `sizes` may be factors of sizes.
  void requireShape(mlir::ValueRange sizes);
  /// Whether two sizes are known to be equal, or required to be.
  bool isSameSize(mlir::Value a, mlir::Value b) const;

  // Elements.
  Element element(mlir::Value value, Signedness signedness = Signedness::kSigned) {
    return {*this, value, signedness};
  }
  /// `value` as a constant of an element type (or vector of it).
  Element scalar(mlir::Type type, double value) { return Element::constant(*this, type, value); }
  Element integer(mlir::Type type, int64_t value) { return Element::integer(*this, type, value); }
  /// An integer element as an index, and an index as an integer or float.
  Index toIndex(mlir::Value integer);
  Element fromIndex(mlir::Value position, mlir::Type type);

  // Tensors.
  /// Sizes of all dimensions of a tensor.
  Values sizes(mlir::Value tensor);
  mlir::Value size(mlir::Value tensor, int64_t dim) { return sizes(tensor)[dim]; }
  /// States the sizes of a tensor's dimensions, so that sizes() need not ask the tensor.
  void setSizes(mlir::Value tensor, mlir::ValueRange sizes);
  mlir::Value empty(mlir::Type element, mlir::ValueRange sizes);
  mlir::Value filled(mlir::Value scalar, mlir::ValueRange sizes);
  mlir::Value constant(mlir::DenseElementsAttr value);
  /// The element at a position.
  Element load(mlir::Value tensor, mlir::ValueRange indices);
  /// The elements of an integer tensor of rank 1 (or the one of rank 0) as index values; of
  /// constants where the tsr value is constant. Empty for an absent value. `count`: how many there
  /// must be, where the type does not tell.
  Values readInts(mlir::Value tsrValue, std::optional<int64_t> count = std::nullopt);
  mlir::Value readInt(mlir::Value tsrValue) { return readInts(tsrValue, 1)[0]; }
  /// The tensor with another static type of the same rank.
  mlir::Value cast(mlir::Value tensor, mlir::RankedTensorType type);
  /// The tensor, which is required to have these sizes, under a type that says so; `what` is the
  /// tensor, for messages.
  mlir::Value withSizes(mlir::Value tensor, mlir::ValueRange sizes, const llvm::Twine& what);
  /// Contiguous elements as another shape.
  mlir::Value reshape(mlir::Value tensor, mlir::ValueRange sizes);
  mlir::Value slice(mlir::Value tensor, mlir::ValueRange offsets, mlir::ValueRange sizes,
                    mlir::ValueRange strides = {});
  mlir::Value insert(mlir::Value part, mlir::Value into, mlir::ValueRange offsets,
                     mlir::ValueRange strides = {});
  /// The memory of a tensor that no cache holds, to prefetch from; null for any other.
  mlir::Value memoryBeyondCaches(mlir::Value tensor);

  // Loop nests.
  /// linalg.generic with one result.
  mlir::Value generic(mlir::ValueRange inputs, mlir::ArrayRef<mlir::AffineMap> maps,
                      mlir::Value init, mlir::ArrayRef<mlir::utils::IteratorType> kinds,
                      ElementBody body);
  /// As above with any number of results; the body returns as many.
  Values genericMany(mlir::ValueRange inputs, mlir::ArrayRef<mlir::AffineMap> maps,
                     mlir::ValueRange inits, mlir::ArrayRef<mlir::utils::IteratorType> kinds,
                     llvm::function_ref<Values(Elements)> body);
  /// A tensor whose elements are computed from their places.
  mlir::Value compute(mlir::ValueRange sizes, mlir::Type element, PlaceBody body);
  /// y[i] = body(inputs[i]...) for tensors of one shape.
  mlir::Value map(mlir::ValueRange inputs, mlir::Type element, ElementBody body);
  /// Permutation of dimensions: result dimension i is dimension perm[i] of the tensor.
  mlir::Value transpose(mlir::Value tensor, mlir::ArrayRef<int64_t> perm);
  /// Sequential loops over [0, sizes) around `body(indices, state)`, which returns the next state;
  /// the last state.
  Values forEach(mlir::ValueRange sizes, mlir::ValueRange initial,
                 llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> body);
  /// Loops over [0, sizes) in any order, several at once where `work` steps, about, are worth it:
  /// the parts of `results` at `places(indices)` are what `body(indices, parts)` makes of them.
  /// Parts of different iterations do not overlap. The results.
  Values forEachPart(mlir::ValueRange sizes, mlir::ValueRange results, int64_t work,
                     llvm::function_ref<llvm::SmallVector<Part>(mlir::ValueRange)> places,
                     llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> body);
  /// What `then` makes where the condition holds, else what `otherwise` does; as many values of
  /// the same types.
  Values choose(mlir::Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

 private:
  mlir::Value leaderOf(mlir::Value size) const;
  /// Moves the insertion point out of all loops.
  void leaveLoops();
  /// A part lies in a whole. Offsets that loops count are inside by the sizes of the loops.
  void requireInside(mlir::ValueRange offsets, mlir::ValueRange part, mlir::ValueRange whole);

  mlir::Block* body_;
  uint32_t node_ = TESSERA_NO_NODE;
  bool isExact_ = false;
  int64_t vectorLanes_ = 8;
  /// Sizes that are required to be equal to another: forest of the requirements made.
  llvm::DenseMap<mlir::Value, mlir::Value> equalTo_;
  /// Constants at the start of the body. Not a DenseMap: it keeps INT64_MIN and INT64_MAX, the open
  /// ends of slices, to itself.
  std::unordered_map<int64_t, mlir::Value> indices_;
  llvm::DenseMap<mlir::Value, mlir::Value> tensors_;
  llvm::DenseMap<mlir::Value, Values> sizes_;
  llvm::StringMap<mlir::Value> namedSizes_;
};

/// An index in [0, size) as it is, a negative one counted from the end, one outside moved to the
/// border. Memory is then safe whatever the data; requireIndices refuses the call.
Index wrapIndex(KernelBuilder& b, mlir::Value position, mlir::Value size);

/// Elements of a tensor; a guess where its sizes are not known.
int64_t estimatedElements(mlir::Value tensor);

/// The identity map of `rank` loops.
mlir::AffineMap identityMap(KernelBuilder& b, unsigned rank);
/// The map of `numLoops` loops to those in `loops`; -1 stands for index 0.
mlir::AffineMap loopMap(KernelBuilder& b, unsigned numLoops, llvm::ArrayRef<int64_t> loops);
inline Kinds parallelLoops(unsigned count) {
  Kinds kinds(count, mlir::utils::IteratorType::parallel);
  return kinds;
}

}  // namespace tessera::backend_native
