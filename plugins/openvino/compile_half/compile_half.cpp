// The C ABI of the compile half. OpenVINO throws: nothing leaves these functions.
#include <exception>

#include "compile_half/query.h"
#include "compile_half/regions.h"
#include "openvino/openvino.hpp"
#include "shared/blob.h"
#include "shared/openvino_model.h"

namespace tessera_openvino {

/// Runs `work`; what it throws is why the call fails.
template <typename Work>
static int32_t guarded(const tessera_compile_services* services, const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    services->log(services->host, TESSERA_LOG_ERROR, sentenceOf(error).c_str());
    return 1;
  }
}

static int32_t query(const tessera_compile_services* services, const tessera_compile_target*,
                     const tessera_onnx_model* model, const tessera_query_sink* sink) {
  return guarded(services, [&] {
    const std::vector<std::string> reasons = queryNodes(withAddresses(*model));
    for (size_t i = 0; i < reasons.size(); ++i) {
      const bool isTaken = reasons[i].empty();
      const tessera_node_answer answer = {
          .size = sizeof(tessera_node_answer),
          .kind = isTaken ? TESSERA_NODE_TAKEN : TESSERA_NODE_REFUSED,
          .group = 0,
          .reserved = 0,
          .reason = reasons[i].c_str()};
      sink->answer(sink->host, static_cast<uint32_t>(i), &answer);
    }
  });
}

static int32_t compile(const tessera_compile_services* services, const tessera_compile_target*,
                       const tessera_onnx_model* const* regions, uint32_t numRegions,
                       const tessera_compile_sink* sink) {
  return guarded(services, [&] {
    BlobWriter writer;
    std::vector<std::string> entries(numRegions);
    for (uint32_t i = 0; i < numRegions; ++i) {
      try {
        tryRegion(*regions[i]);
        entries[i] = std::to_string(writer.add(pointToWeights(*regions[i]), *regions[i]));
      } catch (const std::exception& error) {
        sink->refuse(sink->host, i, sentenceOf(error).c_str());
      }
      services->progress(services->host, i + 1, numRegions);
    }
    const std::vector<std::byte> bytes = writer.finish();
    const uint32_t blob = sink->add_blob(sink->host, bytes.data(), bytes.size());
    for (uint32_t i = 0; i < numRegions; ++i) {
      if (entries[i].empty()) continue;
      const tessera_region_code code = {.size = sizeof(tessera_region_code),
                                        .blob = blob,
                                        .entry = entries[i].c_str(),
                                        .workspace_bytes = 0,
                                        .least_runtime_version = TESSERA_OPENVINO_VERSION};
      sink->answer(sink->host, i, &code);
    }
  });
}

static int32_t inferTypes(const tessera_compile_services* services, const tessera_onnx_model* node,
                          const tessera_type_sink* sink) {
  return guarded(services, [&] {
    for (const OutputType& type : inferOutputs(*node))
      sink->answer(sink->host, type.output, type.dtype, static_cast<uint32_t>(type.dims.size()),
                   type.dims.data());
  });
}

}  // namespace tessera_openvino

const tessera_backend_compile* tessera_backend_compile_entry(uint32_t) {
  static const tessera_backend_compile half = {
      .size = sizeof(tessera_backend_compile),
      .abi_version = TESSERA_BACKEND_COMPILE_ABI_VERSION,
      .least_abi_version = 1,
      .num_attributes = 0,
      .name = "openvino",
      .version = TESSERA_OPENVINO_VERSION,
      .attributes = nullptr,
      .opset = tessera_openvino::kOpset,
      .needs_weights = 0,
      .query = tessera_openvino::query,
      .query_region = nullptr,
      .compile = tessera_openvino::compile,
      .infer_types = tessera_openvino::inferTypes,
  };
  return &half;
}
