#include <algorithm>

#include "reference/op_call.h"
#include "reference/reference_ops.h"

namespace tessera::reference {

namespace {

struct Entry {
  std::string_view mnemonic;
  OpResult (*function)(const OpCall&);
};

constexpr Entry kEntries[] = {
#define TESSERA_REFERENCE_OP(mnemonic, function) {mnemonic, ops::function},
#include "reference/reference_ops.def"
#undef TESSERA_REFERENCE_OP
};

static_assert(std::ranges::is_sorted(kEntries, {}, &Entry::mnemonic),
              "reference_ops.def is sorted by mnemonic");

}  // namespace

static const Entry* findEntry(std::string_view op) {
  const Entry* entry = std::ranges::lower_bound(kEntries, op, {}, &Entry::mnemonic);
  return entry != std::end(kEntries) && entry->mnemonic == op ? entry : nullptr;
}

/// What operators take for granted about their inputs.
static Status checkInputs(const OpCall& call) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorView& input = call.inputs[i];
    if (input.type == ElementType::kUndefined) continue;
    const std::string name = "input " + std::to_string(i);
    if (elementSizeBytes(input.type) == 0) return unsupportedType(call, input.type);
    if (std::ranges::any_of(input.shape, [](int64_t size) { return size < 0; })) {
      return opError(call, name + " has shape " + toText(input.shape) + " with a negative size");
    }
    if (!input.data && input.count() > 0) return opError(call, name + " has no data");
  }
  return {};
}

Result<std::vector<Tensor>> evaluate(const OpCall& call) {
  const Entry* entry = findEntry(call.op);
  if (!entry)
    return invalidInput("operator '" + std::string(call.op) + "' has no reference implementation");
  TESSERA_TRY_VOID(checkInputs(call));
  TESSERA_TRY(std::vector<Tensor> results, entry->function(call));
  if (results.size() < call.numOutputs) {
    return opError(call, "produces " + std::to_string(results.size()) + " outputs, but " +
                             std::to_string(call.numOutputs) + " are wanted");
  }
  results.resize(call.numOutputs);
  return results;
}

bool isImplemented(std::string_view op) { return findEntry(op) != nullptr; }

std::vector<std::string_view> implementedOps() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.mnemonic);
  return names;
}

}  // namespace tessera::reference
