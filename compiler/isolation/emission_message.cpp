#include "compiler/isolation/emission_message.h"

namespace tessera::isolation {

using backend_api::Declined, backend_api::Emission, backend_api::RegionCode;
using nlohmann::json;
using worker::listOf, worker::numberOf, worker::textOf;

worker::Answer pack(Emission emission) {
  worker::Answer answer;
  json regions = json::array();
  for (const backend_api::RegionAnswer& region : emission.regions) {
    if (const auto* declined = std::get_if<Declined>(&region)) {
      regions.push_back({{"refused", worker::validText(declined->reason)}});
      continue;
    }
    const auto& code = std::get<RegionCode>(region);
    regions.push_back({{"blob", uint64_t{code.blob}},
                       {"entry", code.entry},
                       {"workspace", uint64_t{code.workspaceBytes}},
                       {"features", code.cpuFeatures}});
  }
  answer.header = {{"regions", std::move(regions)},
                   {"least_version", emission.leastVersion},
                   {"least_abi", uint64_t{emission.leastAbi}}};
  for (backend_api::CodeBlob& blob : emission.blobs)
    answer.payloads.push_back(std::move(blob.bytes));
  return answer;
}

static backend_api::RegionAnswer regionOf(const json& given) {
  if (given.contains("refused")) return Declined{textOf(given, "refused")};
  RegionCode code{.entry = textOf(given, "entry"),
                  .blob = numberOf(given, "blob"),
                  .workspaceBytes = numberOf(given, "workspace")};
  for (const json& feature : listOf(given, "features")) {
    if (feature.is_string()) code.cpuFeatures.push_back(feature.get<std::string>());
  }
  return code;
}

Emission emissionOf(worker::Message answer) {
  Emission emission{.blobs = {},
                    .regions = {},
                    .leastVersion = textOf(answer.header, "least_version"),
                    .leastAbi = static_cast<uint32_t>(numberOf(answer.header, "least_abi"))};
  for (const json& region : listOf(answer.header, "regions"))
    emission.regions.push_back(regionOf(region));
  for (std::vector<std::byte>& blob : answer.payloads)
    emission.blobs.push_back({.bytes = std::move(blob)});
  return emission;
}

}  // namespace tessera::isolation
