// Attributes take other values, by their kinds in the table of operators.
#include "compiler/conformance/vary.h"
#include "compiler/ir/op_info.h"

namespace tessera::conformance {

using namespace mlir;

/// All words that any attribute knows: the verifier keeps those that this one does.
static const SmallVector<StringRef>& words() {
  static const auto* all = [] {
    auto* list = new SmallVector<StringRef>();
    const auto add = [&](const SmallVector<StringRef>& more) { llvm::append_range(*list, more); };
    add(ir::wordsOf<ir::AutoPad>());
    add(ir::wordsOf<ir::PadMode>());
    add(ir::wordsOf<ir::ScatterReduction>());
    add(ir::wordsOf<ir::DepthOrder>());
    add(ir::wordsOf<ir::ShiftDirection>());
    add(ir::wordsOf<ir::GeluApproximation>());
    add(ir::wordsOf<ir::ResizeMode>());
    add(ir::wordsOf<ir::CoordinateTransformation>());
    add(ir::wordsOf<ir::NearestMode>());
    add(ir::wordsOf<ir::AspectRatioPolicy>());
    add(ir::wordsOf<ir::RecurrentDirection>());
    return list;
  }();
  return *all;
}

/// Entries of a list that the operator may have one or two of for each spatial dimension.
static Attribute otherInts(Builder& builder, ArrayRef<int64_t> present, int64_t rank,
                           Random& random) {
  SmallVector<int64_t> values(present);
  if (values.empty()) {
    const int64_t spatial = std::max<int64_t>(rank - 2, 1);
    values.assign(static_cast<size_t>(random.isOneIn(2) ? spatial : 2 * spatial), 1);
  }
  // One entry, or all: what looks at the first alone is found by the one.
  if (random.isOneIn(2))
    values[random.below(values.size())] = static_cast<int64_t>(random.below(4));
  else
    for (int64_t& value : values) value = static_cast<int64_t>(random.below(4));
  return builder.getDenseI64ArrayAttr(values);
}

static Attribute otherValue(const ir::AttributeInfo& info, Attribute present, int64_t rank,
                            Random& random, MLIRContext* context) {
  Builder builder(context);
  switch (info.kind) {
    case ir::AttributeKind::kInt: {
      // Most are flags.
      const auto number = dyn_cast_or_null<IntegerAttr>(present);
      if (number && (number.getInt() == 0 || number.getInt() == 1) && random.isOneIn(2))
        return builder.getI64IntegerAttr(1 - number.getInt());
      const int64_t values[] = {0, 1, -1, 2, 3, -2, rank - 1, -rank, 4};
      return builder.getI64IntegerAttr(random.pick(values));
    }
    case ir::AttributeKind::kFloat: {
      constexpr float kValues[] = {0.0F, 0.5F, 1.0F, 1.5F, 0.125F, -0.25F};
      return builder.getF32FloatAttr(random.pick(kValues));
    }
    case ir::AttributeKind::kString:
      return builder.getStringAttr(random.pick(words()));
    case ir::AttributeKind::kInts: {
      const auto ints = dyn_cast_or_null<DenseI64ArrayAttr>(present);
      return otherInts(builder, ints ? ints.asArrayRef() : ArrayRef<int64_t>(), rank, random);
    }
    case ir::AttributeKind::kFloats:
    case ir::AttributeKind::kStrings:
    case ir::AttributeKind::kTensor:
      return {};
  }
  return {};
}

bool changeAttribute(func::FuncOp function, Random& random) {
  SmallVector<Operation*> ops;
  for (Operation& op : function.getBody().front().without_terminator()) {
    const ir::OpInfo* info = ir::findByMnemonic(op.getName().stripDialect());
    if (info != nullptr && !info->attributes.empty()) ops.push_back(&op);
  }
  if (ops.empty()) return false;
  Operation* op = random.pick(ops);
  const ir::OpInfo* info = ir::findByMnemonic(op->getName().stripDialect());
  const ir::AttributeInfo& attribute = random.pick(info->attributes);
  const StringRef name(attribute.name);
  const Attribute present = op->getAttr(name);
  const auto type = op->getNumOperands() == 0
                        ? RankedTensorType()
                        : dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  const Attribute other =
      otherValue(attribute, present, type ? type.getRank() : 1, random, op->getContext());
  if (!other || other == present) return false;
  op->setAttr(name, other);
  return op->getAttr(name) == other;
}

}  // namespace tessera::conformance
