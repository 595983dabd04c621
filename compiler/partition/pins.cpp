#include "compiler/partition/pins.h"

#include "compiler/ir/op_info.h"
#include "compiler/ir/types.h"
#include "compiler/partition/host_blocks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tessera::partition {

using namespace mlir;

static Error wrongField(StringRef name, StringRef expected) {
  return invalidInput("field '" + name.str() + "', expected " + expected.str());
}

static Result<std::string> textOf(StringRef name, Attribute value) {
  const auto text = dyn_cast<StringAttr>(value);
  if (!text || text.empty()) return wrongField(name, "a text");
  return text.str();
}

static Result<int64_t> numberOf(StringRef name, Attribute value) {
  const auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getType().isSignlessInteger(64)) return wrongField(name, "a whole number");
  return number.getInt();
}

static std::string nameOf(Type element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

/// Whether an element type of the dialect is called so.
static bool isElementName(MLIRContext* context, const std::string& name) {
  for (auto type = static_cast<int>(ElementType::kF32);
       type <= static_cast<int>(ElementType::kBF16); ++type) {
    const Type element = ir::toMlir(context, static_cast<ElementType>(type));
    if (element && nameOf(element) == name) return true;
  }
  return false;
}

Status Pin::read(StringRef name, Attribute value) {
  const auto verb = llvm::StringSwitch<std::optional<Verb>>(name)
                        .Case("must", Verb::kMust)
                        .Case("prefer", Verb::kPrefer)
                        .Case("forbid", Verb::kForbid)
                        .Default(std::nullopt);
  if (verb) {
    if (!target_.empty()) return invalidInput("found two of must, prefer and forbid, expected one");
    verb_ = *verb;
    TESSERA_TRY(target_, textOf(name, value));
  } else if (name == "node") {
    TESSERA_TRY(node_, textOf(name, value));
    std::string error;
    if (!llvm::Regex(node_).isValid(error))
      return wrongField(name, "a regular expression: " + error);
    nodePattern_.emplace("^(" + node_ + ")$");
  } else if (name == "op") {
    TESSERA_TRY(op_, textOf(name, value));
  } else if (name == "dtype") {
    TESSERA_TRY(dtype_, textOf(name, value));
    if (!isElementName(value.getContext(), dtype_))
      return wrongField(name, "an element type of MLIR, such as f32, i64 or ui8");
  } else if (name == "rank") {
    TESSERA_TRY(rank_, numberOf(name, value));
    if (*rank_ < 0) return wrongField(name, "a rank from 0");
  } else if (name == "dims") {
    const auto list = dyn_cast<ArrayAttr>(value);
    if (!list) return wrongField(name, "a list of sizes, -1 for any");
    dims_.emplace();
    for (const Attribute element : list) {
      TESSERA_TRY(const int64_t size, numberOf(name, element));
      if (size < -1) return wrongField(name, "sizes, -1 for any");
      dims_->push_back(size);
    }
  } else {
    return wrongField(name, "node, op, dtype, rank, dims, must, prefer or forbid");
  }
  return {};
}

Result<Pin> Pin::parse(DictionaryAttr text) {
  Pin pin;
  for (const NamedAttribute field : text)
    TESSERA_TRY_VOID(pin.read(field.getName().getValue(), field.getValue()));
  if (pin.target_.empty())
    return invalidInput("found none of must, prefer and forbid, expected one");
  return pin;
}

/// Whether `name` is the mnemonic or ONNX's name of the operator, or the name of a composite.
static bool isNamed(Operation* op, StringRef name) {
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) return composite.getName() == name;
  if (auto custom = dyn_cast<ir::CustomOp>(op)) return custom.getOpType() == name;
  const StringRef mnemonic = op->getName().stripDialect();
  // Control flow is not in the table of operators.
  if (mnemonic == name || (isControlFlow(op) && mnemonic.equals_insensitive(name))) return true;
  const ir::OpInfo* info = ir::findByMnemonic(std::string_view(mnemonic));
  return info != nullptr && StringRef(info->onnxName) == name;
}

bool Pin::fits(Operation* op) const {
  if (!op_.empty() && !isNamed(op, op_)) return false;
  if (nodePattern_) {
    const auto matches = [&](const std::string& name) { return nodePattern_->match(name); };
    if (llvm::none_of(ir::sourceNames(op->getLoc()), matches)) return false;
  }
  if (dtype_.empty() && !rank_ && !dims_) return true;
  const auto type = op->getNumResults() == 0
                        ? RankedTensorType()
                        : dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || (!dtype_.empty() && nameOf(type.getElementType()) != dtype_)) return false;
  if (rank_ && type.getRank() != *rank_) return false;
  if (!dims_) return true;
  return dims_->size() == static_cast<size_t>(type.getRank()) &&
         llvm::all_of(llvm::zip_equal(*dims_, type.getShape()), [](auto pair) {
           return std::get<0>(pair) == -1 || std::get<0>(pair) == std::get<1>(pair);
         });
}

std::string Pin::describe(size_t number) const {
  std::string text = "rule " + std::to_string(number) + " (";
  if (!node_.empty()) text += "node '" + node_ + "' ";
  if (!op_.empty()) text += "op '" + op_ + "' ";
  if (!dtype_.empty()) text += "dtype " + dtype_ + " ";
  if (rank_) text += "rank " + std::to_string(*rank_) + " ";
  if (dims_)
    text += "dims " +
            llvm::join(llvm::map_range(*dims_, [](int64_t size) { return std::to_string(size); }),
                       "x") +
            " ";
  const StringRef verb = verb_ == Verb::kMust     ? "must"
                         : verb_ == Verb::kPrefer ? "prefer"
                                                  : "forbid";
  return text + verb.str() + " " + target_ + ")";
}

}  // namespace tessera::partition
