// Tensors in the order of a model's inputs.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tessera/compile.h"

namespace tessera::driver {

/// One tensor for each port: by name when every tensor is named, else by order. They are `inputs`'.
/// Errors (kInvalidInput): another number of tensors, an input without one.
inline Result<std::vector<const HostTensor*>> inModelOrder(const std::vector<PortInfo>& ports,
                                                           std::span<const HostTensor> inputs) {
  if (inputs.size() != ports.size()) {
    return invalidInput("found " + std::to_string(inputs.size()) + " input tensors, expected " +
                        std::to_string(ports.size()));
  }
  const bool isNamed =
      std::ranges::all_of(inputs, [](const HostTensor& tensor) { return !tensor.name.empty(); });
  std::vector<const HostTensor*> ordered;
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto found = isNamed ? std::ranges::find(inputs, ports[i].name, &HostTensor::name)
                               : inputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (found == inputs.end())
      return invalidInput("there is no tensor for input '" + ports[i].name + "'");
    ordered.push_back(&*found);
  }
  return ordered;
}

}  // namespace tessera::driver
