#include "compiler/evaluate/operation_call.h"

#include "compiler/ir/tsr.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tessera::evaluate {

const ir::OpInfo* opInfo(Operation& op) {
  if (!isa_and_present<ir::TsrDialect>(op.getDialect())) return nullptr;
  const StringRef name = op.getName().stripDialect();
  return ir::findByMnemonic({name.data(), name.size()});
}

/// How many values each operand (result) group has. Without segment sizes at most one group is
/// optional or variadic and takes what the required ones leave.
static std::vector<int> groupSizes(std::span<const ir::ValueInfo> groups,
                                   DenseI32ArrayAttr segments, int numValues) {
  if (segments) return {segments.asArrayRef().begin(), segments.asArrayRef().end()};
  const auto required = llvm::count_if(
      groups, [](const ir::ValueInfo& group) { return group.presence == ir::Presence::kRequired; });
  std::vector<int> sizes;
  for (const ir::ValueInfo& group : groups) {
    sizes.push_back(
        group.presence == ir::Presence::kRequired ? 1 : numValues - static_cast<int>(required));
  }
  return sizes;
}

static std::vector<int> slots(std::span<const ir::ValueInfo> groups, Attribute segments,
                              int numValues) {
  const std::vector<int> sizes =
      groupSizes(groups, dyn_cast_or_null<DenseI32ArrayAttr>(segments), numValues);
  std::vector<int> slots;
  int next = 0;
  for (auto [group, size] : llvm::zip_equal(groups, sizes)) {
    if (size == 0 && group.presence == ir::Presence::kOptional) slots.push_back(-1);
    for (int i = 0; i < size; ++i) slots.push_back(next++);
  }
  return slots;
}

static Attribute segmentsOf(Operation& op, bool has, StringRef name) {
  return has ? op.getAttr(name) : Attribute();
}

std::vector<int> operandSlots(Operation& op, const ir::OpInfo& info) {
  return slots(info.operands, segmentsOf(op, info.hasOperandSegments, "operandSegmentSizes"),
               static_cast<int>(op.getNumOperands()));
}

std::vector<int> resultSlots(Operation& op, const ir::OpInfo& info) {
  return slots(info.results, segmentsOf(op, info.hasResultSegments, "resultSegmentSizes"),
               static_cast<int>(op.getNumResults()));
}

static std::optional<reference::AttributeValue> toOnnx(Attribute attribute) {
  if (const auto value = dyn_cast<IntegerAttr>(attribute)) return value.getInt();
  if (const auto value = dyn_cast<FloatAttr>(attribute)) return value.getValueAsDouble();
  if (const auto value = dyn_cast<StringAttr>(attribute)) return value.str();
  if (const auto value = dyn_cast<DenseI64ArrayAttr>(attribute)) return value.asArrayRef().vec();
  const auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list) return std::nullopt;
  if (llvm::all_of(list, llvm::IsaPred<FloatAttr>)) {
    std::vector<double> values;
    for (const auto value : list.getAsRange<FloatAttr>())
      values.push_back(value.getValueAsDouble());
    return values;
  }
  if (!llvm::all_of(list, llvm::IsaPred<StringAttr>)) return std::nullopt;
  std::vector<std::string> values;
  for (const auto value : list.getAsRange<StringAttr>()) values.push_back(value.str());
  return values;
}

Result<reference::Attributes> onnxAttributes(Operation& op, const ir::OpInfo& info) {
  reference::Attributes attributes;
  for (const ir::AttributeInfo& entry : info.attributes) {
    const Attribute attribute = op.getAttr(StringRef(entry.name.data(), entry.name.size()));
    if (!attribute || entry.kind == ir::AttributeKind::kTensor) continue;
    std::optional<reference::AttributeValue> value = toOnnx(attribute);
    if (!value) {
      return invalidInput("attribute '" + std::string(entry.name) + "' of " +
                          op.getName().getStringRef().str() + " has a type that ONNX lacks");
    }
    attributes.emplace(entry.name, std::move(*value));
  }
  return attributes;
}

}  // namespace tessera::evaluate
