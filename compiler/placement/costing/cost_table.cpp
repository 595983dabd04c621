#include "compiler/placement/costing/cost_table.h"

#include <nlohmann/json.hpp>

#include "compiler/backend_api/backend.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/placement/operator_work.h"

namespace tessera::placement {

using namespace mlir;
using Json = nlohmann::json;
using Kind = CostRow::Kind;

static Result<llvm::Regex> patternOf(const Json& value, const std::string& field) {
  if (!value.is_string()) return invalidInput("field '" + field + "', expected a text");
  const auto text = value.get<std::string>();
  std::string error;
  if (!llvm::Regex(text).isValid(error))
    return invalidInput("field '" + field + "', expected a regular expression: " + error);
  return llvm::Regex("^(" + text + ")$");
}

namespace {

/// Reads the fields of a row one by one.
struct RowReader {
  const Json& row;
  size_t numRead = 0;

  Result<double> number(const char* field) {
    if (!row.contains(field)) return 0.0;
    ++numRead;
    const Json& value = row[field];
    const double number = value.is_number() ? value.get<double>() : -1;
    if (number >= 0) return number;
    return invalidInput("field '" + std::string(field) + "', expected a number from 0");
  }
};

}  // namespace

static Result<CostRow> parseRow(const Json& row) {
  if (!row.is_object()) return invalidInput("found no object");
  RowReader reader{.row = row};
  CostRow made;
  if (row.contains("target")) {
    TESSERA_TRY(made.target, patternOf(row["target"], "target"));
    ++reader.numRead;
  }
  size_t numKinds = 0;
  for (const auto& [field, kind] :
       {std::pair{"region", Kind::kRegion}, {"operator", Kind::kOperator}}) {
    if (!row.contains(field)) continue;
    TESSERA_TRY(made.name, patternOf(row[field], field));
    made.kind = kind;
    ++reader.numRead, ++numKinds;
  }
  if (row.contains("call")) {
    TESSERA_TRY(made.seconds, reader.number("call"));
    ++numKinds;
  } else {
    TESSERA_TRY(made.seconds, reader.number("seconds"));
    TESSERA_TRY(made.perFlop, reader.number("per_flop"));
    TESSERA_TRY(made.perByte, reader.number("per_byte"));
  }
  if (numKinds != 1) return invalidInput("expected one of region, operator and call");
  if (reader.numRead != row.size())
    return invalidInput(
        "expected target, seconds, per_flop, per_byte and region or operator, or "
        "target and call, and no more");
  return made;
}

Result<CostTable> CostTable::parse(const std::string& text) {
  const Json file = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!file.is_array()) return invalidInput("it is no list of costs");
  CostTable table;
  for (const Json& row : file) {
    auto made = parseRow(row);
    if (!made)
      return invalidInput("row " + std::to_string(table.rows_.size() + 1) + ": " +
                          made.error().message);
    table.rows_.push_back(std::move(*made));
  }
  return table;
}

/// What an operator is called: a composite by its own name.
static std::string nameOf(Operation* op) {
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) return composite.getName().str();
  return op->getName().stripDialect().str();
}

static SmallVector<Operation*> operatorsOf(Block& block) {
  SmallVector<Operation*> ops;
  for (Operation& op : block.without_terminator()) {
    if (!isa<ir::ConstantOp>(op)) ops.push_back(&op);
  }
  return ops;
}

/// A target is called by its name or by its whole text, attributes included.
const CostRow* CostTable::find(Kind kind, const std::string& target,
                               const std::string& name) const {
  const std::string shortName = target.substr(0, target.find(' '));
  for (const CostRow& row : rows_) {
    const bool isOfTarget =
        !row.target.isValid() || row.target.match(shortName) || row.target.match(target);
    if (row.kind == kind && isOfTarget && (kind == Kind::kCall || row.name.match(name)))
      return &row;
  }
  return nullptr;
}

Result<double> CostTable::secondsOfOperator(Operation* op, const std::string& target) const {
  if (const CostRow* row = find(Kind::kOperator, target, nameOf(op)))
    return row->seconds + row->perFlop * flopsOf(op) +
           row->perByte * (bytesOf(op->getOperandTypes()) + bytesOf(op->getResultTypes()));
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!composite)
    return targetFailed("no row says what " + nameOf(op) + " costs on target '" + target + "'");
  double seconds = 0;
  for (Operation* part : operatorsOf(composite.getBody().front())) {
    TESSERA_TRY(const double each, secondsOfOperator(part, target));
    seconds += each;
  }
  return seconds;
}

Result<double> CostTable::secondsOfRegion(func::FuncOp region) const {
  const std::string target = backend_api::fromAttribute(backend_api::ownerOf(region)).toString();
  const SmallVector<Operation*> ops = operatorsOf(region.getBody().front());
  std::string names;
  double flops = 0;
  for (Operation* op : ops) {
    names += (names.empty() ? "" : " ") + nameOf(op);
    flops += flopsOf(op);
  }
  if (const CostRow* row = find(Kind::kRegion, target, names))
    return row->seconds + row->perFlop * flops +
           row->perByte * (bytesOf(region.getArgumentTypes()) + bytesOf(region.getResultTypes()));
  const bool isCopy = ops.size() == 1 && isa<ir::CopyOp>(ops.front());  // It calls nothing.
  const CostRow* call = isCopy ? nullptr : find(Kind::kCall, target, "");
  double seconds = call ? call->seconds : 0;
  for (Operation* op : ops) {
    TESSERA_TRY(const double each, secondsOfOperator(op, target));
    seconds += each;
  }
  return seconds;
}

/// Whether it is there before the model runs: a constant, or one in another layout or space.
static bool isConstant(Value value) {
  Operation* op = value.getDefiningOp();
  if (!isa_and_nonnull<ir::ConstantOp, func::CallOp>(op)) return false;
  return isa<ir::ConstantOp>(op) ||
         (op->getNumOperands() > 0 && llvm::all_of(op->getOperands(), isConstant));
}

Result<double> CostTable::secondsOf(ModuleOp placed) const {
  double seconds = 0;
  Status status;
  ir::entryFunction(placed).walk([&](func::CallOp call) {
    auto region = placed.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!region || !backend_api::ownerOf(region) || isConstant(call.getResult(0)))
      return WalkResult::advance();
    const Result<double> each = secondsOfRegion(region);
    if (each)
      seconds += *each;
    else
      status = each.error();
    return each ? WalkResult::advance() : WalkResult::interrupt();
  });
  TESSERA_TRY_VOID(status);
  return seconds;
}

std::vector<Measurement> CostTableMeasurer::measureWhole(ArrayRef<Subject> subjects,
                                                         bool /*areRivals*/) {
  // So many that they are as sure as they are.
  constexpr size_t kNumTurns = 20;
  std::vector<Measurement> found;
  for (const Subject& subject : subjects) {
    const Result<double> seconds = table_.secondsOf(subject.module);
    if (seconds)
      found.push_back({.seconds = *seconds,
                       .low = *seconds,
                       .high = *seconds,
                       .least = *seconds,
                       .turns = std::vector<Turn>(kNumTurns, {.seconds = *seconds})});
    else
      found.push_back({.outcome = costs::Outcome::kDeclined, .reason = seconds.error().message});
  }
  return found;
}

}  // namespace tessera::placement
