// The reference target: a module evaluated through the interpreter.
#include <cstring>

#include "compiler/driver/module_state.h"
#include "compiler/driver/pipeline.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"

namespace tessera {

/// The inputs in the model's order. By name when every input is named, else by order.
static Result<std::vector<reference::TensorView>> orderInputs(const std::vector<PortInfo>& ports,
                                                              std::span<const HostTensor> inputs) {
  if (inputs.size() != ports.size()) {
    return invalidInput("found " + std::to_string(inputs.size()) + " input tensors, expected " +
                        std::to_string(ports.size()));
  }
  const bool isNamed =
      std::ranges::all_of(inputs, [](const HostTensor& tensor) { return !tensor.name.empty(); });
  std::vector<reference::TensorView> views;
  for (size_t i = 0; i < ports.size(); ++i) {
    const HostTensor* tensor = &inputs[i];
    if (isNamed) {
      const auto it = std::ranges::find(inputs, ports[i].name, &HostTensor::name);
      if (it == inputs.end())
        return invalidInput("there is no tensor for input '" + ports[i].name + "'");
      tensor = &*it;
    }
    views.push_back({.type = tensor->type, .shape = tensor->shape, .data = tensor->bytes.data()});
  }
  return views;
}

Result<std::vector<HostTensor>> Module::interpret(std::span<const HostTensor> inputs) {
  if (driver::phaseOf(*state_->module) >= target::Phase::kLower)
    return usageError("the module is at phase '" + phase() +
                      "'; only modules before phase 'lower' can be interpreted");
  TESSERA_TRY(const auto views, orderInputs(this->inputs(), inputs));
  auto results = interpreter::interpret(*state_->module, ir::kEntryFunction.str(), views);
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
