// The forms in which an explanation is shown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compiler/report/explain/explanation.h"

namespace tessera::report {

/// For a terminal, up to 100 columns: the race, the parts by time.
std::string planText(const Explanation& plan);
/// Every operator of an ONNX node with every target's answer.
std::string nodesText(const Explanation& plan, const std::vector<size_t>& nodes);

nlohmann::ordered_json planJson(const Explanation& plan);
nlohmann::ordered_json nodesJson(const Explanation& plan, const std::vector<size_t>& nodes);

std::string planDot(const Explanation& plan);
std::string planHtml(const Explanation& plan, const std::string& title);

}  // namespace tessera::report
