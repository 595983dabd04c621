#include <string_view>

#include "compiler/ir/types.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "tessera/backend_runtime.h"

#include "compiler/ir/tsr_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/ir/tsr_attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/tsr_interfaces.cpp.inc"
#include "compiler/ir/tsr_types.cpp.inc"

namespace tessera::ir {

static_assert(std::string_view(kHostSpace.data(), kHostSpace.size()) == TESSERA_HOST_SPACE,
              "modules and runtime halves call the host's memory the same");

void TsrDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/ir/tsr_attrs.cpp.inc"
      >();
}

void TsrDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/ir/tsr_types.cpp.inc"
      >();
}

llvm::SmallVector<int64_t> LayoutAttr::physicalShape(llvm::ArrayRef<int64_t> shape) const {
  llvm::SmallVector<int64_t> outer(shape);
  for (auto [dim, size] : llvm::zip_equal(getBlockDims(), getBlockSizes())) {
    int64_t& count = outer[dim];
    if (!mlir::ShapedType::isDynamic(count)) count = llvm::divideCeilSigned(count, size);
  }
  llvm::SmallVector<int64_t> physical;
  if (getOrder().empty()) {
    physical = outer;
  } else {
    for (const int64_t dim : getOrder()) physical.push_back(outer[dim]);
  }
  llvm::append_range(physical, getBlockSizes());
  return physical;
}

bool LayoutAttr::isPadded(llvm::ArrayRef<int64_t> shape) const {
  const auto isCut = [&](auto block) {
    const auto [dim, size] = block;
    return mlir::ShapedType::isDynamic(shape[dim]) || shape[dim] % size != 0;
  };
  return llvm::any_of(llvm::zip_equal(getBlockDims(), getBlockSizes()), isCut);
}

LayoutAttr LayoutAttr::withDims(llvm::ArrayRef<mlir::StringAttr> dims) const {
  return get(getContext(), dims, getOrder(), getBlockDims(), getBlockSizes(), getSpace(),
             getPadding());
}

LayoutAttr LayoutAttr::withPadding(Padding padding) const {
  return get(getContext(), getDims(), getOrder(), getBlockDims(), getBlockSizes(), getSpace(),
             padding);
}

bool LayoutAttr::isSamePlacement(LayoutAttr other) const {
  return withDims({}) == other.withDims({});
}

mlir::LogicalResult LayoutAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                       llvm::ArrayRef<mlir::StringAttr>,
                                       llvm::ArrayRef<int64_t> order,
                                       llvm::ArrayRef<int64_t> blockDims,
                                       llvm::ArrayRef<int64_t> blockSizes, llvm::StringRef space,
                                       Padding) {
  llvm::SmallVector<bool> seen(order.size(), false);
  for (const int64_t dim : order) {  // (C2)
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) || seen[dim])
      return emitError() << "(C2) layout order is no permutation";
    seen[dim] = true;
  }
  if (blockDims.size() != blockSizes.size())  // (C3)
    return emitError() << "(C3) layout has " << blockDims.size() << " blockDims and "
                       << blockSizes.size() << " blockSizes, expected as many";
  for (auto [dim, size] : llvm::zip_equal(blockDims, blockSizes)) {
    if (dim < 0 || size < 2)
      return emitError() << "(C3) layout block of size " << size << " on dimension " << dim
                         << ", expected a dimension >= 0 and a size > 1";
  }
  if (space == kHostSpace)  // (C4)
    return emitError() << "(C4) memory space is 'host', expected no name for it";
  return mlir::success();
}

mlir::LogicalResult LayoutAttr::verifyEncoding(
    mlir::ArrayRef<int64_t> shape, mlir::Type,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const {
  for (const size_t count : {getDims().size(), getOrder().size()}) {  // (C1)
    if (count != 0 && count != shape.size())
      return emitError() << "(C1) layout has " << count << " dims or order entries, expected "
                         << shape.size();
  }
  for (const int64_t dim : getBlockDims()) {  // (C3)
    if (dim >= static_cast<int64_t>(shape.size()))
      return emitError() << "(C3) layout blocks dimension " << dim << ", expected one below "
                         << shape.size();
  }
  if (getPadding() != Padding::Zero && !isPadded(shape))  // (C5)
    return emitError() << "(C5) layout says what padding holds, expected blocks that have some";
  return mlir::success();
}

/// `dims = ["n", ""]`, `order = [0, 2, 1]`, ... in this order, each only when not empty.
void LayoutAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<";
  bool first = true;
  const auto part = [&](llvm::StringRef name) -> mlir::AsmPrinter& {
    if (!first) printer << ", ";
    first = false;
    return printer << name << " = ";
  };
  const auto ints = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    if (values.empty()) return;
    part(name) << "[";
    llvm::interleaveComma(values, printer);
    printer << "]";
  };
  if (!getDims().empty()) {
    part("dims") << "[";
    llvm::interleaveComma(getDims(), printer);
    printer << "]";
  }
  ints("order", getOrder());
  ints("blockDims", getBlockDims());
  ints("blockSizes", getBlockSizes());
  if (!isInHost()) {
    part("space");
    printer.printString(getSpace());
  }
  if (getPadding() != Padding::Zero) part("padding") << stringifyPadding(getPadding());
  printer << ">";
}

mlir::Attribute LayoutAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  llvm::SmallVector<mlir::StringAttr> dims;
  llvm::SmallVector<int64_t> order, blockDims, blockSizes;
  std::string space;
  Padding padding = Padding::Zero;
  const auto parsePadding = [&]() -> mlir::ParseResult {
    llvm::StringRef word;
    const llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word)) return mlir::failure();
    const auto known = symbolizePadding(word);
    if (!known) return parser.emitError(loc) << "unknown padding '" << word << "'";
    padding = *known;
    return mlir::success();
  };
  const auto parseInts = [&](llvm::SmallVectorImpl<int64_t>& values) {
    return parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(values.emplace_back());
    });
  };
  const auto parsePart = [&]() -> mlir::ParseResult {
    llvm::StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual()) return mlir::failure();
    if (name == "dims")
      return parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, [&] {
        return parser.parseAttribute(dims.emplace_back());
      });
    if (name == "order") return parseInts(order);
    if (name == "blockDims") return parseInts(blockDims);
    if (name == "blockSizes") return parseInts(blockSizes);
    if (name == "space") {
      if (parser.parseString(&space)) return mlir::failure();
      if (space == kHostSpace) space.clear();
      return mlir::success();
    }
    if (name == "padding") return parsePadding();
    return parser.emitError(parser.getCurrentLocation())
           << "unknown part of a layout: '" << name << "'";
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater, parsePart)) return {};
  return parser.getChecked<LayoutAttr>(parser.getContext(), dims, order, blockDims, blockSizes,
                                       space, padding);
}

}  // namespace tessera::ir
