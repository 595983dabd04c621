// The reference target: a module evaluated through the interpreter.
#include <cstring>

#include "compiler/driver/input_order.h"
#include "compiler/driver/module_state.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/target/target.h"

namespace tessera {

bool isInterpretedTarget(const std::string& target) { return target == target::kInterpreter; }

Result<std::vector<HostTensor>> Module::interpret(std::span<const HostTensor> inputs) {
  if (phase() >= Phase::kLower)
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "'; only modules before phase 'lower' can be interpreted");
  TESSERA_TRY(const auto ordered, driver::inModelOrder(this->inputs(), inputs));
  std::vector<reference::TensorView> views;
  views.reserve(ordered.size());
  for (const HostTensor* tensor : ordered)
    views.push_back({.type = tensor->type, .shape = tensor->shape, .data = tensor->bytes.data()});
  auto results = interpreter::interpret(state_->module(), ir::kEntryFunction.str(), views);
  if (!results) return state_->atFile(std::move(results).error());
  const std::vector<PortInfo> ports = outputs();
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < results->size(); ++i) {
    auto owner = std::make_shared<const reference::Tensor>(std::move((*results)[i]));
    tensors.push_back({.name = ports[i].name,
                       .type = owner->type(),
                       .shape = owner->shape(),
                       .bytes = {static_cast<const std::byte*>(owner->data()), owner->sizeBytes()},
                       .owner = owner});
  }
  return tensors;
}

}  // namespace tessera
