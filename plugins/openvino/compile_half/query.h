// Which nodes of a model OpenVINO's CPU device takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera_openvino {

/// One answer for each node: "" where it is taken, else why not. `proto` has addresses in place of
/// weights. Throws what OpenVINO throws.
std::vector<std::string> queryNodes(const std::string& proto);

}  // namespace tessera_openvino
